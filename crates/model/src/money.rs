//! Money as exact decimals that know their currency, and dated exchange rates.

use crate::Source;
use rust_decimal::{Decimal, RoundingStrategy};
use std::{fmt, str::FromStr};

/// An ISO 4217 currency code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

/// ISO 4217 codes that price lists and bills of GPU providers are seen in.
const KNOWN: &[&str] = &[
    "AED", "ARS", "AUD", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR",
    "GBP", "HKD", "HUF", "IDR", "ILS", "INR", "JPY", "KRW", "KZT", "MOP", "MXN", "MYR", "NGN",
    "NOK", "NZD", "PEN", "PHP", "PKR", "PLN", "QAR", "RON", "RUB", "SAR", "SEK", "SGD", "THB",
    "TRY", "TWD", "UAH", "USD", "VND", "ZAR",
];

/// The text is not a known ISO 4217 currency code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a known ISO 4217 currency code such as CNY or USD")]
pub struct CurrencyParseError {
    /// What was given.
    pub text: String,
}

impl Currency {
    /// Renminbi.
    pub const CNY: Self = Self(*b"CNY");
    /// United States dollar.
    pub const USD: Self = Self(*b"USD");
    /// Euro.
    pub const EUR: Self = Self(*b"EUR");

    /// Returns the three-letter code.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("???")
    }

    /// Returns how many decimals a price in this currency is paid with.
    pub fn minor_digits(self) -> u32 {
        match &self.0 {
            b"JPY" | b"KRW" | b"VND" | b"CLP" => 0,
            _ => 2,
        }
    }

    /// Returns the sign that is put before an amount, with a space where it is a code.
    pub fn sign(&self) -> String {
        match &self.0 {
            b"CNY" => "¥".to_owned(),
            b"USD" => "$".to_owned(),
            b"EUR" => "€".to_owned(),
            b"GBP" => "£".to_owned(),
            _ => format!("{} ", self.code()),
        }
    }
}

impl FromStr for Currency {
    type Err = CurrencyParseError;

