//! What holds for every workload: sums, growth, fewer jobs, and that nothing makes the planner
//! panic.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

mod common;

use common::*;
use jiff::civil::{date, time};
use kasuan_model::{BillingMode, Bytes, CardId, Estimate, Money, Phrased, Seconds};
use kasuan_plan::{
    PlanError,
    outcome::BaselineKind,
    workload::{Amount, Job, Margin, Runs, StorageNeed, Task, Trial, Workload},
};
use proptest::prelude::*;
use rust_decimal::Decimal;

fn market() -> kasuan_market::Catalogue {
    let mut offers = vec![
        offer("a", "rtx-4090", BillingMode::OnDemand, "1.66"),
        offer("a", "rtx-4090", BillingMode::Daily, "36.73"),
        offer("a", "rtx-4090", BillingMode::Monthly, "1001.95"),
        offer("a", "rtx-4090", BillingMode::Spot, "1.162"),
        offer("b", "a10", BillingMode::OnDemand, "5"),
        offer("b", "a10", BillingMode::Monthly, "1440"),
        offer("b", "l40s", BillingMode::OnDemand, "7.9"),
        offer("b", "a100-sxm4-80", BillingMode::OnDemand, "12"),
        offer("b", "a100-sxm4-80", BillingMode::Monthly, "4800"),
    ];
    let mut eight = offer("c", "a100-sxm4-80", BillingMode::OnDemand, "70");
    eight.count = 8;
    eight.id = "c/8xa100".to_owned();
    offers.push(eight);
    catalogue(offers)
}

fn any_job() -> impl Strategy<Value = Job> {
    let hours = 1_u32..4000;
    let memory = prop::sample::select(vec![4_u32, 16, 23, 40, 79]);
    let runs = prop_oneof![
        (1_u32..6).prop_map(Runs::PerMonth),
        (1_u32..3).prop_map(Runs::PerWeek),
        (1_u32..3).prop_map(Runs::PerDay),
    ];
    let window = prop::option::of((0_i8..24, 0_i8..24));
    (hours, memory, runs, window, 0_u32..100, any::<bool>(), any::<bool>()).prop_map(
        |(tenths, memory, runs, window, wait, interruptible, service)| {
            let task = if service { Task::Inference } else { Task::Batch };
            let mut job = Job::new("job", task);
            job.memory = Some(Bytes::from_gib(memory));
            job.runs = runs;
            job.amount = if service {
                Amount::Service
            } else {
                let hours = Decimal::new(i64::from(tenths), 1);
                Amount::Hours { hours: Estimate::exact(hours), measured_on: None }
            };
            job.window.daily = window.map(|(a, b)| (time(a, 0, 0, 0), time(b, 30, 0, 0)));
            job.window.may_wait = Seconds::from_hours(wait);
            job.interruptible = interruptible.then(checkpoints);
            job
        },
    )
}

