//! Real questions with known answers (`cases.csv`, capability 3 and 7) that the planner answers.
//!
//! Elsewhere: FX-133, 134 and 135 in `calendar`, FX-125, 126, 128, 129 and 130 in `colocate`; FX-007, 068, 079, 087, 088,
//! 136, 137 in `market`; FX-058 and 059 in `spot`; FX-005, 006 and 009 in `guide`. FX-074, 076, 085, 086, 115, 120, 121
//! and 124 are answered by the ledger, the review and the bill import, where they are answered.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

mod common;

use common::*;
use kasuan_model::{BillingMode, Bytes, Currency, FxRate, Money, Rates, Seconds, Source};
use kasuan_plan::{
    commitment::break_even_hours,
    outcome::{CostKind, Plan},
    workload::{Runs, StorageNeed},
};
use rust_decimal::Decimal;

fn compshare() -> kasuan_market::Catalogue {
    catalogue(vec![
        offer("compshare", "rtx-4090", BillingMode::OnDemand, "1.66"),
        offer("compshare", "rtx-4090", BillingMode::Daily, "36.73"),
        offer("compshare", "rtx-4090", BillingMode::Monthly, "1001.95"),
        offer("compshare", "rtx-4090", BillingMode::Spot, "1.162"),
    ])
}

#[test]
fn fx_004_monthly_at_40_to_60_per_cent_off_wins_from_288_to_432_hours_and_never_at_200() {
    for (off, even) in [(40, 432), (60, 288)] {
        let monthly = Decimal::from(720 * (100 - off)) / Decimal::ONE_HUNDRED;
        assert_eq!(break_even_hours(monthly, Decimal::ONE), Some(Decimal::from(even)));
        let catalogue = catalogue(vec![
            offer("a", "a10", BillingMode::OnDemand, "1"),
            offer("a", "a10", BillingMode::Monthly, &monthly.to_string()),
        ]);
        for (hours, mode) in [
            (200, BillingMode::OnDemand),
            (even - 1, BillingMode::OnDemand),
            (even + 1, BillingMode::Monthly),
        ] {
            let mut workload = workload(vec![runs("job", &hours.to_string(), Runs::PerMonth(1))]);
            workload.days = Some(30);
            let plan = check(&workload, &catalogue);
            assert_eq!(plan.jobs[0].choice.as_ref().unwrap().mode, mode, "{hours} h, {off} % off");
        }
    }
}

#[test]
fn fx_066_compshares_month_wins_from_604_hours_and_its_day_from_22_1_hours() {
    for (hours, mode) in [
        ("22", BillingMode::OnDemand),
        ("22.2", BillingMode::Daily),
        ("24", BillingMode::Daily),
        ("603", BillingMode::Daily),
        ("720", BillingMode::Monthly),
    ] {
        let mut workload = workload(vec![runs("job", hours, Runs::PerMonth(1))]);
        workload.days = Some(30);
        let plan = check(&workload, &compshare());
        assert_eq!(plan.jobs[0].choice.as_ref().unwrap().mode, mode, "{hours} h");
    }
    let even = |package: &str| {
        break_even_hours(package.parse().unwrap(), "1.66".parse().unwrap()).unwrap().round_dp(1)
    };
    assert_eq!(even("1001.95").to_string(), "603.6");
    assert_eq!(even("36.73").to_string(), "22.1");
}

#[test]
fn fx_083_a_service_of_180_hours_pays_180_hours_of_card_and_a_month_of_disk() {
    let mut api = service("api", 9, 15);
    api.window.weekdays = Vec::new();
    let mut workload = workload(vec![api]);
    workload.days = Some(30);
    workload.storage = vec![StorageNeed {
        name: "disk".to_owned(),
        size: Bytes::from_gb(100),
        price_per_gb_month: Some(money("1")),
    }];
    let catalogue = catalogue(vec![offer("a", "a10", BillingMode::OnDemand, "1")]);
    let plan = check(&workload, &catalogue);
    assert_eq!(amount(&plan, CostKind::Rent), Some(money("180").rounded()));
    assert_eq!(amount(&plan, CostKind::Storage), Some(money("100").rounded()));
}

#[test]
fn fx_138_instance_hours_are_never_multiplied_twice() {
    // 380 hours over four instances together: 380 x 56.25, not four times that.
    let mut job = runs("exclusive", "95", Runs::PerMonth(1));
    job.cards = Some(1);
    let jobs = (0..4).map(|at| kasuan_plan::workload::Job { name: format!("{at}"), ..job.clone() });
    let catalogue = catalogue(vec![offer("a", "a10", BillingMode::OnDemand, "56.25")]);
    let plan = check(&workload(jobs.collect()), &catalogue);
    assert_eq!(amount(&plan, CostKind::Rent), Some(money("21375").rounded()));
}

