//! The causes of memory at one moment of a run, and the choice of the worst moment.

use crate::Breakdown;
use kasuan_model::Bytes;

/// Bytes by cause, as floats so that absurd sizes saturate instead of wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Terms {
    pub(crate) weights: f64,
    pub(crate) kv_cache: f64,
    pub(crate) activations: f64,
    pub(crate) logits: f64,
    pub(crate) gradients: f64,
    pub(crate) optimizer: f64,
    pub(crate) adapters: f64,
    pub(crate) framework: f64,
}

impl Terms {
    pub(crate) fn total(&self) -> f64 {
        self.weights
            + self.kv_cache
            + self.activations
            + self.logits
            + self.gradients
            + self.optimizer
            + self.adapters
            + self.framework
    }

    /// Returns the causes in whole bytes; each is rounded up, and their sum is what is allocated.
    pub(crate) fn breakdown(&self) -> Breakdown {
        Breakdown {
            weights: Bytes::from_estimate(self.weights),
            kv_cache: Bytes::from_estimate(self.kv_cache),
            activations: Bytes::from_estimate(self.activations),
            logits: Bytes::from_estimate(self.logits),
            gradients: Bytes::from_estimate(self.gradients),
            optimizer: Bytes::from_estimate(self.optimizer),
            adapters: Bytes::from_estimate(self.adapters),
            framework: Bytes::from_estimate(self.framework),
        }
    }
}

impl Breakdown {
    /// Returns everything together, stopping at the largest amount.
    pub fn total(&self) -> Bytes {
        [
            self.weights,
            self.kv_cache,
            self.activations,
            self.logits,
            self.gradients,
            self.optimizer,
            self.adapters,
            self.framework,
        ]
        .into_iter()
        .sum()
    }
}

/// A moment of a run at which memory may peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    /// What is happening, for people who read the breakdown.
    pub(crate) name: &'static str,
    /// What is alive then.
    pub(crate) terms: Terms,
}

/// What one card needs over a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Need {
    /// The moments at which it may peak.
    pub(crate) moments: Vec<Moment>,
    /// What the allocator holds at the peak.
    pub(crate) reserved: f64,
    /// What stands outside of the allocator beside the card's context: communication buffers.
    pub(crate) outside: f64,
}

impl Need {
    /// Returns the moment that needs most.
    pub(crate) fn worst(&self) -> Moment {
        let mut worst = Moment { name: "nothing runs", terms: Terms::default() };
        for moment in &self.moments {
            if moment.terms.total() > worst.terms.total() {
                worst = *moment;
            }
        }
        worst
    }
}
