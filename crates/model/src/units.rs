//! Physical amounts as exact integers: bytes and seconds.

use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use std::{fmt, iter::Sum, ops::Add, str::FromStr};

/// An amount of memory or storage, in whole bytes; additions stop at the largest amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

const GIB: f64 = (1_u64 << 30) as f64;

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Creates an amount from binary gibibytes, the unit that card memory is sold in.
    pub const fn from_gib(gib: u32) -> Self {
        Self((gib as u64) << 30)
    }

    /// Creates an amount from binary mebibytes, the unit that drivers report.
    pub const fn from_mib(mib: u32) -> Self {
        Self((mib as u64) << 20)
    }

    /// Creates an amount from decimal gigabytes, the unit that storage and traffic are billed in.
    pub const fn from_gb(gb: u32) -> Self {
        Self(gb as u64 * 1_000_000_000)
    }

    /// Creates an amount from a physical estimate, rounded up; not-a-number and negative are none.
    pub fn from_estimate(bytes: f64) -> Self {
        // `as` saturates: NaN becomes 0 and anything too large the largest amount.
        Self(bytes.ceil() as u64)
    }

    /// Returns the amount in bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the amount in gibibytes.
    pub fn gib(self) -> f64 {
        self.0 as f64 / GIB
    }

    /// Returns the amount in decimal gigabytes, exactly.
    pub fn gb(self) -> Decimal {
        Decimal::from(self.0) / Decimal::from(1_000_000_000_u64)
    }

    /// Subtracts, stopping at nothing.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Multiplies, stopping at the largest amount.
    #[must_use]
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Bytes {
    /// Writes tenths of a gibibyte, rounded half up, without going through a float.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (u128::from(self.0) * 10 + (1 << 29)) >> 30;
        f.pad(&format!("{}.{} GiB", tenths / 10, tenths % 10))
    }
}

/// The text is not an amount with a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitParseError {
    /// Not a number followed by a unit of memory.
    #[error("`{text}` is not an amount of memory; write it like `24 GiB` or `200 GB`")]
    Bytes {
        /// What was given.
        text: String,
    },
    /// Not a number followed by a unit of time.
    #[error("`{text}` is not a span of time; write it like `8h`, `90 min` or `2 days`")]
    Seconds {
        /// What was given.
        text: String,
    },
}

/// Splits `7.5GiB` into its number and its unit.
fn number_and_unit(text: &str) -> Option<(Decimal, String)> {
    let text = text.trim();
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(text.len());
    let number: Decimal = text[..end].replace(',', "").parse().ok()?;
    Some((number, text[end..].trim().to_lowercase()))
}

impl FromStr for Bytes {
    type Err = UnitParseError;

    /// Parses `24 GiB`, `7.5GB`, `1 TB`; a bare number is refused, since the units differ by 7 %.
    fn from_str(text: &str) -> Result<Self, UnitParseError> {
        let parsed = number_and_unit(text).and_then(|(number, unit)| {
            let scale: u64 = match unit.as_str() {
                "b" | "bytes" => 1,
                "kb" => 1_000,
                "mb" => 1_000_000,
                "gb" => 1_000_000_000,
                "tb" => 1_000_000_000_000,
                "pb" => 1_000_000_000_000_000,
                "kib" => 1 << 10,
                "mib" => 1 << 20,
                "gib" => 1 << 30,
                "tib" => 1 << 40,
                _ => return None,
            };
            number.checked_mul(Decimal::from(scale))?.ceil().to_u64()
        });
        parsed.map(Self).ok_or_else(|| UnitParseError::Bytes { text: text.to_owned() })
    }
}

/// A span of billed or measured time, in whole seconds; additions stop at the longest span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seconds(u64);

impl Seconds {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// Creates a span from seconds.
    pub const fn new(seconds: u64) -> Self {
        Self(seconds)
    }

    /// Creates a span from whole minutes.
    pub const fn from_minutes(minutes: u32) -> Self {
        Self(minutes as u64 * 60)
    }

