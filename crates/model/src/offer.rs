//! Offers: a product of a provider at a price, as observed on a day.

use crate::{Bytes, Card, CardId, Interconnect, Money, Seconds, Source};
use rust_decimal::Decimal;
use std::{fmt, str::FromStr};

/// How an offer is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BillingMode {
    /// 按需: pay for what runs.
    OnDemand,
    /// 竞价: cheaper, may be reclaimed.
    Spot,
    /// 包日: a day paid ahead.
    Daily,
    /// 包周: seven days paid ahead.
    Weekly,
    /// 包月: thirty days paid ahead.
    Monthly,
    /// 包年: a year paid ahead.
    Yearly,
    /// 预留: a promise of use over some months, billed by the hour whether used or not.
    Reserved {
        /// Length of the promise.
        months: u8,
    },
}

impl BillingMode {
    /// Returns how long one purchase runs; `None` for on demand and spot.
    pub const fn term(self) -> Option<Seconds> {
        match self {
            Self::OnDemand | Self::Spot => None,
            Self::Daily => Some(Seconds::from_hours(24)),
            Self::Weekly => Some(Seconds::from_hours(168)),
            Self::Monthly => Some(Seconds::from_hours(720)),
            Self::Yearly => Some(Seconds::from_hours(8_760)),
            Self::Reserved { months } => Some(Seconds::from_hours(720 * months as u32)),
        }
    }

    /// Says whether the money is owed whether the card is used or not.
    pub const fn is_commitment(self) -> bool {
        self.term().is_some()
    }

    /// Returns the stable word used in files and JSON.
    pub fn word(self) -> String {
        match self {
            Self::OnDemand => "on_demand".to_owned(),
            Self::Spot => "spot".to_owned(),
            Self::Daily => "daily".to_owned(),
            Self::Weekly => "weekly".to_owned(),
            Self::Monthly => "monthly".to_owned(),
            Self::Yearly => "yearly".to_owned(),
            Self::Reserved { months } => format!("reserved_{months}m"),
        }
    }
}

impl fmt::Display for BillingMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.word())
    }
}

/// The text is not a billing mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a billing mode; use on_demand, spot, daily, weekly, monthly, yearly or reserved_12m"
)]
pub struct BillingModeParseError {
    /// What was given.
    pub text: String,
}

impl FromStr for BillingMode {
    type Err = BillingModeParseError;

    fn from_str(text: &str) -> Result<Self, BillingModeParseError> {
        let word = text.trim().to_lowercase().replace('-', "_");
        Ok(match word.as_str() {
            "on_demand" | "ondemand" | "按需" | "按量" => Self::OnDemand,
            "spot" | "preemptible" | "竞价" | "抢占式" => Self::Spot,
            "daily" | "包日" => Self::Daily,
            "weekly" | "包周" => Self::Weekly,
            "monthly" | "包月" => Self::Monthly,
            "yearly" | "包年" => Self::Yearly,
            _ => {
                let months = word.strip_prefix("reserved_").and_then(|rest| rest.strip_suffix('m'));
                let months = months.and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                let unread = || BillingModeParseError { text: text.to_owned() };
                Self::Reserved { months: months.ok_or_else(unread)? }
            }
        })
    }
}

/// The span that a price is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PricePer {
    /// One hour.
    Hour,
    /// One whole term of the billing mode (a day, a week, thirty days...).
    Term,
}

/// A product of a provider at a price. The price is for the whole instance, never per card.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// A stable id: provider, region, product and mode; unique in a catalogue.
    pub id: String,
    /// The provider's id in lower case, for example `compshare`.
    pub provider: String,
    /// The provider's region, empty when not stated.
    pub region: String,
    /// ISO country code, empty when not stated.
    pub country: String,
    /// What the provider calls the product.
    pub product: String,
    /// The card in it.
    pub card: CardId,
    /// What the source called the card.
    pub card_raw: String,
    /// Cards in the instance, or slices of cards when `slices` is above 1; above zero.
    pub count: u32,
    /// Into how many equal parts a card is cut of which each counted one is a part (vGPU); 1 means
    /// whole cards. A slice has that part of the card's memory and speed.
    pub slices: u32,
    /// The provider's tier where it sells the card under several (`secure`, `community`,
    /// `marketplace`, `serverless`...); empty when there is one. `marketplace` prices are the
    /// cheapest of many hosts, `serverless` ones are for requests, not for a box.
    pub tier: String,
    /// Whether CPU and host memory are in the price; `None` when the source does not say.
    pub host_included: Option<bool>,
    /// Virtual CPUs of the instance.
    pub vcpus: Option<u32>,
    /// Host memory of the instance.
    pub memory: Option<Bytes>,
    /// Local disk of the instance.
    pub disk: Option<Bytes>,
    /// How its cards talk to each other.
    pub interconnect: Interconnect,
    /// How it is paid for.
    pub mode: BillingMode,
    /// Price of the whole instance; above zero.
    pub price: Money,
    /// What the price is for.
    pub per: PricePer,
    /// The step a run is rounded up to; `None` when the provider does not say.
    pub granularity: Option<Seconds>,
    /// The shortest time that is billed for one start; `None` when the provider does not say.
    pub minimum: Option<Seconds>,
    /// Instances that can be had at once; `None` where nobody says, which is nearly always.
    pub stock: Option<u32>,
    /// Where the price was seen, when, under which licence.
    pub source: Source,
    /// Anything else the source says.
    pub notes: String,
}

impl Offer {
    /// Returns the price of one hour of the whole instance; a term's price is spread over its
    /// hours.
    pub fn hourly(&self) -> Money {
        let hours = match (self.per, self.mode.term()) {
            (PricePer::Term, Some(term)) => term.decimal_hours(),
            _ => return self.price,
        };
        Money::new(self.price.amount() / hours, self.price.currency())
    }

    /// Returns the price of one hour of one whole card; slices are scaled up to a card.
    pub fn hourly_per_card(&self) -> Money {
        let hourly = self.hourly();
        if self.slices <= 1 && self.count <= 1 {
            return hourly;
        }
        let slices = Decimal::from(self.slices.max(1));
        let amount = hourly.amount().checked_mul(slices).unwrap_or(Decimal::MAX);
        Money::new(amount / Decimal::from(self.count.max(1)), hourly.currency())
    }

    /// Returns the memory for jobs that one counted card of the offer has: the card's, or a
    /// slice's part of it.
    pub fn card_memory(&self, card: &Card) -> Bytes {
        Bytes::new(card.memory_for_jobs().get() / u64::from(self.slices.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_read_back_what_they_write() {
        for mode in [
            BillingMode::OnDemand,
            BillingMode::Spot,
            BillingMode::Daily,
            BillingMode::Weekly,
            BillingMode::Monthly,
            BillingMode::Yearly,
            BillingMode::Reserved { months: 36 },
        ] {
            assert_eq!(mode.word().parse(), Ok(mode));
        }
        assert!("reserved_0m".parse::<BillingMode>().is_err());
        assert!("月付".parse::<BillingMode>().is_err());
    }
}
