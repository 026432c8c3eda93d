//! Tests of the doubts.

use super::*;
use jiff::civil::date;
use kasuan_model::PricePer;

fn shipped() -> Catalogue {
    Catalogue::shipped().unwrap()
}

fn doubts(catalogue: &Catalogue, offer: &str) -> Vec<Doubt> {
    validate(catalogue, Bands::default(), date(2026, 8, 1))
        .into_iter()
        .filter(|finding| finding.offer == offer)
        .map(|finding| finding.doubt)
        .collect()
}

const ON_DEMAND: &str = "compshare/cn-wlcb/4090-24g/on_demand";
const SPOT: &str = "compshare/cn-wlcb/4090-24g/spot";
const MONTHLY: &str = "compshare/cn-wlcb/4090-24g/monthly";

/// Lays one changed row over the shipped catalogue.
fn with(id: &str, change: impl FnOnce(&mut Offer)) -> Catalogue {
    let catalogue = shipped();
    let mut offer = catalogue.offer(id).unwrap().clone();
    change(&mut offer);
    let card = crate::PriceCard { offers: vec![offer], ..crate::PriceCard::default() };
    catalogue.with_price_card(card).0
}

fn priced(id: &str, price: &str) -> Catalogue {
    with(id, |offer| offer.price = Money::new(price.parse().unwrap(), Currency::CNY))
}

#[test]
fn sound_rows_raise_no_doubt() {
    for id in [ON_DEMAND, SPOT, MONTHLY] {
        assert_eq!(doubts(&shipped(), id), [], "{id}");
    }
}

#[test]
fn fx_062_spot_that_is_not_cheaper_is_named() {
    assert_eq!(doubts(&priced(SPOT, "1.66"), SPOT), [Doubt::SpotNotCheaper]);
    assert_eq!(doubts(&priced(SPOT, "1.65"), SPOT), []);
}

#[test]
fn a_month_dearer_than_its_hours_or_days_is_named() {
    assert_eq!(doubts(&priced(MONTHLY, "1200"), MONTHLY), [Doubt::LongerTermDearer]);
    // 36.73 a day is 1101.9 a month.
    assert_eq!(doubts(&priced(MONTHLY, "1105"), MONTHLY), [Doubt::LongerTermDearer]);
    assert_eq!(doubts(&priced(MONTHLY, "1100"), MONTHLY), []);
}

#[test]
fn fx_087_a_price_of_zero_means_missing() {
    let catalogue = shipped();
    let zero = "alibaba/us-east-1/ecs.ebmgn7ix.32xlarge/on_demand";
    assert_eq!(doubts(&catalogue, zero), [Doubt::NoPrice]);
    assert!(catalogue.offer(zero).is_none(), "it is never an offer");
}

#[test]
fn fx_063_a_price_for_one_card_of_eight_is_named_as_such() {
    let eight = catalogue_id_of_eight();
    let catalogue = with(&eight, |offer| {
        offer.price = offer.price.over(Decimal::from(8)).unwrap();
    });
    let found = doubts(&catalogue, &eight);
    assert!(found.contains(&Doubt::PerCardMixUp), "{found:?}");
}

/// Azure lists an H100 in more than a dozen regions at 12 dollars; of thirty providers it is one.
#[test]
fn a_provider_with_many_regions_is_one_voice_in_the_median() {
    let catalogue = shipped();
    let card = CardId::new("h100-sxm5-80");
    let offers: Vec<&Offer> = catalogue.offers().iter().collect();
    let usual = medians(offers.iter())[&(&card, BillingMode::OnDemand, Currency::USD)];
    assert!((Decimal::TWO..Decimal::from(5)).contains(&usual), "{usual}");
}

/// Alibaba asks 37 yuan for an A100 alone and in instances of two, four and eight: dear, not misread.
#[test]
fn a_price_that_is_the_same_in_every_size_is_not_taken_for_a_mix_up() {
    let catalogue = shipped();
    let found = doubts(&catalogue, "alibaba/ap-northeast-1/ecs.gn7e-c16g1.16xlarge/on_demand");
    assert!(found.contains(&Doubt::Outlier) && !found.contains(&Doubt::PerCardMixUp), "{found:?}");
}

/// Returns the 8-card H100 offer on demand whose price is nearest the median.
fn catalogue_id_of_eight() -> String {
    let catalogue = shipped();
    let card = CardId::new("h100-sxm5-80");
    let offers: Vec<&Offer> = catalogue.offers().iter().collect();
    let median = medians(offers.iter())[&(&card, BillingMode::OnDemand, Currency::USD)];
    let eights = catalogue.offers().iter().filter(|offer| {
        offer.card == card
            && offer.count == 8
            && offer.mode == BillingMode::OnDemand
            && offer.per == PricePer::Hour
    });
    let distance = |offer: &&Offer| (offer.hourly_per_card().amount() - median).abs();
    eights.min_by_key(distance).unwrap().id.clone()
}

#[test]
fn an_unknown_card_an_old_and_an_undated_row_are_named() {
    let catalogue = with(ON_DEMAND, |offer| {
        offer.card = CardId::new("nonesuch");
        offer.source.date = Some(date(2021, 8, 3));
    });
    assert_eq!(doubts(&catalogue, ON_DEMAND), [Doubt::UnknownCard, Doubt::Stale]);
    let catalogue = with(ON_DEMAND, |offer| offer.source.date = None);
    assert_eq!(doubts(&catalogue, ON_DEMAND), [Doubt::Undated]);
}

#[test]
fn alibaba_and_aws_china_of_2024_ship_but_are_stale() {
    let today = date(2026, 12, 1);
    let stale = validate(&shipped(), Bands::default(), today)
        .into_iter()
        .filter(|finding| finding.doubt == Doubt::Stale)
        .map(|finding| finding.offer);
    let stale: Vec<String> = stale.collect();
    assert_eq!(stale.iter().filter(|id| id.starts_with("alibaba/")).count(), 557);
    assert!(stale.iter().any(|id| id.starts_with("aws/cn-north-1/")));
}
