//! Which prices are good enough to choose by, and which are only data: a price that nobody dated,
//! that is old, that one page mentions, or that is far below what everybody else asks takes part
//! in a choice only when the user says so.

use crate::Catalogue;
use jiff::civil::Date;
use kasuan_model::{BillingMode, CardId, Currency, Grade, Offer};
use rust_decimal::prelude::ToPrimitive as _;
use std::collections::BTreeMap;

/// Days behind the newest price of the catalogue at which a price is too old by default: the end
/// of the band "ageing" of [`crate::Bands`].
pub const DEFAULT_AGE: u32 = 180;

/// How far below the usual price of its card an offer is taken for a mistake or a bait.
const FAR: f64 = 3.0;

/// Providers that must ask a price for the same card before there is a usual one.
const FEWEST_PROVIDERS: usize = 4;

/// What is asked of a price before it may be chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standards {
    /// Whether a price without a date will do.
    pub undated: bool,
    /// Days that a price may lie behind the newest of the catalogue; `None` is without end.
    pub age: Option<u32>,
    /// The lowest grade of a source that will do.
    pub grade: Grade,
    /// Whether a price far below the usual will do.
    pub far_below: bool,
}

impl Default for Standards {
    /// Dated, at most half a year behind the newest price, from more than a single mention, and at
    /// least a third of what providers usually ask.
    fn default() -> Self {
        Self { undated: false, age: Some(DEFAULT_AGE), grade: Grade::C, far_below: false }
    }
}

impl Standards {
    /// Standards that any price meets.
    pub const NONE: Self = Self { undated: true, age: None, grade: Grade::D, far_below: true };
}

/// What a price lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// The source has no date.
    Undated,
    /// It lies too far behind the newest price.
    Old,
    /// The grade of its source is too low.
    Grade,
    /// It is far below the usual price of its card.
    FarBelow,
}

/// A class of prices that can be compared: one card, one mode, one currency.
type Class<'a> = (&'a CardId, BillingMode, Currency);

/// The prices of a catalogue, judged by standards.
#[derive(Debug)]
pub struct Standing<'a> {
    catalogue: &'a Catalogue,
    standards: Standards,
    newest: Option<Date>,
    usual: BTreeMap<Class<'a>, f64>,
}

impl<'a> Standing<'a> {
    /// Looks at a whole catalogue.
    ///
    /// Age is counted from the newest shipped price, so that a catalogue does not lose all its
    /// prices at once when it ages as a whole; how old that one is by now is for the reader to be
    /// told. The usual price is the median over providers of the cheapest that each asks, so that
    /// a provider with a thousand regions counts once.
    pub fn new(catalogue: &'a Catalogue, standards: Standards) -> Self {
        let shipped =
            || catalogue.offers().iter().enumerate().filter(|(at, _)| !catalogue.is_own(*at));
        let newest = shipped().filter_map(|(_, offer)| offer.source.date).max();
        let mut standing = Self { catalogue, standards, newest, usual: BTreeMap::new() };
        if !standards.far_below {
            let mut asked: BTreeMap<Class<'a>, BTreeMap<&str, f64>> = BTreeMap::new();
            for (_, offer) in shipped().filter(|(_, offer)| standing.source_lacks(offer).is_none())
            {
                let Some(price) = per_card(offer) else { continue };
                let of_class = asked.entry(class(offer)).or_default();
                let least = of_class.entry(offer.provider.as_str()).or_insert(price);
                *least = least.min(price);
            }
            standing.usual = asked
                .into_iter()
                .filter_map(|(class, asked)| {
                    let mut prices: Vec<f64> = asked.into_values().collect();
                    prices.sort_by(f64::total_cmp);
                    let enough = prices.len() >= FEWEST_PROVIDERS;
                    enough.then(|| (class, prices[prices.len() / 2]))
                })
                .collect();
        }
        standing
    }

    /// Returns the day of the newest shipped price.
    pub const fn newest(&self) -> Option<Date> {
        self.newest
    }

