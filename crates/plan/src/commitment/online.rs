//! How many cards to commit to today, from the demand so far; the future is never seen.
//!
//! Each level of demand (the first card, the second, ...) is weighed on its own. Waiting has cost
//! what a commitment would have saved since the level came into steady use; committing would lose
//! what is left of the term if the level stopped now. A level is committed once the first reaches
//! [`REGRET_SHARE`] of the second, and its use is above break-even over a day, a week and a term.
//!
//! Why that balance: where the chance per hour that a level stops is unknown, Jeffreys' prior makes
//! it about `k / age` with `k` near one half, and a day's wait, which costs `(use - r)` of a day,
//! is worth it only while it avoids an expected loss of `k / age` times `r` times the term. Both
//! sides times the age: commit when `sum(use - r) >= k r term` (the one-step-look-ahead rule of
//! optimal stopping; Chow, Robbins, Siegmund, Great Expectations, 1971). The sum over the best
//! starting point is Page's cumulative sum, so no window has to be chosen for it.

use super::optimise::{CommitmentError, Held};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

/// What waiting has cost, as a share of what a commitment could lose, at which a level is
/// committed.
///
/// One half by the argument above when nothing is known of how levels stop. Two fifths is the
/// middle of a flat stretch (0.3 to 0.5 differ by less than a hundredth) on the Philly series and
/// on generated demand; `docs/planning.md` has the figures. With it no level ever costs more than
/// `1 + (1 - r) / 0.4` times on demand by the time its first commitment has run out.
pub const REGRET_SHARE: f64 = 0.4;

/// Hours in a day and in a week, over which use has to be above break-even beside the whole term.
const DAY: usize = 24;
const WEEK: usize = 168;

/// What was seen and what can be bought; all prices in one currency.
#[derive(Clone, Debug)]
pub struct Observed<'a> {
    /// Cards wanted in each hour so far, oldest first.
    pub demand: &'a [u32],
    /// Price of a card for an hour on demand.
    pub on_demand: Decimal,
    /// Terms that can be bought now: hours and price of one card.
    pub terms: &'a [Term],
    /// Commitments that are already paid, with the hours that are left.
    pub held: &'a [Held],
}

/// A term that can be bought now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Hours that it lasts.
    pub hours: u32,
    /// Price of one card.
    pub price: Decimal,
}

/// The advice for now; it is to be asked again a day later.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitAdvice {
    /// What to buy, cheapest by the hour first; empty when nothing.
    pub buy: Vec<Buy>,
    /// Cards that are held now.
    pub held: u32,
    /// Hours of demand that were seen.
    pub seen: usize,
    /// The first level that is left on demand; `None` when no demand lies above the commitments.
    pub next: Option<NextLevel>,
    /// What would be lost if all that is bought were never used: the price.
    pub at_risk: Decimal,
}

/// Cards to commit to now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Buy {
    /// Index of the term.
    pub term: usize,
    /// Cards.
    pub count: u32,
    /// Evidence of the least used of these cards.
    pub weakest: Evidence,
}

/// The first level that is left on demand, and what is missing for the cheapest term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextLevel {
    /// The level: its number, held and bought ones included.
    pub level: u32,
    /// Index of the term it was weighed for.
    pub term: usize,
    /// Its evidence.
    pub evidence: Evidence,
}

/// What speaks for and against committing a level to a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Share of hours at which the term pays: its price over the same hours on demand.
    pub break_even: f64,
    /// Share of the hours in use over a day, a week and a term, as far as seen.
    pub use_of: [Window; 3],
    /// On-demand hours that a commitment would have saved, from the start that makes it most.
    pub forgone_hours: f64,
    /// On-demand hours' worth of money that would be lost if the level stopped now.
    pub stake_hours: f64,
}

/// Use over the last hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Hours that were looked at.
    pub hours: usize,
    /// Share of them in use.
    pub share: f64,
}

impl Evidence {
    /// Returns the first window whose use is not above break-even.
    pub fn slack_window(&self) -> Option<Window> {
        self.use_of.into_iter().find(|window| window.share <= self.break_even)
    }

    /// Says whether what was forgone is enough.
    pub fn is_enough(&self) -> bool {
        self.forgone_hours >= REGRET_SHARE * self.stake_hours
    }

