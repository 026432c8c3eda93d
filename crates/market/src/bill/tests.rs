//! Tests of bills; figures are from providers' pages and cases, named at each.

use super::*;
use crate::{Catalogue, RunCost};
use jiff::civil::date;
use kasuan_model::{BillingMode, Currency};
use proptest::prelude::*;

fn at(text: &str) -> DateTime {
    text.parse().unwrap()
}

fn used(runs: &[(&str, &str)]) -> Usage {
    let runs = runs.iter().map(|(from, to)| Run::new(at(from), at(to))).collect();
    Usage { runs, ..Usage::default() }
}

fn text(money: Money) -> String {
    money.amount().round_dp(6).normalize().to_string()
}

fn shipped(offer: &str, usage: &Usage) -> Bill {
    let catalogue = Catalogue::shipped().unwrap();
    let offer = catalogue.offer(offer).unwrap();
    let terms = catalogue.terms(&offer.provider, Some(date(2026, 12, 1)));
    bill(usage, offer, terms).unwrap()
}

const COMPSHARE: &str = "compshare/cn-wlcb/4090-24g/on_demand";
const COMPSHARE_3090: &str = "compshare/cn-wlcb/3090/on_demand";
const COMPSHARE_SPOT: &str = "compshare/cn-wlcb/4090-24g/spot";
const COMPSHARE_DAILY: &str = "compshare/cn-wlcb/4090-24g/daily";
const COMPSHARE_MONTHLY: &str = "compshare/cn-wlcb/4090-24g/monthly";
const AUTODL: &str = "autodl/rtx-4090/on_demand";
const AWS: &str = "aws/us-east-1/g3.4xlarge/on_demand";

/// AutoDL settles at each full hour and at the stop and rounds each up to the fen: a run over a
/// full hour is two settlements.
#[test]
fn autodl_cuts_at_the_full_hour() {
    let catalogue = Catalogue::shipped().unwrap();
    let price = catalogue.offer(AUTODL).unwrap().price;
    let bill = shipped(AUTODL, &used(&[("2026-12-01T09:50:00", "2026-12-01T10:20:00")]));
    let part = |seconds: i64| {
        (price.amount() * Decimal::from(seconds) / Decimal::from(3600))
            .round_dp_with_strategy(2, rust_decimal::RoundingStrategy::ToPositiveInfinity)
    };
    assert_eq!(bill.total.likely.amount(), part(600) + part(1200));
    assert_eq!(bill.total.low, bill.total.high, "the rule is stated, so there is no range");
    let second = shipped(AUTODL, &used(&[("2026-12-01T09:50:00", "2026-12-01T09:50:01")]));
    assert_eq!(text(second.total.likely), "0.01");
}

/// Compshare 4090: 1.66 an hour by day, 10 % off from 01:00 to 07:00.
#[test]
fn the_night_discount_is_for_the_night_hours_only() {
    let whole_day = shipped(COMPSHARE, &used(&[("2026-12-01T00:00:00", "2026-12-02T00:00:00")]));
    assert_eq!(text(whole_day.total.likely), "38.844"); // 18 x 1.66 + 6 x 1.494
    let over = shipped(COMPSHARE, &used(&[("2026-12-01T06:30:00", "2026-12-01T07:30:00")]));
    assert_eq!(text(over.total.likely), "1.577");
    let days = shipped(COMPSHARE, &used(&[("2026-12-01T12:00:00", "2026-12-03T12:00:00")]));
    assert_eq!(text(days.total.likely), "77.688");
    // The discount is for 4090 and 5090; a 3090 pays the same by night.
    let other = shipped(COMPSHARE_3090, &used(&[("2026-12-01T01:00:00", "2026-12-01T02:00:00")]));
    let by_day = shipped(COMPSHARE_3090, &used(&[("2026-12-01T11:00:00", "2026-12-01T12:00:00")]));
    assert_eq!(other.total, by_day.total);
}

