//! Tests of the fast path.

use super::*;
use crate::Catalogue;
use kasuan_model::Grade;
use kasuan_model::{BillingMode, CardId, Interconnect, Source};

fn offer(price: &str, granularity: Option<u64>, minimum: Option<u64>) -> Offer {
    Offer {
        id: "test/4090/on_demand".to_owned(),
        provider: "test".to_owned(),
        region: String::new(),
        country: "CN".to_owned(),
        product: "4090".to_owned(),
        card: CardId::new("rtx-4090"),
        card_raw: "4090".to_owned(),
        count: 1,
        slices: 1,
        tier: String::new(),
        host_included: None,
        vcpus: None,
        memory: None,
        disk: None,
        interconnect: Interconnect::Unknown,
        mode: BillingMode::OnDemand,
        price: Money::new(price.parse().unwrap(), Currency::CNY),
        per: PricePer::Hour,
        granularity: granularity.map(Seconds::new),
        minimum: minimum.map(Seconds::new),
        stock: None,
        source: Source { grade: Grade::A, ..Source::stated("test") },
        notes: String::new(),
    }
}

fn tariff(price: &str, granularity: Option<u64>, minimum: Option<u64>) -> Tariff {
    Tariff::new(&offer(price, granularity, minimum), &Terms::unstated("test", Currency::CNY))
}

fn text(money: Money) -> String {
    money.amount().normalize().to_string()
}

#[test]
fn fx_007_61_minutes_are_two_hours_61_minutes_or_61_minutes_by_the_rule() {
    let run = Seconds::from_minutes(61);
    let billed = |tariff: Tariff| tariff.billed(run).likely;
    assert_eq!(billed(tariff("6", Some(3600), None)), Seconds::from_hours(2));
    assert_eq!(billed(tariff("6", Some(60), Some(600))), Seconds::from_minutes(61));
    assert_eq!(billed(tariff("6", Some(1), None)), Seconds::from_minutes(61));
    let hourly = tariff("6", Some(3600), None).run(run).unwrap();
    assert_eq!(text(hourly.cost.likely), "12");
    // The effective price of an hour is 1.967 times the list price.
    let effective = hourly.cost.likely.amount() / run.decimal_hours() / Decimal::from(6);
    assert_eq!(effective.round_dp(3).to_string(), "1.967");
    assert_eq!(text(tariff("6", Some(1), None).run(run).unwrap().cost.likely), "6.1");
}

#[test]
fn fx_137_an_unstated_rule_gives_both_bounds() {
    let quarter = tariff("4", None, None).run(Seconds::from_minutes(15)).unwrap();
    assert_eq!(text(quarter.cost.low), "1");
    assert_eq!(text(quarter.cost.high), "4");
    assert_eq!(quarter.billed.low, Seconds::from_minutes(15));
    assert_eq!(quarter.billed.high, Seconds::from_hours(1));
}

#[test]
fn the_likely_step_is_the_median_of_the_providers_that_state_one() {
    let catalogue = Catalogue::shipped().unwrap();
    let mut stated: Vec<Seconds> = catalogue
        .all_terms()
        .iter()
        .filter(|terms| terms.valid_to.is_none())
        .filter_map(|terms| terms.metering.granularity)
        .collect();
    stated.sort();
    assert!(stated.len() >= 10);
    assert_eq!(stated[stated.len() / 2], LIKELY_STEP);
}

/// AutoDL: settled at each full hour and at the stop, each settlement rounded up to the fen.
#[test]
fn autodl_rounds_each_hour_up_to_the_fen() {
    let catalogue = Catalogue::shipped().unwrap();
    let terms = catalogue.terms("autodl", None);
    let tariff = Tariff::new(&offer("1.98", None, None), terms);
    let cost = |seconds| text(tariff.run(Seconds::new(seconds)).unwrap().cost.likely);
    assert_eq!(cost(3600), "1.98");
    // 1.98 x 100 / 3600 = 0.055
    assert_eq!(cost(100), "0.06");
    assert_eq!(cost(3700), "2.04");
    assert_eq!(cost(1), "0.01");
    assert_eq!(cost(0), "0");
}

#[test]
fn packages_are_bought_whole() {
    let mut monthly = offer("1001.95", None, None);
    monthly.mode = BillingMode::Monthly;
    monthly.per = PricePer::Term;
    let tariff = Tariff::new(&monthly, &Terms::unstated("test", Currency::CNY));
    let cost = |hours| text(tariff.run(Seconds::from_hours(hours)).unwrap().cost.likely);
    assert_eq!(cost(1), "1001.95");
    assert_eq!(cost(720), "1001.95");
    assert_eq!(cost(721), "2003.9");
}

/// Compshare's page of 2026-06-26 and Featurize's of 2021-08-03.
#[test]
fn fx_066_fx_067_break_even_is_the_ratio_of_the_two_prices() {
    let hours = |package: &str, hourly: &str, mode| {
        let mut monthly = offer(package, None, None);
        monthly.mode = mode;
        monthly.per = PricePer::Term;
        let even = break_even(&monthly, &offer(hourly, None, None)).unwrap();
        format!("{:.1}", even.hours())
    };
    assert_eq!(hours("1001.95", "1.66", BillingMode::Monthly), "603.6");
    assert_eq!(hours("36.73", "1.66", BillingMode::Daily), "22.1");
    assert_eq!(hours("1500", "3.6", BillingMode::Monthly), "416.7");
    assert_eq!(hours("180", "0.7", BillingMode::Monthly), "257.1");
}

#[test]
fn break_even_is_refused_between_currencies_and_sizes() {
    let mut monthly = offer("1000", None, None);
    monthly.mode = BillingMode::Monthly;
    monthly.per = PricePer::Term;
    let mut eight = offer("8", None, None);
    eight.count = 8;
    assert_eq!(break_even(&monthly, &eight), None);
    let mut dollars = offer("1", None, None);
    dollars.price = Money::new(Decimal::ONE, Currency::USD);
    assert_eq!(break_even(&monthly, &dollars), None);
}
