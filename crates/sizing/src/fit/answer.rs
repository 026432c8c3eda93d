//! The whole answer of "does it fit this card": as asked, at best, and how far it can be stretched.

use super::{Axis, Fit, Need, Remedies, fits, kv_tokens_left, largest, remedies, setups};
use crate::{Architecture, Parallelism, SizingError, WeightFormat, Work};
use kasuan_model::Card;

/// How far a setup can be stretched on its cards, everything else as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Most sequences in flight; `None` for training.
    pub concurrency: Option<u32>,
    /// Longest context in tokens; `None` for training.
    pub context: Option<u32>,
    /// Context times concurrency that the cache holds; `None` for training.
    pub kv_tokens: Option<u64>,
    /// Most sequences in one forward pass; `None` for inference.
    pub micro_batch: Option<u32>,
    /// Longest sequence in tokens; `None` for inference.
    pub sequence: Option<u32>,
}

/// The answer for one card.
#[derive(Clone, Debug, PartialEq)]
pub struct CardAnswer {
    /// On one card (or as many as the user insists on), in the best format.
    pub asked: Fit,
    /// The best setup that fits: best format, then fewest cards; `None` when nothing does.
    pub best: Option<Fit>,
    /// The setup with the fewest cards, where that is fewer than the best one's.
    pub fewest: Option<Fit>,
    /// How far the best setup can be stretched.
    pub capacity: Capacity,
}

/// Answers for one card.
///
/// # Errors
/// What [`crate::memory::estimate`] refuses: a model or a run without a size.
pub fn answer(model: &Architecture, need: &Need, card: &Card) -> Result<CardAnswer, SizingError> {
    let format = need.weights.unwrap_or(WeightFormat::Bf16);
    let asked = match need.cards {
        Some(cards) => need.ways(model, format, cards).first().copied(),
        None => None,
    };
    let asked = need.setup(format, asked.unwrap_or(Parallelism::SINGLE));
    let asked = fits(model, &asked, card, need.headroom)?;
    let all = setups(model, need, card)?;
    let best = all.first().cloned();
    let fewest = all
        .iter()
        .min_by_key(|fit| fit.cards())
        .filter(|fit| best.as_ref().is_some_and(|best| fit.cards() < best.cards()))
        .cloned();
    let capacity = match &best {
        Some(best) => capacity(model, best, card, need.headroom)?,
        None => Capacity::default(),
    };
    Ok(CardAnswer { asked, best, fewest, capacity })
}

/// Returns how far a setup can be stretched.
fn capacity(
    model: &Architecture,
    fit: &Fit,
    card: &Card,
    headroom: f64,
) -> Result<Capacity, SizingError> {
    let most = |axis| largest(model, &fit.setup, card, headroom, axis);
    Ok(match &fit.setup.work {
        Work::Inference(_) => Capacity {
            concurrency: most(Axis::Concurrency)?,
            context: most(Axis::Context)?,
            kv_tokens: kv_tokens_left(model, &fit.setup, card, headroom)?,
            ..Capacity::default()
        },
        Work::Training(_) => Capacity {
            micro_batch: most(Axis::MicroBatch)?,
            sequence: most(Axis::Sequence)?,
            ..Capacity::default()
        },
    })
}

/// Returns what to change so that the job fits this card as asked.
///
/// # Errors
/// What [`crate::memory::estimate`] refuses.
pub fn ways_to_fit(
    model: &Architecture,
    need: &Need,
    answer: &CardAnswer,
    card: &Card,
) -> Result<Remedies, SizingError> {
    remedies(model, &answer.asked.setup, card, need.headroom, need.most_cards)
}