/// billdescribe.md of Compshare: month paid, stopped after 10 of 30 days: paid - paid x 1/3 x 1.5.
#[test]
fn fx_068_a_month_given_back_after_ten_days_refunds_half() {
    let mut usage = used(&[("2026-12-01T00:00:00", "2026-12-11T00:00:00")]);
    usage.given_back = Some(at("2026-12-11T00:00:00"));
    let bill = shipped(COMPSHARE_MONTHLY, &usage);
    assert_eq!(text(bill.total.likely), "500.975");
    assert_eq!(bill.lines.len(), 2);
    assert_eq!(bill.lines[1].kind, LineKind::Refund);
    // A day given back after 6 of 24 hours: paid x 0.25 x 1.25 is kept.
    let mut usage = used(&[("2026-12-01T00:00:00", "2026-12-01T06:00:00")]);
    usage.given_back = Some(at("2026-12-01T06:00:00"));
    assert_eq!(text(shipped(COMPSHARE_DAILY, &usage).total.likely), "11.478125");
    // Past two thirds of a month nothing comes back, and never less than nothing.
    let mut usage = used(&[("2026-12-01T00:00:00", "2026-12-25T00:00:00")]);
    usage.given_back = Some(at("2026-12-25T00:00:00"));
    assert_eq!(text(shipped(COMPSHARE_MONTHLY, &usage).total.likely), "1001.95");
}

/// Stopped seven days in a row: the instance is deleted; its disk is charged all the while.
#[test]
fn a_box_stopped_for_eight_days_is_warned_of_and_its_disk_goes_on_costing() {
    let mut usage = used(&[("2026-12-01T08:00:00", "2026-12-01T18:00:00")]);
    usage.released = Some(at("2026-12-09T18:00:01"));
    usage.storage = vec![Keep {
        kind: None,
        size: Bytes::from_gb(300),
        from: at("2026-12-01T08:00:00"),
        to: at("2026-12-09T18:00:00"),
    }];
    let bill = shipped(COMPSHARE, &usage);
    assert_eq!(bill.warnings.len(), 1);
    assert_eq!(bill.warnings[0].key(), "market-warn-deleted");
    let storage = bill.lines.iter().find(|line| line.kind == LineKind::Storage).unwrap();
    // 200 GB above the free 100, 202 hours, 0.0005 an hour.
    assert_eq!(text(storage.amount.likely), "20.2");
    usage.released = Some(at("2026-12-08T18:00:00"));
    assert!(shipped(COMPSHARE, &usage).warnings.is_empty());
}

#[test]
fn a_spot_run_reclaimed_within_the_first_hour_is_free() {
    let mut usage = used(&[("2026-12-01T12:00:00", "2026-12-01T12:59:00")]);
    usage.runs[0].reclaimed = true;
    assert!(shipped(COMPSHARE_SPOT, &usage).total.likely.is_zero());
    usage.runs[0].to = at("2026-12-01T13:01:00");
    assert!(!shipped(COMPSHARE_SPOT, &usage).total.likely.is_zero());
}

/// 10,240 GB out of AWS: 100 free, 10,140 at 0.09; SkyPilot 0.14.1 says $0.00.
#[test]
fn egress_stands_tier_by_tier() {
    let mut usage = used(&[("2026-12-01T12:00:00", "2026-12-01T13:00:00")]);
    usage.egress = Bytes::from_gb(10_240);
    let bill = shipped(AWS, &usage);
    let tiers: Vec<String> = bill
        .lines
        .iter()
        .filter(|line| line.kind == LineKind::Egress)
        .map(|line| text(line.amount.likely))
        .collect();
    assert_eq!(tiers, ["0", "912.6"]);
    assert_eq!(text(bill.total.likely), "913.74");
    let mut unknown = used(&[("2026-12-01T12:00:00", "2026-12-01T13:00:00")]);
    unknown.egress = Bytes::from_gb(10);
    let bill = shipped(COMPSHARE, &unknown);
    assert!(bill.unknown.iter().any(|phrase| phrase.key() == "market-unknown-egress"));
}

/// Instances run office hours (180 h), disks stay all month: 180 h of compute, 730 h of disk.
#[test]
fn fx_083_disks_are_kept_while_instances_sleep() {
    let mut usage = Usage::default();
    for day in 1..=20 {
        let from = date(2026, 11, day).at(9, 0, 0, 0);
        usage.runs.push(Run::new(from, date(2026, 11, day).at(18, 0, 0, 0)));
    }
    usage.storage = vec![Keep {
        kind: Some("cloud_disk".to_owned()),
        size: Bytes::from_gb(200),
        from: at("2026-11-01T00:00:00"),
        to: at("2026-12-01T00:00:00"),
    }];
    let bill = shipped(COMPSHARE, &usage);
    assert_eq!(bill.used, Seconds::from_hours(180));
    let storage = bill.lines.iter().find(|line| line.kind == LineKind::Storage).unwrap();
    assert_eq!(storage.quantity.likely, Decimal::from(72_000)); // 100 GB x 720 h
    assert_eq!(text(storage.amount.likely), "36");
}

