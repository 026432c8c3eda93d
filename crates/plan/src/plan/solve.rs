//! One solution of a workload: candidates, the joint choice, and the rent in exact money.

use super::{Rent, World, rent};
use crate::{
    PlanError,
    candidates::{Cache, JobWays, Supply, all_ways, supply},
    choose::{Choice, Problem, choose},
    demand::Span,
    mix::HeldUnits,
    workload::Workload,
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

/// Solves a workload; `before` spares sizing again what was sized for an earlier solution.
pub(crate) fn solve(
    workload: &Workload,
    world: &World<'_>,
    before: Option<(&Workload, &Solved)>,
) -> Result<Solved, PlanError> {
    let span = Span::of(workload)?;
    let supply = match before {
        Some((known, solved)) if known.policy == workload.policy => solved.supply.clone(),
        _ => Rc::new(gather(workload, world, span)),
    };
    let held = held(workload, &supply, span);
    let cache = before.map(|(known, solved)| Cache { jobs: &known.jobs, ways: &solved.ways });
    let ways = all_ways(span, workload, &supply, world.measured, cache)?;
    let problem = Problem { span, jobs: &workload.jobs, ways: &ways, pools: &supply.pools, held };
    let choice = choose(&problem);
    let rent = rent::rent(&problem, &choice, workload.currency)?;
    Ok(Solved { span, supply, ways, choice, rent })
}

/// Gathers what can be rented, and marks the pools that something is held of.
fn gather(workload: &Workload, world: &World<'_>, span: Span) -> Supply {
    let term = Seconds::new(span.seconds());
    let places = workload.storage.iter().any(|need| need.price_per_gb_month.is_none());
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
