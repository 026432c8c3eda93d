//! The bill: what stated starts and stops, stored data and traffic cost on an offer, line by line.
//!
//! What a provider does not state gives bounds; what has no price is named and left out of the
//! total, never counted as nothing.

mod compute;
mod keep;
mod package;

use crate::{tariff::Tariff, terms::Terms};
use jiff::civil::DateTime;
use kasuan_model::{
    BillingMode, Bytes, Estimate, Money, MoneyError, Offer, Phrase, Phrased, Seconds,
};
use rust_decimal::Decimal;

/// One time that the instance runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// When it starts.
    pub from: DateTime,
    /// When it stops.
    pub to: DateTime,
    /// Whether the provider took it back, for spot.
    pub reclaimed: bool,
    /// Whether it was started without the card (无卡开机).
    pub without_card: bool,
}

impl Run {
    /// Creates a run with the card that its user stops.
    pub const fn new(from: DateTime, to: DateTime) -> Self {
        Self { from, to, reclaimed: false, without_card: false }
    }
}

/// Data that is kept for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The id of the provider's kind of storage; `None` takes the one an instance is made with.
    pub kind: Option<String>,
    /// How much.
    pub size: Bytes,
    /// Since when.
    pub from: DateTime,
    /// Until when.
    pub to: DateTime,
}

/// What an instance was used for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The runs, in order, none overlapping.
    pub runs: Vec<Run>,
    /// When the instance was deleted; `None` deletes it at the last stop.
    pub released: Option<DateTime>,
    /// When a package was given back early; use ends then.
    pub given_back: Option<DateTime>,
    /// Kept data.
    pub storage: Vec<Keep>,
    /// Bytes out to the internet, within one month.
    pub egress: Bytes,
}

/// What a line of a bill is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineKind {
    /// Running time with the card.
    Compute,
    /// A package paid ahead.
    Package,
    /// Money back for a package given back early; negative.
    Refund,
    /// Running time without the card.
    WithoutCard,
    /// A stopped instance that is charged all the same.
    Stopped,
    /// Kept data.
    Storage,
    /// Traffic out.
    Egress,
}

impl LineKind {
    /// Returns the stable word used in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Package => "package",
            Self::Refund => "refund",
            Self::WithoutCard => "without_card",
            Self::Stopped => "stopped",
            Self::Storage => "storage",
            Self::Egress => "egress",
        }
    }
}

/// What the quantity of a line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Hours of the whole instance.
    InstanceHour,
    /// Packages.
    Package,
    /// GB kept for an hour.
    GbHour,
    /// GB kept for a day.
    GbDay,
    /// GB kept for a month.
    GbMonth,
    /// GB moved.
    Gb,
}

impl Unit {
    /// Returns the stable word used in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::InstanceHour => "instance_hour",
            Self::Package => "package",
            Self::GbHour => "gb_hour",
            Self::GbDay => "gb_day",
            Self::GbMonth => "gb_month",
            Self::Gb => "gb",
        }
    }
}

/// One line of a bill.
#[derive(Clone, Debug, PartialEq)]
pub struct BillLine {
    /// What it is for.
    pub kind: LineKind,
    /// Since when; `None` where time does not matter.
    pub from: Option<DateTime>,
    /// Until when.
    pub to: Option<DateTime>,
    /// How much is charged; a range where the provider does not say how it counts.
    pub quantity: Estimate<Decimal>,
    /// What the quantity counts.
    pub unit: Unit,
    /// Price of one.
    pub unit_price: Money,
    /// The charge.
    pub amount: Estimate<Money>,
    /// How it came about.
    pub how: Vec<Phrase>,
}

/// A bill.
#[derive(Clone, Debug, PartialEq)]
pub struct Bill {
    /// The lines.
    pub lines: Vec<BillLine>,
    /// Their sum.
    pub total: Estimate<Money>,
    /// Time with the card, as used.
    pub used: Seconds,
    /// What is at risk: deletion timers, packages that cannot be given back.
    pub warnings: Vec<Phrase>,
    /// What has no stated price or rule, and is therefore not in the total or only within bounds.
    pub unknown: Vec<Phrase>,
}

