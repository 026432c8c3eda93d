//! What is doubtful in a catalogue: each doubt is named and points at its row.

use crate::{
    Catalogue,
    freshness::{Bands, Freshness},
    tariff::break_even,
};
use jiff::civil::Date;
use kasuan_model::{BillingMode, CardId, Currency, Money, Offer, Phrase};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use std::collections::BTreeMap;

/// What is doubtful about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// The price is zero or negative, which means that it is missing; the row is no offer.
    NoPrice,
    /// No card of the card table has this name.
    UnknownCard,
    /// Spot costs as much as on demand or more.
    SpotNotCheaper,
    /// A longer term is dearer by the hour than a shorter one of the same product.
    LongerTermDearer,
    /// More than three times off what providers usually ask for its card.
    Outlier,
    /// An outlier that the number of its cards would make a usual price: one per card taken for
    /// one per instance, or the other way round.
    PerCardMixUp,
    /// Two rows say the same product and mode.
    Duplicate,
    /// The source is old.
    Stale,
    /// The source has no date.
    Undated,
}

impl Doubt {
    /// Every kind of doubt, gravest first.
    pub const ALL: [Self; 9] = [
        Self::NoPrice,
        Self::UnknownCard,
        Self::PerCardMixUp,
        Self::SpotNotCheaper,
        Self::LongerTermDearer,
        Self::Outlier,
        Self::Duplicate,
        Self::Stale,
        Self::Undated,
    ];

    /// Returns the stable word used in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoPrice => "no_price",
            Self::UnknownCard => "unknown_card",
            Self::SpotNotCheaper => "spot_not_cheaper",
            Self::LongerTermDearer => "longer_term_dearer",
            Self::Outlier => "outlier",
            Self::PerCardMixUp => "per_card_mix_up",
            Self::Duplicate => "duplicate",
            Self::Stale => "stale",
            Self::Undated => "undated",
        }
    }

    /// Says whether an offer is wrong for sure; the other doubts need a look, and a row without a
    /// price is no offer at all.
    pub const fn is_wrong(self) -> bool {
        matches!(self, Self::UnknownCard)
    }
}

/// A doubt about one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is doubtful.
    pub doubt: Doubt,
    /// The offer's id.
    pub offer: String,
    /// What it is, in figures.
    pub phrase: Phrase,
}

/// Prices further than this from the median of their card, up or down, are outliers.
const OUTLIER: i64 = 3;
/// A median of fewer prices says nothing.
const FEWEST_FOR_MEDIAN: usize = 5;
/// Nor does one that fewer providers made.
const FEWEST_PROVIDERS: usize = 3;

/// Checks every offer of a catalogue; the gravest doubts come first.
pub fn validate(catalogue: &Catalogue, bands: Bands, today: Date) -> Vec<Finding> {
    let mut findings = Vec::new();
    for offer in catalogue.priceless() {
        let phrase = Phrase::new("market-doubt-no-price").with("price", offer.price);
        findings.push(finding(Doubt::NoPrice, offer, phrase));
    }
    let offers: Vec<&Offer> = catalogue.offers().iter().collect();
    examine(catalogue, &[], &offers, bands, today, &mut findings);
    findings
}

/// Checks offers that are laid over a catalogue, against it and each other; what they replace does
/// not count, and of the catalogue's own offers nothing is said.
pub fn validate_new(
    catalogue: &Catalogue,
    new: &[Offer],
    bands: Bands,
    today: Date,
) -> Vec<Finding> {
    let mut ids: Vec<&str> = new.iter().map(|offer| offer.id.as_str()).collect();
    ids.sort_unstable();
    let stays = |offer: &&Offer| ids.binary_search(&offer.id.as_str()).is_err();
    let old: Vec<&Offer> = catalogue.offers().iter().filter(stays).collect();
    let new: Vec<&Offer> = new.iter().collect();
    let mut findings = Vec::new();
    examine(catalogue, &old, &new, bands, today, &mut findings);
    findings
}

