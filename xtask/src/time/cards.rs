//! Finds the card of a row in the shipped card table.

use super::settings;
use kasuan_market::Catalogue;
use kasuan_model::{Card, CardId};

/// The cards that ship.
#[derive(Debug)]
pub(crate) struct Cards(Catalogue);

impl Cards {
    pub(crate) fn load() -> Result<Self, String> {
        Catalogue::shipped().map(|c| Self(c.clone())).map_err(|e| e.to_string())
    }

    pub(crate) fn find(&self, name: &str) -> Result<Card, String> {
        let id = match settings::card_id(name) {
            Some(id) => CardId::new(id),
            None => self.0.find_card(name).map_err(|e| e.to_string())?.card,
        };
        self.0.card(&id).cloned().ok_or_else(|| format!("no card has the id `{id}`"))
    }
}
