//! Prices for a term that is paid whether used or not: in full, by the part that lies in the plan,
//! or by the day where a package is given back early.

use super::pools::{Micros, Pool, to_micros};
use crate::demand::DAY;
use kasuan_model::{BillingMode, Money, MoneyError, Seconds};
use rust_decimal::Decimal;

/// How a term is charged within the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charge {
    /// In full, and where it is longer than the span by the part that lies in it.
    ByPart,
    /// In full whatever of it lies in the span: nobody asked for so long a term.
    InFull,
    /// A package of this price and term that is given back: the day's part of what its refund
    /// keeps back.
    GivenBack {
        /// Price of the package.
        price: Money,
        /// How long it would run.
        term: Seconds,
    },
}

/// A price for a term that is paid whether used or not.
#[derive(Clone, Debug)]
pub(crate) struct TermRate {
    /// Index of the offer.
    pub(crate) offer: usize,
    /// How it is paid for.
    pub(crate) mode: BillingMode,
    /// How long it runs; a day where it is given back.
    pub(crate) term: Seconds,
    /// Price of an instance for the whole of that, in the plan's currency.
    pub(crate) price: Money,
    /// The same in millionths.
    pub(crate) micros: Micros,
    /// Instances that can be had at once; `None` where nobody says.
    pub(crate) stock: Option<u32>,
    /// How it is charged within the span.
    pub(crate) charge: Charge,
}

impl TermRate {
    /// Creates a term that is charged in full, or by its part.
    pub(super) const fn new(
        offer: usize,
        mode: BillingMode,
        term: Seconds,
        price: Money,
        micros: Micros,
        stock: Option<u32>,
    ) -> Self {
        Self { offer, mode, term, price, micros, stock, charge: Charge::ByPart }
    }

    /// Says whether this term is at least as good as another wherever that can be bought.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.term == other.term
            && self.micros <= other.micros
            && self.stock.is_none()
            && (self.charge != Charge::InFull || other.charge == Charge::InFull)
    }

    /// Says whether it is a package that is given back.
    pub(crate) const fn is_given_back(&self) -> bool {
        matches!(self.charge, Charge::GivenBack { .. })
    }

    /// Returns the millionths of an instance where the term lies in a span of so many seconds.
    pub(crate) fn micros_within(&self, span: u64) -> Micros {
        if self.term.get() <= span || self.charge == Charge::InFull {
            return self.micros;
        }
        let part = i128::from(self.micros) * i128::from(span) / i128::from(self.term.get().max(1));
        i64::try_from(part).unwrap_or(self.micros)
    }

    /// Returns what so many instances cost that are bought for so many seconds of a span.
    pub(crate) fn cost(&self, length: u64, span: u64, units: u32) -> Result<Money, MoneyError> {
        let all = self.price.times(Decimal::from(units))?;
        if self.is_given_back() {
            return all.times(Decimal::from(length.div_ceil(DAY)));
        }
        if self.term.get() <= span || self.charge == Charge::InFull {
            return Ok(all);
        }
        all.times(Decimal::from(span))?.over(Decimal::from(self.term.get()))
    }
}

/// A package that can be given back early: paid - paid x used share x factor comes back, never less
/// than nothing.
#[derive(Clone, Debug)]
pub(super) struct Refundable {
    /// The package as it is bought.
    pub(super) whole: TermRate,
    /// The factor of its refund.
    pub(super) factor: Decimal,
}

impl Refundable {
    /// Returns what a day of it costs. Whole days, so that what is planned is a purchase and no
    /// trick by the minute; what is kept back rises with the time alone, so that days add up to
    /// the bill exactly.
    fn by_day(&self) -> Option<TermRate> {
        let whole = &self.whole;
        if whole.term.get() < 2 * DAY {
            return None;
        }
        let kept = whole.price.times(self.factor).ok()?.times(Decimal::from(DAY)).ok()?;
        let price = kept.over(Decimal::from(whole.term.get())).ok()?;
        let micros = to_micros(price.amount())?;
        let charge = Charge::GivenBack { price: whole.price, term: whole.term };
        Some(TermRate { term: Seconds::new(DAY), price, micros, charge, ..whole.clone() })
    }
}

impl Pool {
    /// Puts a term into the pool where it is the cheapest of its length.
    pub(super) fn offer_term(&mut self, new: TermRate) {
        match self.terms.iter_mut().find(|known| known.term == new.term) {
            Some(known) if known.micros <= new.micros => {}
            Some(known) => *known = new,
            None => self.terms.push(new),
        }
    }

    /// Adds what packages cost that are given back early, where a day of one can be cheaper than a
    /// day on demand; one that is longer than the plan can then also be kept, paid in full.
    pub(super) fn take_back(&mut self, refundable: &[Refundable], span: Seconds) {
        for one in refundable {
            let Some(day) = one.by_day().filter(|day| day.micros > 0) else { continue };
            let on_demand = self.on_demand.as_ref();
            if on_demand.is_some_and(|rate| day.micros >= rate.hourly_micros().saturating_mul(24)) {
                continue;
            }
            self.offer_term(day);
            if one.whole.term > span {
                self.offer_term(TermRate { charge: Charge::InFull, ..one.whole.clone() });
            }
        }
    }
}
