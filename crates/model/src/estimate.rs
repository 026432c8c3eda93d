//! Figures that are not exact: ranges with their confidence, and shares.

use std::fmt;

/// A range with a most likely value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub struct Estimate<T> {
    /// Nothing smaller is expected.
    pub low: T,
    /// The single best figure.
    pub likely: T,
    /// Nothing larger is expected; each use states what share of cases lies under it.
    pub high: T,
}

impl<T: Copy> Estimate<T> {
    /// Creates a range.
    pub const fn new(low: T, likely: T, high: T) -> Self {
        Self { low, likely, high }
    }

    /// Creates a range of no width from a figure that is known.
    pub const fn exact(value: T) -> Self {
        Self { low: value, likely: value, high: value }
    }

    /// Applies a function that keeps the order to all three figures.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Estimate<U> {
        Estimate { low: f(self.low), likely: f(self.likely), high: f(self.high) }
    }
}

/// How far an estimate may be trusted, said in the same words everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// The formula was not checked on a case like this one.
    Low,
    /// Checked on similar cases.
    Medium,
    /// Checked against measurements of this very kind, or measured by the user.
    High,
    /// Not an estimate: stated by the user or computed from exact inputs.
    Exact,
}

/// A part of a whole, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Share(f64);

/// The number is not from 0 to 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{value} is not a share; it must be from 0 to 1 (0 % to 100 %)")]
pub struct ShareError {
    /// What was given.
    pub value: f64,
}

impl Share {
    /// Creates a share, refusing what is not from 0 to 1.
    pub fn new(value: f64) -> Result<Self, ShareError> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(ShareError { value }) }
    }

    /// Creates the share that `part` is of `whole`, kept within 0 and 1; nothing of nothing is 0.
    pub fn of(part: f64, whole: f64) -> Self {
        if whole > 0.0 { Self((part / whole).clamp(0.0, 1.0)) } else { Self(0.0) }
    }

    /// Returns the number from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Share {
    /// Writes per cent with one decimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.1}%", self.0 * 100.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "nothing of nothing is exactly nothing")]
    fn a_share_stays_between_nothing_and_everything() {
        assert!(Share::new(1.2).is_err());
        assert!(Share::new(f64::NAN).is_err());
        assert_eq!(Share::of(3.0, 0.0).get(), 0.0);
        assert_eq!(Share::of(300.0, 720.0).to_string(), "41.7%");
    }
}
