//! Billing terms of a provider as rules that can be computed with.
//!
//! What a provider does not state is `None` and leads to bounds, never to a guess.

use jiff::civil::{Date, Time};
use kasuan_model::{BillingMode, Bytes, CardId, Currency, Money, Seconds, Source};
use rust_decimal::Decimal;

/// A name in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The English name.
    pub en: String,
    /// The Chinese name.
    pub zh: String,
}

/// How amounts are rounded to the smallest coin, at each settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rounding {
    /// Kept to all decimals until the invoice.
    Exact,
    /// Half a coin and more is a coin.
    HalfUp,
    /// Any part of a coin is a coin.
    Up,
    /// Parts of a coin are dropped (抹零).
    Down,
}

/// When a running instance is settled, which is where rounding happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Settlement {
    /// At each full hour of the clock and at the stop.
    ClockHour,
    /// Each hour after the start and at the stop.
    Hour,
    /// Each minute after the start and at the stop.
    Minute,
    /// Once, at the stop.
    AtStop,
}

/// How running time becomes money.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metering {
    /// The step a run is rounded up to.
    pub granularity: Option<Seconds>,
    /// The shortest time that one start is billed for.
    pub minimum: Option<Seconds>,
    /// The least that a settlement costs, in the provider's currency.
    pub minimum_charge: Option<Money>,
    /// How a settlement is rounded.
    pub rounding: Option<Rounding>,
    /// When it is settled.
    pub settlement: Option<Settlement>,
}

/// What a stopped instance costs and how long it lives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stopping {
    /// Whether card, CPU and memory are free while stopped.
    pub compute_free: Option<bool>,
    /// Whether the card is kept for a stopped instance.
    pub card_kept: Option<bool>,
    /// After this time stopped in a row, the instance and its disk are deleted.
    pub delete_after: Option<Seconds>,
    /// What a stopped instance costs for an hour, disks apart.
    pub stopped_hour: Option<Money>,
}

/// What happens when the account owes money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrears {
    /// For instances paid this way.
    pub mode: BillingMode,
    /// The instance stops this long after the money is gone.
    pub stop_after: Option<Seconds>,
    /// The instance is deleted this long after the money is gone.
    pub delete_after: Option<Seconds>,
}

/// What a provider says of its spot instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpotTerms {
    /// Warning before a reclaim.
    pub notice: Option<Seconds>,
    /// Time after the start in which nothing is reclaimed.
    pub protection: Option<Seconds>,
    /// A run reclaimed within this time costs nothing.
    pub free_if_reclaimed_within: Option<Seconds>,
    /// Usual price over the on-demand price.
    pub price_ratio: Option<Decimal>,
    /// Whether a spot instance can be stopped instead of deleted.
    pub stoppable: Option<bool>,
    /// How long the disk is kept after a reclaim.
    pub kept_after_reclaim: Option<Seconds>,
    /// Whether it can be turned into another billing mode.
    pub convertible: Option<bool>,
}

/// What a provider says of packages that are paid ahead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageTerms {
    /// Early exit: paid - paid x used share x factor comes back, never less than nothing.
    pub refund: Vec<(BillingMode, Decimal)>,
    /// Whether a package can be given back early at all; `None` is not stated.
    pub early_exit: Option<bool>,
    /// Whether a running on-demand instance can be turned into a package.
    pub convertible: Option<bool>,
    /// Whether an expired package goes on, billed on demand.
    pub falls_to_on_demand: Option<bool>,
    /// How long the instance is kept after it expired.
    pub recycle_after_expiry: Option<Seconds>,
}

/// The span that a storage price is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoragePer {
    /// A GB kept for an hour, metered by the second.
    Hour,
    /// A GB kept for a day, settled at midnight.
    Day,
    /// A GB kept for a month, pro rata.
    Month,
}

/// A kind of storage with its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageKind {
    /// The id within the provider.
    pub id: String,
    /// What people call it.
    pub name: Names,
    /// Price of a GB for `per`; `None` is not stated.
    pub price: Option<Money>,
    /// What the price is for.
    pub per: StoragePer,
    /// What is free for each instance.
    pub free: Bytes,
    /// Whether a GB is 2^30 bytes here.
    pub binary: bool,
    /// Whether it is charged while the instance is stopped.
    pub charged_when_stopped: Option<bool>,
    /// Whether it belongs to packages (`true`), to on demand (`false`), or to both.
    pub packages: Option<bool>,
    /// Anything else.
    pub note: String,
}

