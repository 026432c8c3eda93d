//! What one run of a length costs on an offer: the planner's fast path, without allocation.
//!
//! [`Tariff::run`] gives what [`crate::bill`] gives for a run that starts on a full hour by day, so
//! that the two can be tested against each other.

mod night;

pub use night::Night;

use crate::terms::{Rounding, Settlement, Terms};
use kasuan_model::{Currency, Estimate, Money, MoneyError, Offer, PricePer, Seconds};
use rust_decimal::{Decimal, RoundingStrategy};

/// The longest step that is common where a provider does not say how it counts: whole hours
/// (some products of Huawei Cloud; see the terms).
pub const LONGEST_USUAL_STEP: Seconds = Seconds::from_hours(1);

/// The likely step where a provider does not say how it counts: the median of those that do.
pub const LIKELY_STEP: Seconds = Seconds::new(1);

/// How the time of an offer becomes money, worked out once for each offer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tariff {
    /// Price of an hour, or of a term for packages.
    pub price: Money,
    /// Length of a package; `None` when time is metered.
    pub term: Option<Seconds>,
    /// The step that a run is rounded up to; a range when it is not stated.
    pub step: Estimate<Seconds>,
    /// The shortest billed time.
    pub minimum: Seconds,
    /// The least that a settlement costs.
    pub minimum_charge: Option<Decimal>,
    /// How a settlement is rounded; `None` is not stated.
    pub rounding: Option<Rounding>,
    /// The distance between settlements; `None` settles once at the stop.
    pub settled_every: Option<Seconds>,
    /// Whether settlements fall on the clock's hours and not on hours after the start.
    pub settled_by_clock: bool,
    /// The lower price by night, where the terms have one; [`Tariff::run_from`] reckons with it.
    pub night: Option<Night>,
}

/// What a run costs, and for how long it is billed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunCost {
    /// Billed time; a range when the provider does not say how it counts.
    pub billed: Estimate<Seconds>,
    /// Money, unrounded where the provider does not round.
    pub cost: Estimate<Money>,
}

impl Tariff {
    /// Works out how an offer is billed: what the offer's own row states comes before what the
    /// provider states in general.
    pub fn new(offer: &Offer, terms: &Terms) -> Self {
        let metering = &terms.metering;
        let step = offer.granularity.or(metering.granularity);
        let minimum = offer.minimum.or(metering.minimum).unwrap_or(Seconds::ZERO);
        let same_currency = |money: &Money| money.currency() == offer.price.currency();
        let (settled_every, settled_by_clock) = match metering.settlement {
            Some(Settlement::ClockHour) => (Some(Seconds::from_hours(1)), true),
            Some(Settlement::Hour) => (Some(Seconds::from_hours(1)), false),
            Some(Settlement::Minute) => (Some(Seconds::from_minutes(1)), false),
            Some(Settlement::AtStop) | None => (None, false),
        };
        Self {
            price: offer.price,
            term: match (offer.per, offer.mode.term()) {
                (PricePer::Term, term) => term,
                // A reservation priced by the hour is owed for its whole length.
                (PricePer::Hour, Some(term)) => Some(term),
                (PricePer::Hour, None) => None,
            },
            step: step.map_or(
                Estimate::new(LIKELY_STEP, LIKELY_STEP, LONGEST_USUAL_STEP),
                Estimate::exact,
            ),
            minimum,
            minimum_charge: metering.minimum_charge.filter(same_currency).map(Money::amount),
            rounding: metering.rounding,
            settled_every,
            settled_by_clock,
            night: Night::of(offer, terms),
        }
        .with_term_price(offer)
    }

    /// Turns an hourly price of a reservation into the price of its whole length.
    fn with_term_price(mut self, offer: &Offer) -> Self {
        if let (PricePer::Hour, Some(term)) = (offer.per, self.term) {
            let hours = term.decimal_hours();
            self.price = self.price.times(hours).unwrap_or(self.price);
        }
        self
    }

    /// Returns the currency.
    pub const fn currency(&self) -> Currency {
        self.price.currency()
    }

    /// Returns the time that a run of `length` is billed for; whole packages for packages.
    pub fn billed(&self, length: Seconds) -> Estimate<Seconds> {
        if length == Seconds::ZERO {
            return Estimate::exact(Seconds::ZERO);
        }
        match self.term {
            Some(term) => Estimate::exact(length.round_up_to(term)),
            None => {
                self.step.map(|step| length.round_up_to(step).max(self.minimum.round_up_to(step)))
            }
        }
    }

