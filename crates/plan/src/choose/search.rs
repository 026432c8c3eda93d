//! The search for many jobs: start from several assignments, let each job follow the prices that
//! the others make, then try single moves.

use super::{Choice, Member, Problem, Shared, bound};
use crate::{
    candidates::{Micros, Paid, Way},
    demand::{Demand, Stretch},
    mix::{Bill, Prices},
};
use std::collections::{BTreeMap, BTreeSet};

/// Rounds in which all jobs follow the prices.
const ROUNDS: usize = 6;

/// Pools that are tried as the common home of all jobs that can run there.
const HOMES: usize = 4;

/// Items whose bills single moves may compute again.
const MOVE_BUDGET: usize = 60_000;

/// The same where the search goes on from a solution that was found before.
const NEAR_BUDGET: usize = 6_000;

/// Returns the cheapest choice that was found, with a bound on every other.
pub(super) fn choose(problem: &Problem<'_>) -> Choice {
    if problem.near.is_some() {
        let best = descend(problem, false).0;
        return moves(problem, &best, NEAR_BUDGET).unwrap_or(best);
    }
    let (mut best, mut floor) = descend(problem, true);
    if let Some(moved) = moves(problem, &best, MOVE_BUDGET) {
        best = moved;
    }
    floor = floor.max(bound::bound(problem, &best));
    best.bound = floor.min(best.cost);
    best
}

/// Returns the cheapest choice that following the prices leads to, from every start, without a
/// bound: what the exact optimum starts from.
pub(super) fn quick(problem: &Problem<'_>) -> Choice {
    descend(problem, false).0
}

/// Follows the prices from every start; returns the cheapest choice, and the best bound where one
/// is asked for.
fn descend(problem: &Problem<'_>, bounds: bool) -> (Choice, i128) {
    let mut best: Option<Choice> = None;
    let mut floor = 0_i128;
    let mut seen: BTreeSet<Vec<Option<usize>>> = BTreeSet::new();
    for start in starts(problem) {
        let mut next = start;
        let mut last: Option<i128> = None;
        for _ in 0..ROUNDS {
            // Where another start has been there is nothing new to find.
            if !seen.insert(next.clone()) {
                break;
            }
            let Some(choice) = problem.evaluate(next) else { break };
            next = follow(problem, &choice);
            let worse = last.is_some_and(|last| choice.cost >= last);
            last = Some(choice.cost);
            if best.as_ref().is_none_or(|best| choice.cost < best.cost) {
                best = Some(choice);
            }
            if worse {
                break;
            }
        }
        if let Some(best) = best.as_ref().filter(|_| bounds) {
            floor = floor.max(bound::bound(problem, best));
        }
    }
    let best = best.unwrap_or_else(|| Choice {
        ways: vec![None; problem.ways.len()],
        shared: BTreeMap::new(),
        cost: 0,
        bound: 0,
    });
    (best, floor)
}

/// Returns assignments to start from: each job at its cheapest alone, each at its lowest floor, and
/// as many as possible in one pool.
fn starts(problem: &Problem<'_>) -> Vec<Vec<Option<usize>>> {
    if let Some(near) = &problem.near {
        return vec![near.clone()];
    }
    let pick = |key: &dyn Fn(&Way) -> Micros| -> Vec<Option<usize>> {
        let least = |ways: &[Way]| (0..ways.len()).min_by_key(|way| key(&ways[*way]));
        problem.ways.iter().map(|job| least(&job.ways)).collect()
    };
    let alone = pick(&|way| way.alone);
    let mut starts = vec![pick(&|way| way.floor), alone.clone()];
    // What a pool could save at best, over all jobs that have a way in it.
    let mut homes: BTreeMap<usize, i128> = BTreeMap::new();
    for (job, ways) in problem.ways.iter().enumerate() {
        let Some(cheapest) = alone[job].map(|way| ways.ways[way].alone) else { continue };
        let mut seen: BTreeMap<usize, Micros> = BTreeMap::new();
        for way in ways.ways.iter().filter(|way| matches!(way.paid, Paid::Pooled)) {
            let floor = seen.entry(way.pool).or_insert(way.floor);
            *floor = (*floor).min(way.floor);
        }
        for (pool, floor) in seen {
            *homes.entry(pool).or_default() += i128::from(cheapest - floor.min(cheapest));
        }
    }
    let mut homes: Vec<(i128, usize)> =
        homes.into_iter().map(|(pool, gain)| (gain, pool)).collect();
    homes.sort_unstable_by_key(|(gain, pool)| (std::cmp::Reverse(*gain), *pool));
    for (_, home) in homes.into_iter().take(HOMES) {
        starts.push(pick(&|way| if way.pool == home { way.floor } else { way.alone }));
    }
    starts.sort();
    starts.dedup();
    starts
}

