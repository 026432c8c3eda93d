//! What no choice can beat: prices of time in every pool that no term undercuts, with each job at
//! its cheapest way under them (the Lagrangian bound of the shared terms).
//!
//! In a pool that is used, the prices are those of its flow. In the others they rise only when the
//! jobs run, scaled so that no term costs less than the time it covers is worth.

use super::{Choice, Member, Problem, Shared};
use crate::{
    calendar::last_end,
    candidates::{Micros, Paid, Pool, Way},
    demand::{Demand, HOUR, Stretch, room},
    mix::{Bill, Prices},
};
use kasuan_model::Seconds;
use std::collections::BTreeSet;

/// Returns a cost that no choice of ways can be under.
pub(super) fn bound(problem: &Problem<'_>, choice: &Choice) -> i128 {
    let busy = busy_hours(problem, choice);
    let pooled = |way: &&Way| matches!(way.paid, Paid::Pooled);
    let used = problem.ways.iter().flat_map(|job| job.ways.iter().filter(pooled));
    let used: BTreeSet<usize> = used.map(|way| way.pool).collect();
    let flat = vec![1; busy.len()];
    let shapes = [busy.iter().map(|used| u64::from(*used > 0)).collect(), busy, flat];
    let by_shape = shapes.iter().map(|shape| bound_with(problem, choice, shape, &used));
    by_shape.max().unwrap_or(0)
}

fn bound_with(
    problem: &Problem<'_>,
    choice: &Choice,
    shape: &[u64],
    used: &BTreeSet<usize>,
) -> i128 {
    let mut prices: Vec<Option<Prices>> = vec![None; problem.pools.len()];
    for pool in used {
        prices[*pool] = match choice.shared.get(pool) {
            Some(Shared { bill: Bill { prices: Some(prices), .. }, .. }) => Some(prices.clone()),
            _ if problem.held.contains_key(pool) => None,
            _ => shaped(&problem.pools[*pool], shape, problem.span.seconds()),
        };
    }
    let mut sum = 0_i128;
    for (job, ways) in problem.ways.iter().enumerate() {
        let least = ways.ways.iter().map(|way| match (&way.paid, &prices[way.pool]) {
            (Paid::Pooled, Some(prices)) => least_marginal(problem, job, way, prices),
            (Paid::Pooled, None) if problem.held.contains_key(&way.pool) => 0,
            _ => i128::from(way.floor),
        });
        sum += least.min().unwrap_or(0);
    }
    // What is held costs nothing but is worth what the prices say it is.
    for (pool, held) in &problem.held {
        if let Some(prices) = &prices[*pool] {
            for held in held {
                let stretch = Stretch { start: 0, end: held.until.min(problem.span.seconds()) };
                sum -= i128::from(prices.of(stretch)) * i128::from(held.units);
            }
        }
    }
    sum.max(0)
}

/// Returns how many jobs run in each hour at their nominal times.
fn busy_hours(problem: &Problem<'_>, choice: &Choice) -> Vec<u64> {
    let mut busy = vec![0_u64; problem.span.hours()];
    let mut add = |stretch: Stretch| {
        let first = usize::try_from(stretch.start / HOUR).unwrap_or(usize::MAX);
        let last = usize::try_from(stretch.end.div_ceil(HOUR)).unwrap_or(usize::MAX);
        for hour in busy.iter_mut().take(last).skip(first) {
            *hour += 1;
        }
    };
    for (job, way) in choice.ways.iter().enumerate() {
        let Some(way) = *way else { continue };
        let length = problem.way(Member { job, way }).run.get();
        match &problem.ways[job].demand {
            Demand::Service(stretches) => stretches.iter().copied().for_each(&mut add),
            Demand::Runs(starts) => {
                for start in starts {
                    add(Stretch { start: *start, end: start + length });
                }
            }
        }
    }
    busy
}