    /// Returns what the price of an offer lacks; nothing for prices that the user stated.
    pub fn lack(&self, index: usize, offer: &Offer) -> Option<Lack> {
        if self.catalogue.is_own(index) {
            return None;
        }
        self.source_lacks(offer).or_else(|| {
            let usual = *self.usual.get(&class(offer))?;
            (per_card(offer)? * FAR < usual).then_some(Lack::FarBelow)
        })
    }

    fn source_lacks(&self, offer: &Offer) -> Option<Lack> {
        let source = &offer.source;
        if source.grade > self.standards.grade {
            return Some(Lack::Grade);
        }
        let Some(newest) = self.newest.filter(|_| source.date.is_some()) else {
            return (source.date.is_none() && !self.standards.undated).then_some(Lack::Undated);
        };
        let behind = source.age_days(newest)?;
        self.standards.age.is_some_and(|most| behind > most).then_some(Lack::Old)
    }
}

fn class(offer: &Offer) -> Class<'_> {
    (&offer.card, offer.mode, offer.price.currency())
}

/// Returns the price of a card-hour; exact enough to compare with a third.
fn per_card(offer: &Offer) -> Option<f64> {
    let price = offer.price.amount().to_f64()?;
    let hours = match (offer.per, offer.mode.term()) {
        (kasuan_model::PricePer::Term, Some(term)) => term.hours(),
        _ => 1.0,
    };
    Some(price * f64::from(offer.slices.max(1)) / (hours * f64::from(offer.count.max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacks(standards: Standards) -> BTreeMap<Option<Lack>, usize> {
        let catalogue = Catalogue::shipped().unwrap();
        let standing = Standing::new(&catalogue, standards);
        let mut counted = BTreeMap::new();
        for (index, offer) in catalogue.offers().iter().enumerate() {
            *counted.entry(standing.lack(index, offer)).or_default() += 1;
        }
        counted
    }

    #[test]
    fn undated_old_hearsay_and_bait_prices_are_data_and_no_choice() {
        let counted = lacks(Standards::default());
        for lack in [Lack::Undated, Lack::Old, Lack::Grade, Lack::FarBelow] {
            assert!(counted.contains_key(&Some(lack)), "{lack:?} is in the shipped data");
        }
        assert!(counted[&None] > 2_000, "{counted:?}");
    }

    #[test]
    fn every_price_meets_no_standards() {
        assert_eq!(lacks(Standards::NONE).into_keys().collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn each_standard_can_be_dropped_alone() {
        let usual = Standards::default();
        let gone = |standards, lack| !lacks(standards).contains_key(&Some(lack));
        assert!(gone(Standards { undated: true, ..usual }, Lack::Undated));
        assert!(gone(Standards { age: None, ..usual }, Lack::Old));
        assert!(gone(Standards { grade: Grade::D, ..usual }, Lack::Grade));
        assert!(gone(Standards { far_below: true, ..usual }, Lack::FarBelow));
    }

    #[test]
    fn a_provider_with_many_regions_does_not_set_the_usual_price() {
        // Azure has 1,243 rows, most of them dear; a median over rows would call every small
        // provider's H100 a bait.
        let catalogue = Catalogue::shipped().unwrap();
        let standing = Standing::new(&catalogue, Standards::default());
        let mut h100 = catalogue.offers().iter().enumerate().filter(|(_, offer)| {
            offer.card.as_str() == "h100-sxm5-80" && offer.provider == "hyperstack"
        });
        assert!(h100.clone().count() > 0);
        assert!(h100.all(|(index, offer)| standing.lack(index, offer).is_none()));
    }

    #[test]
    fn the_users_own_prices_meet_every_standard() {
        let shipped = Catalogue::shipped().unwrap();
        let mut own = shipped.offers()[0].clone();
        own.source.date = None;
        own.source.grade = Grade::D;
        own.price =
            kasuan_model::Money::new(rust_decimal::Decimal::new(1, 4), own.price.currency());
        let card = crate::PriceCard { offers: vec![own.clone()], terms: Vec::new() };
        let (catalogue, _) = shipped.with_price_card(card);
        let standing = Standing::new(&catalogue, Standards::default());
        assert_eq!(standing.lack(0, &own), None);
        assert!(catalogue.is_own(0) && !catalogue.is_own(1));
    }
}
