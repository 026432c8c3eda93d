//! Whether a term that the plan would buy rests on a guess, and what the guess is worth: commit
//! now, or run on demand for a while and decide again.

use super::{Solved, World, solve};
use crate::{
    PlanError,
    advise::{FirstStep, Guess, measure_first},
    choose::Shared,
    demand::{DAY, is_service},
    mix::Bought,
    outcome::MeasureFirst,
    workload::{Amount, Job, Workload},
};
use kasuan_model::{BillingMode, Estimate, Money, Seconds};
use rust_decimal::{Decimal, prelude::FromPrimitive as _};
use std::collections::{BTreeMap, BTreeSet};

/// A week on demand shows a week's rhythm; of a shorter term a quarter is measured.
const MEASURED: Seconds = Seconds::from_hours(168);

/// How far hours may be off that are stated without a range and were never measured: half to
/// double. An assumption, named in the answer; a range in the workload takes its place.
const UNSTATED: (f64, f64) = (0.5, 2.0);

/// Rounds in which jobs are taken off terms: those that stay may buy others than before.
const ROUNDS: usize = 4;

/// A workload as it is planned: jobs whose hours are to be measured first wait for their terms.
pub(super) struct Settled {
    /// The workload with those jobs marked.
    pub(super) workload: Workload,
    /// Its solution.
    pub(super) solved: Solved,
    /// Every term that was weighed.
    pub(super) first: Vec<MeasureFirst>,
    /// The rent if what waits were bought now and the guess held; `None` where nothing waits.
    pub(super) if_bought: Option<Money>,
}

/// Solves a workload so that no term is bought on a guess where measuring first, or staying on
/// demand, is the better bet.
///
/// What the terms are bought for then is use that was measured, decided or insisted on; jobs that
/// wait still run in its idle hours.
pub(super) fn settle(workload: &Workload, world: &World<'_>) -> Result<Settled, PlanError> {
    let solved = solve(workload, world, None)?;
    let mut settled =
        Settled { workload: workload.clone(), solved, first: Vec::new(), if_bought: None };
    if workload.policy.trust_hours {
        return Ok(settled);
    }
    for round in 1..=ROUNDS {
        let Settled { workload, solved, first, if_bought } = &mut settled;
        let (mut answers, mut waiting) = weigh(workload, world, solved)?;
        if waiting.is_empty() {
            first.append(&mut answers);
            break;
        }
        if round == ROUNDS {
            // Enough: what is guessed waits.
            waiting.extend((0..workload.jobs.len()).filter(|job| may_wait(workload, world, *job)));
        }
        answers.retain(|one| one.step != FirstStep::Commit);
        for mut one in answers {
            one.bought = false;
            first.push(one);
        }
        if_bought.get_or_insert(solved.rent.total);
        let mut later = workload.clone();
        for job in waiting {
            later.jobs[job].hours_wait = true;
        }
        let mut again = solve(&later, world, Some((&*workload, &*solved)))?;
        // The bound stays that of every choice, those included that wait.
        again.choice.bound = solved.choice.bound.min(again.choice.cost);
        (*workload, *solved) = (later, again);
    }
    Ok(settled)
}

/// Says whether a job's hours are a guess and it could run on demand meanwhile.
fn may_wait(workload: &Workload, world: &World<'_>, job: usize) -> bool {
    let job = &workload.jobs[job];
    let on_demand = job.modes.is_empty() || job.modes.contains(&BillingMode::OnDemand);
    on_demand && is_guess(job, world)
}

/// Hours of one member of a pool that run on its terms.
struct Use {
    job: usize,
    likely: f64,
    low: f64,
    high: f64,
    guessed: bool,
    may_wait: bool,
}

