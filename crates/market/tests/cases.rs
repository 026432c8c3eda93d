//! Cases of prices, billing, storage and currency, by the id of the question; see
//! `tests/CASES.md` for where each is answered.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use jiff::civil::{DateTime, date};
use kasuan_market::{
    Catalogue, Stored, Tariff, Terms, Usage, bill,
    bill::{LineKind, Run},
    terms::{Metering, Rounding},
};
use kasuan_model::{BillingMode, Bytes, Currency, Money, Offer, Seconds};
use rust_decimal::Decimal;

fn shipped() -> Catalogue {
    Catalogue::shipped().unwrap()
}

fn at(hour: i8, minute: i8) -> DateTime {
    date(2026, 12, 1).at(hour, minute, 0, 0)
}

fn priced(id: &str, price: &str, currency: Currency) -> Offer {
    let catalogue = shipped();
    let mut offer = catalogue.offer(id).unwrap().clone();
    offer.price = Money::new(price.parse().unwrap(), currency);
    offer
}

const COMPSHARE_3090: &str = "compshare/cn-wlcb/3090/on_demand";

/// UCloud's page: 30 minutes of notice, the first hour is safe.
#[test]
fn fx_065_ucloud_spot_terms_are_data() {
    let catalogue = shipped();
    let spot = &catalogue.terms("ucloud", None).spot;
    assert_eq!(spot.notice, Some(Seconds::from_minutes(30)));
    assert_eq!(spot.protection, Some(Seconds::from_hours(1)));
}

/// $0.03 an hour of storage, forgotten for a month of 720 h: $21.6.
#[test]
fn fx_073_a_forgotten_stopped_disk_costs_every_hour() {
    let catalogue = shipped();
    let mut kind = catalogue.terms("compshare", None).storage[0].clone();
    kind.price = Some(Money::new("0.0003".parse().unwrap(), Currency::USD));
    kind.free = Bytes::ZERO;
    let month = Seconds::from_hours(720);
    let stored = Stored { size: Bytes::from_gb(100), kept: month, running: Seconds::ZERO, month };
    let cost = kind.cost(stored).unwrap().unwrap();
    assert_eq!(cost.likely.amount().normalize().to_string(), "21.6");
}

/// runpod/docs#798: the container disk is part of the running worker; scaled to zero, no charge.
#[test]
fn fx_075_a_disk_that_is_part_of_a_running_worker_costs_nothing_when_idle() {
    let catalogue = shipped();
    let mut kind = catalogue.terms("runpod", None).storage[0].clone();
    kind.charged_when_stopped = Some(false);
    let month = Seconds::from_hours(720);
    let stored = Stored { size: Bytes::from_gb(64), kept: month, running: Seconds::ZERO, month };
    assert!(kind.cost(stored).unwrap().unwrap().high.is_zero());
    // The volume beside it is charged: 64 x 0.10.
    kind.charged_when_stopped = Some(true);
    let cost = kind.cost(stored).unwrap().unwrap();
    assert_eq!(cost.likely.amount().normalize().to_string(), "6.4");
}

/// infracost#477: 4 spot nodes x 730 h at 0.0276 were priced as on demand; mode is part of the key.
#[test]
fn fx_084_a_spot_offer_is_priced_as_spot() {
    let catalogue = shipped();
    let on_demand = catalogue.offer("compshare/cn-wlcb/4090-24g/on_demand").unwrap();
    let spot = catalogue.offer("compshare/cn-wlcb/4090-24g/spot").unwrap();
    assert_eq!(spot.mode, BillingMode::Spot);
    let cost = |offer: &Offer| {
        let tariff = Tariff::new(offer, catalogue.terms("compshare", None));
        tariff.run(Seconds::from_hours(2920)).unwrap().cost.likely.amount()
    };
    // 70 % of the on-demand price, by the provider's announcement.
    assert_eq!(cost(spot) / cost(on_demand), "0.7".parse().unwrap());
}

/// opencost#2840: 0.04 a GB-month is 0.00005479452 a GB-hour of 730 hours; the unit must be said.
#[test]
fn fx_095_a_price_keeps_its_unit() {
    let by_month: Decimal = "0.04".parse().unwrap();
    assert_eq!((by_month / Decimal::from(730)).round_dp(11).to_string(), "0.00005479452");
    let catalogue = shipped();
    let kind = &catalogue.terms("gpuhub", None).storage[0];
    assert_eq!(kind.price.unwrap().amount(), by_month);
    assert_eq!(kind.per, kasuan_market::terms::StoragePer::Month);
}

/// dstackai/gpuhunt#91: an L4 listed with 22 GB has 24.
#[test]
fn fx_096_the_card_table_counts_not_the_providers_text() {
    let catalogue = shipped();
    let found = catalogue.find_card("L4 22GB").unwrap();
    assert_eq!(catalogue.card(&found.card).unwrap().memory, Bytes::from_gib(24));
}

/// Huawei: rows carry 8 decimals, the account is charged to the fen: 512.12456789 becomes 512.12.
#[test]
fn fx_119_a_dropped_part_of_a_coin_is_less_than_a_coin_for_each_row() {
    let mut offer = priced(COMPSHARE_3090, "512.12456789", Currency::CNY);
    offer.granularity = Some(Seconds::from_hours(1));
    let mut terms = Terms::unstated("huawei", Currency::CNY);
    terms.metering = Metering { rounding: Some(Rounding::Down), ..Metering::default() };
    let charged = Tariff::new(&offer, &terms).run(Seconds::from_hours(1)).unwrap().cost.likely;
    assert_eq!(charged.amount().to_string(), "512.12");
    let dropped = offer.price.checked_sub(charged).unwrap();
    assert_eq!(dropped.amount().to_string(), "0.00456789");
    assert!(dropped.amount() < "0.01".parse().unwrap());
}

/// cloud.yovole.com: 1 card for 20 min, no card for 10, 2 cards for 20, off for 10: 1 card-hour.
#[test]
fn fx_136_card_hours_are_metered_by_segment() {
    let one = priced(COMPSHARE_3090, "1", Currency::CNY);
    let two = priced(COMPSHARE_3090, "2", Currency::CNY);
    let mut terms = Terms::unstated("yovole", Currency::CNY);
    terms.no_card_hour = Some(Money::new("0.1".parse().unwrap(), Currency::CNY));
    terms.stopping.compute_free = Some(true);
    let first = Usage {
        runs: vec![
            Run::new(at(9, 0), at(9, 20)),
            Run { without_card: true, ..Run::new(at(9, 20), at(9, 30)) },
        ],
        released: Some(at(10, 0)),
        ..Usage::default()
    };
    let second = Usage { runs: vec![Run::new(at(9, 30), at(9, 50))], ..Usage::default() };
    let first = bill(&first, &one, &terms).unwrap();
    let second = bill(&second, &two, &terms).unwrap();
    let card_hours = |bill: &kasuan_market::Bill| -> Decimal {
        let lines = bill.lines.iter().filter(|line| line.kind == LineKind::Compute);
        lines.map(|line| line.amount.likely.amount()).sum()
    };
    // At 1 a card-hour, money is card-hours: a third and two thirds.
    let total = card_hours(&first) + card_hours(&second);
    assert_eq!(total.round_dp(10).normalize().to_string(), "1");
    let no_card = first.lines.iter().find(|line| line.kind == LineKind::WithoutCard).unwrap();
    assert_eq!(no_card.quantity.likely.round_dp(4).to_string(), "0.1667");
}