/// 4 instances, 380 instance-hours together at 56.25: hours are not multiplied twice.
#[test]
fn fx_138_instance_hours_are_counted_once() {
    let catalogue = Catalogue::shipped().unwrap();
    let mut offer = catalogue.offer(COMPSHARE_3090).unwrap().clone();
    offer.price = Money::new("56.25".parse().unwrap(), Currency::CNY);
    let terms = Terms::unstated("test", Currency::CNY);
    let total: Decimal = (0..4)
        .map(|_| {
            let usage = used(&[("2026-12-01T00:00:00", "2026-12-04T23:00:00")]);
            bill(&usage, &offer, &terms).unwrap().total.likely.amount()
        })
        .sum();
    assert_eq!(total.normalize().to_string(), "21375");
}

/// A box of $24.48 an hour left from Friday to Monday, 64 h.
#[test]
fn fx_080_a_weekend_left_on_costs_1566_72() {
    let catalogue = Catalogue::shipped().unwrap();
    let mut offer = catalogue.offer(AWS).unwrap().clone();
    offer.price = Money::new("24.48".parse().unwrap(), Currency::USD);
    let usage = used(&[("2026-12-04T18:00:00", "2026-12-07T10:00:00")]);
    let bill = bill(&usage, &offer, catalogue.terms("aws", None)).unwrap();
    assert_eq!(text(bill.total.likely), "1566.72");
}

#[test]
fn what_is_not_stated_is_named_and_bounded() {
    let catalogue = Catalogue::shipped().unwrap();
    let offer = catalogue.offer(COMPSHARE).unwrap();
    let mut bare = offer.clone();
    bare.granularity = None;
    let usage = used(&[("2026-12-01T12:00:00", "2026-12-01T12:15:00")]);
    let bill = bill(&usage, &bare, &Terms::unstated("nobody", Currency::CNY)).unwrap();
    assert!(bill.total.low.amount() < bill.total.high.amount());
    let keys: Vec<&str> = bill.unknown.iter().map(Phrase::key).collect();
    assert_eq!(keys, ["market-unknown-step", "market-unknown-rounding"]);
}

#[test]
fn a_wrong_usage_is_refused() {
    let catalogue = Catalogue::shipped().unwrap();
    let offer = catalogue.offer(COMPSHARE).unwrap();
    let terms = catalogue.terms("compshare", None);
    let refused = |usage: &Usage| bill(usage, offer, terms).unwrap_err();
    let backwards = used(&[("2026-12-01T12:00:00", "2026-12-01T11:00:00")]);
    assert!(matches!(refused(&backwards), BillError::Backwards { .. }));
    let overlap = used(&[
        ("2026-12-01T12:00:00", "2026-12-01T14:00:00"),
        ("2026-12-01T13:00:00", "2026-12-01T15:00:00"),
    ]);
    assert!(matches!(refused(&overlap), BillError::Overlap { .. }));
    let ages = used(&[("1926-12-01T12:00:00", "2026-12-01T14:00:00")]);
    assert!(matches!(refused(&ages), BillError::TooLong { .. }));
    let mut kind = used(&[("2026-12-01T12:00:00", "2026-12-01T13:00:00")]);
    kind.storage = vec![Keep {
        kind: Some("tape".to_owned()),
        size: Bytes::from_gb(1),
        from: at("2026-12-01T12:00:00"),
        to: at("2026-12-01T13:00:00"),
    }];
    assert!(matches!(refused(&kind), BillError::NoStorage { .. }));
}