#[test]
fn fx_063_an_instance_is_priced_as_a_whole_and_never_per_card_again() {
    let mut eight = offer("a", "rtx-a4000", BillingMode::OnDemand, "10.24");
    eight.count = 8;
    let mut job = runs("job", "1", Runs::PerMonth(1));
    job.cards = Some(8);
    let plan = check(&workload(vec![job]), &catalogue(vec![eight]));
    assert_eq!(amount(&plan, CostKind::Rent), Some(money("10.24")));
}

#[test]
fn fx_062_spot_at_or_above_the_on_demand_price_is_never_chosen() {
    let catalogue = catalogue(vec![
        offer("runpod", "a40", BillingMode::OnDemand, "0.44"),
        offer("runpod", "a40", BillingMode::Spot, "0.49"),
    ]);
    let mut job = runs("job", "10", Runs::PerMonth(1));
    job.interruptible = Some(checkpoints());
    let plan = check(&workload(vec![job]), &catalogue);
    assert_eq!(plan.jobs[0].choice.as_ref().unwrap().mode, BillingMode::OnDemand);
    assert!(plan.jobs[0].why.iter().any(|why| why.key() == "plan-why-no-spot-price"));
}

#[test]
fn fx_060_a_long_wall_time_on_spot_is_shown_beside_the_money() {
    let catalogue = catalogue(vec![
        offer("a", "a10", BillingMode::OnDemand, "1"),
        offer("a", "a10", BillingMode::Spot, "0.3"),
    ]);
    let mut job = runs("teacher", "48", Runs::PerMonth(1));
    job.interruptible = Some(checkpoints());
    let mut workload = workload(vec![job]);
    workload.policy.spot_mtbf = Seconds::from_minutes(20);
    let plan = check(&workload, &catalogue);
    let spot = plan.jobs[0].choice.as_ref().unwrap().spot.unwrap();
    assert!(spot.expected > Seconds::from_hours(60), "{:?}", spot.expected);
    let ratio = spot.effective_ratio.unwrap();
    assert!((0.3..0.9).contains(&ratio), "{ratio}");
}

#[test]
fn fx_008_twenty_hours_a_week_are_a_utilisation_below_15_per_cent() {
    let job = runs("job", "20", Runs::PerWeek(1));
    let plan = check(&workload(vec![job]), &compshare());
    let used = plan.jobs[0].choice.as_ref().unwrap().used.hours();
    assert!(used / 744.0 < 0.15, "{used}");
    assert_eq!(plan.jobs[0].choice.as_ref().unwrap().mode, BillingMode::OnDemand);
}

#[test]
fn fx_090_a_day_never_costs_more_than_24_hours_of_all_cards() {
    let mut workload = workload(vec![service("api", 0, 0)]);
    workload.days = Some(1);
    let plan = check(&workload, &compshare());
    assert!(plan.mix.cost.amount() <= money("39.84").amount());
}

#[test]
fn fx_092_another_currency_takes_part_only_at_a_stated_rate_and_is_converted() {
    let mut dollars = offer("runpod", "a10", BillingMode::OnDemand, "0.5");
    dollars.price = Money::new("0.5".parse().unwrap(), Currency::USD);
    let catalogue = catalogue(vec![dollars, offer("a", "a10", BillingMode::OnDemand, "5")]);
    let mut workload = workload(vec![runs("job", "10", Runs::PerMonth(1))]);
    let without = check(&workload, &catalogue);
    assert_eq!(amount(&without, CostKind::Rent), Some(money("50").rounded()));
    let left = without.notes.iter().find(|note| note.key() == "plan-note-left-out-currency");
    assert_eq!(words(left.unwrap()), "plan-note-left-out-currency currency=USD count=1");
    workload.rates = Rates::new([FxRate {
        from: Currency::USD,
        to: Currency::CNY,
        rate: "7.1".parse().unwrap(),
        source: Source::stated("test"),
    }]);
    let with = check(&workload, &catalogue);
    assert_eq!(amount(&with, CostKind::Rent), Some(money("35.5").rounded()));
}