/// Adds what is doubtful about `offers` among themselves and beside others, sorted.
fn examine(
    catalogue: &Catalogue,
    beside: &[&Offer],
    offers: &[&Offer],
    bands: Bands,
    today: Date,
    findings: &mut Vec<Finding>,
) {
    let medians = medians(beside.iter().chain(offers));
    let sizes = sizes(beside.iter().chain(offers));
    for offer in offers {
        if catalogue.card(&offer.card).is_none() {
            let phrase = Phrase::new("market-doubt-card").with("name", &offer.card_raw);
            findings.push(finding(Doubt::UnknownCard, offer, phrase));
        }
        if offer.id.contains('~') {
            findings.push(finding(Doubt::Duplicate, offer, Phrase::new("market-doubt-duplicate")));
        }
        findings.extend(outlier(offer, &medians, &sizes));
        findings.extend(age(offer, bands, today));
    }
    pairs(beside, offers, findings);
    findings.sort_unstable_by(|a, b| (a.doubt, &a.offer).cmp(&(b.doubt, &b.offer)));
}

fn finding(doubt: Doubt, offer: &Offer, phrase: Phrase) -> Finding {
    Finding { doubt, offer: offer.id.clone(), phrase }
}

/// Whose prices are compared: one card, one mode, one currency.
type Class<'a> = (&'a CardId, BillingMode, Currency);

fn class(offer: &Offer) -> Class<'_> {
    (&offer.card, offer.mode, offer.price.currency())
}

/// Returns the usual price of a card-hour of each class that has enough prices: the median of what
/// its providers ask in the median, so that one with sixty regions counts as one.
fn medians<'a>(offers: impl Iterator<Item = &'a &'a Offer>) -> BTreeMap<Class<'a>, Decimal> {
    let mut prices: BTreeMap<Class<'_>, BTreeMap<&str, Vec<Decimal>>> = BTreeMap::new();
    for offer in offers {
        let of_class = prices.entry(class(offer)).or_default();
        let of_provider = of_class.entry(&offer.provider).or_default();
        of_provider.push(offer.hourly_per_card().amount());
    }
    let enough = prices.into_iter().filter(|(_, providers)| {
        providers.len() >= FEWEST_PROVIDERS
            && providers.values().map(Vec::len).sum::<usize>() >= FEWEST_FOR_MEDIAN
    });
    enough
        .map(|(class, providers)| (class, median(providers.into_values().map(median).collect())))
        .collect()
}

/// The lowest and highest price of a card-hour that a provider asks in a class, by the number of
/// cards.
type Sizes<'a> = BTreeMap<(Class<'a>, &'a str), BTreeMap<u32, (Decimal, Decimal)>>;

fn sizes<'a>(offers: impl Iterator<Item = &'a &'a Offer>) -> Sizes<'a> {
    let mut sizes = Sizes::new();
    for offer in offers {
        let price = offer.hourly_per_card().amount();
        let of_provider = sizes.entry((class(offer), offer.provider.as_str())).or_default();
        let (low, high) = of_provider.entry(offer.count).or_insert((price, price));
        (*low, *high) = (price.min(*low), price.max(*high));
    }
    sizes
}

/// Says whether the provider asks about as much for a card in an instance of another size: then the
/// price is dear or cheap, but not read the wrong way.
fn as_in_other_sizes(offer: &Offer, sizes: &Sizes<'_>) -> bool {
    let price = offer.hourly_per_card().amount();
    let double = |price: Decimal| price.checked_mul(Decimal::TWO).unwrap_or(Decimal::MAX);
    let near = |(low, high): &(Decimal, Decimal)| *low <= double(price) && price <= double(*high);
    let own = sizes.get(&(class(offer), offer.provider.as_str()));
    own.is_some_and(|own| own.iter().any(|(count, span)| *count != offer.count && near(span)))
}

/// Returns the middle price; the list is not empty.
fn median(mut prices: Vec<Decimal>) -> Decimal {
    let middle = prices.len() / 2;
    *prices.select_nth_unstable(middle).1
}

