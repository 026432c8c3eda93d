//! What keeping data costs, also while the instance is stopped.

use crate::{
    tariff::per_second,
    terms::{StorageKind, StoragePer},
};
use kasuan_model::{Bytes, Estimate, Money, MoneyError, Seconds};
use rust_decimal::Decimal;

/// Data that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// How much.
    pub size: Bytes,
    /// How long it is kept.
    pub kept: Seconds,
    /// How much of that time the instance runs; counts where a provider charges running time only.
    pub running: Seconds,
    /// Length of the month that a price by the month is for.
    pub month: Seconds,
}

const DAY: u64 = 86_400;

/// Returns data that is kept for a whole month of 30 days on an instance that runs throughout.
pub const fn storage_month(size: Bytes) -> Stored {
    let month = Seconds::from_hours(kasuan_model::HOURS_PER_30_DAYS);
    Stored { size, kept: month, running: month, month }
}

impl StorageKind {
    /// Returns the amount that is charged, in this kind's own GB.
    pub fn charged_gb(&self, size: Bytes) -> Decimal {
        let charged = Decimal::from(size.saturating_sub(self.free).get());
        let unit = if self.binary { 1_u64 << 30 } else { 1_000_000_000 };
        charged / Decimal::from(unit)
    }

    /// Returns what keeping data costs; `None` when the price is not stated. Bounds differ where
    /// the provider does not say whether a stopped instance's data is charged, and by up to a day
    /// where it settles at midnight.
    pub fn cost(&self, stored: Stored) -> Result<Option<Estimate<Money>>, MoneyError> {
        let Some(price) = self.price else { return Ok(None) };
        let charged = self.charged_gb(stored.size);
        let running = stored.running.min(stored.kept);
        let (low, likely, high) = match self.charged_when_stopped {
            Some(true) => (stored.kept, stored.kept, stored.kept),
            Some(false) => (running, running, running),
            None => (running, stored.kept, stored.kept),
        };
        let gb_price = price.times(charged)?;
        let at = |time: Seconds, whole_days: WholeDays| -> Result<Money, MoneyError> {
            let amount = match self.per {
                StoragePer::Hour => per_second(gb_price.amount(), time)?,
                StoragePer::Day => {
                    let days = match whole_days {
                        WholeDays::Passed => Decimal::from(time.get() / DAY),
                        WholeDays::ProRata => Decimal::from(time.get()) / Decimal::from(DAY),
                        WholeDays::Touched => {
                            Decimal::from(time.get().div_ceil(DAY) + u64::from(time.get() > 0))
                        }
                    };
                    gb_price.times(days)?.amount()
                }
                StoragePer::Month => {
                    let seconds = gb_price.times(Decimal::from(time.get()))?;
                    seconds.over(Decimal::from(stored.month.get().max(1)))?.amount()
                }
            };
            Ok(Money::new(amount, price.currency()))
        };
        let whole = low.get() % DAY == 0 && high.get() % DAY == 0;
        if self.per == StoragePer::Day && !whole {
            return Ok(Some(Estimate::new(
                at(low, WholeDays::Passed)?,
                at(likely, WholeDays::ProRata)?,
                at(high, WholeDays::Touched)?,
            )));
        }
        Ok(Some(Estimate::new(
            at(low, WholeDays::ProRata)?,
            at(likely, WholeDays::ProRata)?,
            at(high, WholeDays::ProRata)?,
        )))
    }
}

/// How days are counted where storage is settled at midnight and the time of day is not known.
#[derive(Clone, Copy)]
enum WholeDays {
    /// Only midnights that surely passed.
    Passed,
    /// By the second.
    ProRata,
    /// Every day that may be touched.
    Touched,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalogue, terms::Terms};
    use kasuan_model::BillingMode;

    fn kind<'a>(terms: &'a Terms, id: &str) -> &'a StorageKind {
        terms.storage_kind(Some(id), BillingMode::OnDemand).unwrap()
    }

    fn month_of(size: u32) -> Stored {
        let month = Seconds::from_hours(720);
        Stored { size: Bytes::from_gb(size), kept: month, running: Seconds::from_hours(100), month }
    }

    #[test]
    fn a_month_of_compshare_disk_costs_by_the_hour_what_its_page_says_above_the_free_100_gb() {
        let catalogue = Catalogue::shipped().unwrap();
        let terms = catalogue.terms("compshare", None);
        let hourly = kind(terms, "cloud_disk").cost(month_of(200)).unwrap().unwrap();
        assert_eq!(hourly.likely.amount().normalize().to_string(), "36");
        let prepaid = kind(terms, "cloud_disk_prepaid").cost(month_of(200)).unwrap().unwrap();
        assert_eq!(prepaid.likely.amount().normalize().to_string(), "30");
        let within = kind(terms, "cloud_disk").cost(month_of(100)).unwrap().unwrap();
        assert!(within.high.is_zero());
    }

    #[test]
    fn disks_of_a_stopped_box_go_on_being_charged_and_those_of_a_running_only_rule_do_not() {
        let catalogue = Catalogue::shipped().unwrap();
        let mut kind = kind(catalogue.terms("compshare", None), "cloud_disk").clone();
        let stored = month_of(1100);
        assert_eq!(
            kind.cost(stored).unwrap().unwrap().likely.amount().normalize().to_string(),
            "360"
        );
        kind.charged_when_stopped = Some(false);
        assert_eq!(
            kind.cost(stored).unwrap().unwrap().likely.amount().normalize().to_string(),
            "50"
        );
        kind.charged_when_stopped = None;
        let bounds = kind.cost(stored).unwrap().unwrap();
        assert!(bounds.low.amount() < bounds.high.amount());
    }

    #[test]
    fn an_unstated_price_is_unknown_and_not_nothing() {
        let catalogue = Catalogue::shipped().unwrap();
        let terms = catalogue.terms("tencent", None);
        assert_eq!(kind(terms, "cbs").cost(month_of(100)).unwrap(), None);
    }

    #[test]
    fn storage_settled_at_midnight_is_bounded_by_a_day() {
        let catalogue = Catalogue::shipped().unwrap();
        let disk = kind(catalogue.terms("autodl", None), "data_disk");
        let stored = Stored { kept: Seconds::from_hours(30), ..month_of(150) };
        let cost = disk.cost(stored).unwrap().unwrap();
        // 100 GB above the free 50 at 0.0066 a day: one midnight surely, three days at most.
        assert_eq!(cost.low.amount().normalize().to_string(), "0.66");
        assert_eq!(cost.high.amount().normalize().to_string(), "1.98");
    }
}
