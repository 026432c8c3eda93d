//! What is bought and what is not: terms on guesses, packages given back, shared machines, stock.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

mod common;

use common::*;
use kasuan_market::{
    Catalogue, Usage,
    bill::{Run, bill},
};
use kasuan_model::{BillingMode, Estimate, Offer};
use kasuan_plan::{
    advise::FirstStep,
    outcome::Plan,
    workload::{Amount, Job, Runs, Workload},
};
use proptest::prelude::*;
use rust_decimal::Decimal;

/// A month of 30 days.
fn month(jobs: Vec<Job>) -> Workload {
    Workload { days: Some(30), ..workload(jobs) }
}

/// The same where hours that nobody measured are a guess.
fn guessed(jobs: Vec<Job>) -> Workload {
    let mut workload = month(jobs);
    workload.policy.trust_hours = false;
    workload
}

/// 2 an hour, or 600 a month: break-even at 300 hours.
fn by_month() -> Catalogue {
    catalogue(vec![
        offer("a", "rtx-4090", BillingMode::OnDemand, "2"),
        offer("a", "rtx-4090", BillingMode::Monthly, "600"),
    ])
}

fn range(name: &str, low: i64, likely: i64, high: i64) -> Job {
    let mut job = runs(name, &likely.to_string(), Runs::PerMonth(1));
    let hours = Estimate::new(low.into(), likely.into(), high.into());
    job.amount = Amount::Hours { hours, measured_on: None };
    job
}

#[test]
fn no_term_is_bought_on_a_guess_where_measuring_first_is_the_better_bet() {
    let job = range("train", 20, 310, 720);
    let plan = check(&guessed(vec![job.clone()]), &by_month());
    let [first] = &plan.measure_first[..] else { panic!("{:?}", plan.measure_first) };
    assert_eq!((first.step, first.bought), (FirstStep::Measure, false));
    assert!(first.again.is_some());
    assert!(plan.mix.commitments.is_empty());
    assert_eq!(plan.mix.cost, money("620"));
    // What it would be if the guess held is said, and is the bound.
    assert_eq!(plan.mix.cost_if_bought, Some(money("600")));
    assert_eq!(plan.mix.lower_bound.rounded(), money("600"));
    assert!(plan.jobs[0].why.iter().any(|why| why.key() == "plan-why-waits"));
    // Whoever is sure of the hours buys at once, and nothing is weighed.
    let sure = check(&month(vec![job]), &by_month());
    assert_eq!(sure.mix.cost, money("600"));
    assert!(sure.measure_first.is_empty() && sure.mix.cost_if_bought.is_none());
}

#[test]
fn a_term_that_the_whole_guess_carries_is_bought_with_its_figures() {
    let plan = check(&guessed(vec![range("train", 650, 690, 720)]), &by_month());
    let [first] = &plan.measure_first[..] else { panic!("{:?}", plan.measure_first) };
    assert_eq!((first.step, first.bought), (FirstStep::Commit, true));
    assert_eq!(plan.mix.commitments.len(), 1);
    assert_eq!(plan.mix.cost_if_bought, None);
}

#[test]
fn a_term_that_the_user_insists_on_is_bought_and_its_regret_said() {
    let mut job = range("train", 20, 310, 720);
    job.modes = vec![BillingMode::Monthly];
    let plan = check(&guessed(vec![job]), &by_month());
    let [first] = &plan.measure_first[..] else { panic!("{:?}", plan.measure_first) };
    assert_eq!((first.step, first.bought), (FirstStep::Measure, true));
    assert_eq!(plan.mix.commitments.len(), 1);
}

