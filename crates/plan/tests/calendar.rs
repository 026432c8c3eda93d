//! When jobs run and what that saves: windows, patience, nights, shared cards, and what rests on a
//! guess.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

mod common;

use common::*;
use jiff::civil::{DateTime, Weekday, date, time};
use kasuan_market::{
    CardNames, Catalogue, Terms,
    terms::{Discount, DiscountKind},
};
use kasuan_model::{BillingMode, Bytes, CardId, Currency, Estimate, Money, Seconds};
use kasuan_plan::{
    advise::FirstStep,
    outcome::Plan,
    workload::{Amount, Job, Runs},
};
use proptest::prelude::*;
use rust_decimal::Decimal;

fn of(plan: &Plan, job: &str) -> Vec<(DateTime, DateTime)> {
    let entries = plan.calendar.iter().filter(|entry| entry.job == job);
    entries.map(|entry| (entry.start, entry.end)).collect()
}

/// One card at 2 an hour, 25 % off from 22:00 to 06:00, and a month at 900.
fn by_night(monthly: Option<&str>) -> Catalogue {
    let mut offers = vec![offer("night", "rtx-4090", BillingMode::OnDemand, "2")];
    if let Some(price) = monthly {
        offers.push(offer("night", "rtx-4090", BillingMode::Monthly, price));
    }
    let mut terms = Terms::unstated("night", Currency::CNY);
    terms.discounts.push(Discount {
        kind: DiscountKind::Night(time(22, 0, 0, 0), time(6, 0, 0, 0)),
        off: Decimal::new(25, 2),
        cards: Vec::new(),
        since: String::new(),
    });
    let shipped = Catalogue::shipped().unwrap();
    Catalogue::new(shipped.cards().to_vec(), CardNames::default(), offers, vec![terms])
}

#[test]
fn a_run_that_may_wait_goes_into_the_cheap_night_and_is_billed_for_it() {
    for monthly in [None, Some("900")] {
        let catalogue = by_night(monthly);
        let mut job = runs("train", "6", Runs::PerWeek(1));
        let now = check(&workload(vec![job.clone()]), &catalogue);
        assert_eq!(now.mix.cost, money("48"), "four runs of 6 h by day");
        job.window.may_wait = Seconds::from_hours(24);
        let later = check(&workload(vec![job]), &catalogue);
        assert_eq!(later.mix.cost, money("36"), "four runs of 6 h at 1.5");
        assert!(later.mix.lower_bound.amount() <= later.mix.cost.amount());
        for (start, end) in of(&later, "train") {
            let night = |at: DateTime| at.hour() >= 22 || at.hour() <= 6;
            assert!(night(start) && night(end), "{start} {end}");
        }
    }
}

#[test]
fn a_service_over_the_night_pays_each_hour_its_own_price() {
    let plan = check(&workload(vec![service("api", 20, 8)]), &by_night(None));
    // Each of 31 nights: 20 to 22 and 6 to 8 by day, 22 to 6 by night; the morning of the first
    // day counts, the one after the last does not.
    let hours = |plan: &Plan| -> i64 {
        of(plan, "api").iter().map(|(start, end)| end.duration_since(*start).as_hours()).sum()
    };
    assert_eq!(hours(&plan), 31 * 12);
    assert_eq!(plan.mix.cost, money(&(31 * (4 * 2) + 31 * 12).to_string()));
}

#[test]
fn fx_134_a_window_over_midnight_belongs_to_the_day_it_starts_on() {
    let mut job = service("api", 8, 2);
    job.window.weekdays = vec![
        Weekday::Monday,
        Weekday::Tuesday,
        Weekday::Wednesday,
        Weekday::Thursday,
        Weekday::Friday,
    ];
    let plan = check(&workload(vec![job]), &by_night(None));
    let stretches = of(&plan, "api");
    // 1 December 2026 is a Tuesday; Monday's evening reaches into it.
    assert_eq!(stretches[0], (date(2026, 12, 1).at(0, 0, 0, 0), date(2026, 12, 1).at(2, 0, 0, 0)));
    assert_eq!(stretches[1], (date(2026, 12, 1).at(8, 0, 0, 0), date(2026, 12, 2).at(2, 0, 0, 0)));
    // Friday's goes on until Saturday 02:00, and the next is on Monday.
    let friday = date(2026, 12, 4).at(8, 0, 0, 0);
    let at = stretches.iter().position(|one| one.0 == friday).unwrap();
    assert_eq!(stretches[at].1, date(2026, 12, 5).at(2, 0, 0, 0));
    assert_eq!(stretches[at + 1].0, date(2026, 12, 7).at(8, 0, 0, 0));
}

