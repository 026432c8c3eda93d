//! The founding guide's own example, and what its rules of thumb make of it.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

mod common;

use common::*;
use kasuan_model::{BillingMode, Bytes, CardId, Currency, Seconds};
use kasuan_plan::{
    GuideClass,
    outcome::{BaselineKind, CostKind},
    workload::{Checkpoints, Margin, Runs, StorageNeed, Trial, Workload},
};

/// The 10-person team of the guide's section 6.4 with its prices: 30 days, 4 weeks.
fn team() -> Workload {
    let mut tuning = runs("lora", "8", Runs::PerMonth(2));
    tuning.only_cards = vec![CardId::new("rtx-4090")];
    let mut serving = service("api", 8, 18);
    serving.only_cards = vec![CardId::new("a10")];
    let mut batch = runs("preprocess", "4", Runs::PerMonth(4));
    batch.modes = vec![BillingMode::Spot];
    // The guide reckons without reclaims.
    batch.interruptible =
        Some(Checkpoints { write: Seconds::ZERO, restart: Seconds::ZERO, interval: None });
    let mut workload = workload(vec![tuning, serving, batch]);
    workload.days = Some(30);
    workload.storage = vec![StorageNeed {
        name: "data".to_owned(),
        size: Bytes::from_gb(200),
        price_per_gb_month: Some(money("0.5")),
    }];
    workload.policy.trial = Trial::Amount(money("300"));
    workload.policy.spot_mtbf = Seconds::from_hours(10_000_000);
    workload
}

fn prices() -> kasuan_market::Catalogue {
    catalogue(vec![
        offer("guide", "rtx-4090", BillingMode::OnDemand, "6"),
        offer("guide", "a10", BillingMode::OnDemand, "5"),
        offer("guide", "rtx-4090", BillingMode::Spot, "2"),
    ])
}

#[test]
fn fx_006_the_guides_team_costs_2028_and_the_margin_it_forgot_is_shown() {
    let plan = check(&team(), &prices());
    let cost = |job: usize| plan.jobs[job].choice.as_ref().unwrap().cost.likely.rounded();
    assert_eq!(cost(0), money("96"));
    assert_eq!(cost(1), money("1500"));
    assert_eq!(cost(2), money("32"));
    assert_eq!(amount(&plan, CostKind::Rent), Some(money("1628")));
    assert_eq!(amount(&plan, CostKind::Storage), Some(money("100")));
    assert_eq!(amount(&plan, CostKind::Trial), Some(money("300")));
    assert_eq!(plan.total.amount().normalize().to_string(), "2028");
    assert_eq!(plan.budget.flat, (money("2433.60"), money("2636.40")));
}

#[test]
fn the_guides_own_margin_can_be_chosen() {
    for (share, total) in [(0.2, "2433.60"), (0.3, "2636.40")] {
        let mut workload = team();
        workload.policy.margin = Margin::Flat(share);
        let plan = check(&workload, &prices());
        assert_eq!(plan.total, money(total));
    }
    assert_eq!(team().currency, Currency::CNY);
}

#[test]
fn what_nobody_stated_is_listed_and_not_counted_as_nothing() {
    let plan = check(&team(), &prices());
    for kind in [CostKind::Operations, CostKind::DataMoving, CostKind::Tax] {
        assert_eq!(amount(&plan, kind), None);
    }
    let keys: Vec<&str> = plan.unknowns.iter().map(kasuan_model::Phrase::key).collect();
    assert!(keys.contains(&"plan-unknown-operations"), "{keys:?}");
    assert!(keys.contains(&"plan-unknown-data-moving"), "{keys:?}");
}

#[test]
fn fx_005_the_guides_two_rules_contradict_each_other_on_its_own_case() {
    for (monthly, mode) in [("1250", BillingMode::Monthly), ("3020", BillingMode::OnDemand)] {
        let catalogue = catalogue(vec![
            offer("guide", "a10", BillingMode::OnDemand, "5"),
            offer("guide", "a10", BillingMode::Monthly, monthly),
        ]);
        let mut workload = workload(vec![service("api", 8, 18)]);
        workload.days = Some(30);
        let plan = check(&workload, &catalogue);
        // 300 hours: a break-even of 250 h takes the month, one of 604 h does not.
        assert_eq!(plan.jobs[0].choice.as_ref().unwrap().mode, mode);
        assert_eq!(baseline(&plan, BaselineKind::Guide200Hours), Some(money(monthly)));
        assert_eq!(baseline(&plan, BaselineKind::GuideUtilisation), Some(money("1500")));
        let noted = plan.baselines.iter().any(|baseline| {
            baseline.note.iter().any(|note| note.key() == "plan-baseline-contradiction")
        });
        assert!(noted, "both costs in money, and the conflict said");
    }
}

#[test]
fn fx_009_every_utilisation_belongs_to_exactly_one_class() {
    for percent in 0..=1000 {
        let utilisation = f64::from(percent) / 1000.0;
        let class = GuideClass::of(utilisation);
        let expected = match percent {
            0..200 => GuideClass::OnDemand,
            200..500 => GuideClass::OnDemandAndSpot,
            500..700 => GuideClass::MonthlyAndPeaks,
            _ => GuideClass::Monthly,
        };
        assert_eq!(class, expected, "{percent} per mille");
    }
}

#[test]
fn the_simulated_range_is_ordered_reproducible_and_near_the_flat_rule() {
    let mut workload = team();
    workload.policy.margin = Margin::P80;
    let plan = check(&workload, &prices());
    let budget = &plan.budget;
    assert!(budget.p50.amount() <= budget.p80.amount());
    assert!(budget.p80.amount() <= budget.p90.amount());
    assert!(budget.p90.amount() > money("2028").amount());
    assert_eq!(plan.total.amount(), budget.p80.amount().max(money("2028").amount()));
    assert_eq!(check(&workload, &prices()).budget.p90, budget.p90);
}
