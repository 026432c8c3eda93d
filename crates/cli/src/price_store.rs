//! Where imported prices are remembered by day: a small SQLite ledger beside the price card.
//!
//! `prices.csv` holds the prices that count now, `prices.db` those of every import. A team may name
//! its PostgreSQL ledger instead.

use crate::{context::Context, error::CommandError};
use jiff::civil::Date;
use kasuan_ledger::{Ledger, LedgerError};
use kasuan_market::{Catalogue, History};
use kasuan_model::{Offer, Phrase, PriceObservation};
use std::path::{Path, PathBuf};

/// The price card that is written where no other is named.
pub(crate) const USUAL_CARD: &str = "prices.csv";

/// Returns the place that remembers what a price card held.
pub(crate) fn beside(card: &Path) -> String {
    card.with_extension("db").to_string_lossy().into_owned()
}

/// Turns what was taken into observations; what has no day of its own is seen on `today`.
pub(crate) fn observations(
    offers: &[Offer],
    catalogue: &Catalogue,
    today: Date,
) -> Vec<PriceObservation> {
    let seen = offers.iter().map(|offer| {
        // A source that names nothing but the card goes on with the series of the card.
        let names_card_only = offer.region.is_empty()
            && catalogue.find_card(&offer.product).is_ok_and(|found| found.card == offer.card);
        let product = match (names_card_only, offer.region.is_empty()) {
            (true, _) => String::new(),
            (false, true) => offer.product.clone(),
            (false, false) => format!("{}/{}", offer.region, offer.product),
        };
        PriceObservation {
            provider: offer.provider.clone(),
            product,
            card: offer.card.clone(),
            tier: offer.tier.clone(),
            mode: offer.mode,
            day: offer.source.date.unwrap_or(today),
            dated: offer.source.date.is_some(),
            price: offer.hourly_per_card(),
            source: offer.source.text.clone(),
        }
    });
    seen.collect()
}

/// Records what an import took, then does the rest of it; all or nothing.
pub(crate) fn record(
    place: &str,
    seen: &[PriceObservation],
    rest: impl FnOnce() -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    /// What went wrong, and in which half.
    enum Failed {
        Store(LedgerError),
        Rest(CommandError),
    }
    impl From<LedgerError> for Failed {
        fn from(error: LedgerError) -> Self {
            Self::Store(error)
        }
    }
    let rest = || rest().map_err(Failed::Rest);
    let mut ledger = Ledger::open(place).map_err(broken)?;
    ledger.record_prices(seen, rest).map_err(|failed| match failed {
        Failed::Store(error) => broken(error),
        Failed::Rest(error) => error,
    })
}

/// Tells a disk or a server that fails from a file that is the wrong one.
fn broken(error: LedgerError) -> CommandError {
    let surroundings = matches!(error, LedgerError::Open { .. } | LedgerError::Store { .. });
    let failed = CommandError::from(error);
    if surroundings { failed.of_surroundings() } else { failed }
}

/// Returns the shipped past prices with those that were imported.
///
/// Looked for in the named places, else beside the price cards, else beside the usual price card of
/// this folder; a place that is only looked for may be missing.
pub(crate) fn history(
    places: &[String],
    cards: &[PathBuf],
    context: &Context,
) -> Result<History, CommandError> {
    let mut history = Catalogue::shipped_history()?;
    let looked_for: Vec<String> = match (places.is_empty(), cards.is_empty()) {
        (false, _) => places.to_vec(),
        (true, false) => cards.iter().map(|card| beside(card)).collect(),
        (true, true) => vec![beside(Path::new(USUAL_CARD))],
    };
    for place in &looked_for {
        let is_file = !place.contains("://");
        if is_file && !Path::new(place).exists() {
            if places.is_empty() {
                continue;
            }
            return Err(crate::files::missing(Path::new(place)));
        }
        let seen = Ledger::open(place).and_then(|mut ledger| ledger.prices()).map_err(broken)?;
        if places.is_empty() && cards.is_empty() {
            context
                .tell(&Phrase::new("history-from").with("place", place).with("count", seen.len()));
        }
        history = history.with_observations(&seen);
    }
    Ok(history)
}
