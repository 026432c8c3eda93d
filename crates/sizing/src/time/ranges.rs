//! How wide a range is: wider where the stack, the card or the setting was not measured.

use super::{Coefficients, Limit, Rate};
use kasuan_model::{Confidence, Estimate};

/// What is known about the surroundings of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ground {
    /// Card family, stack and setting were measured.
    #[default]
    Known,
    /// One of them was not.
    New,
    /// A zone where every formula was seen to fail: tiny steps, eager decoding, very long contexts.
    Hard,
}

impl Ground {
    const fn word(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::New => "new",
            Self::Hard => "hard",
        }
    }
}

/// Puts the range of a kind of run around its likely rate.
pub(super) fn rate(
    kind: &str,
    ground: Ground,
    likely: f64,
    limit: Limit,
    c: &Coefficients,
) -> Rate {
    let width = c.range.get(&format!("{kind}.{}", ground.word())).copied();
    let (low, high) = width.map_or((2.0, 2.0), |w| (w.low.max(1.0), w.high.max(1.0)));
    let confidence = match ground {
        Ground::Known => Confidence::High,
        Ground::New => Confidence::Medium,
        Ground::Hard => Confidence::Low,
    };
    Rate {
        tokens_per_second: Estimate::new(likely / low, likely, likely * high),
        limit,
        confidence,
    }
}
