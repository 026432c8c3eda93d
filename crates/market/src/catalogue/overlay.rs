//! A user's own prices laid over the catalogue.

use super::Catalogue;
use crate::terms::{StorageKind, Terms};
use kasuan_model::Offer;
use std::collections::BTreeMap;

/// A user's own prices: offers, and the storage of providers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceCard {
    /// Offers; one with the id of a shipped offer takes its place.
    pub offers: Vec<Offer>,
    /// Terms that the user states; a storage kind with the id of a shipped one takes its place, and
    /// what is stated of metering takes the place of what ships.
    pub terms: Vec<Terms>,
}

impl PriceCard {
    /// Lays newer prices over these: an offer with the same id and terms of the same provider are
    /// replaced.
    pub fn lay(&mut self, newer: Self) {
        let mut at: BTreeMap<String, usize> = BTreeMap::new();
        for (index, offer) in self.offers.iter().enumerate() {
            at.insert(offer.id.clone(), index);
        }
        for offer in newer.offers {
            match at.get(&offer.id).and_then(|index| self.offers.get_mut(*index)) {
                Some(old) => *old = offer,
                None => {
                    at.insert(offer.id.clone(), self.offers.len());
                    self.offers.push(offer);
                }
            }
        }
        for terms in newer.terms {
            self.terms.retain(|old| old.provider != terms.provider);
            self.terms.push(terms);
        }
    }
}

/// What an overlay changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlaid {
    /// Offers that took the place of one with the same id.
    pub replaced: usize,
    /// Offers that were new.
    pub added: usize,
}

impl Catalogue {
    /// Lays a user's prices over the catalogue.
    pub fn with_price_card(mut self, card: PriceCard) -> (Self, Overlaid) {
        let mut overlaid = Overlaid::default();
        for offer in card.offers {
            let id = offer.id.clone();
            let priced = !super::is_priceless(&offer);
            let replaced = self.put(offer);
            self.own.extend(self.by_offer_id.find(&self.offers, &id).filter(|_| priced));
            if replaced {
                overlaid.replaced += 1;
            } else {
                overlaid.added += 1;
            }
        }
        for terms in card.terms {
            self.lay_terms(terms);
        }
        (self, overlaid)
    }

    /// Lays stated terms over those of the same provider that hold without end.
    fn lay_terms(&mut self, stated: Terms) {
        let open =
            |terms: &&mut Terms| terms.provider == stated.provider && terms.valid_to.is_none();
        let Some(terms) = self.terms.iter_mut().rev().find(open) else {
            self.terms.push(stated);
            return;
        };
        for kind in stated.storage {
            lay_storage(&mut terms.storage, kind);
        }
        let over = stated.metering;
        terms.metering.granularity = over.granularity.or(terms.metering.granularity);
        terms.metering.minimum = over.minimum.or(terms.metering.minimum);
        terms.metering.minimum_charge = over.minimum_charge.or(terms.metering.minimum_charge);
        terms.metering.rounding = over.rounding.or(terms.metering.rounding);
        terms.metering.settlement = over.settlement.or(terms.metering.settlement);
        if !stated.traffic.egress.is_empty() {
            terms.traffic.egress = stated.traffic.egress;
        }
        terms.source = stated.source;
    }
}

/// Puts a kind in front, so that it is the one an instance is made with, in the place of one with
/// the same id.
fn lay_storage(kinds: &mut Vec<StorageKind>, kind: StorageKind) {
    kinds.retain(|old| old.id != kind.id);
    kinds.insert(0, kind);
}
