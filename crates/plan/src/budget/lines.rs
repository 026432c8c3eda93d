//! The lines before the margin: rent, storage, egress, trial, data moving, operations, tax.

use super::{decimal, tax};
use crate::{
    PlanError,
    demand::Span,
    outcome::{BudgetLine, CostKind},
    plan::{Solved, World},
    workload::{StorageNeed, Trial, Workload},
};
use kasuan_market::{Stored, Terms};
use kasuan_model::{BillingMode, Bytes, Estimate, Money, Phrase, Seconds, Share};
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// Hours of the month that a storage price by the month is for where nothing else is stated.
const MONTH: Seconds = Seconds::from_hours(kasuan_model::HOURS_PER_30_DAYS);

/// Returns the lines of a solution, each rounded to the smallest coin.
pub(crate) fn lines(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<Vec<BudgetLine>, PlanError> {
    let rent = rent(solved)?;
    let storage = storage(workload, world, solved)?;
    let egress = egress(workload, world, solved)?;
    let trial = trial(workload, rent.amount.map(|_| solved.rent.total))?;
    let tax = tax::tax(workload, &paid(world, solved, [&storage, &egress])?)?;
    Ok(vec![rent, storage, egress, trial, data_moving(workload)?, operations(workload)?, tax])
}

pub(super) fn line(
    kind: CostKind,
    range: Option<Estimate<Money>>,
    detail: Vec<Phrase>,
) -> BudgetLine {
    let range = range.map(|range| range.map(Money::rounded));
    let amount = range.map(|range| range.likely);
    BudgetLine { kind, amount, unknown: false, range, share: Share::default(), detail }
}

/// Returns the providers that a solution rents from, with what is paid to each, dearest first.
pub(super) fn providers(solved: &Solved) -> Result<Vec<(String, Money)>, PlanError> {
    let mut sums: BTreeMap<&str, Money> = BTreeMap::new();
    for (job, way) in solved.choice.ways.iter().enumerate() {
        let (Some(way), Some(rent)) = (way, &solved.rent.jobs[job]) else { continue };
        let pool = &solved.supply.pools[solved.ways[job].ways[*way].pool];
        let nothing = Money::zero(solved.rent.total.currency());
        let sum = sums.entry(pool.provider.as_str()).or_insert(nothing);
        *sum = sum.checked_add(rent.cost()?)?;
    }
    let mut sums: Vec<(String, Money)> =
        sums.into_iter().map(|(provider, sum)| (provider.to_owned(), sum)).collect();
    sums.sort_by(|a, b| b.1.amount().cmp(&a.1.amount()).then_with(|| a.0.cmp(&b.0)));
    Ok(sums)
}

/// What a provider bills in all.
#[derive(Debug)]
pub(super) struct Paid<'a> {
    /// The provider.
    pub(super) provider: String,
    /// What it bills, before any tax on top.
    pub(super) amount: Money,
    /// Its terms.
    pub(super) terms: &'a Terms,
}

/// Returns what each provider bills; storage and traffic count with the one that most is rented
/// from.
pub(super) fn paid<'a>(
    world: &World<'a>,
    solved: &Solved,
    others: [&BudgetLine; 2],
) -> Result<Vec<Paid<'a>>, PlanError> {
    let mut all = Vec::new();
    for (provider, mut amount) in providers(solved)? {
        if all.is_empty() {
            for other in others.iter().filter_map(|line| line.amount) {
                amount = amount.checked_add(other)?;
            }
        }
        let terms = world.catalogue.terms(&provider, Some(world.today));
        all.push(Paid { provider, amount, terms });
    }
    Ok(all)
}

fn rent(solved: &Solved) -> Result<BudgetLine, PlanError> {
    let total = solved.rent.total;
    let mut low = Money::zero(total.currency());
    let mut high = low;
    let mut hourly = low;
    for rent in solved.rent.jobs.iter().flatten() {
        low = low.checked_add(rent.hourly.cost.low)?.checked_add(rent.term.1)?;
        high = high.checked_add(rent.hourly.cost.high)?.checked_add(rent.term.1)?;
        hourly = hourly.checked_add(rent.hourly.cost.likely)?;
    }
    let detail = vec![
        Phrase::new("plan-line-rent")
            .with("hourly", hourly)
            .with("terms", total.checked_sub(hourly)?)
            .with("idle", solved.rent.idle),
    ];
    // What cannot be rented has no rent, which is not the same as a rent of nothing.
    let without = solved.choice.ways.iter().filter(|way| way.is_none()).count();
    if without == solved.choice.ways.len() {
        return Ok(line(CostKind::Rent, None, Vec::new()));
    }
    let line = line(CostKind::Rent, Some(Estimate::new(low, total, high)), detail);
    Ok(BudgetLine { unknown: without > 0, ..line })
}

