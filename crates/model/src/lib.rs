//! The words of the domain: money, units, estimates, sources, cards, offers, and messages as data.
//!
//! Nothing here reads a file, a clock or the environment, and nothing here is a file format:
//! what is written to disk or sent over the wire is a type in `formats` that converts into these.

mod card;
mod charge;
mod estimate;
mod money;
mod observation;
mod offer;
mod phrase;
mod source;
mod units;
mod usage;

pub use card::{Card, CardId, Interconnect};
pub use charge::{Charge, ChargeCategory, Payment, PricingCategory};
pub use estimate::{Confidence, Estimate, Share, ShareError};
pub use money::{Currency, CurrencyParseError, FxRate, Money, MoneyError, Rates};
pub use observation::PriceObservation;
pub use offer::{BillingMode, BillingModeParseError, Offer, PricePer};
pub use phrase::{Phrase, Phrased};
pub use source::{Grade, Source, Sourced};
pub use units::{Bytes, Seconds, UnitParseError};
pub use usage::{Run, UsageHour};

/// Hours in a month of 30 days, the month that monthly packages are sold by.
pub const HOURS_PER_30_DAYS: u32 = 720;

/// Mean hours in a calendar month (365 x 24 / 12), the usual convention of cloud price pages.
pub const HOURS_PER_MEAN_MONTH: u32 = 730;