#[test]
fn fx_133_off_for_twelve_hours_saves_half_of_what_is_paid_by_the_hour_and_no_more() {
    let catalogue = catalogue(vec![offer("a", "rtx-4090", BillingMode::OnDemand, "2")]);
    let always = check(&workload(vec![service("dev", 0, 0)]), &catalogue);
    let office = check(&workload(vec![service("dev", 8, 20)]), &catalogue);
    let half = always.mix.cost.over(Decimal::TWO).unwrap();
    assert_eq!(office.mix.cost, half);
}

#[test]
fn fx_135_the_calendar_shows_every_end_so_that_none_is_a_surprise() {
    let mut job = service("api", 9, 18);
    job.window.weekdays = vec![Weekday::Friday];
    let plan = check(&workload(vec![job]), &by_night(None));
    let ends: Vec<i8> = of(&plan, "api").iter().map(|one| one.1.hour()).collect();
    assert_eq!(ends, [18, 18, 18, 18]);
}

#[test]
fn a_job_waits_for_the_one_before_it_and_keeps_its_deadline() {
    let catalogue = catalogue(vec![offer("a", "rtx-4090", BillingMode::OnDemand, "2")]);
    let mut second = runs("evaluate", "2", Runs::PerMonth(2));
    second.window.after = Some("train".to_owned());
    let mut first = runs("train", "20", Runs::PerMonth(2));
    first.window.deadline = Some(date(2026, 12, 20).at(0, 0, 0, 0));
    let plan = check(&workload(vec![first, second]), &catalogue);
    for ((_, trained), (evaluates, _)) in of(&plan, "train").iter().zip(of(&plan, "evaluate")) {
        assert!(*trained <= evaluates && *trained <= date(2026, 12, 20).at(0, 0, 0, 0));
    }
}

#[test]
fn what_may_wait_moves_into_the_idle_hours_of_a_card_that_is_paid_for() {
    let catalogue = catalogue(vec![
        offer("a", "rtx-4090", BillingMode::OnDemand, "2"),
        offer("a", "rtx-4090", BillingMode::Monthly, "500"),
    ]);
    let mut nightly = runs("train", "8", Runs::PerDay(1));
    let both = |job: Job| {
        let mut workload = workload(vec![service("api", 8, 20), job]);
        workload.days = Some(30);
        workload
    };
    let now = check(&both(nightly.clone()), &catalogue);
    nightly.window.may_wait = Seconds::from_hours(24);
    let patient = check(&both(nightly), &catalogue);
    // The run of the last day has no night left in the month: 8 h on demand.
    assert_eq!(patient.mix.cost, money("516"), "one card by the month carries the rest");
    assert!(now.mix.cost.amount() > patient.mix.cost.amount());
    // The report of the impatient plan says so, and what each further hour is worth.
    let worth: Decimal = now.patience.iter().map(|step| step.saving.amount()).max().unwrap();
    assert_eq!(worth, now.mix.cost.amount() - Decimal::from(516));
    assert!(now.patience.iter().any(|step| step.per_hour.amount() > Decimal::ZERO));
}

/// A service of 12 GiB and a batch of 8 GiB on a 24 GiB card, both willing to share it or not.
fn sharing(asked: bool, memory: u32) -> Vec<Job> {
    let mut api = service("api", 8, 20);
    api.memory = Some(Bytes::from_gib(12));
    let mut batch = runs("batch", "3", Runs::PerDay(1));
    batch.memory = Some(Bytes::from_gib(memory));
    for job in [&mut api, &mut batch] {
        job.only_cards = vec![CardId::new("rtx-4090")];
        job.share_card = asked;
    }
    vec![api, batch]
}

#[test]
fn two_jobs_share_a_card_only_when_both_ask_and_memory_fits() {
    let catalogue = catalogue(vec![offer("a", "rtx-4090", BillingMode::OnDemand, "2")]);
    let apart = check(&workload(sharing(false, 8)), &catalogue);
    assert_eq!(apart.mix.cost, money(&(31 * 15 * 2).to_string()));
    let together = check(&workload(sharing(true, 8)), &catalogue);
    assert_eq!(together.mix.cost, money(&(31 * 12 * 2).to_string()), "the service alone is paid");
    assert!(together.mix.lower_bound.amount() <= together.mix.cost.amount());
    // Planned at half speed, within the service's hours.
    for (start, end) in of(&together, "batch") {
        assert_eq!(end.duration_since(start).as_hours(), 6);
        assert!(start.hour() >= 8 && end.hour() <= 20 && start.date() == end.date());
    }
    let batch = together.jobs[1].choice.as_ref().unwrap();
    assert!(batch.cost.likely.is_zero());
    // 12 + 11 GiB would leave no tenth of the card free (FX-129).
    let full = check(&workload(sharing(true, 11)), &catalogue);
    assert_eq!(full.mix.cost, apart.mix.cost);
}

