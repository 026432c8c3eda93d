//! A lower price by night, and what a run costs that starts at any time of day.

use super::{RunCost, Tariff, per_second, round};
use crate::terms::{DiscountKind, Rounding, Terms};
use kasuan_model::{BillingMode, Estimate, Money, MoneyError, Offer, Seconds};
use rust_decimal::Decimal;

const DAY: u64 = 86_400;

/// Part of a day with a lower price; it may run over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Night {
    /// When it begins, in seconds of the day.
    from: u64,
    /// Its length in seconds.
    length: u64,
    /// Share of the price that is taken off.
    off: Decimal,
}

impl Night {
    /// Reads the night discount of an offer from its provider's terms; only time that is paid on
    /// demand has one.
    pub(super) fn of(offer: &Offer, terms: &Terms) -> Option<Self> {
        if offer.mode != BillingMode::OnDemand {
            return None;
        }
        terms.discounts.iter().find_map(|discount| {
            let DiscountKind::Night(from, to) = discount.kind else { return None };
            let of_card = discount.cards.is_empty() || discount.cards.contains(&offer.card);
            let (from, to) = (second(from), second(to));
            let length = (to + DAY - from) % DAY;
            of_card.then_some(Self { from, length, off: discount.off })
        })
    }

    /// Returns the share of the price that is taken off.
    pub const fn off(self) -> Decimal {
        self.off
    }

    /// Counts the seconds of `[second, second + length)` that fall into the night, on any day;
    /// `second` is counted from a midnight.
    pub fn seconds(self, second: u64, length: u64) -> u64 {
        let before = |moment: u64| {
            // Night seconds from the first night's start to a moment at or after it.
            let whole = moment / DAY * self.length;
            whole + (moment % DAY).min(self.length)
        };
        let shifted = second + DAY - self.from;
        before(shifted + length) - before(shifted)
    }
}

fn second(time: jiff::civil::Time) -> u64 {
    let part = |value: i8| u64::try_from(value).unwrap_or(0);
    part(time.hour()) * 3600 + part(time.minute()) * 60 + part(time.second())
}

impl Tariff {
    /// Returns what one run of `length` costs that starts so many seconds after a midnight: what
    /// [`crate::bill`] charges for it.
    pub fn run_from(&self, start: u64, length: Seconds) -> Result<RunCost, MoneyError> {
        let billed = self.billed(length);
        let lowered = self.night.is_some_and(|night| night.seconds(start, billed.high.get()) > 0);
        if self.term.is_some() || !lowered {
            return self.run(length);
        }
        let (low, likely, high) = match self.rounding {
            Some(rounding) => (rounding, rounding, rounding),
            None => (Rounding::Down, Rounding::Exact, Rounding::Up),
        };
        let charge = |billed, rounding| -> Result<Money, MoneyError> {
            Ok(Money::new(self.settlements_from(start, billed, rounding)?, self.currency()))
        };
        let cost = Estimate::new(
            charge(billed.low, low)?,
            charge(billed.likely, likely)?,
            charge(billed.high, high)?,
        );
        Ok(RunCost { billed, cost })
    }

    /// Sums the settlements of `billed` time from a second of the day on.
    pub(crate) fn settlements_from(
        &self,
        start: u64,
        billed: Seconds,
        rounding: Rounding,
    ) -> Result<Decimal, MoneyError> {
        let every = self.settled_every.map_or(u64::MAX, Seconds::get);
        let mut at = 0_u64;
        let mut sum = Decimal::ZERO;
        while at < billed.get() {
            let into = if self.settled_by_clock { (start + at) % every } else { at % every };
            let end = at.saturating_add(every - into).min(billed.get());
            let charge = self.settlement_from(start + at, end - at, rounding)?;
            sum = sum.checked_add(charge).ok_or(MoneyError::Overflow)?;
            at = end;
        }
        Ok(sum)
    }

    /// Returns what one settlement costs, its night part at the lower price.
    fn settlement_from(
        &self,
        second: u64,
        length: u64,
        rounding: Rounding,
    ) -> Result<Decimal, MoneyError> {
        let lowered = self.night.map_or(0, |night| night.seconds(second, length));
        let Some(night) = self.night.filter(|_| lowered > 0) else {
            return self.settlement(Seconds::new(length), rounding);
        };
        let price = self.price.amount();
        let lower = price.checked_mul(Decimal::ONE - night.off).ok_or(MoneyError::Overflow)?;
        let by_day = per_second(price, Seconds::new(length - lowered))?;
        let by_night = per_second(lower, Seconds::new(lowered))?;
        let exact = by_day.checked_add(by_night).ok_or(MoneyError::Overflow)?;
        let rounded = round(exact, rounding, self.currency());
        Ok(self.minimum_charge.map_or(rounded, |least| rounded.max(least)))
    }
}
