//! A price as it was seen on a day: what a price history is made of.

use crate::{BillingMode, CardId, Money};
use jiff::civil::Date;

/// The price of one card for one hour, seen on a day.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceObservation {
    /// The provider's id.
    pub provider: String,
    /// Region and product, as the provider names them; empty where a source names the card only.
    pub product: String,
    /// The card.
    pub card: CardId,
    /// The provider's tier.
    pub tier: String,
    /// How it is paid for.
    pub mode: BillingMode,
    /// The day.
    pub day: Date,
    /// Whether the source dates the price; otherwise the day is that of the import.
    pub dated: bool,
    /// Price of one card for one hour.
    pub price: Money,
    /// Who says so.
    pub source: String,
}
