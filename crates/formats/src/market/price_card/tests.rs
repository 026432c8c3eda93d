//! Tests of the price card.

use super::*;
use kasuan_market::{Tariff, storage_month};
use kasuan_model::{BillingMode, Bytes, Seconds};

fn catalogue() -> Catalogue {
    Catalogue::shipped().unwrap()
}

fn error(text: &str) -> PriceCardError {
    read(text, "test.csv", &catalogue()).unwrap_err()
}

const GUIDE: &str = include_str!("../../../../../examples/prices-guide.csv");

/// The guide's §6.4: 2 x 8 h x 6 + 300 h x 5 + 16 h x 2 + 200 GB x 0.5 = 1728, before 300 for
/// trial and error.
#[test]
fn the_guides_prices_give_the_guides_amounts() {
    let catalogue = catalogue();
    let (laid, overlaid) =
        catalogue.clone().with_price_card(read(GUIDE, "guide", &catalogue).unwrap().card);
    assert_eq!((overlaid.added, overlaid.replaced), (3, 0));
    let terms = laid.terms("guide", None);
    let cost = |id: &str, hours: u32, runs: u32| {
        let tariff = Tariff::new(laid.offer(id).unwrap(), terms);
        let cost = tariff.runs(Seconds::from_hours(hours), runs).unwrap().cost;
        assert_eq!(cost.low, cost.high, "{id}: every rule is stated");
        cost.likely.amount().normalize().to_string()
    };
    assert_eq!(cost("guide/rtx-4090/on_demand", 8, 2), "96");
    assert_eq!(cost("guide/a10/on_demand", 10, 30), "1500");
    assert_eq!(cost("guide/rtx-4090/spot", 4, 4), "32");
    let kind = terms.storage_kind(None, BillingMode::OnDemand).unwrap();
    let kept = kind.cost(storage_month(Bytes::from_gb(200))).unwrap().unwrap();
    assert_eq!(kept.likely.amount().normalize().to_string(), "100");
}

#[test]
fn chinese_columns_and_units_are_read() {
    let text = "平台,显卡,卡数,计费方式,价格,币种,单位\n\
                我的云,4090 24g,8,,1.6,CNY,卡时\n我的云,A100-SXM4-80GB,1,包月,3000,CNY,月\n";
    let read = read(text, "test.csv", &catalogue()).unwrap();
    let [eight, month] = read.card.offers.as_slice() else { panic!("{:?}", read.card.offers) };
    assert_eq!(eight.price.amount().normalize().to_string(), "12.8");
    assert_eq!(eight.mode, BillingMode::OnDemand);
    assert_eq!(month.mode, BillingMode::Monthly);
    assert_eq!(month.hourly().amount().round_dp(4).to_string(), "4.1667");
}

#[test]
fn errors_name_line_and_column() {
    let head = "provider,card,price,currency,mode,per\n";
    let said = |row: &str| error(&format!("{head}{row}\n")).to_string();
    assert_eq!(said("a,4090,-1,CNY,,"), "line 2, column `price`: `-1` is not a price");
    assert_eq!(said("a,4090,0,CNY,,"), "line 2, column `price`: `0` is not a price");
    assert_eq!(said("a,4090,1,,,"), "line 2: column `currency` is empty");
    assert_eq!(said("a,4090,1,XYZ,,"), "line 2, column `currency`: `XYZ` is not a currency");
    assert_eq!(said("a,4090,1,CNY,sometimes,"), "line 2, column `mode`: `sometimes` is not a mode");
    assert_eq!(
        said("a,4090,1,CNY,monthly,day"),
        "line 2, column `per`: `day` is not a per-of-mode"
    );
    assert_eq!(
        said("a,4090,1,CNY,spot,month"),
        "line 2, column `per`: `month` is not a per-of-mode"
    );
    assert_eq!(said(",4090,1,CNY,,"), "line 2: column `provider` is empty");
    assert!(said("a,rtx4900,1,CNY,,").starts_with("line 2, column `card`: no card"));
    assert!(said("a,4090 80g,1,CNY,,").contains("24 or 48"));
    assert_eq!(error(""), PriceCardError::Empty);
    assert_eq!(error("provider,price\n"), PriceCardError::MissingColumn { column: "currency" });
    let PriceCardError::UnknownColumn { nearest, .. } = error("provider,card,prise,currency\n")
    else {
        panic!("not an unknown column")
    };
    assert_eq!(nearest, Some("price"));
    assert!(matches!(error("price,price\n"), PriceCardError::TwiceColumn { .. }));
}

#[test]
fn egress_tiers_must_rise() {
    let head = "kind,provider,price,currency,per,free,up_to\n";
    let good = format!("{head}egress,a,0.8,CNY,gb,10GB,1TB\negress,a,0.5,CNY,gb,,\n");
    let read = read(&good, "test.csv", &catalogue()).unwrap();
    let traffic = &read.card.terms[0].traffic;
    // 10 GB free, 990 at 0.8, 500 at 0.5.
    let cost = traffic.egress_cost(Bytes::from_gb(1500), Bytes::ZERO).unwrap().unwrap();
    assert_eq!(cost.amount().normalize().to_string(), "1042");
    let bad = format!("{head}egress,a,0.8,CNY,gb,,1TB\negress,a,0.5,CNY,gb,,1GB\n");
    assert!(matches!(error(&bad), PriceCardError::Cell { column: "up_to", .. }));
}

#[test]
fn templates_read_back_in_both_languages() {
    for chinese in [true, false] {
        let read = read(&template(chinese), "template", &catalogue()).unwrap();
        assert_eq!(read.card.offers.len(), 3);
        assert_eq!(read.card.terms.len(), 1);
    }
}

#[test]
fn what_is_written_reads_back_the_same() {
    let catalogue = catalogue();
    let every_hundredth = catalogue.offers().iter().step_by(100).cloned();
    let mut card = read(GUIDE, "guide", &catalogue).unwrap().card;
    card.offers.extend(every_hundredth);
    let again = read(&write(&card), "again", &catalogue).unwrap();
    assert_eq!(again.card.offers, card.offers);
    assert_eq!(again.card.terms, card.terms);
    assert!(card.offers.len() > 30);
}

#[test]
fn a_price_list_kept_in_chinese_is_read_as_it_stands() {
    let text = "供应商,显卡,卡数,计费,价格,币种,日期\n某云,RTX 4090,1,按需,2.5,人民币,2026-12-01\n\
                某云,RTX 4090,1,包月,1200,元,2026-12-01\n某云,A100 80G,8,竞价,40,CNY,2026-12-01\n";
    let card = read(text, "价目.csv", &catalogue()).unwrap().card;
    let seen: Vec<String> = card
        .offers
        .iter()
        .map(|offer| format!("{} {} {} {}", offer.card, offer.mode, offer.price, offer.count))
        .collect();
    assert_eq!(
        seen,
        [
            "rtx-4090 on_demand ¥2.50 1",
            "rtx-4090 monthly ¥1,200.00 1",
            "a100-sxm4-80 spot ¥40.00 8"
        ]
    );
}
