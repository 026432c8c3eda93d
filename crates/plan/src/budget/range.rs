//! The range of the month's total, before the margin, by simulated months.

use crate::{
    PlanError,
    candidates::Paid,
    outcome::{BudgetLine, CostKind},
    plan::{Solved, World},
    simulate::{DRAWS, JobRisk, Month, PriceMove, Risks, Simulated, months},
    workload::{Amount, Workload},
};
use kasuan_model::{BillingMode, CardId, Estimate, Money, Offer, Phrase, Seconds};
use rust_decimal::Decimal;

/// What the price moves of a plan rest on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Basis {
    /// Past price series of these cards at these providers.
    own: usize,
    /// Past price series in all; none means that [`Risks`] says how prices move.
    all: usize,
    /// Lowest and highest chance that one of the prices is another one after 30 days.
    chance: Option<(f64, f64)>,
}

impl Basis {
    fn add(&mut self, moves: PriceMove, own: usize, all: usize) {
        let (low, high) = self.chance.unwrap_or((moves.chance, moves.chance));
        self.chance = Some((low.min(moves.chance), high.max(moves.chance)));
        self.own += own;
        self.all = self.all.max(all);
    }

    /// Says what the price moves rest on; nothing where the plan pays nothing by the hour.
    pub(super) fn phrase(&self) -> Option<Phrase> {
        let (low, high) = self.chance?;
        let per_cent = |share: f64| format!("{:.0}", share * 100.0);
        let (low, high) = (per_cent(low), per_cent(high));
        let chance = if low == high { low } else { format!("{low}–{high}") };
        Some(if self.all == 0 {
            Phrase::new("plan-line-margin-prices-usual").with("chance", chance)
        } else {
            Phrase::new("plan-line-margin-prices")
                .with("chance", chance)
                .with("own", self.own)
                .with("all", self.all)
        })
    }
}

/// Returns the percentiles of the month's total and what moves it most, and what its price moves
/// rest on.
pub(super) fn range(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    lines: &[BudgetLine],
    before: Money,
) -> Result<(Simulated, Basis), PlanError> {
    let risks = Risks::default();
    let mut basis = Basis::default();
    let mut fixed = before;
    let mut jobs = Vec::new();
    let mut markets = Vec::new();
    for index in 0..workload.jobs.len() {
        if let Some(mut risk) = job_risk(workload, solved, index)? {
            prices(world, solved, index, &mut risk, &mut markets, &risks, &mut basis);
            fixed = fixed.checked_sub(risk.hourly.likely)?;
            jobs.push(risk);
        }
    }
    let mut others = Vec::new();
    for line in lines.iter().filter(|line| line.kind != CostKind::Rent) {
        if let Some(range) = line.range {
            fixed = fixed.checked_sub(range.likely)?;
            others.push(range);
        }
    }
    let currency = workload.currency;
    let month = Month { currency, fixed, others, jobs, risks };
    Ok((months(&month, world.seed, DRAWS)?, basis))
}

/// What jobs share when they pay one price: the card at the provider, on demand or spot.
type Market<'a> = (&'a CardId, &'a str, bool);

/// Sets how the price of a job moves, by the past prices of its card at its provider; without any,
/// it moves as [`Risks`] says.
fn prices<'a>(
    world: &World<'a>,
    solved: &Solved,
    index: usize,
    risk: &mut JobRisk,
    markets: &mut Vec<(Market<'a>, PriceMove)>,
    risks: &Risks,
    basis: &mut Basis,
) {
    let Some(offer) = offer(world, solved, index, risk.spot) else { return };
    let market: Market<'a> = (&offer.card, &offer.provider, risk.spot);
    // The past prices are looked through once for each price, however many jobs pay it.
    if let Some(at) = markets.iter().position(|(known, _)| *known == market) {
        (risk.moves, risk.market) = (Some(markets[at].1), at);
        return;
    }
    let (mode, usual) = if risk.spot {
        (BillingMode::Spot, risks.spot)
    } else {
        (BillingMode::OnDemand, risks.on_demand)
    };
    let seen = world.catalogue.history().monthly_move(&offer.card, &offer.provider, mode);
    let moves =
        seen.map_or(usual, |seen| PriceMove { chance: seen.chance, deviation: seen.deviation });
    basis.add(moves, seen.map_or(0, |seen| seen.own), seen.map_or(0, |seen| seen.all));
    (risk.moves, risk.market) = (Some(moves), markets.len());
    markets.push((market, moves));
}

/// Returns the offer that a job pays by the hour.
fn offer<'a>(world: &World<'a>, solved: &Solved, index: usize, spot: bool) -> Option<&'a Offer> {
    let way = (*solved.choice.ways.get(index)?)?;
    let way = solved.ways.get(index)?.ways.get(way)?;
    let pool = solved.supply.pools.get(way.pool)?;
    let rate = if spot { pool.spot.as_ref() } else { pool.on_demand.as_ref() }?;
    world.catalogue.offers().get(rate.offer)
}

/// Returns what a job pays by the hour and what can go otherwise; `None` when it pays nothing by
/// the hour.
fn job_risk(
    workload: &Workload,
    solved: &Solved,
    index: usize,
) -> Result<Option<JobRisk>, PlanError> {
    let (Some(Some(rent)), Some(Some(way))) =
        (solved.rent.jobs.get(index), solved.choice.ways.get(index))
    else {
        return Ok(None);
    };
    let cost = rent.hourly.cost;
    if cost.likely.is_zero() {
        return Ok(None);
    }
    let job = &workload.jobs[index];
    let ways = &solved.ways[index];
    let way = &ways.ways[*way];
    let time = ways.needs[way.need].1.time;
    let part = |time_of: Seconds| match time.likely {
        Seconds::ZERO => Decimal::ONE,
        likely => Decimal::from(time_of.get()) / Decimal::from(likely.get()),
    };
    let hourly = Estimate::new(
        cost.low.times(part(time.low.min(time.likely)))?,
        cost.likely,
        cost.high.times(part(time.high.max(time.likely)))?,
    );
    let runs = match job.amount {
        Amount::Service => 0,
        _ => u32::try_from(rent.runs.len()).unwrap_or(u32::MAX),
    };
    let nothing = Money::zero(workload.currency);
    let mut reclaims = (0.0, nothing);
    let spot = matches!(way.paid, Paid::Spot(_));
    if let (Paid::Spot(figures), Some(checkpoints)) = (&way.paid, &job.interruptible) {
        let paid = rent.hourly.billed;
        // A reclaim loses the restart and, on average, half of the time since the last checkpoint.
        let lost = checkpoints.restart.get() + figures.interval.get() / 2;
        let mtbf = workload.policy.spot_mtbf.get();
        if paid > Seconds::ZERO && mtbf > 0 {
            let price = cost.likely.over(Decimal::from(paid.get()))?;
            reclaims = (paid.get() as f64 / mtbf as f64, price.times(Decimal::from(lost))?);
        }
    }
    Ok(Some(JobRisk { hourly, runs, spot, moves: None, market: 0, reclaims }))
}
