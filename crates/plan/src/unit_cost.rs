//! What a unit of work costs on a card: an hour, a million tokens, a whole run.

use kasuan_model::{Estimate, Money, MoneyError, Seconds};
use rust_decimal::Decimal;

/// Tokens that prices of generated text are compared by.
const MILLION: f64 = 1e6;

/// Returns what so many cards cost for an hour.
///
/// # Errors
/// [`MoneyError::Overflow`] when the sum is too large to be money.
pub fn hour(per_card: Money, cards: u32) -> Result<Money, MoneyError> {
    per_card.times(Decimal::from(cards))
}

/// Returns what a million tokens cost at a rate; the slowest rate gives the highest price.
///
/// # Errors
/// [`MoneyError::Overflow`] when a rate is nothing or the sum is too large to be money.
pub fn million_tokens(
    hour: Money,
    tokens_per_second: Estimate<f64>,
) -> Result<Estimate<Money>, MoneyError> {
    let at = |rate: f64| {
        let seconds = Decimal::try_from(MILLION / rate).map_err(|_| MoneyError::Overflow)?;
        hour.times(seconds)?.over(Decimal::from(3600))
    };
    Ok(Estimate::new(
        at(tokens_per_second.high)?,
        at(tokens_per_second.likely)?,
        at(tokens_per_second.low)?,
    ))
}

/// Returns what a run of a length costs, by the second.
///
/// # Errors
/// [`MoneyError::Overflow`] when the sum is too large to be money.
pub fn run(hour: Money, time: Estimate<Seconds>) -> Result<Estimate<Money>, MoneyError> {
    let at = |time: Seconds| hour.times(time.decimal_hours());
    Ok(Estimate::new(at(time.low)?, at(time.likely)?, at(time.high)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_model::Currency;

    #[test]
    fn a_million_tokens_at_a_thousand_a_second_take_1000_seconds() {
        let hour = Money::new(Decimal::new(36, 1), Currency::CNY);
        let price = million_tokens(hour, Estimate::new(500.0, 1000.0, 2000.0)).unwrap();
        assert_eq!(price.likely.rounded().amount(), Decimal::new(100, 2));
        assert_eq!(price.high.rounded().amount(), Decimal::new(200, 2));
        assert_eq!(price.low.rounded().amount(), Decimal::new(50, 2));
        assert!(million_tokens(hour, Estimate::exact(0.0)).is_err());
    }
}