#[test]
fn fx_139_old_and_undated_prices_are_pointed_out_or_left_out() {
    let mut old = offer("a", "a10", BillingMode::OnDemand, "1");
    old.source.date = Some(jiff::civil::date(2021, 8, 3));
    let mut undated = offer("b", "rtx-4090", BillingMode::OnDemand, "1");
    undated.source.date = None;
    let new = offer("c", "a100-sxm4-80", BillingMode::OnDemand, "9");
    let catalogue = catalogue(vec![old, undated, new]);
    for (card, left_out, used) in [
        ("a10", "plan-note-left-out-old", "plan-note-stale"),
        ("rtx-4090", "plan-note-left-out-undated", "plan-note-undated"),
    ] {
        let mut job = runs("job", "10", Runs::PerMonth(1));
        job.only_cards = vec![kasuan_model::CardId::new(card)];
        let mut workload = workload(vec![job]);
        let says = |plan: &Plan, key: &str| plan.notes.iter().any(|note| note.key() == key);
        let plan = check(&workload, &catalogue);
        assert!(plan.jobs[0].choice.is_none(), "{card} is data and no choice");
        assert!(says(&plan, left_out), "{card}");
        workload.policy.undated = true;
        workload.policy.max_price_age_days = Some(u32::MAX);
        let plan = check(&workload, &catalogue);
        assert!(plan.jobs[0].choice.is_some() && says(&plan, used), "{card}");
        workload.policy.undated = false;
        workload.policy.max_price_age_days = Some(90);
        let plan = check(&workload, &catalogue);
        assert!(plan.jobs[0].choice.is_none());
    }
}

#[test]
fn fx_077_storage_and_labour_stand_beside_the_rent_by_default() {
    let plan = check(&workload(vec![runs("job", "10", Runs::PerMonth(1))]), &compshare());
    let kinds: Vec<CostKind> = plan.budget.lines.iter().map(|line| line.kind).collect();
    assert_eq!(
        kinds,
        [
            CostKind::Rent,
            CostKind::Storage,
            CostKind::Egress,
            CostKind::Trial,
            CostKind::DataMoving,
            CostKind::Operations,
            CostKind::Tax,
            CostKind::Margin,
        ]
    );
}

#[test]
fn hours_measured_on_a_fast_card_grow_on_a_slow_one() {
    let catalogue = catalogue(vec![
        offer("a", "rtx-4090", BillingMode::OnDemand, "1.66"),
        offer("a", "p40", BillingMode::OnDemand, "0.40"),
    ]);
    let mut job = runs("images", "10", Runs::PerMonth(1));
    job.amount = kasuan_plan::workload::Amount::Hours {
        hours: kasuan_model::Estimate::exact(Decimal::TEN),
        measured_on: Some((kasuan_model::CardId::new("rtx-4090"), 1)),
    };
    let plan = check(&workload(vec![job.clone()]), &catalogue);
    let choice = plan.jobs[0].choice.as_ref().unwrap();
    assert_eq!((choice.card.as_str(), choice.time.likely), ("rtx-4090", Seconds::from_hours(10)));
    job.only_cards = vec![kasuan_model::CardId::new("p40")];
    let plan = check(&workload(vec![job]), &catalogue);
    let slow = plan.jobs[0].choice.as_ref().unwrap();
    // 82.6 against 11.8 TFLOP/s in FP32.
    assert!(slow.time.likely > Seconds::from_hours(60), "{:?}", slow.time);
    assert!(plan.jobs[0].why.iter().any(|why| why.key() == "plan-need-hours-bounded"));
}

#[test]
fn fx_114_a_plan_is_held_to_caps_on_the_month_on_an_hour_and_on_cards_at_once() {
    let mut jobs = vec![service("api", 8, 18), runs("tune", "6", Runs::PerMonth(1))];
    jobs[1].window.daily = Some((jiff::civil::time(9, 0, 0, 0), jiff::civil::time(17, 0, 0, 0)));
    let catalogue = catalogue(vec![offer("a", "a10", BillingMode::OnDemand, "5")]);
    let plan = check(&workload(jobs.clone()), &catalogue);
    let peak = plan.peak.unwrap();
    assert_eq!((peak.cards, peak.hourly), (2, money("10")));
    assert!(peak.hourly_at.hour() >= 9 && peak.hourly_at.hour() < 17, "{}", peak.hourly_at);
    assert!(peak.breaks_hourly(money("9.99")) && !peak.breaks_hourly(money("10")));
    // What is paid ahead for a term is no spending by the hour.
    let monthly = common::catalogue(vec![
        offer("a", "a10", BillingMode::OnDemand, "5"),
        offer("a", "a10", BillingMode::Monthly, "500"),
    ]);
    let mut month = workload(vec![jobs.remove(0)]);
    // A term is 30 days; the 31st of a longer month would be on demand.
    month.days = Some(30);
    let plan = check(&month, &monthly);
    let peak = plan.peak.unwrap();
    assert_eq!((peak.cards, peak.hourly), (1, money("0")));
}
