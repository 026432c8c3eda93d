//! Running time: steps, minimum, settlements, rounding, night discount.

use super::{BillError, BillLine, Billing, LineKind, Run, Unit, seconds_between};
use crate::{
    tariff::{Night, per_second},
    terms::Rounding,
};
use jiff::{ToSpan as _, civil::DateTime};
use kasuan_model::{Estimate, Money, MoneyError, Phrase, Seconds};
use rust_decimal::Decimal;

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
        let start = second_of_day(run.from);
        let (low, likely, high) = match self.tariff.rounding {
            Some(rounding) => (rounding, rounding, rounding),
            None => (Rounding::Down, Rounding::Exact, Rounding::Up),
        };
        let currency = self.tariff.currency();
        let charge = |billed, rounding| -> Result<Money, MoneyError> {
            Ok(Money::new(self.tariff.settlements_from(start, billed, rounding)?, currency))
        };
        let amount = Estimate::new(
            charge(billed.low, low)?,
            charge(billed.likely, likely)?,
            charge(billed.high, high)?,
        );
        let night = self.tariff.night;
        let lowered = night.filter(|night| night.seconds(start, billed.likely.get()) > 0);
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
                    .with("off", (night.off() * Decimal::ONE_HUNDRED).normalize()),
            );
        }
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

/// Returns the first midnight after a moment.
pub(super) fn next_midnight(moment: DateTime) -> Option<DateTime> {
    let day = moment.date().checked_add(1.day()).ok()?;
    Some(day.to_datetime(jiff::civil::Time::midnight()))
}
