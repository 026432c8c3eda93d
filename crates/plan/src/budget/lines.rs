//! The lines before the margin: rent, storage, egress, trial, data moving, operations, tax.

use super::decimal;
use crate::{
    PlanError,
    outcome::{BudgetLine, CostKind},
    plan::{Solved, World},
    workload::{StorageNeed, Trial, Workload},
};
use kasuan_market::Stored;
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
    let trial = trial(workload, solved.rent.total)?;
    let tax = tax(workload, world, solved, [&storage, &egress])?;
    Ok(vec![rent, storage, egress, trial, data_moving(workload)?, operations(workload)?, tax])
}

fn line(kind: CostKind, range: Option<Estimate<Money>>, detail: Vec<Phrase>) -> BudgetLine {
    let range = range.map(|range| range.map(Money::rounded));
    let amount = range.map(|range| range.likely);
    BudgetLine { kind, amount, range, share: Share::default(), detail }
}

/// Returns the providers that a solution rents from, with what is paid to each, dearest first.
fn providers(solved: &Solved) -> Result<Vec<(String, Money)>, PlanError> {
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
    Ok(line(CostKind::Rent, Some(Estimate::new(low, total, high)), detail))
}

fn add(a: Estimate<Money>, b: Estimate<Money>) -> Result<Estimate<Money>, PlanError> {
    Ok(Estimate::new(
        a.low.checked_add(b.low)?,
        a.likely.checked_add(b.likely)?,
        a.high.checked_add(b.high)?,
    ))
}

/// Returns how many months the span counts as for a price by the month: a calendar month is one.
fn months(solved: &Solved) -> Decimal {
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
    let rest: Bytes =
        workload.storage.iter().filter(|need| !stated(need)).map(|need| need.size).sum();
    let mut unknown = false;
    if rest > Bytes::ZERO {
        let kept = Seconds::new(solved.span.seconds());
        for (provider, _) in providers(solved)? {
            let terms = world.catalogue.terms(&provider, Some(world.today));
            let kind = terms.storage_kind(None, main_mode(solved, &provider));
            let stored = Stored { size: rest, kept, running: kept, month: month_of(solved) };
            let cost = match kind {
                Some(kind) => kind.cost(stored)?,
                None => None,
            };
            let Some(cost) = cost else {
                unknown = true;
                detail.push(Phrase::new("plan-line-storage-unknown").with("provider", &provider));
                continue;
            };
            let convert = |money: Money| workload.rates.convert(money, workload.currency);
            let cost =
                Estimate::new(convert(cost.low)?, convert(cost.likely)?, convert(cost.high)?);
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
    Ok(line(CostKind::Storage, known, detail))
}

/// Returns the length of a month that a span of a calendar month stands for.
fn month_of(solved: &Solved) -> Seconds {
    match solved.span.days() {
        days @ 28..=31 => Seconds::from_hours(days * 24),
        _ => MONTH,
    }
}

/// Returns the mode that most of a provider's rent is paid by.
fn main_mode(solved: &Solved, provider: &str) -> BillingMode {
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
    let stored: Bytes = workload.storage.iter().map(|need| need.size).sum();
    let terms = world.catalogue.terms(&provider, Some(world.today));
    let Some(cost) = terms.traffic.egress_cost(size, stored)? else {
        let detail = vec![Phrase::new("plan-line-egress-unknown").with("provider", &provider)];
        return Ok(line(CostKind::Egress, None, detail));
    };
    let cost = workload.rates.convert(cost, workload.currency)?;
    let detail = vec![
        Phrase::new("plan-line-egress")
            .with("provider", &provider)
            .with("gb", size.gb().normalize())
            .with("amount", cost),
    ];
    Ok(line(CostKind::Egress, Some(Estimate::exact(cost)), detail))
}

fn trial(workload: &Workload, rent: Money) -> Result<BudgetLine, PlanError> {
    let (amount, detail) = match workload.policy.trial {
        Trial::Amount(amount) => {
            let amount = workload.rates.convert(amount, workload.currency)?;
            (amount, Phrase::new("plan-line-trial-stated").with("amount", amount))
        }
        Trial::ShareOfRent(share) => {
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

/// Returns the tax on what providers bill, where their prices do not include it.
fn tax(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    others: [&BudgetLine; 2],
) -> Result<BudgetLine, PlanError> {
    let mut sum = Money::zero(workload.currency);
    let mut detail = Vec::new();
    let mut unknown = false;
    let mut taxed_first = None;
    for (index, (provider, rent)) in providers(solved)?.into_iter().enumerate() {
        let terms = &world.catalogue.terms(&provider, Some(world.today)).tax;
        let rate = match (terms.included, workload.policy.tax, terms.rate) {
            (Some(true), _, _) => Decimal::ZERO,
            (_, Some(rate), _) | (Some(false), None, Some(rate)) => rate,
            (_, None, _) => {
                unknown = true;
                detail.push(Phrase::new("plan-line-tax-unknown").with("provider", &provider));
                continue;
            }
        };
        if index == 0 {
            taxed_first = Some(rate);
        }
        let amount = rent.times(rate)?;
        sum = sum.checked_add(amount)?;
        if !rate.is_zero() {
            detail.push(
                Phrase::new("plan-line-tax")
                    .with("provider", &provider)
                    .with("rate", format!("{}%", (rate * Decimal::ONE_HUNDRED).normalize()))
                    .with("amount", amount),
            );
        }
    }
    // Storage and traffic are taxed like the provider that most is rented from.
    if let Some(rate) = taxed_first {
        for amount in others.iter().filter_map(|line| line.amount) {
            sum = sum.checked_add(amount.times(rate)?)?;
        }
    }
    let known = (!unknown || !sum.is_zero()).then(|| Estimate::exact(sum));
    Ok(line(CostKind::Tax, known, detail))
}