#[test]
fn a_job_that_waits_still_runs_in_hours_that_others_pay_for() {
    // The service carries its month; the guessed nights fit into what it leaves.
    let mut nights = range("train", 4, 8, 11);
    nights.runs = Runs::PerDay(1);
    nights.window.daily = Some((jiff::civil::time(20, 0, 0, 0), jiff::civil::time(8, 0, 0, 0)));
    let plan = check(&guessed(vec![service("api", 8, 20), nights]), &by_month());
    assert_eq!(plan.mix.commitments.len(), 1);
    assert!(plan.mix.cost.amount() <= Decimal::from(620), "{}", plan.mix.cost);
}

/// What a package of provider `a` costs that is given back after so many days, by its bill.
fn billed(catalogue: &Catalogue, days: i8) -> Decimal {
    let offer = catalogue.offers().iter().find(|offer| offer.mode == BillingMode::Monthly).unwrap();
    let start = TODAY.at(9, 0, 0, 0);
    let end = start.checked_add(jiff::Span::new().days(i64::from(days))).unwrap();
    let usage =
        Usage { runs: vec![Run::new(start, end)], given_back: Some(end), ..Usage::default() };
    bill(&usage, offer, catalogue.terms("a", Some(TODAY))).unwrap().total.likely.amount()
}

/// 2 an hour, or 720 a month of which 1.5 times the used share stays paid: 36 a day.
fn refundable() -> Catalogue {
    let offers = vec![
        offer("a", "rtx-4090", BillingMode::OnDemand, "2"),
        offer("a", "rtx-4090", BillingMode::Monthly, "720"),
    ];
    refunding(offers, BillingMode::Monthly, "1.5")
}

#[test]
fn fx_068_a_package_with_a_refund_is_the_right_buy_for_a_shorter_use() {
    let plan = check(&month(vec![runs("ten days", "240", Runs::PerMonth(1))]), &refundable());
    let [one] = &plan.mix.commitments[..] else { panic!("{:?}", plan.mix.commitments) };
    // On demand 480, kept 720, given back after ten days 360, as the bill says.
    assert_eq!(plan.mix.cost, money("360"));
    assert_eq!(one.price.amount(), billed(&refundable(), 10));
    assert_eq!(one.mode, BillingMode::Monthly);
    let days = one.given_back.unwrap().since((jiff::Unit::Day, one.start)).unwrap();
    assert_eq!(days.get_days(), 10);
    assert_eq!(plan.mix.lower_bound.rounded(), plan.mix.cost);
    // Given back it rests on no guess: it ends on the day that the work does.
    let guess = check(&guessed(vec![runs("ten days", "240", Runs::PerMonth(1))]), &refundable());
    assert_eq!(guess.mix.cost, money("360"));
    // Used up to where nothing comes back it is simply kept.
    let long = check(&month(vec![runs("25 days", "600", Runs::PerMonth(1))]), &refundable());
    assert_eq!(long.mix.cost, money("720"));
    assert_eq!(long.mix.commitments[0].given_back, None);
}

#[test]
fn in_a_plan_shorter_than_the_package_it_is_given_back_or_paid_in_full() {
    let with = |days: u32, hours: &str| {
        let mut workload = workload(vec![runs("job", hours, Runs::PerMonth(1))]);
        workload.days = Some(days);
        check(&workload, &refundable()).mix
    };
    assert_eq!(with(10, "240").cost, money("360"));
    assert_eq!(with(10, "100").cost, money("180"));
    assert_eq!(with(10, "10").cost, money("20"));
    assert_eq!(with(25, "600").cost, money("720"));
}

fn machine(provider: &str, card: &str, count: u32, price: &str) -> Offer {
    let mut offer = offer(provider, card, BillingMode::OnDemand, price);
    offer.count = count;
    offer.id = format!("{}x{count}", offer.id);
    offer
}

fn on_cards(name: &str, hours: &str, cards: u32) -> Job {
    let mut job = runs(name, hours, Runs::PerMonth(1));
    job.cards = Some(cards);
    job
}

