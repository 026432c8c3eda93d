//! Whether a term that the plan would buy rests on a guess, and what the guess is worth: commit
//! now, or run on demand for a while and decide again.

use super::{Solved, World};
use crate::{
    PlanError,
    advise::{FirstStep, Guess, measure_first},
    choose::Shared,
    demand::is_service,
    outcome::MeasureFirst,
    workload::{Amount, Job, Workload},
};
use kasuan_model::{Estimate, Money, Seconds};
use rust_decimal::{Decimal, prelude::FromPrimitive as _};
use std::collections::BTreeMap;

/// A week on demand shows a week's rhythm; of a shorter term a quarter is measured.
const MEASURED: Seconds = Seconds::from_hours(168);

/// How far hours may be off that are stated without a range and were never measured: half to
/// double. An assumption, named in the answer; a range in the workload takes its place.
const UNSTATED: (f64, f64) = (0.5, 2.0);

/// Hours of one member of a pool that run on its terms.
struct Use {
    likely: f64,
    low: f64,
    high: f64,
    guessed: bool,
}

/// Weighs every term that the mix buys where the hours behind it are a guess.
///
/// Hours that a service states are what was decided, and hours that were measured are known; all
/// others are guesses. What more hours could add is bounded by the term: no card is used for more
/// than all of it.
pub(super) fn first(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<Vec<MeasureFirst>, PlanError> {
    let mut answers = Vec::new();
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
        for one in &shared.bill.bought {
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
            let all = |money: Money| money.times(Decimal::from(count));
            let again = start.saturating_add(measured.get());
            answers.push(MeasureFirst {
                offer: world.catalogue.offers()[term.offer].id.clone(),
                card: solved.supply.kinds[pool.kind].card.id.clone(),
                mode: term.mode,
                count,
                hours: guess.hours,
                assumed_range: uses.iter().any(|one| one.guessed && one.assumed()),
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
    Ok(answers)
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
    let mut covered = shared.bill.covered.iter();
    let mut uses = Vec::with_capacity(shared.members.len());
    for (member, runs) in shared.members.iter().zip(&shared.runs) {
        let ways = &solved.ways[member.job];
        let way = &ways.ways[member.way];
        let mut likely = 0.0;
        for stretch in runs.iter().flatten() {
            let units = covered.next().copied().unwrap_or(0).min(way.instances);
            likely += stretch.length() as f64 / 3600.0 * f64::from(units);
        }
        let job = &workload.jobs[member.job];
        let time = ways.needs[way.need].1.time;
        let guessed = is_guess(job, world);
        let part = |of: Seconds| of.get() as f64 / time.likely.get().max(1) as f64;
        let (low, high) = match (guessed, time.low == time.high) {
            (false, _) => (1.0, 1.0),
            (true, true) => UNSTATED,
            (true, false) => (part(time.low).min(1.0), part(time.high).max(1.0)),
        };
        uses.push(Use { likely, low: likely * low, high: likely * high, guessed });
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