fn add(a: Estimate<Money>, b: Estimate<Money>) -> Result<Estimate<Money>, PlanError> {
    Ok(Estimate::new(
        a.low.checked_add(b.low)?,
        a.likely.checked_add(b.likely)?,
        a.high.checked_add(b.high)?,
    ))
}

/// Returns how many months the span counts as for a price by the month: a calendar month is one.
pub(super) fn months(solved: &Solved) -> Decimal {
    match solved.span.days() {
        28..=31 => Decimal::ONE,
        days => Decimal::from(days) / Decimal::from(30),
    }
}

fn storage(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<BudgetLine, PlanError> {
    let mut detail = Vec::new();
    let nothing = Money::zero(workload.currency);
    let mut sum = Estimate::exact(nothing);
    let stated = |need: &&StorageNeed| need.price_per_gb_month.is_some();
    for need in workload.storage.iter().filter(stated) {
        let Some(price) = need.price_per_gb_month else { continue };
        let price = workload.rates.convert(price, workload.currency)?;
        let amount = price.times(need.size.gb())?.times(months(solved))?;
        sum = add(sum, Estimate::exact(amount))?;
        detail.push(
            Phrase::new("plan-line-storage-stated")
                .with("name", &need.name)
                .with("gb", need.size.gb().normalize())
                .with("price", price)
                .with("amount", amount),
        );
    }
    let rest = at_provider(workload);
    let mut unknown = false;
    if rest > Bytes::ZERO {
        for (provider, _) in providers(solved)? {
            let mode = main_mode(solved, &provider);
            let Some(cost) = kept_at(workload, world, solved.span, &provider, mode)? else {
                unknown = true;
                detail.push(Phrase::new("plan-line-storage-unknown").with("provider", &provider));
                continue;
            };
            sum = add(sum, cost)?;
            detail.push(
                Phrase::new("plan-line-storage-provider")
                    .with("provider", &provider)
                    .with("gb", rest.gb().normalize())
                    .with("amount", cost.likely),
            );
        }
    }
    // Known parts count; an unknown part is said, and the line is unknown when nothing is known.
    let known = (!unknown || !sum.likely.is_zero()).then_some(sum);
    let line = line(CostKind::Storage, known, detail);
    Ok(BudgetLine { unknown: known.is_some() && unknown, ..line })
}

/// Returns how much is kept at the providers' prices.
pub(super) fn at_provider(workload: &Workload) -> Bytes {
    let unpriced = workload.storage.iter().filter(|need| need.price_per_gb_month.is_none());
    unpriced.map(|need| need.size).sum()
}

/// Returns what it costs to keep a copy of the data at a provider; `None` when it states no price,
/// or one in a currency without a rate.
pub(crate) fn kept_at(
    workload: &Workload,
    world: &World<'_>,
    span: Span,
    provider: &str,
    mode: BillingMode,
) -> Result<Option<Estimate<Money>>, PlanError> {
    let size = at_provider(workload);
    let kept = Seconds::new(span.seconds());
    let terms = world.catalogue.terms(provider, Some(world.today));
    let Some(kind) = terms.storage_kind(None, mode) else { return Ok(None) };
    let stored = Stored { size, kept, running: kept, month: month_of(span) };
    let Some(cost) = kind.cost(stored)? else { return Ok(None) };
    let convert = |money: Money| workload.rates.convert(money, workload.currency).ok();
    let (low, high) = (convert(cost.low), convert(cost.high));
    let cost = low.zip(high).zip(convert(cost.likely));
    Ok(cost.map(|((low, high), likely)| Estimate::new(low, likely, high)))
}

/// Returns what the traffic out costs from a provider; `None` when it states no price.
pub(crate) fn egress_from(
    workload: &Workload,
    world: &World<'_>,
    provider: &str,
) -> Result<Option<Money>, PlanError> {
    let stored: Bytes = workload.storage.iter().map(|need| need.size).sum();
    let terms = world.catalogue.terms(provider, Some(world.today));
    let cost = terms.traffic.egress_cost(workload.transfer.egress, stored)?;
    Ok(cost.and_then(|cost| workload.rates.convert(cost, workload.currency).ok()))
}

/// Returns the length of a month that a span of a calendar month stands for.
pub(super) fn month_of(span: Span) -> Seconds {
    match span.days() {
        days @ 28..=31 => Seconds::from_hours(days * 24),
        _ => MONTH,
    }
}

/// Returns the mode that most of a provider's rent is paid by.
pub(super) fn main_mode(solved: &Solved, provider: &str) -> BillingMode {
    let mut of_provider = solved.choice.ways.iter().enumerate().filter_map(|(job, way)| {
        let pool = &solved.supply.pools[solved.ways[job].ways[(*way)?].pool];
        let rent = solved.rent.jobs[job].as_ref()?;
        (pool.provider == provider).then_some(rent.mode)
    });
    of_provider.find(|mode| mode.is_commitment()).unwrap_or(BillingMode::OnDemand)
}

fn egress(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<BudgetLine, PlanError> {
    let size = workload.transfer.egress;
    let nothing = Estimate::exact(Money::zero(workload.currency));
    if size == Bytes::ZERO {
        return Ok(line(
            CostKind::Egress,
            Some(nothing),
            vec![Phrase::new("plan-line-egress-none")],
        ));
    }
    // Results leave from where most is rented.
    let Some((provider, _)) = providers(solved)?.into_iter().next() else {
        return Ok(line(CostKind::Egress, None, Vec::new()));
    };
    let Some(cost) = egress_from(workload, world, &provider)? else {
        let detail = vec![Phrase::new("plan-line-egress-unknown").with("provider", &provider)];
        return Ok(line(CostKind::Egress, None, detail));
    };
    let detail = vec![
        Phrase::new("plan-line-egress")
            .with("provider", &provider)
            .with("gb", size.gb().normalize())
            .with("amount", cost),
    ];
    Ok(line(CostKind::Egress, Some(Estimate::exact(cost)), detail))
}

fn trial(workload: &Workload, rent: Option<Money>) -> Result<BudgetLine, PlanError> {
    let (amount, detail) = match workload.policy.trial {
        Trial::Amount(amount) => {
            let amount = workload.rates.convert(amount, workload.currency)?;
            (amount, Phrase::new("plan-line-trial-stated").with("amount", amount))
        }
        Trial::ShareOfRent(share) => {
            let Some(rent) = rent else { return Ok(line(CostKind::Trial, None, Vec::new())) };
            let amount = rent.times(decimal(share))?;
            let share = format!("{:.0}%", share * 100.0);
            (amount, Phrase::new("plan-line-trial-share").with("share", share).with("rent", rent))
        }
    };
    Ok(line(CostKind::Trial, Some(Estimate::exact(amount)), vec![detail]))
}

/// Returns hours of an engineer in money; `None` when either is not stated.
fn labour(workload: &Workload, hours: Option<Decimal>) -> Result<Option<Money>, PlanError> {
    let Some(hours) = hours else { return Ok(None) };
    if hours.is_zero() {
        return Ok(Some(Money::zero(workload.currency)));
    }
    let Some(price) = workload.team.engineer_hour else { return Ok(None) };
    let price = workload.rates.convert(price, workload.currency)?;
    Ok(Some(price.times(hours)?))
}

fn labour_line(
    workload: &Workload,
    kind: CostKind,
    hours: Option<Decimal>,
    mut detail: Vec<Phrase>,
) -> Result<BudgetLine, PlanError> {
    let amount = labour(workload, hours)?;
    if let (Some(amount), Some(hours)) = (amount, hours) {
        detail.push(
            Phrase::new("plan-line-labour").with("hours", hours.normalize()).with("amount", amount),
        );
    }
    Ok(line(kind, amount.map(Estimate::exact), detail))
}

fn data_moving(workload: &Workload) -> Result<BudgetLine, PlanError> {
    let mut detail = Vec::new();
    let moved = workload.transfer.ingress + workload.transfer.egress;
    if let Some(line) = workload.transfer.line.filter(|line| *line > 0.0)
        && moved > Bytes::ZERO
    {
        let time = Seconds::from_estimate(moved.get() as f64 / line);
        detail.push(
            Phrase::new("plan-line-moving-time")
                .with("gb", moved.gb().round_dp(1).normalize())
                .with("hours", time.decimal_hours().round_dp(1).normalize()),
        );
    }
    labour_line(workload, CostKind::DataMoving, workload.team.data_hours, detail)
}

fn operations(workload: &Workload) -> Result<BudgetLine, PlanError> {
    labour_line(workload, CostKind::Operations, workload.team.ops_hours, Vec::new())
}
