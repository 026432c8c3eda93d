//! The catalogue: cards, offers and terms that ship inside the binary, and what a user lays over
//! them.

mod overlay;
mod packed;
mod tables;
mod terms_file;

use crate::{
    history::History,
    resolve::{self, CardNames},
    terms::Terms,
};
use jiff::civil::Date;
use kasuan_model::{Card, CardId, Currency, Offer, Phrase, Phrased};
use packed::unpack;
use std::collections::{BTreeMap, BTreeSet};

pub use overlay::{Overlaid, PriceCard};

/// Why the catalogue could not be read. The shipped one is checked by tests, so that this speaks
/// of a broken build or of a user's own terms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// A table is not a table.
    #[error("{file}: {what}")]
    Table {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// A cell of a table cannot be read.
    #[error("{file}, line {line}: `{text}` cannot stand in column `{column}`")]
    Cell {
        /// The file.
        file: &'static str,
        /// The line, from 1.
        line: u64,
        /// The column's name.
        column: &'static str,
        /// What stands there.
        text: String,
    },
    /// Terms cannot be read.
    #[error("terms of `{provider}`: {what}")]
    Terms {
        /// The provider, empty when the file as a whole is wrong.
        provider: String,
        /// What is wrong.
        what: String,
    },
    /// Packed data inside the binary is damaged.
    #[error("the embedded {file} cannot be unpacked")]
    Packed {
        /// The file.
        file: &'static str,
    },
}

impl Phrased for CatalogueError {
    fn phrase(&self) -> Phrase {
        Phrase::new("market-catalogue-broken").with("what", self)
    }
}

/// Everything that can be rented, with the cards and the billing terms.
#[derive(Clone, Debug)]
pub struct Catalogue {
    cards: Vec<Card>,
    names: CardNames,
    by_card_id: BTreeMap<CardId, usize>,
    offers: Vec<Offer>,
    /// Where the card of each offer is; none that the table does not know.
    cards_of: Vec<Option<usize>>,
    by_offer_id: Index,
    priceless: Vec<Offer>,
    own: BTreeSet<usize>,
    terms: Vec<Terms>,
    unstated: Terms,
    history: History,
}

macro_rules! packed {
    ($name:literal) => {
        unpack($name, include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".deflate")))
    };
}

impl Catalogue {
    /// Reads the catalogue that ships inside the binary.
    pub fn shipped() -> Result<Self, CatalogueError> {
        let sources = tables::sources("sources.csv", &packed!("sources.csv")?)?;
        let (cards, names) = tables::cards("cards.csv", &packed!("cards.csv")?)?;
        let mut offers = tables::offers("offers.csv", &packed!("offers.csv")?, &sources)?;
        offers.extend(tables::offers("offers-cn.csv", &packed!("offers-cn.csv")?, &sources)?);
        let terms = packed!("terms.toml")?;
        let terms = std::str::from_utf8(&terms)
            .map_err(|_| CatalogueError::Packed { file: "terms.toml" })?;
        let terms = terms_file::read(terms)?;
        Ok(Self::new(cards, names, offers, terms))
    }

    /// Reads the prices of the past that ship inside the binary; they are no offers.
    pub fn shipped_history() -> Result<History, CatalogueError> {
        let sources = tables::sources("sources.csv", &packed!("sources.csv")?)?;
        let stretches = tables::history("history.csv", &packed!("history.csv")?, &sources)?;
        Ok(History::new(stretches))
    }

    /// Makes a catalogue from its parts; of two offers with one id the later stays.
    pub fn new(cards: Vec<Card>, names: CardNames, offers: Vec<Offer>, terms: Vec<Terms>) -> Self {
        let by_card_id = cards.iter().enumerate().map(|(at, card)| (card.id.clone(), at)).collect();
        let mut catalogue = Self {
            cards,
            names,
            by_card_id,
            offers: Vec::with_capacity(offers.len()),
            cards_of: Vec::new(),
            by_offer_id: Index::default(),
            priceless: Vec::new(),
            own: BTreeSet::new(),
            terms,
            unstated: Terms::unstated("", Currency::USD),
            history: History::default(),
        };
        for offer in offers {
            if is_priceless(&offer) {
                catalogue.priceless.push(offer);
            } else {
                catalogue.offers.push(offer);
            }
        }
        catalogue.by_offer_id = Index::new(&mut catalogue.offers);
        let place = |offer: &Offer| catalogue.by_card_id.get(&offer.card).copied();
        catalogue.cards_of = catalogue.offers.iter().map(place).collect();
        catalogue
    }

    /// Lays past prices beside the offers; they tell how far prices move.
    #[must_use]
    pub fn with_history(self, history: History) -> Self {
        Self { history, ..self }
    }

    /// Returns the past prices; none unless they were laid beside the offers.
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Returns the cards, in the table's order.
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// Returns a card by its id.
    pub fn card(&self, id: &CardId) -> Option<&Card> {
        self.by_card_id.get(id).and_then(|at| self.cards.get(*at))
    }

