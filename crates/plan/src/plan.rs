//! The planner's door: a workload and the world go in, a plan comes out.

mod bought;
mod check;
mod job;
mod measure;
mod notes;
mod peak;
mod places;
mod rent;
mod solve;
mod why;

pub(crate) use rent::{Rent, price};
pub(crate) use solve::{Solved, solve};

use crate::{
    PlanError, baselines, budget, calendar_entries,
    fallback::{self, cap},
    outcome::{Mix, Plan},
    workload::Workload,
};
use jiff::civil::Date;
use kasuan_market::Catalogue;
use kasuan_model::{CardId, Estimate, Seconds};

/// What the planner may choose from and reckon with; nothing else reaches it.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Cards, offers and terms: the shipped ones with the user's price cards laid over them.
    pub catalogue: &'a Catalogue,
    /// The day on which the plan is made; prices age by it.
    pub today: Date,
    /// Seed of the simulated months.
    pub seed: u64,
    /// Runs that the user measured; they replace estimates.
    pub measured: &'a [Measured],
}

/// How long a run of a job took when it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The job's name.
    pub job: String,
    /// The card it ran on.
    pub card: CardId,
    /// Cards it ran on.
    pub cards: u32,
    /// Time of one run.
    pub time: Estimate<Seconds>,
}

/// Chooses for all jobs together and says what is bought, without the budget around it.
///
/// # Errors
///
/// As [`plan`].
pub fn mix_only(workload: &Workload, world: &World<'_>) -> Result<Mix, PlanError> {
    check::check(workload, world)?;
    let settled = measure::settle(workload, world)?;
    mix(&settled, world)
}

/// Plans a month: what to rent for each job, how it is paid, when it runs, what it costs in total,
/// and what else it could cost.
///
/// # Errors
///
/// Only for a workload that means nothing: no jobs, times that are no times, jobs that wait for
/// themselves, sums that cannot be added. A job that fits nowhere is part of the answer.
pub fn plan(workload: &Workload, world: &World<'_>) -> Result<Plan, PlanError> {
    check::check(workload, world)?;
    let settled = measure::settle(workload, world)?;
    let (workload, solved) = (&settled.workload, &settled.solved);
    let budget = budget::budget(workload, world, solved)?;
    let total = budget::total(workload, &budget)?;
    let actions = fallback::actions(workload, world, solved, total)?;
    Ok(Plan {
        total,
        jobs: job::plans(workload, world, solved)?,
        mix: mix(&settled, world)?,
        calendar: calendar_entries::entries(workload, solved),
        peak: peak::peak(workload, solved)?,
        cap: cap::answer(workload, world, solved, total, &actions)?,
        baselines: baselines::baselines(workload, world, solved, total)?,
        measure_first: settled.first.clone(),
        patience: fallback::patience(workload, world, solved)?,
        unknowns: notes::unknowns(workload, solved, &budget),
        notes: notes::notes(workload, world, solved, &budget, &actions),
        sources: notes::sources(world, solved),
        fallback: actions,
        budget,
    })
}

/// Returns what is bought, with what buying on guesses too would come to.
fn mix(settled: &measure::Settled, world: &World<'_>) -> Result<Mix, PlanError> {
    let mix = bought::mix(&settled.workload, world, &settled.solved)?;
    Ok(Mix { cost_if_bought: settled.if_bought, ..mix })
}