impl Bill {
    /// Returns the money for an hour of use, which is what the list price really came to; of a
    /// package given back, for the hours until then. `None` without use.
    pub fn effective_hourly(&self) -> Option<Money> {
        if self.used == Seconds::ZERO {
            return None;
        }
        self.total.likely.over(self.used.decimal_hours()).ok()
    }
}

/// Why there is no bill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BillError {
    /// An interval ends before it starts.
    #[error("an interval ends at {to}, before it starts at {from}")]
    Backwards {
        /// The start.
        from: DateTime,
        /// The end.
        to: DateTime,
    },
    /// Two runs of one instance overlap, or are not in order.
    #[error("a run starts at {next} while the one before it ends at {previous}")]
    Overlap {
        /// The end of the earlier run.
        previous: DateTime,
        /// The start of the later one.
        next: DateTime,
    },
    /// A usage of more than this many years is a mistake.
    #[error("the usage spans more than {years} years")]
    TooLong {
        /// The limit.
        years: u32,
    },
    /// Only a package can be given back.
    #[error("`{offer}` is no package that could be given back")]
    NoPackage {
        /// The offer.
        offer: String,
        /// How it is billed.
        mode: BillingMode,
    },
    /// A package is given back while it is used, not later.
    #[error("given back at {given_back}, after the use that ends at {to}")]
    GivenBackLate {
        /// When it is given back.
        given_back: DateTime,
        /// The end of the use.
        to: DateTime,
    },
    /// Only a spot instance is reclaimed.
    #[error("`{offer}` is no spot offer that could be reclaimed")]
    NoSpot {
        /// The offer.
        offer: String,
        /// How it is billed.
        mode: BillingMode,
    },
    /// The provider has no such kind of storage.
    #[error("`{provider}` has no storage called `{kind}`; it has {}", known.join(", "))]
    NoStorage {
        /// The provider.
        provider: String,
        /// What was asked for.
        kind: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Amounts that cannot be combined.
    #[error("the bill cannot be summed")]
    Money(#[from] MoneyError),
}

impl Phrased for BillError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Backwards { from, to } => {
                Phrase::new("market-bill-backwards").with("from", from).with("to", to)
            }
            Self::Overlap { previous, next } => {
                Phrase::new("market-bill-overlap").with("previous", previous).with("next", next)
            }
            Self::TooLong { years } => Phrase::new("market-bill-too-long").with("years", years),
            Self::NoPackage { offer, mode } => Phrase::new("market-bill-no-package")
                .with("offer", offer)
                .with_word("mode", format!("mode-{mode}")),
            Self::GivenBackLate { given_back, to } => Phrase::new("market-bill-given-back-late")
                .with("given_back", given_back)
                .with("to", to),
            Self::NoSpot { offer, mode } => Phrase::new("market-bill-no-spot")
                .with("offer", offer)
                .with_word("mode", format!("mode-{mode}")),
            Self::NoStorage { provider, kind, known } => Phrase::new("market-bill-no-storage")
                .with("provider", provider)
                .with("kind", kind)
                .with("known", known.join(", ")),
            Self::Money(error) => money_phrase(error),
        }
    }
}

/// Says why sums could not be combined.
pub fn money_phrase(error: &MoneyError) -> Phrase {
    match error {
        MoneyError::Mixed { left, right } => {
            Phrase::new("market-money-mixed").with("left", left).with("right", right)
        }
        MoneyError::NoRate { from, to } => {
            Phrase::new("market-money-no-rate").with("from", from).with("to", to)
        }
        MoneyError::Overflow => Phrase::new("market-money-overflow"),
    }
}

/// The longest usage that is billed in one call.
const MAX_YEARS: u32 = 20;

/// Computes the charge for a usage of an offer under a provider's terms.
pub fn bill(usage: &Usage, offer: &Offer, terms: &Terms) -> Result<Bill, BillError> {
    check(usage)?;
    applies(usage, offer)?;
    let mut billing = Billing {
        offer,
        terms,
        tariff: Tariff::new(offer, terms),
        lines: Vec::new(),
        warnings: Vec::new(),
        unknown: Vec::new(),
    };
    if offer.mode.is_commitment() {
        billing.package(usage)?;
    } else {
        for run in &usage.runs {
            billing.run(*run)?;
        }
        billing.stopped(usage)?;
    }
    billing.storage(usage)?;
    billing.egress(usage)?;
    billing.finish(usage)
}

