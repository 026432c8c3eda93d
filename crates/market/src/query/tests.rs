//! Tests of queries.

use super::*;
use jiff::civil::date;
use kasuan_model::{FxRate, Source};

const TODAY: Date = date(2026, 12, 1);

fn shipped() -> Catalogue {
    Catalogue::shipped().unwrap()
}

fn run<'a>(query: &Query, catalogue: &'a Catalogue, rates: &Rates) -> Found<'a> {
    query.run(catalogue, rates, Bands::default(), TODAY)
}

fn card(id: &str) -> Vec<CardId> {
    vec![CardId::new(id)]
}

fn seven() -> Rates {
    Rates::new([FxRate {
        from: Currency::USD,
        to: Currency::CNY,
        rate: "7".parse().unwrap(),
        source: Source::stated("test"),
    }])
}

#[test]
fn the_cheapest_4090_in_yuan_comes_first_and_dollars_are_counted_not_converted() {
    let catalogue = shipped();
    let query =
        Query { cards: card("rtx-4090"), currency: Some(Currency::CNY), ..Query::default() };
    let found = run(&query, &catalogue, &Rates::default());
    assert!(found.other_currency > 5);
    let prices: Vec<Decimal> = found.hits.iter().map(|hit| hit.per_card.amount()).collect();
    assert!(prices.is_sorted());
    assert_eq!(found.hits[0].offer.id, "compshare/cn-wlcb/4090-24g/spot");
    let converted = run(&query, &catalogue, &seven());
    assert_eq!(converted.other_currency, 0);
    assert_eq!(converted.hits.len(), found.hits.len() + found.other_currency);
}

/// The opencost case: choosing a currency must change the amount, not only its sign.
#[test]
fn fx_092_another_currency_is_another_amount() {
    let catalogue = shipped();
    let mut query = Query {
        cards: card("t4"),
        providers: vec!["aws".to_owned()],
        regions: vec!["us-east-1".to_owned()],
        ..Query::default()
    };
    let dollars = run(&query, &catalogue, &seven()).hits[0].instance;
    query.currency = Some(Currency::CNY);
    let yuan = run(&query, &catalogue, &seven()).hits[0].instance;
    assert_eq!(yuan.amount(), dollars.amount() * Decimal::from(7));
}

#[test]
fn each_filter_leaves_out_what_does_not_meet_it() {
    let catalogue = shipped();
    let all =
        run(&Query { slices: true, serverless: true, ..Query::default() }, &catalogue, &seven());
    assert_eq!(all.hits.len(), catalogue.offers().len());
    let check = |query: &Query, meets: &dyn Fn(&Hit<'_>) -> bool| {
        let found = run(query, &catalogue, &seven());
        assert!(!found.hits.is_empty() && found.hits.len() < all.hits.len(), "{query:?}");
        assert!(found.hits.iter().all(meets), "{query:?}");
    };
    let gib80 = Bytes::from_gib(80);
    check(&Query { min_card_memory: Some(gib80), ..Query::default() }, &|h| h.card.memory >= gib80);
    check(&Query { min_count: Some(8), ..Query::default() }, &|h| h.offer.count >= 8);
    check(&Query { max_count: Some(1), ..Query::default() }, &|h| h.offer.count == 1);
    check(&Query { min_capability: Some((8, 0)), ..Query::default() }, &|h| {
        h.card.compute_capability.is_some_and(|capability| capability >= (8, 0))
    });
    check(&Query { interconnect: Some(Interconnect::NvLink), ..Query::default() }, &|h| {
        h.offer.interconnect == Interconnect::NvLink
    });
    check(&Query { form: Some(Form::Pcie), ..Query::default() }, &|h| {
        h.card.id.as_str().contains("pcie")
    });
    check(&Query { countries: vec!["cn".to_owned()], ..Query::default() }, &|h| {
        h.offer.country == "CN"
    });
    check(&Query { modes: vec![BillingMode::Monthly], ..Query::default() }, &|h| {
        h.offer.mode == BillingMode::Monthly
    });
    check(
        &Query { max_price: Some(Decimal::ONE), currency: Some(Currency::CNY), ..Query::default() },
        &|h| h.per_card.amount() <= Decimal::ONE,
    );
    check(&Query { ecc: Some(false), ..Query::default() }, &|h| h.card.ecc == Some(false));
    check(&Query { min_vcpus: Some(64), ..Query::default() }, &|h| h.offer.vcpus >= Some(64));
    check(&Query { oldest: Some(Freshness::Ageing), ..Query::default() }, &|h| {
        h.freshness <= Freshness::Ageing
    });
}