/// A step of a tiered price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    /// Counted from the first byte of the month; `None` is the last tier.
    pub up_to: Option<Bytes>,
    /// Price of a GB within the tier.
    pub price: Money,
}

/// Prices of traffic, per GB.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Out to the internet, in tiers by month; empty is not stated.
    pub egress: Vec<Tier>,
    /// This many times the stored amount leaves for free.
    pub free_times_stored: Option<Decimal>,
    /// In from the internet.
    pub ingress: Option<Money>,
    /// Between zones of a region.
    pub intra_region: Option<Money>,
    /// Between regions of the provider.
    pub inter_region: Option<Money>,
}

/// A discount by the time of day or by the buyer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discount {
    /// What it depends on.
    pub kind: DiscountKind,
    /// Share of the price that is taken off.
    pub off: Decimal,
    /// The cards it is for; empty means all.
    pub cards: Vec<CardId>,
    /// Since when, as stated.
    pub since: String,
}

/// What a discount depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscountKind {
    /// The time of day: from, to; may run over midnight.
    Night(Time, Time),
    /// The buyer's rank.
    Member,
    /// Days that the provider announces.
    Holiday,
}

/// What is known about tax.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaxTerms {
    /// Whether prices include it.
    pub included: Option<bool>,
    /// The rate, 0 to 1.
    pub rate: Option<Decimal>,
    /// Whether a VAT special invoice can be had, so that a general taxpayer deducts the tax.
    pub vat_invoice: Option<bool>,
    /// What the invoice says.
    pub invoice: String,
}

/// The billing terms of a provider during a span of days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The provider's id.
    pub provider: String,
    /// What people call the provider.
    pub name: Names,
    /// ISO country code of the provider.
    pub country: String,
    /// The currency of its prices here.
    pub currency: Currency,
    /// First day; `None` is open.
    pub valid_from: Option<Date>,
    /// Last day; `None` is open.
    pub valid_to: Option<Date>,
    /// How running time becomes money.
    pub metering: Metering,
    /// Stopped instances.
    pub stopping: Stopping,
    /// Debts.
    pub arrears: Vec<Arrears>,
    /// Spot instances.
    pub spot: SpotTerms,
    /// Packages.
    pub packages: PackageTerms,
    /// Storage; the first kind is the one an instance is made with.
    pub storage: Vec<StorageKind>,
    /// Traffic.
    pub traffic: Traffic,
    /// Discounts.
    pub discounts: Vec<Discount>,
    /// Price of an hour without the card (无卡开机).
    pub no_card_hour: Option<Money>,
    /// Tax.
    pub tax: TaxTerms,
    /// Anything else the source says.
    pub notes: String,
    /// Where it comes from.
    pub source: Source,
}

impl Terms {
    /// Returns the terms of a provider that states nothing.
    pub fn unstated(provider: &str, currency: Currency) -> Self {
        Self {
            provider: provider.to_owned(),
            name: Names { en: provider.to_owned(), zh: provider.to_owned() },
            country: String::new(),
            currency,
            valid_from: None,
            valid_to: None,
            metering: Metering::default(),
            stopping: Stopping::default(),
            arrears: Vec::new(),
            spot: SpotTerms::default(),
            packages: PackageTerms::default(),
            storage: Vec::new(),
            traffic: Traffic::default(),
            discounts: Vec::new(),
            no_card_hour: None,
            tax: TaxTerms::default(),
            notes: String::new(),
            source: Source::stated(""),
        }
    }

    /// Says whether the terms hold on a day.
    pub fn holds_on(&self, day: Date) -> bool {
        self.valid_from.is_none_or(|from| from <= day) && self.valid_to.is_none_or(|to| day <= to)
    }

    /// Returns the factor of the early-exit formula of a billing mode; `None` when the provider
    /// states none.
    pub fn refund_factor(&self, mode: BillingMode) -> Option<Decimal> {
        self.packages.refund.iter().find(|(of, _)| *of == mode).map(|(_, factor)| *factor)
    }

    /// Returns a kind of storage by its id, or the one that an instance paid this way is made
    /// with.
    pub fn storage_kind(&self, id: Option<&str>, mode: BillingMode) -> Option<&StorageKind> {
        match id {
            Some(id) => self.storage.iter().find(|kind| kind.id == id),
            None => {
                let wanted = mode.is_commitment();
                self.storage.iter().find(|kind| kind.packages.is_none_or(|is| is == wanted))
            }
        }
    }
}