/// Weighs every term that the mix buys where the hours behind it are a guess; returns the jobs that
/// should not be bought for, too.
///
/// Hours that a service states are what was decided, and hours that were measured are known; all
/// others are guesses. What more hours could add is bounded by the term: no card is used for more
/// than all of it. Days, and packages that are given back, are bought one by one as long as the
/// work lasts: there is nothing to weigh.
fn weigh(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<(Vec<MeasureFirst>, BTreeSet<usize>), PlanError> {
    let mut answers = Vec::new();
    let mut waiting = BTreeSet::new();
    for (index, shared) in &solved.choice.shared {
        let pool = &solved.supply.pools[*index];
        let Some(rate) = &pool.on_demand else { continue };
        let uses = uses(workload, world, solved, shared);
        if !uses.iter().any(|one| one.guessed) {
            continue;
        }
        let bought: f64 = shared
            .bill
            .bought
            .iter()
            .map(|one| one.stretch.length() as f64 / 3600.0 * f64::from(one.units))
            .sum();
        let mut units: BTreeMap<usize, (u32, u64)> = BTreeMap::new();
        // A day is decided on that day, with the run at work or not.
        let kept = |one: &&Bought| pool.terms[one.term].term.get() > DAY;
        for one in shared.bill.bought.iter().filter(kept) {
            let known = units.entry(one.term).or_insert((0, u64::MAX));
            *known = (known.0.saturating_add(one.units), known.1.min(one.stretch.start));
        }
        for (term, (count, start)) in units {
            let term = &pool.terms[term];
            let hours = term.term.get() / 3600;
            // Use spreads evenly over what is paid.
            let each = |sum: f64| (sum / bought.max(1.0) * hours as f64).clamp(0.0, hours as f64);
            let sum = |of: &dyn Fn(&Use) -> f64| uses.iter().map(of).sum::<f64>();
            let likely = each(sum(&|one| one.likely));
            let range = Estimate::new(
                each(sum(&|one| one.low)).min(likely),
                likely,
                each(sum(&|one| one.high)).max(likely),
            );
            let decimal = |hours: f64| Decimal::from_f64(hours).unwrap_or_default().round_dp(2);
            let measured = MEASURED.min(Seconds::new(term.term.get() / 4));
            let guess = Guess {
                hours: range.map(decimal),
                hourly: rate.hourly,
                term_price: term.price,
                term_hours: u32::try_from(hours).unwrap_or(u32::MAX),
                measure_hours: u32::try_from(measured.get() / 3600).unwrap_or(u32::MAX),
            };
            // A term too short or a price of nothing has nothing to weigh.
            let Ok(advice) = measure_first(&guess) else { continue };
            if advice.step != FirstStep::Commit {
                waiting.extend(uses.iter().filter(|one| one.may_wait).map(|one| one.job));
            }
            let all = |money: Money| money.times(Decimal::from(count));
            let again = start.saturating_add(measured.get());
            answers.push(MeasureFirst {
                offer: world.catalogue.offers()[term.offer].id.clone(),
                card: solved.supply.kinds[pool.kind].card.id.clone(),
                mode: term.mode,
                count,
                hours: guess.hours,
                assumed_range: uses.iter().any(|one| one.guessed && one.assumed()),
                bought: true,
                step: advice.step,
                break_even: advice.break_even,
                chance_above: advice.chance_above,
                regret_commit: all(advice.regret_commit)?,
                regret_on_demand: all(advice.regret_on_demand)?,
                regret_measure: all(advice.regret_measure)?,
                value_of_knowing: all(advice.value_of_knowing)?,
                again: (advice.step == FirstStep::Measure).then(|| solved.span.moment(again)),
            });
        }
    }
    Ok((answers, waiting))
}

impl Use {
    /// Says whether the range is the assumed one.
    fn assumed(&self) -> bool {
        let (low, high) = UNSTATED;
        (self.low - self.likely * low).abs() < 1e-9 && (self.high - self.likely * high).abs() < 1e-9
    }
}

/// Returns what each member of a pool uses of its terms, as far as its hours are known.
fn uses(workload: &Workload, world: &World<'_>, solved: &Solved, shared: &Shared) -> Vec<Use> {
    let mut uses = Vec::with_capacity(shared.members.len());
    for member in &shared.members {
        let ways = &solved.ways[member.job];
        let way = &ways.ways[member.way];
        let rent = solved.rent.jobs[member.job].as_ref();
        let likely = rent.map_or(0.0, |rent| rent.term.0.hours());
        let time = ways.needs[way.need].1.time;
        let job = &workload.jobs[member.job];
        // One that waits already only fills hours that others pay for.
        let guessed = is_guess(job, world) && !job.hours_wait;
        let part = |of: Seconds| of.get() as f64 / time.likely.get().max(1) as f64;
        let (low, high) = match (guessed, time.low == time.high) {
            (false, _) => (1.0, 1.0),
            (true, true) => UNSTATED,
            (true, false) => (part(time.low).min(1.0), part(time.high).max(1.0)),
        };
        let may_wait = guessed && may_wait(workload, world, member.job);
        let likely = if job.hours_wait { 0.0 } else { likely };
        uses.push(Use {
            job: member.job,
            likely,
            low: likely * low,
            high: likely * high,
            guessed,
            may_wait,
        });
    }
    uses
}

/// Says whether nobody measured how long a job runs.
fn is_guess(job: &Job, world: &World<'_>) -> bool {
    if is_service(job) || world.measured.iter().any(|one| one.job == job.name) {
        return false;
    }
    !matches!(job.amount, Amount::Hours { measured_on: Some(_), .. })
}