    fn speaks_for(&self) -> bool {
        self.break_even < 1.0 && self.slack_window().is_none() && self.is_enough()
    }
}

/// Advises how many cards to commit to now.
pub fn advise(observed: &Observed<'_>) -> Result<CommitAdvice, CommitmentError> {
    let ratios = break_evens(observed)?;
    // Cheapest by the hour first: it is chosen wherever the evidence carries it.
    let mut order: Vec<usize> = (0..ratios.len()).collect();
    order.sort_by(|left, right| ratios[*left].total_cmp(&ratios[*right]));
    let held: u32 = observed.held.iter().map(|held| held.count).fold(0, u32::saturating_add);
    let mut advice = CommitAdvice {
        buy: Vec::new(),
        held,
        seen: observed.demand.len(),
        next: None,
        at_risk: Decimal::ZERO,
    };
    let mut below = held;
    for level in distinct_above(observed.demand, held) {
        // All levels between two demands that occurred are used in the same hours.
        let count = level - below;
        let carried = order.iter().find_map(|term| {
            let evidence = evidence(observed.demand, level, observed.terms[*term], ratios[*term]);
            evidence.speaks_for().then_some((*term, evidence))
        });
        let Some((term, weakest)) = carried else {
            advice.next = order.first().map(|term| NextLevel {
                level: below.saturating_add(1),
                term: *term,
                evidence: evidence(observed.demand, level, observed.terms[*term], ratios[*term]),
            });
            break;
        };
        match advice.buy.iter_mut().find(|buy| buy.term == term) {
            Some(buy) => {
                buy.count += count;
                buy.weakest = weakest;
            }
            None => advice.buy.push(Buy { term, count, weakest }),
        }
        let price = observed.terms[term].price.checked_mul(Decimal::from(count));
        advice.at_risk = price
            .and_then(|price| advice.at_risk.checked_add(price))
            .ok_or(CommitmentError::Money(kasuan_model::MoneyError::Overflow))?;
        below = level;
    }
    Ok(advice)
}

/// Returns each term's price over the same hours on demand.
fn break_evens(observed: &Observed<'_>) -> Result<Vec<f64>, CommitmentError> {
    let refused = |price| CommitmentError::Price { price };
    if observed.on_demand <= Decimal::ZERO {
        return Err(refused(observed.on_demand));
    }
    let mut ratios = Vec::with_capacity(observed.terms.len());
    for term in observed.terms {
        if term.hours == 0 {
            return Err(CommitmentError::EmptyTerm);
        }
        if term.price.is_sign_negative() && !term.price.is_zero() {
            return Err(refused(term.price));
        }
        let by_hour = observed.on_demand.checked_mul(Decimal::from(term.hours));
        let ratio = by_hour.and_then(|by_hour| term.price.checked_div(by_hour));
        ratios.push(ratio.and_then(|ratio| ratio.to_f64()).ok_or_else(|| refused(term.price))?);
    }
    Ok(ratios)
}

/// Returns the demands that occurred above `held`, least first.
fn distinct_above(demand: &[u32], held: u32) -> Vec<u32> {
    let mut levels: Vec<u32> = demand.iter().copied().filter(|wanted| *wanted > held).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// Weighs one level for one term.
fn evidence(demand: &[u32], level: u32, term: Term, break_even: f64) -> Evidence {
    let seen = demand.len();
    let whole = term.hours as usize;
    let windows = [DAY, WEEK, whole].map(|hours| hours.min(whole.max(DAY)).min(seen));
    let mut use_of = windows.map(|hours| Window { hours, share: 0.0 });
    let mut used = 0_u32;
    let mut sum = 0.0;
    let mut forgone_hours = 0.0_f64;
    for (before, wanted) in demand.iter().rev().enumerate() {
        let in_use = *wanted >= level;
        used += u32::from(in_use);
        sum += f64::from(u8::from(in_use)) - break_even;
        forgone_hours = forgone_hours.max(sum);
        for window in &mut use_of {
            if window.hours == before + 1 {
                window.share = f64::from(used) / window.hours as f64;
            }
        }
    }
    let stake_hours = break_even * f64::from(term.hours);
    Evidence { break_even, use_of, forgone_hours, stake_hours }
}

#[cfg(test)]
mod tests;
