//! The exact optimum for a few jobs: every split of them over the pools, by dynamic programming
//! over subsets, with the splits that cannot win left out.

use super::{Choice, Member, Problem, bound, search};
use crate::candidates::{IMPOSSIBLE, Paid};
use std::collections::BTreeMap;

/// More jobs than this are searched instead.
const MOST_JOBS: usize = 6;

/// More pools' bills than this are not worth the wait.
const MOST_BILLS: usize = 3000;

/// Returns the optimum, or `None` when there are too many jobs to be exact about.
pub(super) fn choose(problem: &Problem<'_>) -> Option<Choice> {
    let jobs: Vec<usize> =
        (0..problem.ways.len()).filter(|job| !problem.ways[*job].ways.is_empty()).collect();
    if jobs.len() > MOST_JOBS {
        return None;
    }
    let found = search::quick(problem);
    let tables = Tables::of(problem, &jobs);
    let all = (1_usize << jobs.len()) - 1;
    // Cheapest cost of each set of jobs by the pools so far, and the way of each job.
    let mut best: Vec<(i128, Vec<Option<usize>>)> = (0..=all)
        .map(|set| {
            let mut cost = 0;
            let mut ways = vec![None; jobs.len()];
            for at in members(set) {
                let (alone, way) = tables.apart[at];
                cost += alone;
                ways[at] = way;
            }
            (cost, ways)
        })
        .collect();
    let mut bills = 0;
    for (pool, row) in &tables.pools {
        let possible = row.iter().enumerate().filter(|(_, way)| way.is_some());
        let possible: usize = possible.map(|(at, _)| 1 << at).sum();
        let mut costs: BTreeMap<usize, i128> = BTreeMap::new();
        let mut set = possible;
        while set > 0 {
            let floor: i128 = members(set).map(|at| tables.floor(row, at)).sum();
            let others: i128 = members(all & !set).map(|at| tables.least[at]).sum();
            if floor + others < found.cost {
                bills += 1;
                if bills > MOST_BILLS {
                    return None;
                }
                let chosen: Vec<Member> = members(set)
                    .filter_map(|at| row[at].map(|(way, _)| Member { job: jobs[at], way }))
                    .collect();
                let cost = problem.share(*pool, &chosen)?.bill.cost;
                if cost + others < found.cost {
                    costs.insert(set, cost);
                }
            }
            set = (set - 1) & possible;
        }
        let before = best.clone();
        for (set, cost) in &costs {
            for whole in (0..=all).filter(|whole| whole & set == *set) {
                let rest = &before[whole & !set];
                if rest.0 + cost < best[whole].0 {
                    let mut ways = rest.1.clone();
                    for at in members(*set) {
                        ways[at] = row[at].map(|(way, _)| way);
                    }
                    best[whole] = (rest.0 + cost, ways);
                }
            }
        }
    }
    let (cost, chosen) = &best[all];
    let mut choice = if *cost < found.cost {
        let mut ways = vec![None; problem.ways.len()];
        for (at, job) in jobs.iter().enumerate() {
            ways[*job] = chosen[at];
        }
        problem.evaluate(ways)?
    } else {
        found
    };
    // First fit and a limited stock are kept to, not optimised.
    choice.bound = if problem.is_exact() {
        choice.cost
    } else if problem.near.is_some() {
        // The bound of the solution that this one is near to stands.
        0
    } else {
        let relaxed = relaxed(problem, &jobs, &tables, choice.cost);
        bound::bound(problem, &choice).max(relaxed).min(choice.cost)
    };
    Some(choice)
}

/// Returns what no split of the jobs can be under, with every pool as if its machines were filled
/// without gaps and billed to the second; what is not under `cost` is not looked at.
fn relaxed(problem: &Problem<'_>, jobs: &[usize], tables: &Tables, cost: i128) -> i128 {
    let mut bills = 0;
    let all = (1_usize << jobs.len()) - 1;
    let apart = |set: usize| members(set).map(|at| tables.apart[at].0).sum::<i128>();
    let mut best: Vec<i128> = (0..=all).map(apart).collect();
    for (pool, row) in &tables.pools {
        let possible = row.iter().enumerate().filter(|(_, way)| way.is_some());
        let possible: usize = possible.map(|(at, _)| 1 << at).sum();
        let before = best.clone();
        let mut set = possible;
        while set > 0 {
            let chosen: Vec<Member> = members(set)
                .filter_map(|at| row[at].map(|(way, _)| Member { job: jobs[at], way }))
                .collect();
            let mut floor: i128 = members(set).map(|at| tables.floor(row, at)).sum();
            let others: i128 = members(all & !set).map(|at| tables.least[at]).sum();
            if floor + others < cost {
                bills += 1;
                if bills <= MOST_BILLS {
                    floor = problem.filled(*pool, &chosen).unwrap_or(floor).max(floor);
                }
                for whole in (0..=all).filter(|whole| whole & set == set) {
                    best[whole] = best[whole].min(before[whole & !set] + floor);
                }
            }
            set = (set - 1) & possible;
        }
    }
    best[all]
}

fn members(set: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS as usize).filter(move |at| set >> at & 1 == 1)
}

/// What each job costs at least, apart and in each pool.
struct Tables {
    /// The cheapest way that shares nothing.
    apart: Vec<(i128, Option<usize>)>,
    /// The way of each job in each pool, with its floor.
    pools: BTreeMap<usize, Vec<Option<(usize, i128)>>>,
    /// The least of all.
    least: Vec<i128>,
}

impl Tables {
    fn of(problem: &Problem<'_>, jobs: &[usize]) -> Self {
        let mut apart = vec![(i128::from(IMPOSSIBLE), None); jobs.len()];
        let mut pools: BTreeMap<usize, Vec<Option<(usize, i128)>>> = BTreeMap::new();
        let mut least = vec![i128::from(IMPOSSIBLE); jobs.len()];
        for (at, job) in jobs.iter().enumerate() {
            for (index, way) in problem.ways[*job].ways.iter().enumerate() {
                let (alone, floor) = (i128::from(way.alone), i128::from(way.floor));
                // Held instances may make it free.
                let floor = if problem.held.contains_key(&way.pool) { 0 } else { floor };
                least[at] = least[at].min(floor);
                if matches!(way.paid, Paid::Pooled) {
                    let row = pools.entry(way.pool).or_insert_with(|| vec![None; jobs.len()]);
                    if row[at].is_none_or(|(_, known)| floor < known) {
                        row[at] = Some((index, floor));
                    }
                } else if alone < apart[at].0 {
                    apart[at] = (alone, Some(index));
                }
            }
        }
        Self { apart, pools, least }
    }

    fn floor(&self, row: &[Option<(usize, i128)>], at: usize) -> i128 {
        row[at].map_or(self.least[at], |(_, floor)| floor)
    }
}