#[test]
fn jobs_that_need_part_of_a_machine_share_it() {
    let catalogue = catalogue(vec![machine("a", "a100-sxm4-80", 8, "80")]);
    let jobs = vec![on_cards("one", "10", 4), on_cards("two", "10", 2), on_cards("three", "6", 2)];
    let plan = check(&month(jobs.clone()), &catalogue);
    assert_eq!(plan.mix.cost, money("800"));
    let [packed] = &plan.mix.packing[..] else { panic!("{:?}", plan.mix.packing) };
    assert_eq!((packed.apart, packed.together, packed.lower_bound), (3, 1, 1));
    assert!(packed.planned);
    assert_eq!(packed.jobs.len(), 3);
    // Each bears its part, all together the machine; 2 cards are idle for 4 of the 10 hours.
    let parts: Decimal =
        plan.jobs.iter().map(|j| j.choice.as_ref().unwrap().cost.likely.amount()).sum();
    assert_eq!(parts.round_dp(6), Decimal::from(800));
    assert_eq!(plan.budget.idle.rounded(), money("80"));
    // Kept apart where the user wants it.
    let mut apart = month(jobs);
    apart.policy.share_machines = false;
    let apart = check(&apart, &catalogue);
    assert_eq!(apart.mix.cost, money("2080"));
    assert!(apart.mix.packing.iter().all(|one| !one.planned));
}

#[test]
fn a_machine_that_several_jobs_fill_is_worth_its_month() {
    let mut month_offer = machine("a", "a100-sxm4-80", 8, "30000");
    month_offer.mode = BillingMode::Monthly;
    month_offer.per = kasuan_model::PricePer::Term;
    month_offer.id = "month".to_owned();
    let catalogue = catalogue(vec![machine("a", "a100-sxm4-80", 8, "80"), month_offer]);
    let jobs = (0..4).map(|at| on_cards(&format!("job {at}"), "700", 2)).collect();
    let plan = check(&month(jobs), &catalogue);
    assert_eq!(plan.mix.cost, money("30000"));
    assert_eq!(plan.mix.commitments.iter().map(|one| one.count).sum::<u32>(), 1);
}

#[test]
fn a_service_longer_than_a_term_is_on_demand_for_the_rest() {
    // 31 days: a month of 720 hours, and a day on demand. A second month would be wasted.
    let plan = check(&workload(vec![service("api", 0, 0)]), &by_month());
    assert_eq!(plan.mix.cost, money("648"));
    assert_eq!(plan.mix.lower_bound.rounded(), money("648"));
    // A run is not cut: nobody said that it may be moved.
    let run = check(&workload(vec![runs("train", "744", Runs::PerMonth(1))]), &by_month());
    assert_eq!(run.mix.cost, money("1200"));
    // The same on a machine that others share while it lasts.
    let mut months = machine("a", "a100-sxm4-80", 8, "30000");
    (months.mode, months.per) = (BillingMode::Monthly, kasuan_model::PricePer::Term);
    months.id = "month".to_owned();
    let catalogue = catalogue(vec![machine("a", "a100-sxm4-80", 8, "80"), months]);
    let mut api = service("api", 0, 0);
    api.cards = Some(2);
    let plan = check(&workload(vec![api, on_cards("train", "300", 4)]), &catalogue);
    assert_eq!(plan.mix.cost, money("31920"));
    assert_eq!(plan.mix.lower_bound.rounded(), plan.mix.cost);
}

#[test]
fn days_are_bought_on_a_guess_one_by_one() {
    let catalogue = catalogue(vec![
        offer("a", "rtx-4090", BillingMode::OnDemand, "2"),
        offer("a", "rtx-4090", BillingMode::Daily, "40"),
        offer("a", "rtx-4090", BillingMode::Monthly, "600"),
    ]);
    let plan = check(&guessed(vec![range("train", 20, 312, 720)]), &catalogue);
    assert!(plan.measure_first.iter().all(|one| !one.bought));
    assert_eq!(plan.mix.cost, money("520"));
    assert!(plan.mix.commitments.iter().all(|one| one.mode == BillingMode::Daily));
}