/// Returns prices of a pool's time that rise with the shape, as steeply as its terms allow.
fn shaped(pool: &Pool, shape: &[u64], span: u64) -> Option<Prices> {
    let mut sums = vec![0_u64];
    for hour in shape {
        sums.push(sums.last().copied().unwrap_or(0) + hour);
    }
    let total = *sums.last()?;
    let mut scale = f64::INFINITY;
    for term in &pool.terms {
        let (most, price) = if term.term.get() >= span {
            (total, term.micros as f64 * span as f64 / term.term.get() as f64)
        } else {
            let hours = usize::try_from(term.term.get() / HOUR).unwrap_or(0).max(1);
            // A term that starts within an hour touches one more.
            let window = |start: usize| sums[(start + hours + 1).min(sums.len() - 1)] - sums[start];
            ((0..shape.len()).map(window).max().unwrap_or(0), term.micros as f64)
        };
        if most > 0 {
            scale = scale.min(price / most as f64);
        }
    }
    if !scale.is_finite() {
        return None;
    }
    let times = (0..sums.len() as u64).map(|hour| hour * HOUR).collect();
    let worth = sums.iter().map(|sum| (*sum as f64 * scale) as Micros).collect();
    Some(Prices::new(times, worth))
}

/// Returns the least that a job can add to a pool at its prices, wherever its runs are put.
fn least_marginal(problem: &Problem<'_>, job: usize, way: &Way, prices: &Prices) -> i128 {
    let mut sum = 0_i128;
    let length = way.run.get();
    let whole = problem.span.seconds();
    // A part of a shared machine is not under its part of the machine's hours, whatever the rules
    // of rounding.
    let shares = problem.shares(way, job);
    let alone = |stretch: Stretch| {
        if shares {
            problem.least_alone(way, Seconds::new(stretch.length()))
        } else {
            problem.alone(job, way, stretch)
        }
    };
    match &problem.ways[job].demand {
        Demand::Service(stretches) => {
            // One that may be cut is in each hour on a term or on demand.
            if shares || problem.outlasts(way.pool, &[Member { job, way: 0 }]) {
                for stretch in stretches {
                    let mut start = stretch.start;
                    while start < stretch.end {
                        let end = ((start / HOUR + 1) * HOUR).min(stretch.end);
                        let least = problem.least_alone(way, Seconds::new(end - start));
                        sum += i128::from(least.min(prices.of(Stretch { start, end })));
                        start = end;
                    }
                }
            } else {
                for stretch in stretches {
                    sum += i128::from(alone(*stretch).min(prices.of(*stretch)));
                }
            }
        }
        Demand::Runs(starts) => {
            let job_of = &problem.jobs[job];
            let window = &job_of.window;
            let moves = window.daily.is_some() || window.may_wait.get() > 0;
            for start in starts {
                let nominal = (*start).min(whole.saturating_sub(length));
                let nominal = Stretch { start: nominal, end: nominal + length };
                // The same at any time of day, unless the price falls by night.
                let by_day = alone(nominal);
                let by_night = problem.night(way.pool).is_some();
                let cost = |stretch: Stretch| {
                    let alone = if by_night { alone(stretch) } else { by_day };
                    alone.min(prices.of(stretch))
                };
                let mut least = cost(nominal);
                if moves {
                    least = Micros::MAX;
                    let mut fits = false;
                    for open in room(problem.span, window, *start, length) {
                        let mut start = open.start;
                        while start < problem.span.seconds()
                            && start + length <= last_end(problem.span, job_of, open)
                        {
                            fits = true;
                            let stretch = Stretch { start, end: start + length };
                            least = least.min(cost(stretch));
                            start = (start / HOUR + 1) * HOUR;
                        }
                    }
                    if !fits {
                        // In parts, or earlier: nothing is promised for it.
                        least = 0;
                    }
                }
                sum += i128::from(least);
            }
        }
    }
    if shares {
        let (cards, _) = problem.cards(way, job);
        let count = i128::from(problem.pools[way.pool].count.max(1));
        return sum * i128::from(cards) / count;
    }
    sum * i128::from(way.instances)
}