    /// Creates a span from whole hours.
    pub const fn from_hours(hours: u32) -> Self {
        Self(hours as u64 * 3600)
    }

    /// Creates a span from decimal hours, rounded up to a second; `None` when negative or absurd.
    pub fn from_decimal_hours(hours: Decimal) -> Option<Self> {
        hours.checked_mul(Decimal::from(3600))?.ceil().to_u64().map(Self)
    }

    /// Creates a span from a physical estimate in seconds, rounded up; negative is none.
    pub fn from_estimate(seconds: f64) -> Self {
        Self(seconds.ceil() as u64)
    }

    /// Returns the span in seconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the span in hours, for display and for physical estimates.
    pub fn hours(self) -> f64 {
        self.0 as f64 / 3600.0
    }

    /// Returns the span in hours, to 28 digits.
    pub fn decimal_hours(self) -> Decimal {
        Decimal::from(self.0) / Decimal::from(3600)
    }

    /// Rounds up to a multiple of `step`, as a provider does when it bills; a zero step changes
    /// nothing.
    #[must_use]
    pub const fn round_up_to(self, step: Self) -> Self {
        if step.0 == 0 || self.0 == 0 {
            return self;
        }
        match self.0.checked_next_multiple_of(step.0) {
            Some(rounded) => Self(rounded),
            None => Self(u64::MAX),
        }
    }

    /// Multiplies, stopping at the longest span.
    #[must_use]
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Add for Seconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Seconds {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::default(), Add::add)
    }
}

impl FromStr for Seconds {
    type Err = UnitParseError;

    /// Parses `30s`, `90 min`, `8h`, `2 days`, `1 week`; a bare number is refused.
    fn from_str(text: &str) -> Result<Self, UnitParseError> {
        let parsed = number_and_unit(text).and_then(|(number, unit)| {
            let scale: u64 = match unit.as_str() {
                "s" | "sec" | "second" | "seconds" | "秒" => 1,
                "m" | "min" | "mins" | "minute" | "minutes" | "分钟" => 60,
                "h" | "hour" | "hours" | "小时" => 3600,
                "d" | "day" | "days" | "天" => 86_400,
                "w" | "week" | "weeks" | "周" => 604_800,
                _ => return None,
            };
            number.checked_mul(Decimal::from(scale))?.ceil().to_u64()
        });
        parsed.map(Self).ok_or_else(|| UnitParseError::Seconds { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_61_minutes_is_billed_as_two_hours() {
        let run = Seconds::from_minutes(61);
        assert_eq!(run.round_up_to(Seconds::from_hours(1)), Seconds::from_hours(2));
        assert_eq!(run.round_up_to(Seconds::ZERO), run);
    }

    #[test]
    fn a_bare_number_is_no_amount_of_memory() {
        assert!("24".parse::<Bytes>().is_err());
        assert_eq!("24 GiB".parse(), Ok(Bytes::from_gib(24)));
        assert_eq!("7.5gib".parse(), Ok(Bytes::new(8_053_063_680)));
        assert_eq!("200 GB".parse::<Bytes>().unwrap().to_string(), "186.3 GiB");
        assert!("99999999999999 PB".parse::<Bytes>().is_err());
        assert!("-3 GB".parse::<Bytes>().is_err());
    }

    #[test]
    fn spans_are_read_with_a_unit_only() {
        assert_eq!("90 min".parse(), Ok(Seconds::from_minutes(90)));
        assert_eq!("1.5h".parse(), Ok(Seconds::from_minutes(90)));
        assert_eq!("2 天".parse(), Ok(Seconds::from_hours(48)));
        assert!("8".parse::<Seconds>().is_err());
    }

    #[test]
    fn estimates_round_up_and_never_wrap() {
        assert_eq!(Bytes::from_estimate(1.2), Bytes::new(2));
        assert_eq!(Bytes::from_estimate(f64::NAN), Bytes::ZERO);
        assert_eq!(Bytes::from_estimate(1e300), Bytes::new(u64::MAX));
    }
}