fn any_workload(most: usize) -> impl Strategy<Value = Workload> {
    prop::collection::vec(any_job(), 1..=most).prop_map(|jobs| {
        let named =
            jobs.into_iter().enumerate().map(|(at, job)| Job { name: format!("job {at}"), ..job });
        workload(named.collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn lines_add_up_to_the_total_to_the_last_coin_and_jobs_to_the_rent(
        mut workload in any_workload(5),
        share in 0.0_f64..0.5,
    ) {
        workload.policy.margin = Margin::Flat(share);
        workload.policy.trial = Trial::ShareOfRent(share);
        workload.storage = vec![StorageNeed {
            name: "data".to_owned(),
            size: Bytes::new(123_456_789_012),
            price_per_gb_month: Some(money("0.333")),
        }];
        let plan = check(&workload, &market());
        let sum = plan.budget.lines.iter().filter_map(|line| line.amount);
        let sum = Money::sum(workload.currency, sum).unwrap();
        prop_assert_eq!(sum, plan.total);
        prop_assert!(plan.budget.lines.iter().flat_map(|line| line.amount).all(|a| a == a.rounded()));
        let jobs = plan.jobs.iter().filter_map(|job| job.choice.as_ref()).map(|c| c.cost.likely);
        let jobs = Money::sum(workload.currency, jobs).unwrap();
        for line in &plan.budget.lines {
            // What a line is the sum of, at the prices it was reckoned with, is the line.
            let parts = plan.budget.parts.iter().filter(|part| part.kind() == line.kind);
            let parts: Vec<_> = parts.map(kasuan_plan::outcome::LinePart::amount).collect();
            if !parts.is_empty() {
                let sum = Money::new(parts.iter().sum(), workload.currency).rounded();
                prop_assert_eq!(Some(sum), line.amount, "{:?}: {:?}", line.kind, parts);
            }
        }
        let Some(rent) = amount(&plan, kasuan_plan::outcome::CostKind::Rent) else {
            prop_assert!(plan.jobs.iter().all(|job| job.choice.is_none()));
            return Ok(());
        };
        prop_assert!(plan.budget.parts.iter().any(|part| part.kind() == kasuan_plan::outcome::CostKind::Rent) || rent.is_zero());
        let apart = (jobs.amount() - rent.amount()).abs();
        prop_assert!(apart <= Decimal::new(1, 2), "jobs {jobs:?} rent {rent:?}");
        prop_assert!(plan.budget.idle.amount() <= rent.amount());
        prop_assert!(plan.mix.lower_bound.amount() <= plan.mix.cost.amount() + Decimal::new(1, 4));
    }

    #[test]
    fn fewer_jobs_never_cost_more(workload in any_workload(4)) {
        let all = mix(&workload, &market());
        let mut fewer = workload;
        fewer.jobs.pop();
        if !fewer.jobs.is_empty() {
            let less = mix(&fewer, &market());
            prop_assert!(less.cost.amount() <= all.cost.amount() + Decimal::new(1, 4));
        }
    }

    #[test]
    fn a_longer_run_never_costs_less(hours in 1_u32..300, more in 1_u32..100) {
        let cost = |hours: u32| {
            let job = runs("job", &hours.to_string(), Runs::PerMonth(2));
            mix(&workload(vec![job]), &market()).cost.amount()
        };
        prop_assert!(cost(hours) <= cost(hours + more));
    }

    #[test]
    fn more_memory_never_gets_a_smaller_card_or_a_lower_cost(a in 1_u32..80, b in 1_u32..80) {
        let cost = |gib: u32| {
            let mut job = runs("job", "10", Runs::PerMonth(1));
            job.memory = Some(Bytes::from_gib(gib));
            let plan = check(&workload(vec![job]), &market());
            plan.jobs[0].choice.as_ref().map(|choice| choice.cost.likely.amount())
        };
        if let (Some(small), Some(large)) = (cost(a.min(b)), cost(a.max(b))) {
            prop_assert!(small <= large);
        }
    }

    #[test]
    fn no_naive_choice_beats_the_plan(workload in any_workload(4)) {
        let plan = check(&workload, &market());
        for kind in [BaselineKind::CheapestHourly, BaselineKind::AllOnDemand, BaselineKind::TopCard] {
            if let Some(total) = baseline(&plan, kind) {
                prop_assert!(plan.total.amount() <= total.amount(), "{kind:?} {total}");
            }
        }
    }

    #[test]
    fn every_run_lies_within_its_window_and_its_patience(workload in any_workload(3)) {
        let plan = check(&workload, &market());
        let end = date(2027, 1, 1).at(0, 0, 0, 0);
        for entry in &plan.calendar {
            let job = workload.jobs.iter().find(|job| job.name == entry.job).unwrap();
            let over_night = job.window.daily.is_some_and(|(from, to)| to <= from);
            prop_assert!(entry.start < entry.end && entry.start < end);
            prop_assert!(entry.end <= end || over_night);
            if let Some((from, to)) = job.window.daily {
                let all_day = from == to;
                let inside = |at: jiff::civil::Time| {
                    if from < to { from <= at && at <= to } else { at >= from || at <= to }
                };
                prop_assert!(all_day || (inside(entry.start.time()) && inside(entry.end.time())));
            }
        }
    }
}

#[test]
fn absurd_input_is_refused_with_words_or_answered_but_never_panics() {
    let huge = "79228162514264337593543950335";
    let mut cases: Vec<(Workload, Option<&str>)> = Vec::new();
    cases.push((workload(Vec::new()), Some("plan-error-no-jobs")));
    let twice = vec![runs("a", "1", Runs::PerMonth(1)), runs("a", "1", Runs::PerMonth(1))];
    cases.push((workload(twice), Some("plan-error-same-name")));
    for hours in ["-1", "0", huge] {
        let job = runs("a", hours, Runs::PerMonth(1));
        cases.push((workload(vec![job]), Some("plan-error-hours")));
    }
    let job = runs("a", "1", Runs::PerDay(u32::MAX));
    cases.push((workload(vec![job]), Some("plan-error-runs")));
    let mut job = runs("a", "1", Runs::PerMonth(1));
    job.window.after = Some("b".to_owned());
    cases.push((workload(vec![job.clone()]), Some("plan-error-after")));
    let mut other = runs("b", "1", Runs::PerMonth(1));
    other.window.after = Some("a".to_owned());
    cases.push((workload(vec![job, other]), Some("plan-error-circle")));
    let mut job = runs("a", "1", Runs::PerMonth(1));
    job.only_cards = vec![CardId::new("rtx-9999")];
    cases.push((workload(vec![job]), Some("plan-error-card")));
    for days in [0, 367, u32::MAX] {
        let mut one = workload(vec![runs("a", "1", Runs::PerMonth(1))]);
        one.days = Some(days);
        cases.push((one, Some("plan-error-days")));
    }
    let mut one = workload(vec![runs("a", "1", Runs::PerMonth(1))]);
    one.month = jiff::civil::Date::MAX;
    cases.push((one, Some("plan-error-days")));
    let mut one = workload(vec![runs("a", "1", Runs::PerMonth(1))]);
    one.policy.headroom = f64::NAN;
    cases.push((one, Some("plan-error-share")));
    let mut one = workload(vec![runs("a", "1", Runs::PerMonth(1))]);
    one.team.engineer_hour = Some(Money::new(Decimal::ONE, kasuan_model::Currency::USD));
    one.team.ops_hours = Some(Decimal::ONE);
    cases.push((one, Some("plan-error-no-rate")));
    let mut one = workload(vec![runs("a", "1", Runs::PerMonth(1))]);
    one.policy.trial = Trial::Amount(money(huge));
    one.policy.margin = Margin::Flat(0.3);
    cases.push((one, Some("plan-error-overflow")));
    // Answered: nothing fits, or it costs nothing.
    let mut job = runs("a", "1", Runs::PerMonth(0));
    job.memory = Some(Bytes::new(u64::MAX));
    cases.push((workload(vec![job]), None));
    let mut job = runs("a", "87600", Runs::PerMonth(1));
    job.cards = Some(u32::MAX);
    cases.push((workload(vec![job]), None));
    let mut job = service("a", 0, 0);
    job.replicas = Some(u32::MAX);
    cases.push((workload(vec![job]), None));
    for (workload, expected) in cases {
        let found = try_check(&workload, &market()).err();
        let key = found.as_ref().map(|error: &PlanError| error.phrase());
        assert_eq!(key.as_ref().map(kasuan_model::Phrase::key), expected, "{workload:?}");
        if let Some(error) = found {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn ten_thousand_jobs_are_planned() {
    let jobs = (0..10_000).map(|at| {
        let mut job = runs(&format!("job {at}"), "2", Runs::PerMonth(1 + at % 3));
        job.memory = Some(Bytes::from_gib(8 + at % 2 * 8));
        job
    });
    let plan = check(&workload(jobs.collect()), &market());
    assert!(plan.jobs.iter().all(|job| job.choice.is_some()));
    assert!(plan.mix.gap < 0.05, "{}", plan.mix.gap);
}
