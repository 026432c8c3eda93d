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
use rust_decimal::Decimal;

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

/// Parts that money is counted in, so that a day of a month given back at a factor of 1.5, a
/// twentieth of the month, is whole.
const PARTS: u64 = 20;

/// The cheapest way to hold so many at each hour: months for the lowest levels, and for the rest
/// days of months that are given back, each begun where nothing holds any more.
fn held(wanted: &[u64], monthly: u64) -> u64 {
    let most = wanted.iter().copied().max().unwrap_or(0);
    let with = |months: u64| {
        let (mut days, mut until): (u64, Vec<(usize, u64)>) = (0, Vec::new());
        for (hour, wanted) in wanted.iter().enumerate() {
            until.retain(|(end, _)| *end > hour);
            let have: u64 = months + until.iter().map(|(_, count)| count).sum::<u64>();
            if *wanted > have {
                until.push((hour + 24, wanted - have));
                days += wanted - have;
            }
        }
        months * monthly * PARTS + days * monthly
    };
    (0..=most).map(with).min().unwrap()
}

/// The cheapest way to buy these runs in one pool, by trying every set of runs on terms.
fn cheapest(runs: &[Interval], (hourly, monthly): Prices, refund: bool) -> u64 {
    let cost = |run: &Interval| u64::try_from(run.1 - run.0).unwrap() * u64::from(hourly) * PARTS;
    let mut best = runs.iter().map(cost).sum::<u64>();
    let Some(monthly) = monthly else { return best };
    for set in 1_u32..1 << runs.len() {
        let carried: Vec<&Interval> =
            runs.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, r)| r).collect();
        let at_once = |time: i64| carried.iter().filter(|r| r.0 <= time && time < r.1).count();
        let terms = if refund {
            let wanted: Vec<u64> = (0..720).map(|hour| at_once(hour) as u64).collect();
            held(&wanted, u64::from(monthly))
        } else {
            let months = carried.iter().map(|run| at_once(run.0)).max().unwrap_or(0);
            months as u64 * u64::from(monthly) * PARTS
        };
        let rest: u64 = runs
            .iter()
            .enumerate()
            .filter(|(at, _)| set >> at & 1 == 0)
            .map(|(_, r)| cost(r))
            .sum();
        best = best.min(rest + terms);
    }
    best
}

/// The cheapest split of all jobs over all pools.
fn brute_force(jobs: &[Vec<Interval>], pools: &[Prices], refund: bool) -> u64 {
    let sets = 1_usize << jobs.len();
    let bill = |set: usize, pool: Prices| {
        let runs: Vec<Interval> = (0..jobs.len())
            .filter(|job| set >> job & 1 == 1)
            .flat_map(|job| jobs[job].iter().copied())
            .collect();
        cheapest(&runs, pool, refund)
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
        refund in prop::bool::ANY,
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
            let count = if *hours > 100 || refund { 1 } else { *count };
            runs(&format!("job {at}"), &hours.to_string(), Runs::PerMonth(count))
        };
        let mut workload = workload(jobs.iter().enumerate().map(named).collect());
        workload.days = Some(30);
        let catalogue = if refund {
            refunding(offers, BillingMode::Monthly, "1.5")
        } else {
            catalogue(offers)
        };
        let plan = check(&workload, &catalogue);
        let each: Vec<Vec<Interval>> =
            workload.jobs.iter().map(|job| intervals(&plan, &job.name)).collect();
        let expected = Decimal::from(brute_force(&each, &prices, refund)) / Decimal::from(PARTS);
        prop_assert_eq!(plan.mix.cost.amount().round_dp(5), expected);
        prop_assert_eq!(plan.mix.lower_bound.rounded(), plan.mix.cost.rounded());
        prop_assert_eq!(plan.mix.gap, 0.0);
    }
}
