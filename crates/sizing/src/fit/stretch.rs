//! The inverse questions: how large a batch, a context or a crowd still fits a card.

use super::{fits, limit};
use crate::{Architecture, Setup, SizingError, Work, memory};
use kasuan_model::Card;

/// What is stretched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// Sequences in one forward pass (training).
    MicroBatch,
    /// Tokens of a sequence (training).
    Sequence,
    /// Prompt tokens beside the generated ones (inference).
    Context,
    /// Sequences in flight (inference).
    Concurrency,
}

/// Nobody runs more of anything than this; the search stops there.
const MOST: u32 = 1 << 24;

impl Axis {
    /// Returns the setup with the axis at a value; `None` when the setup has no such axis.
    pub(super) fn at(self, setup: &Setup, value: u32) -> Option<Setup> {
        let mut setup = setup.clone();
        match (self, &mut setup.work) {
            (Self::MicroBatch, Work::Training(training)) => training.micro_batch = value,
            (Self::Sequence, Work::Training(training)) => training.sequence = value,
            (Self::Context, Work::Inference(inference)) => {
                inference.generated = inference.generated.min(value.saturating_sub(1));
                inference.prompt = value - inference.generated;
            }
            (Self::Concurrency, Work::Inference(inference)) => inference.concurrency = value,
            _ => return None,
        }
        Some(setup)
    }
}

/// Returns the largest value of an axis with which a setup still fits a card, everything else as it
/// is; a context also stops at the longest that the model was made for. `None` when not even 1
/// fits, or the setup has no such axis.
///
/// Memory grows with each axis, so that bisection finds the edge in two dozen estimates.
///
/// # Errors
/// What [`memory::estimate`] refuses: a model or a run without a size.
pub fn largest(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    headroom: f64,
    axis: Axis,
) -> Result<Option<u32>, SizingError> {
    let fits_at = |value: u32| -> Result<bool, SizingError> {
        match axis.at(setup, value) {
            Some(setup) => Ok(fits(model, &setup, card, headroom)?.fits),
            None => Ok(false),
        }
    };
    let most = match axis {
        Axis::Context | Axis::Sequence => model.max_context.unwrap_or(MOST).clamp(1, MOST),
        Axis::MicroBatch | Axis::Concurrency => MOST,
    };
    if !fits_at(1)? {
        return Ok(None);
    }
    let (mut good, mut bad) = (1, most.saturating_add(1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits_at(middle)? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(Some(good))
}

/// Returns how many tokens of keys and values the memory of all cards together still holds beside
/// everything else: the product of context and concurrency that an engine with paged memory can
/// serve. `None` for training and for models without a growing cache.
///
/// # Errors
/// What [`memory::estimate`] refuses.
pub fn kv_tokens_left(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    headroom: f64,
) -> Result<Option<u64>, SizingError> {
    let Work::Inference(inference) = &setup.work else { return Ok(None) };
    let per_token = memory::kv_bytes_per_token(model, inference.kv);
    if per_token <= 0.0 {
        return Ok(None);
    }
    let fit = fits(model, setup, card, headroom)?;
    let share = inference.memory_share.unwrap_or(1.0);
    let offered = (limit(card, headroom).get() as f64 * share).floor();
    let without_cache =
        fit.memory.needed.saturating_sub(fit.memory.breakdown.kv_cache).get() as f64;
    let cards = f64::from(setup.parallelism.tensor) * f64::from(setup.parallelism.pipeline);
    let tokens = (offered - without_cache).max(0.0) * cards / per_token;
    Ok(Some(tokens as u64))
}