/// A bill being made.
struct Billing<'a> {
    offer: &'a Offer,
    terms: &'a Terms,
    tariff: Tariff,
    lines: Vec<BillLine>,
    warnings: Vec<Phrase>,
    unknown: Vec<Phrase>,
}

impl Billing<'_> {
    /// Says something once.
    fn say_unknown(&mut self, phrase: Phrase) {
        if !self.unknown.contains(&phrase) {
            self.unknown.push(phrase);
        }
    }

    /// Sums the lines; a line in another currency than the offer's is named instead.
    fn finish(mut self, usage: &Usage) -> Result<Bill, BillError> {
        let currency = self.offer.price.currency();
        let zero = Money::zero(currency);
        let mut total = Estimate::exact(zero);
        for line in &self.lines {
            if line.unit_price.currency() != currency {
                let other = Phrase::new("market-bill-other-currency")
                    .with("amount", line.amount.likely)
                    .with("currency", currency);
                if !self.unknown.contains(&other) {
                    self.unknown.push(other);
                }
                continue;
            }
            total.low = total.low.checked_add(line.amount.low)?;
            total.likely = total.likely.checked_add(line.amount.likely)?;
            total.high = total.high.checked_add(line.amount.high)?;
        }
        let with_card = usage.runs.iter().filter(|run| !run.without_card);
        let ends = |run: &Run| usage.given_back.map_or(run.to, |end| run.to.min(end).max(run.from));
        let used = with_card.map(|run| seconds_between(run.from, ends(run))).sum();
        let Self { lines, warnings, unknown, .. } = self;
        Ok(Bill { lines, total, used, warnings, unknown })
    }
}

fn check(usage: &Usage) -> Result<(), BillError> {
    let forwards = |from: DateTime, to: DateTime| {
        if to < from { Err(BillError::Backwards { from, to }) } else { Ok(()) }
    };
    let longest = Seconds::from_hours(24 * 366 * MAX_YEARS);
    let mut previous: Option<DateTime> = None;
    for run in &usage.runs {
        forwards(run.from, run.to)?;
        if let Some(previous) = previous.filter(|previous| run.from < *previous) {
            return Err(BillError::Overlap { previous, next: run.from });
        }
        previous = Some(run.to);
    }
    for keep in &usage.storage {
        forwards(keep.from, keep.to)?;
        if seconds_between(keep.from, keep.to) > longest {
            return Err(BillError::TooLong { years: MAX_YEARS });
        }
    }
    let first = usage.runs.first().map(|run| run.from);
    let last = usage.released.max(previous);
    if let (Some(first), Some(last)) = (first, last) {
        if let Some(released) = usage.released {
            forwards(first, released)?;
        }
        if let Some(given_back) = usage.given_back {
            forwards(first, given_back)?;
        }
        if seconds_between(first, last) > longest {
            return Err(BillError::TooLong { years: MAX_YEARS });
        }
    }
    Ok(())
}

/// Refuses what cannot happen to an offer that is billed this way, instead of leaving it out.
fn applies(usage: &Usage, offer: &Offer) -> Result<(), BillError> {
    let named = || (offer.id.clone(), offer.mode);
    if let Some(given_back) = usage.given_back {
        if !offer.mode.is_commitment() {
            let (offer, mode) = named();
            return Err(BillError::NoPackage { offer, mode });
        }
        if let Some(to) = usage.runs.last().map(|run| run.to).filter(|to| given_back > *to) {
            return Err(BillError::GivenBackLate { given_back, to });
        }
    }
    if offer.mode != BillingMode::Spot && usage.runs.iter().any(|run| run.reclaimed) {
        let (offer, mode) = named();
        return Err(BillError::NoSpot { offer, mode });
    }
    Ok(())
}

/// Returns the whole seconds between two moments of one clock; a part of a second counts as one.
pub(crate) fn seconds_between(from: DateTime, to: DateTime) -> Seconds {
    let span = to.duration_since(from);
    let whole = u64::try_from(span.as_secs()).unwrap_or(0);
    Seconds::new(whole + u64::from(span.subsec_nanos() > 0))
}

#[cfg(test)]
mod tests;