#[test]
fn a_service_that_must_keep_a_latency_nobody_can_estimate_shares_nothing() {
    let catalogue = catalogue(vec![offer("a", "rtx-4090", BillingMode::OnDemand, "2")]);
    let mut jobs = sharing(true, 8);
    jobs[0].latency.tpot = Some(0.05);
    let plan = check(&workload(jobs), &catalogue);
    assert_eq!(plan.mix.cost, money(&(31 * 15 * 2).to_string()));
}

#[test]
fn a_term_on_guessed_hours_comes_with_what_the_guess_is_worth() {
    let catalogue = catalogue(vec![
        offer("a", "rtx-4090", BillingMode::OnDemand, "2"),
        offer("a", "rtx-4090", BillingMode::Monthly, "600"),
    ]);
    let mut job = runs("train", "400", Runs::PerMonth(1));
    let check = |mut workload: kasuan_plan::workload::Workload| {
        workload.policy.trust_hours = false;
        check(&workload, &catalogue)
    };
    let guessed = check(workload(vec![job.clone()]));
    let [first] = &guessed.measure_first[..] else { panic!("{:?}", guessed.measure_first) };
    // 200, 400 or 720 hours around a break-even of 300: a week on demand first.
    assert_eq!(first.hours, Estimate::new(200.into(), 400.into(), 720.into()));
    assert_eq!(first.break_even, Decimal::from(300));
    assert!(first.assumed_range);
    assert!(first.regret_commit.amount() > Decimal::ZERO);
    let best = first.regret_commit.amount().min(first.regret_measure.amount());
    let step =
        if best == first.regret_commit.amount() { FirstStep::Commit } else { FirstStep::Measure };
    assert_eq!(first.step, step);
    assert_eq!(first.again.is_some(), step == FirstStep::Measure);
    // Hours that were measured, and a service's own hours, are no guess.
    let Amount::Hours { measured_on, .. } = &mut job.amount else { unreachable!() };
    *measured_on = Some((CardId::new("rtx-4090"), 1));
    assert!(check(workload(vec![job])).measure_first.is_empty());
    assert!(check(workload(vec![service("api", 0, 0)])).measure_first.is_empty());
}

#[test]
fn a_cap_comes_with_the_curve_of_cost_against_lateness() {
    let catalogue = catalogue(vec![
        offer("a", "rtx-4090", BillingMode::OnDemand, "2"),
        offer("a", "rtx-4090", BillingMode::Monthly, "500"),
        offer("a", "rtx-4090", BillingMode::Spot, "0.8"),
    ]);
    let mut jobs = vec![service("api", 8, 20), runs("train", "9", Runs::PerWeek(3))];
    jobs.push(runs("other", "30", Runs::PerMonth(2)));
    let mut workload = workload(jobs);
    workload.policy.cap = Some(Money::new(Decimal::from(560), Currency::CNY));
    let plan = check(&workload, &catalogue);
    let curve = &plan.cap.as_ref().unwrap().curve;
    assert!(curve.len() > 2);
    assert_eq!(curve[0].total, plan.total);
    assert_eq!((curve[0].late, curve[0].postponed), (Seconds::ZERO, 0));
    assert!(curve.windows(2).all(|pair| pair[1].total.amount() < pair[0].total.amount()));
    assert!(curve[1..].iter().all(|point| point.action.is_some() && point.price.is_some()));
    assert!(curve.iter().any(|point| point.late > Seconds::ZERO || point.postponed > 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn patience_and_nights_never_cost_more_and_the_bound_holds(
        jobs in prop::collection::vec((1_u32..30, 1_u32..4, 0_u32..40), 1..5),
        monthly in prop::option::of(200_u32..1500),
    ) {
        let catalogue = by_night(monthly.map(|price| price.to_string()).as_deref());
        let with = |patience: &dyn Fn(u32) -> u32| {
            let jobs = jobs.iter().enumerate().map(|(at, (hours, count, wait))| {
                let mut job = runs(&format!("job {at}"), &hours.to_string(), Runs::PerWeek(*count));
                job.window.may_wait = Seconds::from_hours(patience(*wait));
                job
            });
            mix(&workload(jobs.collect()), &catalogue)
        };
        let (now, later) = (with(&|_| 0), with(&|wait| wait));
        for mix in [&now, &later] {
            prop_assert!(mix.lower_bound.amount() <= mix.cost.amount() + Decimal::new(1, 2));
        }
        // Nothing waits: the bound is met by no cheaper plan than the patient one's own bound.
        prop_assert!(later.lower_bound.amount() <= now.cost.amount() + Decimal::new(1, 2));
    }
}
