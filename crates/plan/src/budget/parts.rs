//! What the lines that providers bill are the sum of: amounts at prices, so that a reader can
//! change a price and add up again.

use super::lines::{at_provider, main_mode, months, paid, providers};
use crate::{
    PlanError,
    candidates::{Paid, Pool},
    outcome::{BudgetLine, CostKind, LinePart},
    plan::{Solved, World},
    workload::Workload,
};
use kasuan_market::terms::StoragePer;
use kasuan_model::{BillingMode, Bytes, Money, Seconds};
use rust_decimal::Decimal;

/// Returns the parts of rent, storage, egress and tax; what is unknown has none.
pub(super) fn parts(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    lines: &[BudgetLine],
) -> Result<Vec<LinePart>, PlanError> {
    let known = |kind| lines.iter().find(|line| line.kind == kind && line.amount.is_some());
    let mut parts = Vec::new();
    if known(CostKind::Rent).is_some() {
        rent(world, solved, &mut parts)?;
    }
    if known(CostKind::Storage).is_some() {
        storage(workload, world, solved, &mut parts)?;
    }
    if known(CostKind::Egress).is_some() {
        egress(workload, world, solved, &mut parts)?;
    }
    if let Some(tax) = known(CostKind::Tax) {
        let others = [CostKind::Storage, CostKind::Egress]
            .map(|kind| lines.iter().find(|line| line.kind == kind));
        let [Some(storage), Some(egress)] = others else { return Ok(parts) };
        if tax.amount.is_some_and(|amount| !amount.is_zero()) {
            for (at, one) in paid(world, solved, [storage, egress])?.into_iter().enumerate() {
                let Some(share) = super::tax::share(workload, &one)? else { continue };
                parts.push(LinePart::Billed {
                    provider: one.provider,
                    base: one.amount,
                    share,
                    with_data: at == 0,
                });
            }
        }
    }
    Ok(parts)
}

fn rent(world: &World<'_>, solved: &Solved, parts: &mut Vec<LinePart>) -> Result<(), PlanError> {
    let offers = world.catalogue.offers();
    let id = |index: usize| offers.get(index).map_or_else(String::new, |offer| offer.id.clone());
    let span = solved.span.seconds();
    let term = |pool: &Pool, at: usize, length: u64, count: u32| -> Result<_, PlanError> {
        let Some(term) = pool.terms.get(at) else { return Ok(None) };
        let price = term.cost(length, span, 1)?;
        Ok(Some(LinePart::Term {
            offer: id(term.offer),
            provider: pool.provider.clone(),
            card: solved.supply.kinds[pool.kind].card.display.clone(),
            mode: term.mode,
            price,
            count,
        }))
    };
    for (pool, shared) in &solved.choice.shared {
        for one in &shared.bill.bought {
            let pool = &solved.supply.pools[*pool];
            parts.extend(term(pool, one.term, one.stretch.length(), one.units)?);
        }
    }
    for (job, rent) in solved.rent.jobs.iter().enumerate() {
        let (Some(rent), Some(way)) = (rent, solved.choice.ways[job]) else { continue };
        let ways = &solved.ways[job];
        let way = &ways.ways[way];
        let pool = &solved.supply.pools[way.pool];
        if let Paid::Term(at) = way.paid {
            let length = pool.terms.get(at).map_or(span, |term| span.min(term.term.get()));
            parts.extend(term(pool, at, length, way.instances)?);
        }
        let spot = matches!(way.paid, Paid::Spot(_));
        let rate = if spot { &pool.spot } else { &pool.on_demand };
        let (Some(rate), false) = (rate, rent.hourly.cost.likely.is_zero()) else { continue };
        // Nights, least charges and rounding are in the amount; as hours of the listed price it
        // follows a change of that price.
        let Some(hours) = rent.hourly.cost.likely.amount().checked_div(rate.hourly.amount()) else {
            continue;
        };
        parts.push(LinePart::Hours {
            job,
            offer: id(rate.offer),
            provider: pool.provider.clone(),
            mode: if spot { BillingMode::Spot } else { BillingMode::OnDemand },
            price: rate.hourly,
            hours,
        });
    }
    Ok(())
}

fn storage(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    parts: &mut Vec<LinePart>,
) -> Result<(), PlanError> {
    for need in &workload.storage {
        let Some(price) = need.price_per_gb_month else { continue };
        parts.push(LinePart::Kept {
            name: need.name.clone(),
            provider: String::new(),
            size: need.size.gb(),
            free: Decimal::ZERO,
            times: months(solved),
            per: StoragePer::Month,
            binary: false,
            price: workload.rates.convert(price, workload.currency)?,
        });
    }
    let rest = at_provider(workload);
    if rest == Bytes::ZERO {
        return Ok(());
    }
    for (provider, _) in providers(solved)? {
        let terms = world.catalogue.terms(&provider, Some(world.today));
        let Some(kind) = terms.storage_kind(None, main_mode(solved, &provider)) else { continue };
        let Some(price) = kind.price else { continue };
        let Ok(price) = workload.rates.convert(price, workload.currency) else { continue };
        let kept = Decimal::from(solved.span.seconds());
        let unit = match kind.per {
            StoragePer::Hour => Seconds::from_hours(1),
            StoragePer::Day => Seconds::from_hours(24),
            StoragePer::Month => super::lines::month_of(solved.span),
        };
        let unit_bytes = Decimal::from(if kind.binary { 1_u64 << 30 } else { 1_000_000_000 });
        let in_units = |size: Bytes| Decimal::from(size.get()) / unit_bytes;
        parts.push(LinePart::Kept {
            name: String::new(),
            provider,
            size: in_units(rest),
            free: in_units(kind.free),
            times: kept / Decimal::from(unit.get()),
            per: kind.per,
            binary: kind.binary,
            price,
        });
    }
    Ok(())
}

fn egress(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    parts: &mut Vec<LinePart>,
) -> Result<(), PlanError> {
    if workload.transfer.egress == Bytes::ZERO {
        return Ok(());
    }
    let Some((provider, _)) = providers(solved)?.into_iter().next() else { return Ok(()) };
    let traffic = &world.catalogue.terms(&provider, Some(world.today)).traffic;
    let stored: Bytes = workload.storage.iter().map(|need| need.size).sum();
    let mut from = Bytes::ZERO;
    for tier in &traffic.egress {
        let Ok(price) = workload.rates.convert(tier.price, workload.currency) else { continue };
        parts.push(LinePart::Sent {
            provider: provider.clone(),
            size: workload.transfer.egress.gb(),
            free: traffic.free(stored).gb(),
            from: from.gb(),
            to: tier.up_to.map(Bytes::gb),
            price: Money::new(price.amount(), workload.currency),
        });
        from = tier.up_to.unwrap_or(from);
    }
    Ok(())
}
