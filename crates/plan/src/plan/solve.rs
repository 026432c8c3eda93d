//! One solution of a workload: candidates, the joint choice, and the rent in exact money.

use super::{
    Rent, World,
    places::{self, Unstated},
    rent,
};
use crate::{
    PlanError,
    candidates::{Cache, JobWays, Supply, Way, all_ways, supply},
    choose::{Choice, Problem, choose},
    colocate,
    demand::Span,
    mix::HeldUnits,
    workload::{Job, Workload},
};
use kasuan_model::Seconds;
use std::{collections::BTreeMap, rc::Rc};

/// A solved workload, in the solver's terms; the answer is read out of it.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    /// The planned span.
    pub(crate) span: Span,
    /// What can be rented.
    pub(crate) supply: Rc<Supply>,
    /// What can be done with each job.
    pub(crate) ways: Vec<JobWays>,
    /// What was chosen.
    pub(crate) choice: Choice,
    /// What it costs.
    pub(crate) rent: Rent,
}

/// With more jobs than this data stays wherever jobs run.
const PLACES_JOBS: usize = 50;

/// Solves a workload; `before` spares sizing again what was sized for an earlier solution, and
/// keeps to its providers.
///
/// Where data is kept at the provider's price, renting from fewer providers may be cheaper than
/// each job at its cheapest, and is tried: see [`places`].
pub(crate) fn solve(
    workload: &Workload,
    world: &World<'_>,
    before: Option<(&Workload, &Solved)>,
) -> Result<Solved, PlanError> {
    if let Some((known, solved)) = before
        && known.policy == workload.policy
    {
        return solve_in(workload, world, solved.supply.clone(), before);
    }
    let span = Span::of(workload)?;
    let supply = Rc::new(gather(workload, world, span));
    let mut best = solve_in(workload, world, supply.clone(), None)?;
    if !stores_by_provider(workload) || workload.jobs.len() > PLACES_JOBS {
        return Ok(best);
    }
    let unstated = Unstated::of(workload, world, span, &supply)?;
    let mut cost = unstated.compared(workload, world, &best)?;
    let first = best.clone();
    for set in places::sets(workload, world, &supply, &first, unstated)? {
        let mut only = Supply::clone(&supply);
        for pools in &mut only.by_kind {
            pools.retain(|pool| set.contains(&supply.pools[*pool].provider));
        }
        let fewer = solve_in(workload, world, Rc::new(only), Some((workload, &first)))?;
        let chosen = |solved: &Solved| solved.choice.ways.iter().flatten().count();
        if chosen(&fewer) < chosen(&first) {
            continue;
        }
        let total = unstated.compared(workload, world, &fewer)?;
        if total.amount() < cost.amount() {
            (best, cost) = (fewer, total);
        }
    }
    Ok(best)
}

/// Says whether data is kept at the price of whichever provider is used.
fn stores_by_provider(workload: &Workload) -> bool {
    workload.storage.iter().any(|need| need.price_per_gb_month.is_none())
}

/// Solves a workload with what can be rented.
fn solve_in(
    workload: &Workload,
    world: &World<'_>,
    supply: Rc<Supply>,
    before: Option<(&Workload, &Solved)>,
) -> Result<Solved, PlanError> {
    let span = Span::of(workload)?;
    let held = held(workload, &supply, span);
    let cache = before.map(|(known, solved)| Cache { jobs: &known.jobs, ways: &solved.ways });
    let ways = all_ways(span, workload, &supply, world.measured, cache)?;
    let near = before.filter(|(_, solved)| Rc::ptr_eq(&solved.supply, &supply));
    let near = near.map(|(known, solved)| near_choice(workload, &ways, known, solved));
    let problem = problem_of(workload, span, &supply, &ways, held, near);
    let mut choice = choose(&problem);
    choice.keep_stock(&problem);
    let guests = colocate::beside(workload, &supply, &problem, &mut choice);
    let Problem { held, near, .. } = problem;
    let mut ways = ways;
    for (job, way) in guests {
        ways[job].ways.push(way);
        choice.ways[job] = Some(ways[job].ways.len() - 1);
    }
    let problem = problem_of(workload, span, &supply, &ways, held, near);
    let rent = rent::rent(&problem, &choice, workload.currency)?;
    Ok(Solved { span, supply, ways, choice, rent })
}

fn problem_of<'a>(
    workload: &'a Workload,
    span: Span,
    supply: &'a Supply,
    ways: &'a [JobWays],
    held: BTreeMap<usize, Vec<HeldUnits>>,
    near: Option<Vec<Option<usize>>>,
) -> Problem<'a> {
    let (jobs, pools) = (&workload.jobs[..], &supply.pools[..]);
    let share_machines = workload.policy.share_machines;
    Problem { span, jobs, ways, pools, held, share_machines, near }
}

/// Carries the choice of an earlier solution over to a changed workload: each job on the same way,
/// or on its cheapest alone where that is gone or the job is new.
fn near_choice(
    workload: &Workload,
    ways: &[JobWays],
    known: &Workload,
    solved: &Solved,
) -> Vec<Option<usize>> {
    let before: BTreeMap<&str, usize> =
        known.jobs.iter().enumerate().map(|(at, job)| (job.name.as_str(), at)).collect();
    let carried = |(job, new): (&Job, &JobWays)| {
        let old = before.get(job.name.as_str()).and_then(|at| {
            let way = solved.choice.ways[*at]?;
            solved.ways[*at].ways.get(way)
        });
        let same = |old: &Way| {
            new.ways.iter().position(|way| {
                way.pool == old.pool
                    && way.instances == old.instances
                    && way.run == old.run
                    && std::mem::discriminant(&way.paid) == std::mem::discriminant(&old.paid)
            })
        };
        let cheapest = || (0..new.ways.len()).min_by_key(|way| new.ways[*way].alone);
        old.and_then(same).or_else(cheapest)
    };
    workload.jobs.iter().zip(ways).map(carried).collect()
}

/// Gathers what can be rented, and marks the pools that something is held of.
fn gather(workload: &Workload, world: &World<'_>, span: Span) -> Supply {
    let term = Seconds::new(span.seconds());
    let places = stores_by_provider(workload);
    let mut supply = supply(world.catalogue, workload, term, world.today, places);
    for pool in held(workload, &supply, span).into_keys() {
        supply.pools[pool].held = true;
    }
    supply
}

/// Puts each held commitment into the cheapest pool of its card with one card an instance.
fn held(workload: &Workload, supply: &Supply, span: Span) -> BTreeMap<usize, Vec<HeldUnits>> {
    let mut held: BTreeMap<usize, Vec<HeldUnits>> = BTreeMap::new();
    for one in &workload.held {
        let of_card = supply.pools.iter().enumerate().filter(|(_, pool)| {
            let kind = &supply.kinds[pool.kind];
            kind.card.id == one.card && kind.slices == 1 && pool.count == 1
        });
        let cheapest = of_card.min_by_key(|(_, pool)| (!pool.held, pool.floor()));
        if let Some((pool, _)) = cheapest {
            let until = span.seconds_to(one.until);
            held.entry(pool).or_default().push(HeldUnits { units: one.count, until });
        }
    }
    held
}