#[test]
fn what_cannot_happen_to_an_offer_is_refused_and_not_left_out() {
    let catalogue = Catalogue::shipped().unwrap();
    let terms = catalogue.terms("compshare", None);
    let refused =
        |id: &str, usage: &Usage| bill(usage, catalogue.offer(id).unwrap(), terms).unwrap_err();
    let mut day = used(&[("2026-12-01T00:00:00", "2026-12-02T00:00:00")]);
    day.given_back = Some(at("2026-12-01T12:00:00"));
    assert!(matches!(refused(COMPSHARE, &day), BillError::NoPackage { .. }));
    assert!(matches!(refused(COMPSHARE_SPOT, &day), BillError::NoPackage { .. }));
    day.given_back = Some(at("2026-12-02T00:00:01"));
    assert!(matches!(refused(COMPSHARE_DAILY, &day), BillError::GivenBackLate { .. }));
    day.given_back = None;
    day.runs[0].reclaimed = true;
    assert!(matches!(refused(COMPSHARE, &day), BillError::NoSpot { .. }));
    assert!(matches!(refused(COMPSHARE_MONTHLY, &day), BillError::NoSpot { .. }));
}

/// 500.975 for 240 hours of use, not for the 720 that were paid ahead.
#[test]
fn an_hour_of_a_package_given_back_is_an_hour_until_then() {
    let mut usage = used(&[("2026-12-01T00:00:00", "2026-12-31T00:00:00")]);
    usage.given_back = Some(at("2026-12-11T00:00:00"));
    let bill = shipped(COMPSHARE_MONTHLY, &usage);
    assert_eq!(bill.used, Seconds::from_hours(240));
    assert_eq!(text(bill.effective_hourly().unwrap()), "2.087396");
}

/// Rules to try: price in fen, step, minimum, rounding, settlement.
fn rules() -> impl Strategy<Value = (Offer, Terms)> {
    let steps = prop_oneof![Just(1_u64), Just(60), Just(120), Just(600), Just(3600)];
    let minima = prop_oneof![Just(0_u64), Just(60), Just(600), Just(3600)];
    let roundings = prop_oneof![
        Just(None),
        Just(Some(crate::terms::Rounding::Exact)),
        Just(Some(crate::terms::Rounding::HalfUp)),
        Just(Some(crate::terms::Rounding::Up)),
        Just(Some(crate::terms::Rounding::Down)),
    ];
    let settlements = prop_oneof![
        Just(None),
        Just(Some(crate::terms::Settlement::AtStop)),
        Just(Some(crate::terms::Settlement::Hour)),
        Just(Some(crate::terms::Settlement::ClockHour)),
    ];
    (1_i64..100_000, steps, minima, roundings, settlements).prop_map(
        |(price, step, minimum, rounding, settlement)| {
            let catalogue =
                Catalogue::new(Vec::new(), crate::CardNames::default(), Vec::new(), Vec::new());
            let mut terms = catalogue.terms("none", None).clone();
            terms.currency = Currency::CNY;
            terms.metering.rounding = rounding;
            terms.metering.settlement = settlement;
            let offer = Offer {
                id: "test".to_owned(),
                provider: "test".to_owned(),
                region: String::new(),
                country: String::new(),
                product: "box".to_owned(),
                card: kasuan_model::CardId::new("rtx-4090"),
                card_raw: "4090".to_owned(),
                count: 1,
                slices: 1,
                tier: String::new(),
                host_included: None,
                vcpus: None,
                memory: None,
                disk: None,
                interconnect: kasuan_model::Interconnect::Unknown,
                mode: BillingMode::OnDemand,
                price: Money::new(Decimal::new(price, 2), Currency::CNY),
                per: kasuan_model::PricePer::Hour,
                granularity: Some(Seconds::new(step)),
                minimum: Some(Seconds::new(minimum)),
                stock: None,
                source: kasuan_model::Source::stated("test"),
                notes: String::new(),
            };
            (offer, terms)
        },
    )
}

fn cost(offer: &Offer, terms: &Terms, start: u32, length: u32) -> Estimate<Money> {
    let from = date(2026, 12, 1).at(10, 0, 0, 0);
    let from = from.checked_add(jiff::Span::new().seconds(i64::from(start))).unwrap();
    let to = from.checked_add(jiff::Span::new().seconds(i64::from(length))).unwrap();
    let usage = Usage { runs: vec![Run::new(from, to)], ..Usage::default() };
    bill(&usage, offer, terms).unwrap().total
}

