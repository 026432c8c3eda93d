//! Why a size could not be worked out.

use kasuan_model::{Phrase, Phrased};

/// Why a size could not be worked out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SizingError {
    /// A figure that must be positive is zero.
    #[error("`{field}` is zero, which no model or run can have")]
    Zero {
        /// The field's name.
        field: &'static str,
    },
    /// A figure is outside of what the formulas stand for.
    #[error("`{field}` is {value}, outside of {low} to {high}")]
    Range {
        /// The field's name.
        field: &'static str,
        /// What was given.
        value: f64,
        /// The smallest sensible value.
        low: f64,
        /// The largest sensible value.
        high: f64,
    },
    /// The setup asks for two things that exclude each other.
    #[error("`{first}` and `{second}` exclude each other")]
    Contradiction {
        /// The first setting.
        first: &'static str,
        /// The second setting.
        second: &'static str,
    },
}

impl Phrased for SizingError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Zero { field } => Phrase::new("sizing-error-zero").with("field", field),
            Self::Range { field, value, low, high } => Phrase::new("sizing-error-range")
                .with("field", field)
                .with("value", value)
                .with("low", low)
                .with("high", high),
            Self::Contradiction { first, second } => Phrase::new("sizing-error-contradiction")
                .with("first", first)
                .with("second", second),
        }
    }
}