fn outlier(
    offer: &Offer,
    medians: &BTreeMap<Class<'_>, Decimal>,
    sizes: &Sizes<'_>,
) -> Option<Finding> {
    let median = *medians.get(&class(offer))?;
    let price = offer.hourly_per_card();
    let ratio = price.amount().checked_div(median)?;
    let factor = Decimal::from(OUTLIER);
    if ratio <= factor && ratio.checked_mul(factor)? >= Decimal::ONE {
        return None;
    }
    let median = Money::new(median, price.currency());
    let ratio = ratio.to_f64()?;
    // What it would be, had the price been read the other way.
    let count = f64::from(offer.count);
    let corrected = if ratio < 1.0 { ratio * count } else { ratio / count };
    let usual = 1.0 / OUTLIER as f64..=OUTLIER as f64;
    let misread = offer.count > 1 && usual.contains(&corrected) && !as_in_other_sizes(offer, sizes);
    Some(if misread {
        let phrase = Phrase::new("market-doubt-per-card")
            .with("price", price)
            .with("median", median)
            .with("count", offer.count);
        finding(Doubt::PerCardMixUp, offer, phrase)
    } else {
        let phrase =
            Phrase::new("market-doubt-outlier").with("price", price).with("median", median);
        finding(Doubt::Outlier, offer, phrase)
    })
}

fn age(offer: &Offer, bands: Bands, today: Date) -> Option<Finding> {
    match bands.of(&offer.source, today) {
        Freshness::Fresh | Freshness::Ageing => None,
        Freshness::Undated => {
            Some(finding(Doubt::Undated, offer, Phrase::new("market-doubt-undated")))
        }
        Freshness::Stale => {
            let days = offer.source.age_days(today).unwrap_or(0);
            let phrase = Phrase::new("market-doubt-stale").with("days", days);
            Some(finding(Doubt::Stale, offer, phrase))
        }
    }
}

/// What two offers must share to be the same product under two modes. Sources name the product
/// differently by mode, so that the box itself is compared.
type Product<'a> =
    (&'a str, &'a str, &'a CardId, u32, u32, Option<u32>, &'a str, &'a str, Currency);

fn product(offer: &Offer) -> Product<'_> {
    (
        &offer.provider,
        &offer.region,
        &offer.card,
        offer.count,
        offer.slices,
        offer.vcpus,
        &offer.tier,
        &offer.source.text,
        offer.price.currency(),
    )
}

/// Compares the modes of each product that one of `offers` is of.
fn pairs(beside: &[&Offer], offers: &[&Offer], findings: &mut Vec<Finding>) {
    let mut every: Vec<(&Offer, bool)> = beside.iter().map(|offer| (*offer, false)).collect();
    every.extend(offers.iter().map(|offer| (*offer, true)));
    every.sort_by(|(a, _), (b, _)| product(a).cmp(&product(b)));
    for same in every.chunk_by(|(a, _), (b, _)| product(a) == product(b)) {
        if same.len() < 2 {
            continue;
        }
        let offers: Vec<&Offer> = same.iter().map(|(offer, _)| *offer).collect();
        let metered = offers
            .iter()
            .filter(|offer| offer.mode == BillingMode::OnDemand)
            .min_by_key(|offer| offer.price.amount());
        for offer in same.iter().filter(|(_, examined)| *examined).map(|(offer, _)| offer) {
            if let (BillingMode::Spot, Some(metered)) = (offer.mode, metered)
                && offer.price.amount() >= metered.price.amount()
            {
                let phrase = Phrase::new("market-doubt-spot")
                    .with("spot", offer.price)
                    .with("on_demand", metered.price);
                findings.push(finding(Doubt::SpotNotCheaper, offer, phrase));
            }
            if let Some(shorter) = shorter_but_cheaper(offer, &offers) {
                let phrase = Phrase::new("market-doubt-term")
                    .with("price", offer.hourly())
                    .with("other", shorter.hourly())
                    .with_word("mode", format!("mode-{}", shorter.mode));
                findings.push(finding(Doubt::LongerTermDearer, offer, phrase));
            }
        }
    }
}

/// Returns the offer of a shorter term, or by the hour, that is cheaper by the hour.
fn shorter_but_cheaper<'a>(offer: &Offer, others: &[&'a Offer]) -> Option<&'a Offer> {
    let term = offer.mode.term()?;
    others.iter().copied().find(|other| match other.mode.term() {
        Some(shorter) => shorter < term && other.hourly().amount() < offer.hourly().amount(),
        None if other.mode == BillingMode::OnDemand => {
            break_even(offer, other).is_some_and(|even| even > term)
        }
        None => false,
    })
}

#[cfg(test)]
mod tests;
