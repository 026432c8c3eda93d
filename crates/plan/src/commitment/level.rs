//! The closed form for one period: a level of demand is committed when it is used for more than
//! the break-even share of the hours.
//!
//! Sort the demand into levels: level 1 is used whenever one card or more is wanted, level 2
//! whenever two are, and so on. With one term that spans the period, each level is decided on its
//! own: commit it when its use costs more by the hour than the term. The same envelope of fixed
//! price and price by use is the power industry's screening curve.

use rust_decimal::{Decimal, prelude::ToPrimitive as _};

/// The closed-form answer for one period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// Cards to commit to.
    pub commit: u32,
    /// What the period costs with them.
    pub cost: Decimal,
    /// What it costs on demand.
    pub on_demand: Decimal,
    /// Hours for which each level is used, most used first.
    pub used: Vec<u32>,
}

/// Returns the hours of use at which a term costs as much as on demand; `None` without an hourly
/// price.
pub fn break_even_hours(term_price: Decimal, hourly_price: Decimal) -> Option<Decimal> {
    if hourly_price <= Decimal::ZERO { None } else { term_price.checked_div(hourly_price) }
}

/// Returns for how many hours each level of demand is used; the first entry is the first card.
///
/// The list ends with the peak, so it is as long as the largest demand.
pub fn level_use(demand: &[u32]) -> Vec<u32> {
    let peak = demand.iter().copied().max().unwrap_or(0);
    let Some(length) = peak.to_usize() else { return Vec::new() };
    let mut used = vec![0_u32; length];
    for wanted in demand {
        if *wanted > 0 {
            used[*wanted as usize - 1] += 1;
        }
    }
    for level in (1..length).rev() {
        used[level - 1] += used[level];
    }
    used
}

impl Levels {
    /// Decides every level of a period that one term spans; `None` when the sums do not fit.
    pub fn of(demand: &[u32], hourly_price: Decimal, term_price: Decimal) -> Option<Self> {
        let used = level_use(demand);
        let mut commit = 0;
        let mut cost = Decimal::ZERO;
        let mut on_demand = Decimal::ZERO;
        for hours in &used {
            let by_hour = hourly_price.checked_mul(Decimal::from(*hours))?;
            on_demand = on_demand.checked_add(by_hour)?;
            if by_hour > term_price {
                commit += 1;
            }
            cost = cost.checked_add(by_hour.min(term_price))?;
        }
        Some(Self { commit, cost, on_demand, used })
    }
}

/// Returns the index of the mode that is cheapest for so many hours of use, out of pairs of a fixed
/// price and a price by the hour; ties go to the earlier, and `None` means there is no mode.
pub fn cheapest_by_use(modes: &[(Decimal, Decimal)], hours: Decimal) -> Option<usize> {
    let mut best: Option<(Decimal, usize)> = None;
    for (index, (fixed, hourly)) in modes.iter().enumerate() {
        let cost = hourly.checked_mul(hours)?.checked_add(*fixed)?;
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, index));
        }
    }
    best.map(|(_, index)| index)
}