    /// Finds the card that a person or a price list means; see [`resolve::find`].
    pub fn find_card(&self, text: &str) -> Result<resolve::CardMatch, resolve::CardError> {
        resolve::find(&self.cards, &self.names, text)
    }

    /// Returns every offer, the user's own included.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// Returns every offer whose card is known, with it.
    pub fn offers_with_cards(&self) -> impl Iterator<Item = (&Offer, &Card)> {
        let cards = self.cards_of.iter().map(|at| at.and_then(|at| self.cards.get(at)));
        self.offers.iter().zip(cards).filter_map(|(offer, card)| Some((offer, card?)))
    }

    /// Says whether the offer at a place of [`Self::offers`] is from a user's price card.
    pub fn is_own(&self, index: usize) -> bool {
        self.own.contains(&index)
    }

    /// Returns the rows whose price is zero or negative, which means that it is missing: they are
    /// never offers.
    pub fn priceless(&self) -> &[Offer] {
        &self.priceless
    }

    /// Returns an offer by its id.
    pub fn offer(&self, id: &str) -> Option<&Offer> {
        self.offers.get(self.by_offer_id.find(&self.offers, id)?)
    }

    /// Returns the terms of all providers, all spans of days.
    pub fn all_terms(&self) -> &[Terms] {
        &self.terms
    }

    /// Returns the terms of a provider on a day (its newest without a day); a provider that states
    /// nothing gets terms in which everything is unknown.
    pub fn terms(&self, provider: &str, day: Option<Date>) -> &Terms {
        let holds = |terms: &&Terms| match day {
            Some(day) => terms.holds_on(day),
            None => terms.valid_to.is_none(),
        };
        let of_provider = self.terms.iter().filter(|terms| terms.provider == provider);
        of_provider.rev().find(holds).unwrap_or(&self.unstated)
    }

    /// Returns the packages of the same product: same provider, region, product, tier and count,
    /// paid ahead for a day, a week, a month...
    pub fn commitments_for<'a>(&'a self, offer: &'a Offer) -> impl Iterator<Item = &'a Offer> {
        self.same_product(offer).filter(|other| other.mode.is_commitment())
    }

    /// Returns the offers of the same product under any billing mode, itself included.
    pub fn same_product<'a>(&'a self, offer: &'a Offer) -> impl Iterator<Item = &'a Offer> {
        self.offers.iter().filter(move |other| {
            other.provider == offer.provider
                && other.region == offer.region
                && other.product == offer.product
                && other.tier == offer.tier
                && other.count == offer.count
                && other.slices == offer.slices
                && other.card == offer.card
        })
    }

    /// Puts an offer in, in the place of one with the same id; returns whether it replaced one.
    fn put(&mut self, offer: Offer) -> bool {
        if is_priceless(&offer) {
            self.priceless.push(offer);
            return false;
        }
        let card = self.by_card_id.get(&offer.card).copied();
        let known = self.by_offer_id.find(&self.offers, &offer.id);
        let place = known.and_then(|at| self.offers.get_mut(at).zip(self.cards_of.get_mut(at)));
        if let Some((old, old_card)) = place {
            (*old, *old_card) = (offer, card);
            return true;
        }
        self.cards_of.push(card);
        self.by_offer_id.added.insert(offer.id.clone(), self.offers.len());
        self.offers.push(offer);
        false
    }
}

/// Says whether a price is missing: it stands as zero or below.
fn is_priceless(offer: &Offer) -> bool {
    offer.price.is_zero() || offer.price.amount().is_sign_negative()
}

/// Where the offer with an id stands.
#[derive(Clone, Debug, Default)]
struct Index {
    /// Places of the offers that the catalogue was made with, in the order of their ids.
    sorted: Vec<usize>,
    /// Places of those that were added later.
    added: BTreeMap<String, usize>,
}

impl Index {
    /// Sorts the offers' places by id; of two offers with one id the later takes the earlier's
    /// place.
    fn new(offers: &mut Vec<Offer>) -> Self {
        let mut sorted: Vec<usize> = (0..offers.len()).collect();
        // Stable, so that of equal ids the later stands later.
        sorted.sort_by(|a, b| offers[*a].id.cmp(&offers[*b].id));
        let twice = sorted.windows(2).any(|two| offers[two[0]].id == offers[two[1]].id);
        if !twice {
            return Self { sorted, added: BTreeMap::new() };
        }
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut kept: Vec<Offer> = Vec::with_capacity(offers.len());
        for offer in offers.drain(..) {
            match places.get(&offer.id).and_then(|at| kept.get_mut(*at)) {
                Some(old) => *old = offer,
                None => {
                    places.insert(offer.id.clone(), kept.len());
                    kept.push(offer);
                }
            }
        }
        *offers = kept;
        Self { sorted: places.into_values().collect(), added: BTreeMap::new() }
    }

    fn find(&self, offers: &[Offer], id: &str) -> Option<usize> {
        let known = self.sorted.binary_search_by(|at| offers[*at].id.as_str().cmp(id));
        known.ok().and_then(|place| self.sorted.get(place)).or_else(|| self.added.get(id)).copied()
    }
}