/// Lets each job take the way that is cheapest at the prices that the others make.
fn follow(problem: &Problem<'_>, choice: &Choice) -> Vec<Option<usize>> {
    let cost = |job: usize, way: usize| -> Micros {
        let chosen = problem.way(Member { job, way });
        match (&chosen.paid, choice.shared.get(&chosen.pool)) {
            (Paid::Pooled, Some(Shared { bill: Bill { prices: Some(prices), .. }, .. })) => {
                marginal(problem, job, chosen, prices)
            }
            _ => chosen.alone,
        }
    };
    let cheapest = |job: usize| {
        let now = choice.ways[job]?;
        let mut best = (cost(job, now), now);
        for way in 0..problem.ways[job].ways.len() {
            let here = cost(job, way);
            if here < best.0 {
                best = (here, way);
            }
        }
        Some(best.1)
    };
    (0..problem.ways.len()).map(cheapest).collect()
}

/// Returns what a job adds to a pool at its prices, with every run at its nominal time.
pub(super) fn marginal(problem: &Problem<'_>, job: usize, way: &Way, prices: &Prices) -> Micros {
    let mut sum = 0_i128;
    let mut add = |stretch: Stretch| {
        let alone = problem.alone(job, way, stretch);
        sum += i128::from(alone.min(prices.of(stretch)));
    };
    match &problem.ways[job].demand {
        Demand::Service(stretches) => stretches.iter().copied().for_each(&mut add),
        Demand::Runs(starts) => {
            let length = way.run.get();
            let last = problem.span.seconds().saturating_sub(length);
            for start in starts {
                let start = (*start).min(last);
                add(Stretch { start, end: start + length });
            }
        }
    }
    i64::try_from(sum * i128::from(way.instances)).unwrap_or(Micros::MAX)
}

/// What a move changes the cost by, the way it leads to, and the new cost of the pools it touches.
type Move = (i128, usize, Vec<(usize, i128)>);

/// Tries to move one job at a time, dearest first, as long as it pays and the budget lasts.
fn moves(problem: &Problem<'_>, from: &Choice, mut budget: usize) -> Option<Choice> {
    let mut ways = from.ways.clone();
    let mut costs: BTreeMap<usize, i128> =
        from.shared.iter().map(|(pool, shared)| (*pool, shared.bill.cost)).collect();
    let mut order: Vec<usize> = (0..ways.len()).filter(|job| ways[*job].is_some()).collect();
    order.sort_by_key(|job| {
        let way = ways[*job].map_or(0, |way| problem.ways[*job].ways[way].alone);
        (std::cmp::Reverse(way), *job)
    });
    let mut moved = false;
    loop {
        let mut better = false;
        for &job in &order {
            let Some(now) = ways[job] else { continue };
            let mut best: Option<Move> = None;
            for way in (0..problem.ways[job].ways.len()).filter(|way| *way != now) {
                let mut changed = Vec::new();
                let mut delta = 0_i128;
                for (pool, with) in touched(problem, job, now, way) {
                    let members = members_with(problem, &ways, job, pool, with);
                    budget = budget.saturating_sub(weight(problem, &members));
                    if budget == 0 {
                        return moved.then(|| problem.evaluate(ways)).flatten();
                    }
                    let cost = problem.share(pool, &members)?.bill.cost;
                    delta += cost - costs.get(&pool).copied().unwrap_or(0);
                    changed.push((pool, cost));
                }
                delta += apart(problem, job, way) - apart(problem, job, now);
                if delta < best.as_ref().map_or(0, |best| best.0) {
                    best = Some((delta, way, changed));
                }
            }
            if let Some((_, way, changed)) = best {
                ways[job] = Some(way);
                costs.extend(changed);
                better = true;
                moved = true;
            }
        }
        if !better {
            return moved.then(|| problem.evaluate(ways)).flatten();
        }
    }
}

/// Returns what a way costs outside of any pool.
fn apart(problem: &Problem<'_>, job: usize, way: usize) -> i128 {
    let way = problem.way(Member { job, way });
    if matches!(way.paid, Paid::Pooled) { 0 } else { i128::from(way.alone) }
}

/// Returns the pools that a move changes, with the way that the job takes there afterwards.
fn touched(
    problem: &Problem<'_>,
    job: usize,
    from: usize,
    to: usize,
) -> Vec<(usize, Option<usize>)> {
    let pool = |way: usize| {
        let way = problem.way(Member { job, way });
        matches!(way.paid, Paid::Pooled).then_some(way.pool)
    };
    let mut pools: Vec<(usize, Option<usize>)> =
        pool(to).map(|pool| (pool, Some(to))).into_iter().collect();
    if let Some(left) = pool(from)
        && pools.iter().all(|(pool, _)| *pool != left)
    {
        pools.push((left, None));
    }
    pools
}

fn members_with(
    problem: &Problem<'_>,
    ways: &[Option<usize>],
    job: usize,
    pool: usize,
    with: Option<usize>,
) -> Vec<Member> {
    let mut members = Vec::new();
    for (other, way) in ways.iter().enumerate() {
        let way = if other == job { with } else { *way };
        let Some(way) = way else { continue };
        let member = Member { job: other, way };
        let chosen = problem.way(member);
        if chosen.pool == pool && matches!(chosen.paid, Paid::Pooled) {
            members.push(member);
        }
    }
    members
}

/// Returns how much work the bill of these members is.
fn weight(problem: &Problem<'_>, members: &[Member]) -> usize {
    20 + members.iter().map(|member| problem.ways[member.job].demand.starts()).sum::<usize>()
}
