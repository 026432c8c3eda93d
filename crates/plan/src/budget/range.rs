//! The range of the month's total, before the margin, by simulated months.

use crate::{
    PlanError,
    candidates::Paid,
    outcome::{BudgetLine, CostKind},
    plan::{Solved, World},
    simulate::{DRAWS, JobRisk, Month, Risks, Simulated, months},
    workload::{Amount, Workload},
};
use kasuan_model::{Estimate, Money, Seconds};
use rust_decimal::Decimal;

/// Returns the percentiles of the month's total and what moves it most.
pub(super) fn range(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    lines: &[BudgetLine],
    before: Money,
) -> Result<Simulated, PlanError> {
    let mut fixed = before;
    let mut jobs = Vec::new();
    for index in 0..workload.jobs.len() {
        if let Some(risk) = job_risk(workload, solved, index)? {
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
    let month = Month { currency, fixed, others, jobs, risks: Risks::default() };
    Ok(months(&month, world.seed, DRAWS)?)
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
    Ok(Some(JobRisk { hourly, runs, spot, reclaims }))
}
