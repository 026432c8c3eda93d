//! The joint choice against brute force: every split of a few jobs over a few offers, with every
//! number of months bought and every set of runs that they carry.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

mod common;

use common::*;
use kasuan_model::BillingMode;
use kasuan_plan::{outcome::Plan, workload::Runs};
use proptest::prelude::*;

/// A run as the calendar has it, in hours from the start.
type Interval = (i64, i64);

/// An hourly price and a monthly one.
type Prices = (u32, Option<u32>);

const CARDS: [&str; 3] = ["rtx-4090", "a10", "l40s"];

fn intervals(plan: &Plan, job: &str) -> Vec<Interval> {
    let start = jiff::civil::date(2026, 12, 1).at(0, 0, 0, 0);
    let hour = |at: jiff::civil::DateTime| {
        let span = at.since((jiff::Unit::Hour, start)).unwrap();
        span.get_hours().into()
    };
    let of_job = plan.calendar.iter().filter(|entry| entry.job == job);
    of_job.map(|entry| (hour(entry.start), hour(entry.end))).collect()
}

/// The cheapest way to buy these runs in one pool, by trying every set of runs on months.
fn cheapest(runs: &[Interval], (hourly, monthly): Prices) -> u64 {
    let cost = |run: &Interval| u64::try_from(run.1 - run.0).unwrap() * u64::from(hourly);
    let mut best = runs.iter().map(cost).sum::<u64>();
    let Some(monthly) = monthly else { return best };
    for set in 1_u32..1 << runs.len() {
        let carried: Vec<&Interval> =
            runs.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, r)| r).collect();
        let at_once = |time: i64| carried.iter().filter(|r| r.0 <= time && time < r.1).count();
        let months = carried.iter().map(|run| at_once(run.0)).max().unwrap_or(0);
        let rest: u64 = runs
            .iter()
            .enumerate()
            .filter(|(at, _)| set >> at & 1 == 0)
            .map(|(_, r)| cost(r))
            .sum();
        best = best.min(rest + months as u64 * u64::from(monthly));
    }
    best
}

/// The cheapest split of all jobs over all pools.
fn brute_force(jobs: &[Vec<Interval>], pools: &[Prices]) -> u64 {
    let sets = 1_usize << jobs.len();
    let bill = |set: usize, pool: Prices| {
        let runs: Vec<Interval> = (0..jobs.len())
            .filter(|job| set >> job & 1 == 1)
            .flat_map(|job| jobs[job].iter().copied())
            .collect();
        cheapest(&runs, pool)
    };
    let mut best: Vec<u64> = (0..sets).map(|set| if set == 0 { 0 } else { u64::MAX / 2 }).collect();
    for pool in pools {
        let bills: Vec<u64> = (0..sets).map(|set| bill(set, *pool)).collect();
        let before = best.clone();
        for whole in 0..sets {
            for part in (0..sets).filter(|part| part & whole == *part) {
                best[whole] = best[whole].min(before[whole & !part] + bills[part]);
            }
        }
    }
    best[sets - 1]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn six_jobs_on_six_offers_cost_what_brute_force_finds(
        jobs in prop::collection::vec((1_u32..700, 1_u32..3), 1..=6),
        prices in prop::collection::vec((1_u32..10, prop::option::of(100_u32..4000)), 3),
    ) {
        let mut offers = Vec::new();
        for (card, (hourly, monthly)) in CARDS.iter().zip(&prices) {
            offers.push(offer("a", card, BillingMode::OnDemand, &hourly.to_string()));
            if let Some(monthly) = monthly {
                offers.push(offer("a", card, BillingMode::Monthly, &monthly.to_string()));
            }
        }
        let named = |(at, (hours, count)): (usize, &(u32, u32))| {
            // Few runs keep brute force quick.
            let count = if *hours > 100 { 1 } else { *count };
            runs(&format!("job {at}"), &hours.to_string(), Runs::PerMonth(count))
        };
        let mut workload = workload(jobs.iter().enumerate().map(named).collect());
        workload.days = Some(30);
        let plan = check(&workload, &catalogue(offers));
        let each: Vec<Vec<Interval>> =
            workload.jobs.iter().map(|job| intervals(&plan, &job.name)).collect();
        let expected = brute_force(&each, &prices);
        prop_assert_eq!(plan.mix.cost, money(&expected.to_string()));
        prop_assert_eq!(plan.mix.lower_bound.rounded(), plan.mix.cost.rounded());
        prop_assert_eq!(plan.mix.gap, 0.0);
    }
}