proptest! {
    #[test]
    fn a_longer_run_never_costs_less((offer, terms) in rules(), start in 0_u32..7200, a in 0_u32..200_000, b in 0_u32..200_000) {
        let (shorter, longer) = (a.min(b), a.max(b));
        let (short, long) = (cost(&offer, &terms, start, shorter), cost(&offer, &terms, start, longer));
        prop_assert!(short.low.amount() <= long.low.amount());
        prop_assert!(short.likely.amount() <= long.likely.amount());
        prop_assert!(short.high.amount() <= long.high.amount());
        prop_assert!(long.low.amount() <= long.likely.amount() && long.likely.amount() <= long.high.amount());
    }

    #[test]
    fn a_run_never_costs_less_than_the_minimum((offer, terms) in rules(), start in 0_u32..7200, length in 1_u32..200_000) {
        let least = offer.minimum.unwrap();
        let floor = offer.price.amount() * Decimal::from(least.get()) / Decimal::from(3600);
        // Dropping parts of a fen may take one at each settlement.
        let settlements = Decimal::from(least.get() / 3600 + 2);
        let dropped = Decimal::new(1, 2) * settlements;
        prop_assert!(cost(&offer, &terms, start, length).low.amount() + dropped >= floor);
    }

    #[test]
    fn cutting_a_run_changes_no_more_than_steps_minimum_and_coins((offer, terms) in rules(), start in 0_u32..7200, a in 3600_u32..100_000, b in 3600_u32..100_000) {
        let whole = cost(&offer, &terms, start, a + b).likely.amount();
        let parts = cost(&offer, &terms, start, a).likely.amount() + cost(&offer, &terms, start + a, b).likely.amount();
        let price = offer.price.amount();
        let step = price * Decimal::from(offer.granularity.unwrap().get()) / Decimal::from(3600);
        let settlements = Decimal::from((a + b) / 3600 + 4);
        let coins = Decimal::new(1, 2) * settlements;
        // Each part may be rounded up by a step, and every settlement by a coin.
        prop_assert!(parts + coins >= whole, "{parts} {whole}");
        prop_assert!(parts <= whole + step + step + coins, "{parts} {whole}");
    }

    #[test]
    fn cutting_at_a_settlement_changes_nothing((mut offer, mut terms) in rules(), hours in 1_u32..48, rest in 1_u32..7200) {
        offer.granularity = Some(Seconds::new(1));
        offer.minimum = None;
        terms.metering.settlement = Some(crate::terms::Settlement::ClockHour);
        let whole = cost(&offer, &terms, 0, hours * 3600 + rest);
        let first = cost(&offer, &terms, 0, hours * 3600);
        let second = cost(&offer, &terms, hours * 3600, rest);
        let difference = whole.likely.amount() - first.likely.amount() - second.likely.amount();
        // Thirds of a fen are kept to 28 digits.
        prop_assert!(difference.abs() < Decimal::new(1, 18));
    }

    #[test]
    fn the_fast_path_gives_what_the_bill_gives((offer, terms) in rules(), length in 0_u32..400_000) {
        let RunCost { cost: fast, .. } = Tariff::new(&offer, &terms).run(Seconds::new(u64::from(length))).unwrap();
        let exact = cost(&offer, &terms, 0, length);
        for (fast, exact) in [(fast.low, exact.low), (fast.likely, exact.likely), (fast.high, exact.high)] {
            prop_assert!((fast.amount() - exact.amount()).abs() < Decimal::new(1, 15), "{fast:?} {exact:?}");
        }
    }

    #[test]
    fn the_fast_path_by_night_gives_what_the_bill_gives((offer, mut terms) in rules(), hour in 0_u32..48, length in 1_u32..400_000, off in 1_i64..90) {
        terms.discounts.push(crate::terms::Discount {
            kind: crate::terms::DiscountKind::Night(jiff::civil::time(22, 30, 0, 0), jiff::civil::time(7, 0, 0, 0)),
            off: Decimal::new(off, 2),
            cards: Vec::new(),
            since: String::new(),
        });
        // `cost` counts from ten in the morning.
        let start = u64::from(hour + 10) * 3600;
        let fast = Tariff::new(&offer, &terms).run_from(start, Seconds::new(u64::from(length))).unwrap().cost;
        let exact = cost(&offer, &terms, hour * 3600, length);
        for (fast, exact) in [(fast.low, exact.low), (fast.likely, exact.likely), (fast.high, exact.high)] {
            prop_assert!((fast.amount() - exact.amount()).abs() < Decimal::new(1, 15), "{fast:?} {exact:?}");
        }
    }
}
