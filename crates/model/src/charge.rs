//! Charges: rows of a bill, in the words of FOCUS, whatever provider sent it.

use crate::{CardId, Money};
use jiff::Timestamp;
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// What a charge is for (FOCUS `ChargeCategory`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChargeCategory {
    /// Use of something.
    Usage,
    /// A commitment or another one-off payment.
    Purchase,
    /// Tax.
    Tax,
    /// A refund, voucher or discount after the fact.
    Credit,
    /// Rounding (抹零) and corrections without a resource.
    Adjustment,
}

/// How a charge was priced (FOCUS `PricingCategory`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PricingCategory {
    /// List or negotiated price, pay as you go.
    Standard,
    /// Under a commitment.
    Committed,
    /// A price that moves: spot.
    Dynamic,
    /// Something else.
    Other,
}

/// Whether a row's money has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Payment {
    /// Paid, or will be by the invoice.
    Due,
    /// Ordered and never paid: kept, and left out of every total.
    Unpaid,
    /// Paid and given back.
    Refunded,
}

/// A row of a bill.
#[derive(Clone, Debug, PartialEq)]
pub struct Charge {
    /// What makes the row the same row when it is imported again; unique within the provider.
    pub key: String,
    /// Who bills, as a lower-case id.
    pub provider: String,
    /// The account that is billed.
    pub account: String,
    /// The month or other period of the bill; the end is exclusive.
    pub billing_period: (Timestamp, Timestamp),
    /// When the service was used; the end is exclusive.
    pub charge_period: (Timestamp, Timestamp),
    /// What the charge is for.
    pub category: ChargeCategory,
    /// How it was priced.
    pub pricing: PricingCategory,
    /// Whether the money has moved.
    pub payment: Payment,
    /// The provider's words for it.
    pub description: String,
    /// The service, for example `GPU cloud server` or `Object storage`.
    pub service: String,
    /// The resource that was used.
    pub resource: Option<String>,
    /// The provider's region.
    pub region: Option<String>,
    /// The card in the resource, where the row says.
    pub card: Option<CardId>,
    /// How many cards.
    pub cards: Option<u32>,
    /// How much was used.
    pub quantity: Option<Decimal>,
    /// The unit of the quantity, for example `Hours` or `GB-Hours`.
    pub unit: Option<String>,
    /// What goes on the invoice (cash basis).
    pub billed: Money,
    /// What the use is worth when prepayments are spread over their time (amortised).
    pub effective: Money,
    /// What the list price would have been.
    pub list: Option<Money>,
    /// The invoice.
    pub invoice: Option<String>,
    /// Tags, among them `job` and `person` where the team sets them.
    pub tags: BTreeMap<String, String>,
}
