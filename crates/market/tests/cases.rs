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
    bill::{Keep, LineKind, Run},
    terms::{Metering, Rounding},
};
use kasuan_model::{BillingMode, Bytes, Currency, Money, Offer, Seconds};
use rust_decimal::Decimal;
use std::{fs, path::Path};

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

/// binga/cloud-gpus#31: a card is charged again long after the last use; a stopped instance keeps
/// its disk, and a prepaid balance runs below nothing.
#[test]
fn fx_074_a_stopped_instance_outlives_a_prepaid_balance() {
    let catalogue = shipped();
    let offer = catalogue.offer("runpod/rtx-4090.secure/on_demand").unwrap();
    let stopped_since = date(2026, 10, 1).at(9, 0, 0, 0);
    let usage = |until: DateTime| Usage {
        runs: vec![Run::new(date(2026, 10, 1).at(8, 0, 0, 0), stopped_since)],
        released: Some(until),
        storage: vec![Keep {
            kind: None,
            size: Bytes::from_gb(100),
            from: date(2026, 10, 1).at(8, 0, 0, 0),
            to: until,
        }],
        ..Usage::default()
    };
    let terms = catalogue.terms("runpod", None);
    let owed = |until: DateTime| bill(&usage(until), offer, terms).unwrap().total.likely.amount();
    // An hour of use, and ten dollars were paid ahead: 100 GB cost ten dollars a month.
    let balance = offer.price.amount() + Decimal::from(10);
    assert!(owed(date(2026, 10, 31).at(0, 0, 0, 0)) < balance);
    assert!(owed(date(2026, 11, 2).at(0, 0, 0, 0)) > balance);
}

/// runpod-workers/worker-vllm#190: 100 requests of 15 s are 0.42 h of work; a bill of 13 dollars is
/// more than three times what that can cost on the dearest H100 without a server.
#[test]
fn fx_076_thirteen_dollars_for_1500_seconds_of_work_are_mostly_idle_workers() {
    let catalogue = shipped();
    let serverless = catalogue.offers().iter().filter(|offer| {
        offer.tier == "serverless"
            && offer.card.as_str() == "h100-sxm5-80"
            && offer.price.currency() == Currency::USD
    });
    let dearest = serverless.max_by_key(|offer| offer.price.amount()).unwrap();
    let work = Seconds::new(100 * 15);
    assert_eq!(work.decimal_hours().round_dp(2).to_string(), "0.42");
    let tariff = Tariff::new(dearest, catalogue.terms(&dearest.provider, None));
    let useful = tariff.run(work).unwrap().cost.likely.amount();
    assert!(useful * Decimal::from(3) < Decimal::from(13), "{useful}");
}

/// Positronic#374: ten checkpoints of 200 GB are 2 TB, which a prepaid disk prices by the month.
#[test]
fn fx_116_ten_checkpoints_of_200_gb_are_two_terabytes_at_a_price() {
    let catalogue = shipped();
    let kind = catalogue
        .terms("compshare", None)
        .storage_kind(Some("cloud_disk_prepaid"), BillingMode::Monthly);
    let month = Seconds::from_hours(720);
    let cost = |gb: u32| {
        let size = Bytes::from_gb(gb);
        let stored = Stored { size, kept: month, running: Seconds::ZERO, month };
        kind.unwrap().cost(stored).unwrap().unwrap().likely.amount().normalize()
    };
    // 100 GB are free, each other GB is 0.30 a month.
    assert_eq!(cost(10 * 200).to_string(), "570");
    // Weights alone are a sixth (NVIDIA-NeMo/Speech#9967).
    assert!(cost(10 * 200 / 6) * Decimal::from(6) < cost(10 * 200));
}

/// The list beside this file names tests that exist, in the crate that it says.
#[test]
fn the_list_of_cases_is_true() {
    fn sources(folder: &Path, text: &mut String) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, text);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(here.join("tests/CASES.md")).unwrap();
    let mut tests = 0;
    for row in list.lines().filter(|row| row.starts_with("| FX-")) {
        let mut room = "market";
        for word in row.split('`').skip(1).step_by(2) {
            if !word.contains('_') {
                room = word;
                continue;
            }
            let mut text = String::new();
            for part in ["src", "tests"] {
                let folder = here.join("..").join(room).join(part);
                if folder.exists() {
                    sources(&folder, &mut text);
                }
            }
            assert!(text.contains(&format!("fn {word}(")), "{room}: {word}");
            tests += 1;
        }
    }
    assert!(tests > 40, "{tests}");
}
