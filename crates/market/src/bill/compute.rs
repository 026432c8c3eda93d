//! Running time: steps, minimum, settlements, rounding, night discount.

use super::{BillError, BillLine, Billing, LineKind, Run, Unit, seconds_between};
use crate::{
    tariff::{per_second, round},
    terms::{DiscountKind, Rounding},
};
use jiff::{ToSpan as _, civil::DateTime};
use kasuan_model::{Estimate, Money, MoneyError, Phrase, Seconds};
use rust_decimal::Decimal;

const HOUR: u64 = 3600;
const DAY: u64 = 86_400;

/// Part of a day with a lower price, as seconds of the day; the end may be past midnight.
#[derive(Clone, Copy)]
struct Night {
    from: u64,
    length: u64,
    off: Decimal,
}

impl Billing<'_> {
    /// Adds the line of one run.
    pub(super) fn run(&mut self, run: Run) -> Result<(), BillError> {
        if run.without_card {
            return self.run_without_card(run);
        }
        let length = seconds_between(run.from, run.to);
        if length == Seconds::ZERO {
            return Ok(());
        }
        let mut how = Vec::new();
        let billed = self.tariff.billed(length);
        let free_within = self.terms.spot.free_if_reclaimed_within;
        if run.reclaimed && free_within.is_some_and(|within| length <= within) {
            let nothing = Estimate::exact(Money::zero(self.tariff.currency()));
            how.push(Phrase::new("market-bill-reclaimed-free"));
            self.push_compute(run, Estimate::exact(Decimal::ZERO), nothing, how);
            return Ok(());
        }
        let night = self.night();
        let (low, likely, high) = match self.tariff.rounding {
            Some(rounding) => (rounding, rounding, rounding),
            None => (Rounding::Down, Rounding::Exact, Rounding::Up),
        };
        let currency = self.tariff.currency();
        let charge = |billed, rounding| -> Result<Money, MoneyError> {
            Ok(Money::new(self.settlements(run.from, billed, rounding, night)?, currency))
        };
        let amount = Estimate::new(
            charge(billed.low, low)?,
            charge(billed.likely, likely)?,
            charge(billed.high, high)?,
        );
        let start = second_of_day(run.from);
        let lowered = night.filter(|night| night_seconds(start, billed.likely.get(), *night) > 0);
        self.explain(length, billed, lowered, &mut how);
        let quantity = billed.map(Seconds::decimal_hours);
        self.push_compute(run, quantity, amount, how);
        Ok(())
    }

    fn push_compute(
        &mut self,
        run: Run,
        quantity: Estimate<Decimal>,
        amount: Estimate<Money>,
        how: Vec<Phrase>,
    ) {
        self.lines.push(BillLine {
            kind: LineKind::Compute,
            from: Some(run.from),
            to: Some(run.to),
            quantity,
            unit: Unit::InstanceHour,
            unit_price: self.tariff.price,
            amount,
            how,
        });
    }

    /// Says by which rules the billed time came about.
    fn explain(
        &mut self,
        length: Seconds,
        billed: Estimate<Seconds>,
        night: Option<Night>,
        how: &mut Vec<Phrase>,
    ) {
        let step = self.tariff.step;
        let hours = |time: Seconds| time.decimal_hours().round_dp(4).normalize();
        if billed.likely != length {
            how.push(
                Phrase::new("market-bill-time")
                    .with("used", hours(length))
                    .with("billed", hours(billed.likely)),
            );
        }
        if step.low == step.high {
            // A step of a second needs no words: nothing is rounded.
            if step.likely > Seconds::new(1) {
                how.push(Phrase::new("market-bill-step").with("seconds", step.likely.get()));
            }
        } else {
            let unknown = Phrase::new("market-unknown-step")
                .with("low", step.low.get())
                .with("high", step.high.get());
            self.say_unknown(unknown);
        }
        if self.tariff.minimum > length {
            how.push(Phrase::new("market-bill-minimum").with("seconds", self.tariff.minimum.get()));
        }
        match self.tariff.rounding {
            Some(Rounding::Exact) => {}
            Some(rounding) => how.push(match rounding {
                Rounding::Up => Phrase::new("market-bill-rounds-up"),
                Rounding::Down => Phrase::new("market-bill-rounds-down"),
                Rounding::HalfUp | Rounding::Exact => Phrase::new("market-bill-rounds-half-up"),
            }),
            None => self.say_unknown(Phrase::new("market-unknown-rounding")),
        }
        if let Some(night) = night {
            how.push(
                Phrase::new("market-bill-night")
                    .with("off", (night.off * Decimal::ONE_HUNDRED).normalize()),
            );
        }
    }

    /// Returns the night discount of the offer's card, if the provider has one.
    fn night(&self) -> Option<Night> {
        if self.offer.mode != kasuan_model::BillingMode::OnDemand {
            return None;
        }
        self.terms.discounts.iter().find_map(|discount| {
            let DiscountKind::Night(from, to) = discount.kind else { return None };
            let of_card = discount.cards.is_empty() || discount.cards.contains(self.card());
            let second = |time: jiff::civil::Time| {
                let part = |value: i8| u64::try_from(value).unwrap_or(0);
                part(time.hour()) * HOUR + part(time.minute()) * 60 + part(time.second())
            };
            let (from, to) = (second(from), second(to));
            let length = (to + DAY - from) % DAY;
            of_card.then_some(Night { from, length, off: discount.off })
        })
    }

    /// Sums the settlements of `billed` time from a start on.
    fn settlements(
        &self,
        from: DateTime,
        billed: Seconds,
        rounding: Rounding,
        night: Option<Night>,
    ) -> Result<Decimal, MoneyError> {
        let start = second_of_day(from);
        let every = self.tariff.settled_every.map_or(u64::MAX, Seconds::get);
        let mut at = 0_u64;
        let mut sum = Decimal::ZERO;
        while at < billed.get() {
            let into = if self.tariff.settled_by_clock { (start + at) % every } else { at % every };
            let end = at.saturating_add(every - into).min(billed.get());
            let charge = self.settlement_from(start + at, end - at, rounding, night)?;
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
        night: Option<Night>,
    ) -> Result<Decimal, MoneyError> {
        let lowered = night.map_or(0, |night| night_seconds(second, length, night));
        let Some(night) = night.filter(|_| lowered > 0) else {
            return self.tariff.settlement(Seconds::new(length), rounding);
        };
        let price = self.tariff.price.amount();
        let lower = price.checked_mul(Decimal::ONE - night.off).ok_or(MoneyError::Overflow)?;
        let by_day = per_second(price, Seconds::new(length - lowered))?;
        let by_night = per_second(lower, Seconds::new(lowered))?;
        let exact = by_day.checked_add(by_night).ok_or(MoneyError::Overflow)?;
        let rounded = round(exact, rounding, self.tariff.currency());
        Ok(self.tariff.minimum_charge.map_or(rounded, |least| rounded.max(least)))
    }

    /// Adds the line of a run without the card.
    fn run_without_card(&mut self, run: Run) -> Result<(), BillError> {
        let length = seconds_between(run.from, run.to);
        let Some(price) = self.terms.no_card_hour else {
            self.say_unknown(Phrase::new("market-unknown-no-card"));
            return Ok(());
        };
        let amount = Money::new(per_second(price.amount(), length)?, price.currency());
        self.lines.push(BillLine {
            kind: LineKind::WithoutCard,
            from: Some(run.from),
            to: Some(run.to),
            quantity: Estimate::exact(length.decimal_hours()),
            unit: Unit::InstanceHour,
            unit_price: price,
            amount: Estimate::exact(amount),
            how: vec![Phrase::new("market-bill-no-card")],
        });
        Ok(())
    }
}

fn second_of_day(moment: DateTime) -> u64 {
    let midnight = moment.date().to_datetime(jiff::civil::Time::midnight());
    seconds_between(midnight, moment).get()
}

/// Counts the seconds of `[second, second + length)` that fall into the night, on any day.
fn night_seconds(second: u64, length: u64, night: Night) -> u64 {
    let before = |moment: u64| {
        // Night seconds from the first night's start to a moment at or after it.
        let whole = moment / DAY * night.length;
        whole + (moment % DAY).min(night.length)
    };
    let shifted = second + DAY - night.from;
    before(shifted + length) - before(shifted)
}

/// Returns the first midnight after a moment.
pub(super) fn next_midnight(moment: DateTime) -> Option<DateTime> {
    let day = moment.date().checked_add(1.day()).ok()?;
    Some(day.to_datetime(jiff::civil::Time::midnight()))
}
