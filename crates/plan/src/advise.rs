//! Measure first or commit now: what each is expected to cost while the hours are only guessed.
//!
//! A guess is a range with a most likely value (a triangular distribution). The regret of a choice
//! is what it costs above the choice that would have been right, had the hours been known.

use kasuan_model::{Estimate, Money, MoneyError, Phrase, Phrased, Share};
use rust_decimal::{Decimal, prelude::FromPrimitive as _, prelude::ToPrimitive as _};

/// Points at which the range is looked at; enough for three digits.
const POINTS: u32 = 400;

/// What is weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// Hours of use of one card within the term, as guessed.
    pub hours: Estimate<Decimal>,
    /// Price of an hour on demand.
    pub hourly: Money,
    /// Price of the term.
    pub term_price: Money,
    /// Hours of the term.
    pub term_hours: u32,
    /// Hours that would be run on demand first, to see the use; a week is the rule.
    pub measure_hours: u32,
}

/// What to do with a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstStep {
    /// Commit now: measuring costs more than it tells.
    Commit,
    /// Run on demand and measure, then decide with the figures.
    Measure,
    /// Stay on demand: no use within the range reaches break-even.
    OnDemand,
}

/// The advice and its figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureAdvice {
    /// What to do.
    pub step: FirstStep,
    /// Hours of use at which the term costs as much as on demand.
    pub break_even: Decimal,
    /// Chance, by the guess, that the use is above it.
    pub chance_above: Share,
    /// Expected regret of committing now.
    pub regret_commit: Money,
    /// Expected regret of staying on demand for the whole term.
    pub regret_on_demand: Money,
    /// Expected regret of measuring first: the on-demand hours of that time, where the term would
    /// have been right.
    pub regret_measure: Money,
    /// The most that is worth paying to know the hours: the regret of the better of committing and
    /// staying on demand.
    pub value_of_knowing: Money,
}

impl MeasureAdvice {
    /// Returns the reasons, most important first.
    pub fn reasons(&self) -> Vec<Phrase> {
        let step = match self.step {
            FirstStep::Commit => Phrase::new("advise-measure-commit"),
            FirstStep::Measure => Phrase::new("advise-measure-measure"),
            FirstStep::OnDemand => Phrase::new("advise-measure-on-demand"),
        };
        vec![
            step,
            Phrase::new("advise-measure-chance")
                .with("break_even", self.break_even.round_dp(0).normalize())
                .with("chance", self.chance_above),
            Phrase::new("advise-measure-regret")
                .with("commit", self.regret_commit)
                .with("on_demand", self.regret_on_demand)
                .with("measure", self.regret_measure),
            Phrase::new("advise-measure-value").with("value", self.value_of_knowing),
        ]
    }
}

/// Why a guess cannot be weighed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GuessError {
    /// The range is out of order or longer than the term.
    #[error("the guess must rise from low to likely to high and stay within the term")]
    Range,
    /// A price or a span is nothing.
    #[error("prices and the term must be above nothing")]
    Nothing,
    /// Two currencies, or a sum that does not fit.
    #[error(transparent)]
    Money(#[from] MoneyError),
}

impl Phrased for GuessError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Range => Phrase::new("advise-error-guess"),
            Self::Nothing => Phrase::new("advise-error-nothing"),
            Self::Money(_) => Phrase::new("advise-error-sum"),
        }
    }
}

/// Weighs committing now against running on demand and measuring first.
///
/// Measuring is taken to tell the use exactly, and what is decided after it to be paid by the hour;
/// so its regret is the least that it can be, and a real week tells a little less.
pub fn measure_first(guess: &Guess) -> Result<MeasureAdvice, GuessError> {
    let Estimate { low, likely, high } = guess.hours;
    let term = Decimal::from(guess.term_hours);
    if low.is_sign_negative() || low > likely || likely > high || high > term {
        return Err(GuessError::Range);
    }
    let positive = |money: Money| money.amount() > Decimal::ZERO;
    if !positive(guess.hourly) || !positive(guess.term_price) || guess.term_hours == 0 {
        return Err(GuessError::Nothing);
    }
    guess.hourly.compare(guess.term_price)?;
    let break_even =
        guess.term_price.amount().checked_div(guess.hourly.amount()).ok_or(MoneyError::Overflow)?;
    let measured = f64::from(guess.measure_hours.min(guess.term_hours));
    let share = measured / f64::from(guess.term_hours);
    let limit = break_even.to_f64().unwrap_or(f64::MAX);
    let (mut over, mut under, mut above, mut weights) = (0.0, 0.0, 0.0, 0.0);
    for (hours, weight) in triangle(low, likely, high) {
        weights += weight;
        over += weight * (limit - hours).max(0.0);
        under += weight * (hours - limit).max(0.0);
        above += if hours > limit { weight } else { 0.0 };
    }
    let money = |hours: f64| -> Result<Money, MoneyError> {
        let hours = Decimal::from_f64(hours / weights).ok_or(MoneyError::Overflow)?;
        guess.hourly.times(hours.round_dp(6))
    };
    let regret_commit = money(over)?;
    let regret_on_demand = money(under)?;
    let regret_measure = money(under * share)?;
    let commit_is_best = regret_commit.compare(regret_measure)?.is_le();
    let step = if above <= 0.0 {
        FirstStep::OnDemand
    } else if commit_is_best {
        FirstStep::Commit
    } else {
        FirstStep::Measure
    };
    let commit_is_dearer = regret_commit.compare(regret_on_demand)?.is_gt();
    Ok(MeasureAdvice {
        step,
        break_even,
        chance_above: Share::of(above, weights),
        regret_commit,
        regret_on_demand,
        regret_measure,
        value_of_knowing: if commit_is_dearer { regret_on_demand } else { regret_commit },
    })
}

