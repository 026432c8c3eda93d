//! One solution of a workload: candidates, the joint choice, and the rent in exact money.

use super::{Rent, World, rent};
use crate::{
    PlanError,
    budget::{lines, sum},
    candidates::{Cache, JobWays, Supply, Way, all_ways, instances, supply, total_seconds},
    choose::{Choice, Problem, choose},
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

/// Providers that are tried as the only one where data has to be kept at each that is used.
const PLACES: usize = 4;

/// With more jobs than this data stays wherever jobs run.
const PLACES_JOBS: usize = 50;

/// Solves a workload; `before` spares sizing again what was sized for an earlier solution, and
/// keeps to its providers.
///
/// Where data is kept at the provider's price, a copy lies at every provider that is used: renting
/// all from one may then be cheaper than each job at its cheapest, and is tried.
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
    let mut cost = sum(workload.currency, &lines(workload, world, &best)?)?;
    let first = best.clone();
    for provider in cheapest_places(&supply, &first) {
        let mut only = Supply::clone(&supply);
        for pools in &mut only.by_kind {
            pools.retain(|pool| supply.pools[*pool].provider == provider);
        }
        let alone = solve_in(workload, world, Rc::new(only), Some((workload, &first)))?;
        let chosen = |solved: &Solved| solved.choice.ways.iter().flatten().count();
        if chosen(&alone) < chosen(&first) {
            continue;
        }
        let budget = lines(workload, world, &alone)?;
        // What is not known is not cheap.
        let known = budget.iter().filter(|line| line.amount.is_some()).count();
        let known_before =
            lines(workload, world, &best)?.iter().filter(|line| line.amount.is_some()).count();
        let total = sum(workload.currency, &budget)?;
        if known >= known_before && total.amount() < cost.amount() {
            (best, cost) = (alone, total);
        }
    }
    Ok(best)
}

/// Says whether data is kept at the price of whichever provider is used.
fn stores_by_provider(workload: &Workload) -> bool {
    workload.storage.iter().any(|need| need.price_per_gb_month.is_none())
}

/// Returns the providers at which all jobs together could cost least, cheapest first.
fn cheapest_places(supply: &Supply, solved: &Solved) -> Vec<String> {
    let mut sums: BTreeMap<&str, (usize, i128)> = BTreeMap::new();
    for job in &solved.ways {
        let mut least: BTreeMap<&str, i128> = BTreeMap::new();
        for (kind, need) in job.needs.iter() {
            let seconds = i128::from(total_seconds(&job.demand, need.time.likely));
            for &pool in supply.by_kind.get(*kind).into_iter().flatten() {
                let pool = &supply.pools[pool];
                let Some(instances) = instances(need, pool) else { continue };
                let floor = i128::from(pool.least()) * seconds * i128::from(instances) / 3600;
                let known = least.entry(&pool.provider).or_insert(floor);
                *known = (*known).min(floor);
            }
        }
        for (provider, floor) in least {
            let sum = sums.entry(provider).or_default();
            *sum = (sum.0 + 1, sum.1 + floor);
        }
    }
    let most = sums.values().map(|(jobs, _)| *jobs).max().unwrap_or(0);
    let mut places: Vec<(i128, &str)> = sums
        .into_iter()
        .filter(|(_, (jobs, _))| *jobs == most)
        .map(|(provider, (_, floor))| (floor, provider))
        .collect();
    places.sort_unstable();
    places.into_iter().take(PLACES).map(|(_, provider)| provider.to_owned()).collect()
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
    let problem =
        Problem { span, jobs: &workload.jobs, ways: &ways, pools: &supply.pools, held, near };
    let choice = choose(&problem);
    let rent = rent::rent(&problem, &choice, workload.currency)?;
    Ok(Solved { span, supply, ways, choice, rent })
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
