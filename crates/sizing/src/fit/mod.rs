//! Whether a setup fits a card, which setups do, how far each can be stretched, and what to change.

mod answer;
mod parallel;
mod precision;
mod remedies;
mod search;
mod stretch;

pub use answer::{Capacity, CardAnswer, answer, ways_to_fit};
pub use precision::adapted;
pub use remedies::{Remedies, Remedy, remedies};
pub use search::{Need, setups};
pub use stretch::{Axis, kv_tokens_left, largest};

use crate::{Architecture, MemoryEstimate, Setup, SizingError, memory};
use kasuan_model::{Bytes, Card, Phrase};

/// The answer for one setup on one card.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// How it is run, adapted to the card.
    pub setup: Setup,
    /// Memory of the card that needs most.
    pub memory: MemoryEstimate,
    /// What the card offers to a job: its usable memory less the headroom.
    pub limit: Bytes,
    /// Whether the upper bound lies within the limit and nothing else stands against it.
    pub fits: bool,
    /// Whether memory alone decides; `false` when the card lacks a number format or the model
    /// cannot be divided this way.
    pub possible: bool,
    /// Why not, or what to know; empty when there is nothing to say.
    pub reasons: Vec<Phrase>,
}

impl Fit {
    /// Returns the cards used together.
    pub const fn cards(&self) -> u32 {
        self.setup.parallelism.cards()
    }

    /// Returns the memory left on the fullest card beside the upper bound; `None` when it does not
    /// fit.
    pub fn spare(&self) -> Option<Bytes> {
        self.fits.then(|| self.limit.saturating_sub(self.memory.needed))
    }

    /// Returns the memory that is missing on the fullest card; nothing when it fits.
    pub const fn missing(&self) -> Bytes {
        self.memory.needed.saturating_sub(self.limit)
    }
}

/// Returns what a card offers to a job when a share of it is kept free.
pub fn limit(card: &Card, headroom: f64) -> Bytes {
    let kept = headroom.clamp(0.0, 0.95);
    Bytes::new((card.memory_for_jobs().get() as f64 * (1.0 - kept)) as u64)
}

/// Says whether a setup fits a card, memory per card, with a share of the card kept free.
///
/// Number formats are adapted to the card first (see [`adapted`]): a card without BF16 computes in
/// FP16. What the card cannot do at all, and divisions that the model does not allow, are reasons.
///
/// # Errors
/// What [`memory::estimate`] refuses: a model or a run without a size.
pub fn fits(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    headroom: f64,
) -> Result<Fit, SizingError> {
    let (setup, mut reasons) = adapted(setup, card);
    let mut possible = true;
    for refusal in
        precision::refusals(&setup, card).into_iter().chain(parallel::refusals(model, &setup))
    {
        possible = false;
        reasons.push(refusal);
    }
    let memory = memory::estimate(model, &setup, Some(card))?;
    let limit = limit(card, headroom);
    let enough = memory.needed <= limit;
    if !enough {
        reasons.push(
            Phrase::new("sizing-fit-too-large")
                .with("upper", memory.needed)
                .with("limit", limit)
                .with("missing", memory.needed.saturating_sub(limit)),
        );
    }
    Ok(Fit { fits: enough && possible, possible, setup, memory, limit, reasons })
}