/// Returns hours and weights over a triangular distribution.
fn triangle(low: Decimal, likely: Decimal, high: Decimal) -> Vec<(f64, f64)> {
    let number = |value: Decimal| value.to_f64().unwrap_or(0.0);
    let (low, likely, high) = (number(low), number(likely), number(high));
    if high <= low {
        return vec![(likely, 1.0)];
    }
    (0..POINTS)
        .map(|point| {
            let at = low + (high - low) * (f64::from(point) + 0.5) / f64::from(POINTS);
            let weight = if at < likely {
                (at - low) / (likely - low)
            } else if likely < high {
                (high - at) / (high - likely)
            } else {
                1.0
            };
            (at, weight)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_model::Currency;

    fn guess(low: i64, likely: i64, high: i64, term: i64) -> Guess {
        let money = |amount: i64| Money::new(Decimal::from(amount), Currency::CNY);
        Guess {
            hours: Estimate::new(low.into(), likely.into(), high.into()),
            hourly: money(5),
            term_price: money(term),
            term_hours: 720,
            measure_hours: 168,
        }
    }

    fn amount(money: Money) -> f64 {
        money.amount().to_f64().unwrap()
    }

    #[test]
    fn a_guess_that_may_be_wrong_either_way_is_measured_first() {
        // Break-even at 360 h; between 90 and 500 h anything may be right.
        let advice = measure_first(&guess(90, 300, 500, 1800)).unwrap();
        assert_eq!(advice.step, FirstStep::Measure);
        assert_eq!(advice.break_even, Decimal::from(360));
        assert!((0.2..0.3).contains(&advice.chance_above.get()));
        let share = amount(advice.regret_measure) / amount(advice.regret_on_demand);
        assert!((share - 168.0 / 720.0).abs() < 1e-3);
        assert_eq!(advice.value_of_knowing, advice.regret_on_demand);
    }

    #[test]
    fn a_service_that_never_stops_is_committed_at_once() {
        let advice = measure_first(&guess(700, 720, 720, 1800)).unwrap();
        assert_eq!(advice.step, FirstStep::Commit);
        assert!(advice.regret_commit.is_zero());
    }

    #[test]
    fn a_range_below_break_even_stays_on_demand() {
        let advice = measure_first(&guess(20, 60, 120, 1800)).unwrap();
        assert_eq!(advice.step, FirstStep::OnDemand);
        assert!(advice.regret_on_demand.is_zero() && advice.value_of_knowing.is_zero());
    }

    #[test]
    fn the_expected_regret_is_the_integral_of_the_triangle() {
        // A symmetric triangle from 0 to 200 h around a break-even of 100 h: the mean distance to
        // the middle is a sixth of the width, half of it on each side.
        let advice = measure_first(&guess(0, 100, 200, 500)).unwrap();
        let expected = 200.0 / 12.0 * 5.0;
        assert!((amount(advice.regret_commit) / expected - 1.0).abs() < 2e-3);
        assert!((amount(advice.regret_on_demand) / expected - 1.0).abs() < 2e-3);
    }

    #[test]
    fn a_guess_out_of_order_is_refused() {
        assert_eq!(measure_first(&guess(100, 50, 200, 10)), Err(GuessError::Range));
        assert_eq!(measure_first(&guess(100, 500, 900, 10)), Err(GuessError::Range));
        assert_eq!(measure_first(&guess(1, 2, 3, 0)), Err(GuessError::Nothing));
    }
}