    /// Returns what one run of `length` costs: whole packages, or metered time with the minimum,
    /// the step and the rounding of each settlement.
    pub fn run(&self, length: Seconds) -> Result<RunCost, MoneyError> {
        let billed = self.billed(length);
        if let Some(term) = self.term {
            let terms = billed.likely.get() / term.get().max(1);
            let cost = self.price.times(Decimal::from(terms))?;
            return Ok(RunCost { billed, cost: Estimate::exact(cost) });
        }
        let currency = self.currency();
        let money = |amount| Money::new(amount, currency);
        let (low, likely, high) = match self.rounding {
            Some(rounding) => (rounding, rounding, rounding),
            None => (Rounding::Down, Rounding::Exact, Rounding::Up),
        };
        let likely_cost = self.settled(billed.likely, likely)?;
        let cost = if billed.low == billed.high && low == high {
            Estimate::exact(money(likely_cost))
        } else {
            Estimate::new(
                money(self.settled(billed.low, low)?),
                money(likely_cost),
                money(self.settled(billed.high, high)?),
            )
        };
        Ok(RunCost { billed, cost })
    }

    /// Returns what `runs` runs of the same length cost together.
    pub fn runs(&self, length: Seconds, runs: u32) -> Result<RunCost, MoneyError> {
        let one = self.run(length)?;
        let times = Decimal::from(runs);
        let all = |money: Money| money.times(times);
        Ok(RunCost {
            billed: one.billed.map(|time| time.saturating_mul(u64::from(runs))),
            cost: Estimate::new(all(one.cost.low)?, all(one.cost.likely)?, all(one.cost.high)?),
        })
    }

    /// Sums the settlements of billed time that starts on a settlement.
    fn settled(&self, billed: Seconds, rounding: Rounding) -> Result<Decimal, MoneyError> {
        let Some(every) = self.settled_every.filter(|every| *every < billed) else {
            return self.settlement(billed, rounding);
        };
        let full = billed.get() / every.get();
        let rest = Seconds::new(billed.get() % every.get());
        let each = self.settlement(every, rounding)?;
        let whole = each.checked_mul(Decimal::from(full)).ok_or(MoneyError::Overflow)?;
        whole.checked_add(self.settlement(rest, rounding)?).ok_or(MoneyError::Overflow)
    }

    /// Returns what one settlement of `time` costs.
    pub(crate) fn settlement(
        &self,
        time: Seconds,
        rounding: Rounding,
    ) -> Result<Decimal, MoneyError> {
        if time == Seconds::ZERO {
            return Ok(Decimal::ZERO);
        }
        let exact = per_second(self.price.amount(), time)?;
        let rounded = round(exact, rounding, self.currency());
        Ok(self.minimum_charge.map_or(rounded, |least| rounded.max(least)))
    }
}

/// Returns an hourly price times seconds over 3600: multiplied before it is divided, so that whole
/// hours stay exact.
pub(crate) fn per_second(hourly: Decimal, time: Seconds) -> Result<Decimal, MoneyError> {
    let product = hourly.checked_mul(Decimal::from(time.get())).ok_or(MoneyError::Overflow)?;
    Ok(product / Decimal::from(3600))
}

/// Rounds an amount to the currency's smallest coin.
pub(crate) fn round(amount: Decimal, rounding: Rounding, currency: Currency) -> Decimal {
    let strategy = match rounding {
        Rounding::Exact => return amount,
        Rounding::HalfUp => RoundingStrategy::MidpointAwayFromZero,
        Rounding::Up => RoundingStrategy::ToPositiveInfinity,
        Rounding::Down => RoundingStrategy::ToZero,
    };
    amount.round_dp_with_strategy(currency.minor_digits(), strategy)
}

/// Returns the hours of use at which a package costs as much as paying by the hour: its price over
/// the hourly price, whatever rule of thumb says. `None` when the currencies differ, the instances
/// are not of one size, or the second offer is a package too.
pub fn break_even(package: &Offer, metered: &Offer) -> Option<Seconds> {
    let comparable = package.price.currency() == metered.price.currency()
        && package.count == metered.count
        && package.slices == metered.slices
        && package.mode.is_commitment()
        && !metered.mode.is_commitment();
    if !comparable || metered.price.is_zero() {
        return None;
    }
    let term = package.mode.term()?;
    let price = match package.per {
        PricePer::Term => package.price.amount(),
        PricePer::Hour => package.price.amount().checked_mul(term.decimal_hours())?,
    };
    Seconds::from_decimal_hours(price.checked_div(metered.price.amount())?)
}

#[cfg(test)]
mod tests;