fn stocked(provider: &str, price: &str, stock: Option<u32>) -> Offer {
    Offer { stock, ..offer(provider, "rtx-4090", BillingMode::OnDemand, price) }
}

fn cost_of_choices(plan: &Plan) -> usize {
    plan.jobs.iter().filter(|job| job.choice.is_some()).count()
}

#[test]
fn a_limited_stock_sends_the_rest_to_the_next_offer_and_then_nowhere() {
    let job = |name: &str| runs(name, "10", Runs::PerMonth(1));
    let two = month(vec![job("one"), job("two")]);
    let both = catalogue(vec![stocked("a", "1", Some(1)), stocked("b", "2", None)]);
    assert_eq!(check(&two, &both).mix.cost, money("30"));
    let alone = catalogue(vec![stocked("a", "1", Some(1))]);
    let plan = check(&two, &alone);
    assert_eq!((cost_of_choices(&plan), plan.mix.cost), (1, money("10")));
    let left = plan.jobs.iter().find(|job| job.choice.is_none()).unwrap();
    assert_eq!(left.why[0].key(), "plan-nothing-stock");
    // One after the other there is enough.
    let mut later = two;
    later.jobs[1].window.not_before = Some(TODAY.at(23, 0, 0, 0));
    assert_eq!(check(&later, &alone).mix.cost, money("20"));
    // Of one provider the dearer offer stands behind the cheaper.
    let mut tier = stocked("a", "3", None);
    tier.id = "dear".to_owned();
    tier.tier = "secure".to_owned();
    let tiers = catalogue(vec![stocked("a", "1", Some(1)), tier]);
    assert_eq!(check(&month(vec![job("one"), job("two")]), &tiers).mix.cost, money("40"));
}