#[test]
fn what_a_source_does_not_state_is_counted_and_not_assumed() {
    let catalogue = shipped();
    let query = Query { min_memory: Some(Bytes::from_gib(64)), ..Query::default() };
    let found = run(&query, &catalogue, &seven());
    assert!(found.unstated > 1000);
    assert!(found.hits.iter().all(|hit| hit.offer.memory >= Some(Bytes::from_gib(64))));
}

#[test]
fn each_order_rises() {
    let catalogue = shipped();
    let month = Seconds::from_hours(720);
    let pattern =
        Pattern { run: Seconds::from_hours(8), runs: 4, storage: Bytes::from_gb(200), month };
    for sort in
        [Sort::Card, Sort::Instance, Sort::Gib, Sort::Tflop, Sort::Bandwidth, Sort::Bill(pattern)]
    {
        let query = Query { sort, currency: Some(Currency::CNY), ..Query::default() };
        let found = run(&query, &catalogue, &seven());
        let keys = found.hits.iter().map(|hit| hit.key.unwrap_or(f64::INFINITY));
        assert!(keys.is_sorted(), "{sort:?}");
        assert!(found.hits.len() > 2000, "{sort:?}");
    }
}

/// An hour a week is cheapest by the hour; every hour of the month is cheapest by the month.
#[test]
fn the_bill_for_a_way_of_use_reverses_the_order_of_modes() {
    let catalogue = shipped();
    let cheapest = |runs: u32, hours: u32| {
        let pattern = Pattern {
            run: Seconds::from_hours(hours),
            runs,
            storage: Bytes::ZERO,
            month: Seconds::from_hours(720),
        };
        let query = Query {
            cards: card("rtx-4090"),
            providers: vec!["compshare".to_owned()],
            modes: vec![BillingMode::OnDemand, BillingMode::Monthly],
            regions: vec!["cn-wlcb".to_owned()],
            sort: Sort::Bill(pattern),
            ..Query::default()
        };
        run(&query, &catalogue, &Rates::default()).hits[0].offer.mode
    };
    assert_eq!(cheapest(4, 1), BillingMode::OnDemand);
    assert_eq!(cheapest(1, 720), BillingMode::Monthly);
    // The page's break-even is 603.6 h.
    assert_eq!(cheapest(1, 603), BillingMode::OnDemand);
    assert_eq!(cheapest(1, 604), BillingMode::Monthly);
}

#[test]
fn groups_hold_the_lowest_the_middle_and_the_highest() {
    let catalogue = shipped();
    let query = Query {
        cards: card("h100-sxm5-80"),
        modes: vec![BillingMode::OnDemand],
        currency: Some(Currency::USD),
        ..Query::default()
    };
    let found = run(&query, &catalogue, &Rates::default());
    let groups = found.by_card();
    let [group] = groups.as_slice() else { panic!("{} groups", groups.len()) };
    // facts: 1.49 (Vast) to 23.33 (one Azure region) for a card on demand.
    assert_eq!(group.low.to_string(), "$1.49");
    assert_eq!(group.high.to_string(), "$23.33");
    assert!(group.low.amount() <= group.median.amount());
    assert_eq!(group.offers, found.hits.len());
}