    /// Reads a code in any case; `RMB` is accepted for CNY.
    fn from_str(text: &str) -> Result<Self, CurrencyParseError> {
        let upper = text.trim().to_ascii_uppercase();
        let code = if upper == "RMB" { "CNY" } else { upper.as_str() };
        match KNOWN.iter().find(|known| **known == code) {
            Some(known) => {
                let bytes = known.as_bytes();
                Ok(Self([bytes[0], bytes[1], bytes[2]]))
            }
            None => Err(CurrencyParseError { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// An exact sum of money in one currency.
///
/// There is no `Add`: adding two currencies is an error that the caller has to see.
/// Nothing is rounded inside; [`Money::rounded`] is for a bill's line and for showing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Money {
    amount: Decimal,
    currency: Currency,
}

/// Why two sums could not be combined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// Two sums in different currencies met without an exchange rate.
    #[error("cannot combine {left} and {right} without an exchange rate")]
    Mixed {
        /// Currency of the sum so far.
        left: Currency,
        /// Currency of the sum to combine.
        right: Currency,
    },
    /// The result does not fit 28 digits.
    #[error("the sum is too large to be money")]
    Overflow,
    /// No rate leads from one currency to the other.
    #[error("no exchange rate from {from} to {to} was given")]
    NoRate {
        /// Currency of the price.
        from: Currency,
        /// Currency that was asked for.
        to: Currency,
    },
}

impl Money {
    /// Creates a sum.
    pub const fn new(amount: Decimal, currency: Currency) -> Self {
        Self { amount, currency }
    }

    /// Creates nothing of a currency.
    pub const fn zero(currency: Currency) -> Self {
        Self { amount: Decimal::ZERO, currency }
    }

    /// Returns the amount, unrounded.
    pub const fn amount(self) -> Decimal {
        self.amount
    }

    /// Returns the currency.
    pub const fn currency(self) -> Currency {
        self.currency
    }

    /// Says whether the amount is nothing.
    pub fn is_zero(self) -> bool {
        self.amount.is_zero()
    }

    /// Adds a sum of the same currency.
    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        self.same(other)?;
        let amount = self.amount.checked_add(other.amount).ok_or(MoneyError::Overflow)?;
        Ok(Self { amount, ..self })
    }

    /// Subtracts a sum of the same currency.
    pub fn checked_sub(self, other: Self) -> Result<Self, MoneyError> {
        self.same(other)?;
        let amount = self.amount.checked_sub(other.amount).ok_or(MoneyError::Overflow)?;
        Ok(Self { amount, ..self })
    }

    /// Multiplies by a plain number.
    pub fn times(self, factor: Decimal) -> Result<Self, MoneyError> {
        let amount = self.amount.checked_mul(factor).ok_or(MoneyError::Overflow)?;
        Ok(Self { amount, ..self })
    }

    /// Divides by a plain number that is not zero.
    pub fn over(self, divisor: Decimal) -> Result<Self, MoneyError> {
        let amount = self.amount.checked_div(divisor).ok_or(MoneyError::Overflow)?;
        Ok(Self { amount, ..self })
    }

    /// Compares with a sum of the same currency.
    pub fn compare(self, other: Self) -> Result<std::cmp::Ordering, MoneyError> {
        self.same(other)?;
        Ok(self.amount.cmp(&other.amount))
    }

    /// Sums amounts that are all in `currency`.
    pub fn sum(
        currency: Currency,
        amounts: impl IntoIterator<Item = Self>,
    ) -> Result<Self, MoneyError> {
        amounts.into_iter().try_fold(Self::zero(currency), Self::checked_add)
    }

    /// Rounds half away from zero to the currency's smallest coin (the fen for CNY).
    #[must_use]
    pub fn rounded(self) -> Self {
        let digits = self.currency.minor_digits();
        let amount =
            self.amount.round_dp_with_strategy(digits, RoundingStrategy::MidpointAwayFromZero);
        Self { amount, ..self }
    }

    /// Rounds up to the currency's smallest coin, as some providers bill.
    #[must_use]
    pub fn rounded_up(self) -> Self {
        let digits = self.currency.minor_digits();
        let amount =
            self.amount.round_dp_with_strategy(digits, RoundingStrategy::ToPositiveInfinity);
        Self { amount, ..self }
    }

    fn same(self, other: Self) -> Result<(), MoneyError> {
        if self.currency == other.currency {
            Ok(())
        } else {
            Err(MoneyError::Mixed { left: self.currency, right: other.currency })
        }
    }
}

impl fmt::Display for Money {
    /// Writes the sign and the amount rounded to the smallest coin, with thousands separated.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.currency.minor_digits() as usize;
        let rounded = self.rounded().amount;
        let text = format!("{:.digits$}", rounded.abs());
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let mut grouped = String::new();
        for (i, digit) in whole.chars().enumerate() {
            if i > 0 && (whole.len() - i).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        let minus = if rounded.is_sign_negative() && !rounded.is_zero() { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        f.pad(&format!("{minus}{}{grouped}{point}{fraction}", self.currency.sign()))
    }
}

/// An exchange rate on a day: one unit of `from` is `rate` units of `to`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FxRate {
    /// The currency that is given.
    pub from: Currency,
    /// The currency that is received.
    pub to: Currency,
    /// Units of `to` for one of `from`; above zero.
    pub rate: Decimal,
    /// Who stated the rate, and for which day.
    pub source: Source,
}

/// The exchange rates that the user stated; nothing is ever converted without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rates(Vec<FxRate>);

impl Rates {
    /// Collects stated rates; a later rate for the same pair wins.
    pub fn new(rates: impl IntoIterator<Item = FxRate>) -> Self {
        Self(rates.into_iter().collect())
    }

    /// Returns the rates as stated.
    pub fn stated(&self) -> &[FxRate] {
        &self.0
    }

    /// Returns the factor from one currency to another: 1 for the same, the stated rate, or the
    /// inverse of the opposite rate.
    pub fn factor(&self, from: Currency, to: Currency) -> Result<Decimal, MoneyError> {
        if from == to {
            return Ok(Decimal::ONE);
        }
        let direct = self.0.iter().rev().find(|r| r.from == from && r.to == to).map(|r| r.rate);
        let inverse = || {
            let opposite = self.0.iter().rev().find(|r| r.from == to && r.to == from)?;
            Decimal::ONE.checked_div(opposite.rate)
        };
        direct.or_else(inverse).ok_or(MoneyError::NoRate { from, to })
    }

    /// Converts a sum at the stated rate.
    pub fn convert(&self, money: Money, to: Currency) -> Result<Money, MoneyError> {
        if money.currency() == to {
            return Ok(money);
        }
        let factor = self.factor(money.currency(), to)?;
        Ok(Money::new(money.times(factor)?.amount(), to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cny(text: &str) -> Money {
        Money::new(text.parse().unwrap(), Currency::CNY)
    }

    #[test]
    fn half_a_fen_is_rounded_up_and_only_when_asked() {
        assert_eq!(cny("0.005").rounded(), cny("0.01"));
        assert_eq!(cny("0.0049").rounded().amount(), Decimal::ZERO);
        assert_eq!(cny("0.0049").amount().to_string(), "0.0049");
        assert_eq!(cny("2.7201").rounded_up(), cny("2.73"));
    }

    #[test]
    fn two_currencies_never_add() {
        let dollars = Money::new(Decimal::ONE, Currency::USD);
        assert_eq!(
            cny("1").checked_add(dollars),
            Err(MoneyError::Mixed { left: Currency::CNY, right: Currency::USD })
        );
    }

    #[test]
    fn amounts_are_written_with_sign_groups_and_coin() {
        assert_eq!(cny("1234567.891").to_string(), "¥1,234,567.89");
        assert_eq!(cny("-0.001").to_string(), "¥0.00");
        assert_eq!(
            Money::new(Decimal::from(1500), "JPY".parse().unwrap()).to_string(),
            "JPY 1,500"
        );
    }

    #[test]
    fn the_largest_decimal_overflows_as_an_error() {
        let most = Money::new(Decimal::MAX, Currency::CNY);
        assert_eq!(most.checked_add(cny("1")), Err(MoneyError::Overflow));
        assert_eq!(most.times(Decimal::TEN), Err(MoneyError::Overflow));
    }

    #[test]
    fn a_stated_rate_works_both_ways_and_none_is_invented() {
        let rates = Rates::new([FxRate {
            from: Currency::USD,
            to: Currency::CNY,
            rate: "7.1".parse().unwrap(),
            source: Source::stated("test"),
        }]);
        let dollars = Money::new(Decimal::TEN, Currency::USD);
        assert_eq!(rates.convert(dollars, Currency::CNY).unwrap(), cny("71"));
        assert_eq!(rates.convert(cny("71"), Currency::USD).unwrap().rounded(), dollars);
        assert!(rates.convert(dollars, Currency::EUR).is_err());
    }
}