#[test]
fn a_limited_stock_of_months_is_kept() {
    let mut months = offer("a", "rtx-4090", BillingMode::Monthly, "600");
    months.stock = Some(1);
    let catalogue = catalogue(vec![offer("a", "rtx-4090", BillingMode::OnDemand, "2"), months]);
    let plan = check(&month(vec![service("one", 0, 0), service("two", 0, 0)]), &catalogue);
    assert_eq!(plan.mix.cost, money("2040"));
    assert_eq!(plan.mix.commitments.iter().map(|one| one.count).sum::<u32>(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_bought_on_a_guess_is_what_measure_first_says(
        hours in prop::collection::vec((20_i64..500, 1_i64..300), 1..5),
        monthly in 200_u32..1200,
    ) {
        let catalogue = catalogue(vec![
            offer("a", "rtx-4090", BillingMode::OnDemand, "2"),
            offer("a", "rtx-4090", BillingMode::Monthly, &monthly.to_string()),
        ]);
        let jobs = hours.iter().enumerate().map(|(at, (low, more))| {
            range(&format!("job {at}"), *low, (low + more / 2).min(700), (low + more).min(720))
        });
        let plan = check(&guessed(jobs.collect()), &catalogue);
        let bought = plan.measure_first.iter().any(|one| one.bought);
        prop_assert_eq!(!plan.mix.commitments.is_empty(), bought);
        for one in &plan.measure_first {
            prop_assert_eq!(one.bought, one.step == FirstStep::Commit);
        }
        prop_assert!(plan.mix.lower_bound.amount() <= plan.mix.cost.amount() + Decimal::new(1, 5));
        let waits = plan.measure_first.iter().any(|one| !one.bought);
        prop_assert_eq!(plan.mix.cost_if_bought.is_some(), waits);
    }

    #[test]
    fn a_package_given_back_is_billed_as_planned(days in 1_i8..31, factor in 10_u32..25) {
        let factor = Decimal::new(factor.into(), 1);
        let offers = vec![
            offer("a", "rtx-4090", BillingMode::OnDemand, "9"),
            offer("a", "rtx-4090", BillingMode::Monthly, "720"),
        ];
        let catalogue = refunding(offers, BillingMode::Monthly, &factor.to_string());
        let hours = (i32::from(days) * 24).to_string();
        let plan = check(&month(vec![runs("job", &hours, Runs::PerMonth(1))]), &catalogue);
        prop_assert_eq!(plan.mix.cost.amount().round_dp(6), billed(&catalogue, days).round_dp(6));
    }

    #[test]
    fn shared_machines_cost_no_more_than_apart_and_no_less_than_the_bound(
        jobs in prop::collection::vec((1_u32..9, 1_u32..200), 1..7),
        monthly in prop::option::of(2000_u32..40_000),
    ) {
        let mut offers = vec![machine("a", "a100-sxm4-80", 8, "80")];
        if let Some(price) = monthly {
            let mut offer = machine("a", "a100-sxm4-80", 8, &price.to_string());
            (offer.mode, offer.per) = (BillingMode::Monthly, kasuan_model::PricePer::Term);
            offer.id = "month".to_owned();
            offers.push(offer);
        }
        let catalogue = catalogue(offers);
        let jobs: Vec<Job> = jobs
            .iter()
            .enumerate()
            .map(|(at, (cards, hours))| on_cards(&format!("job {at}"), &hours.to_string(), *cards))
            .collect();
        let together = mix(&month(jobs.clone()), &catalogue);
        let mut apart = month(jobs.clone());
        apart.policy.share_machines = false;
        prop_assert!(together.cost.amount() <= mix(&apart, &catalogue).cost.amount());
        prop_assert!(together.lower_bound.amount() <= together.cost.amount());
        // No machine-hour is cheaper than the cards in it: the bound of the cards alone.
        let least: Decimal = match monthly {
            None => jobs.iter().map(|job| {
                let Amount::Hours { hours, .. } = &job.amount else { unreachable!() };
                hours.likely * Decimal::from(job.cards.unwrap()) * Decimal::TEN
            }).sum(),
            Some(_) => Decimal::ZERO,
        };
        prop_assert!(together.cost.amount() >= least);
    }

    #[test]
    fn a_limited_stock_costs_what_brute_force_finds(
        jobs in prop::collection::vec((1_u32..60, 0_u32..40), 1..6),
        stock in 1_u32..3,
        dear in 3_u32..9,
    ) {
        let catalogue =
            catalogue(vec![stocked("a", "2", Some(stock)), stocked("b", &dear.to_string(), None)]);
        let of = |(at, (hours, later)): (usize, &(u32, u32))| {
            let mut job = runs(&format!("job {at}"), &hours.to_string(), Runs::PerMonth(1));
            job.window.not_before = TODAY.at(9, 0, 0, 0).checked_add(jiff::Span::new().hours(i64::from(*later))).ok();
            job
        };
        let plan = check(&month(jobs.iter().enumerate().map(of).collect()), &catalogue);
        let start = TODAY.at(0, 0, 0, 0);
        let hour = |at: jiff::civil::DateTime| at.since((jiff::Unit::Hour, start)).unwrap().get_hours();
        let runs: Vec<(i32, i32)> =
            plan.calendar.iter().map(|one| (hour(one.start), hour(one.end))).collect();
        prop_assert_eq!(runs.len(), jobs.len());
        let mut best = u32::MAX;
        for set in 0_u32..1 << runs.len() {
            let cheap: Vec<&(i32, i32)> =
                runs.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, run)| run).collect();
            let at_once = |time: i32| cheap.iter().filter(|run| run.0 <= time && time < run.1).count();
            if cheap.iter().any(|run| at_once(run.0) > stock as usize) {
                continue;
            }
            let cost = runs.iter().enumerate().map(|(at, run)| {
                (run.1 - run.0) as u32 * if set >> at & 1 == 1 { 2 } else { dear }
            });
            best = best.min(cost.sum());
        }
        prop_assert_eq!(plan.mix.cost, money(&best.to_string()));
    }
}
