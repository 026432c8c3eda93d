//! A part of a line of the budget: an amount of something at a price.

use super::CostKind;
use kasuan_market::terms::StoragePer;
use kasuan_model::{BillingMode, Money};
use rust_decimal::Decimal;

/// A part of what providers bill. The price of each is in the plan's currency, and the amount of
/// money is [`LinePart::quantity`] times [`LinePart::price`].
#[derive(Clone, Debug, PartialEq)]
pub enum LinePart {
    /// Instance-hours of a job at a listed price.
    Hours {
        /// The job, as its place in the plan.
        job: usize,
        /// The offer's id.
        offer: String,
        /// The provider.
        provider: String,
        /// On demand or spot.
        mode: BillingMode,
        /// Price of an instance-hour.
        price: Money,
        /// Hours of the listed price that are billed: lower night prices, least charges and
        /// rounding are in them.
        hours: Decimal,
    },
    /// Instances that are paid for a term.
    Term {
        /// The offer's id.
        offer: String,
        /// The provider.
        provider: String,
        /// What people call the card.
        card: String,
        /// Which term.
        mode: BillingMode,
        /// Price of one instance; of a term longer than the plan, the plan's part of it.
        price: Money,
        /// Instances.
        count: u32,
    },
    /// Data that is kept.
    Kept {
        /// What is kept, where the user priced it alone; otherwise everything.
        name: String,
        /// The provider; empty where the user states the price.
        provider: String,
        /// How much, in GB or GiB.
        size: Decimal,
        /// How much of it is free.
        free: Decimal,
        /// How many hours, days or months it is kept.
        times: Decimal,
        /// What the price is for.
        per: StoragePer,
        /// Whether sizes are in GiB.
        binary: bool,
        /// Price of a GB (or GiB) kept for that span.
        price: Money,
    },
    /// Traffic out that falls into one tier.
    Sent {
        /// The provider.
        provider: String,
        /// All traffic, in GB.
        size: Decimal,
        /// How much of it is free before the tiers.
        free: Decimal,
        /// Where the tier begins, in GB.
        from: Decimal,
        /// Where it ends; `None` is the last.
        to: Option<Decimal>,
        /// Price of a GB.
        price: Money,
    },
    /// Tax on what a provider bills.
    Billed {
        /// The provider.
        provider: String,
        /// What it bills.
        base: Money,
        /// What the tax adds to it, as a share; below nothing where it is deducted.
        share: Decimal,
        /// Whether storage and traffic are part of what it bills.
        with_data: bool,
    },
}

impl LinePart {
    /// Returns the class of cost that it belongs to.
    pub const fn kind(&self) -> CostKind {
        match self {
            Self::Hours { .. } | Self::Term { .. } => CostKind::Rent,
            Self::Kept { .. } => CostKind::Storage,
            Self::Sent { .. } => CostKind::Egress,
            Self::Billed { .. } => CostKind::Tax,
        }
    }

    /// Returns how much of it there is.
    pub fn quantity(&self) -> Decimal {
        match self {
            Self::Hours { hours, .. } => *hours,
            Self::Term { count, .. } => Decimal::from(*count),
            Self::Kept { size, free, times, .. } => (size - free).max(Decimal::ZERO) * times,
            Self::Sent { size, free, from, to, .. } => {
                let charged = (size - free).max(Decimal::ZERO);
                let reach = to.map_or(charged, |to| charged.min(to));
                (reach - from).max(Decimal::ZERO)
            }
            Self::Billed { share, .. } => *share,
        }
    }

    /// Returns what one of it costs.
    pub const fn price(&self) -> Money {
        match self {
            Self::Hours { price, .. }
            | Self::Term { price, .. }
            | Self::Kept { price, .. }
            | Self::Sent { price, .. } => *price,
            Self::Billed { base, .. } => *base,
        }
    }

    /// Returns what it costs, not rounded; nothing where the product is beyond what a decimal
    /// holds, which a plan with such a sum has refused before.
    pub fn amount(&self) -> Decimal {
        self.quantity().checked_mul(self.price().amount()).unwrap_or_default()
    }
}
