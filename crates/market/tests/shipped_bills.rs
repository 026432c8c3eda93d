//! Bills of every shipped offer under its provider's terms: they grow with time, hold together when
//! they are cut, and never fall below the minimum.

#![allow(clippy::unwrap_used, reason = "a helper of a test stops at once")]

use jiff::{
    ToSpan as _,
    civil::{DateTime, date},
};
use kasuan_market::{Bill, Catalogue, Tariff, Terms, Usage, bill, bill::Run};
use kasuan_model::{Estimate, Money, Offer, Seconds};
use proptest::prelude::*;
use rust_decimal::Decimal;
use std::sync::OnceLock;

fn shipped() -> &'static Catalogue {
    static SHIPPED: OnceLock<Catalogue> = OnceLock::new();
    SHIPPED.get_or_init(|| Catalogue::shipped().unwrap())
}

fn at(minutes: i64) -> DateTime {
    date(2026, 12, 1).at(9, 0, 0, 0).checked_add(minutes.minutes()).unwrap()
}

fn run(offer: &Offer, terms: &Terms, from: i64, to: i64) -> Bill {
    let usage = Usage { runs: vec![Run::new(at(from), at(to))], ..Usage::default() };
    bill(&usage, offer, terms).unwrap()
}

fn terms(offer: &Offer) -> &'static Terms {
    shipped().terms(&offer.provider, Some(date(2026, 12, 1)))
}

fn ordered(total: Estimate<Money>) -> bool {
    total.low.amount() <= total.likely.amount() && total.likely.amount() <= total.high.amount()
}

#[test]
fn a_longer_run_never_costs_less_on_any_offer() {
    let lengths = [1, 10, 59, 60, 61, 480, 1439, 1440, 1441, 4000, 11_000, 44_640];
    for offer in shipped().offers() {
        let terms = terms(offer);
        let mut before: Option<Estimate<Money>> = None;
        for length in lengths {
            let total = run(offer, terms, 0, length).total;
            assert!(ordered(total), "{} {length}: {total:?}", offer.id);
            assert!(total.high.amount() > Decimal::ZERO, "{} {length}", offer.id);
            if let Some(before) = before {
                let grows = before.low.amount() <= total.low.amount()
                    && before.likely.amount() <= total.likely.amount()
                    && before.high.amount() <= total.high.amount();
                assert!(grows, "{} {length}: {before:?} {total:?}", offer.id);
            }
            before = Some(total);
        }
    }
}

#[test]
fn no_offer_bills_less_than_its_minimum() {
    for offer in shipped().offers().iter().filter(|offer| !offer.mode.is_commitment()) {
        let terms = terms(offer);
        let tariff = Tariff::new(offer, terms);
        let total = run(offer, terms, 0, 1).total;
        let floor =
            offer.price.amount() * Decimal::from(tariff.minimum.get().max(1)) / Decimal::from(3600);
        // Dropping a part of a coin, or a night discount, is the provider's own rule.
        let coin = Decimal::new(1, 2);
        assert!(total.likely.amount() + coin >= floor, "{}: {total:?} {floor}", offer.id);
        if let Some(least) = tariff.minimum_charge {
            assert!(total.low.amount() >= least, "{}: {total:?}", offer.id);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// A run cut in two at a minute costs as much, but for a step, a minimum and a coin for each
    /// settlement that the cut adds.
    #[test]
    fn a_cut_changes_no_more_than_the_rounding_rule(which in any::<prop::sample::Index>(), start in 0_i64..1440, a in 1_i64..6000, b in 1_i64..6000) {
        let metered: Vec<&Offer> =
            shipped().offers().iter().filter(|offer| !offer.mode.is_commitment()).collect();
        let offer = metered[which.index(metered.len())];
        let terms = terms(offer);
        let tariff = Tariff::new(offer, terms);
        let whole = run(offer, terms, start, start + a + b).total.likely.amount();
        let parts = run(offer, terms, start, start + a).total.likely.amount()
            + run(offer, terms, start + a, start + a + b).total.likely.amount();
        let hourly = offer.price.amount();
        let time = |seconds: u64| hourly * Decimal::from(seconds) / Decimal::from(3600);
        let settlements = Decimal::from((a + b) / 60 + 4);
        let coins = if tariff.rounding.is_some() || tariff.minimum_charge.is_some() {
            Decimal::new(1, 2) * settlements
        } else {
            Decimal::new(1, 20)
        };
        let most = time(2 * tariff.step.likely.get() + 2 * tariff.minimum.get());
        prop_assert!(parts + coins >= whole, "{}: {parts} {whole}", offer.id);
        prop_assert!(parts <= whole + most + coins, "{}: {parts} {whole}", offer.id);
    }

    /// The planner's fast path is the bill of a run that starts on a full hour by day.
    #[test]
    fn the_fast_path_is_the_bill(which in any::<prop::sample::Index>(), length in 1_i64..480) {
        let metered: Vec<&Offer> =
            shipped().offers().iter().filter(|offer| !offer.mode.is_commitment()).collect();
        let offer = metered[which.index(metered.len())];
        let terms = terms(offer);
        let fast = Tariff::new(offer, terms).run(Seconds::new(length as u64 * 60)).unwrap();
        let slow = run(offer, terms, 0, length).total;
        for (fast, slow) in [(fast.cost.low, slow.low), (fast.cost.likely, slow.likely), (fast.cost.high, slow.high)] {
            let apart = (fast.amount() - slow.amount()).abs();
            prop_assert!(apart < Decimal::new(1, 20), "{}: {fast} {slow}", offer.id);
        }
    }
}
