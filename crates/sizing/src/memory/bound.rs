//! The bound to rent by: the likely value and what each of its parts may be off by.
//!
//! The shares are set so that at least 95 % of the measured development runs lie under the bound,
//! source tables counted equally; what is certain (weights, cache) gets little, what depends on
//! kernels and data (activations, the allocator) gets more. They are the same for every source.

use super::terms::Terms;
use crate::{Architecture, Method, Setup, Training, Work};
use kasuan_model::{Bytes, Confidence};

const GIB: f64 = 1_073_741_824.0;

/// What parts of an estimate may be off by.
struct Shares {
    /// Of weights, cache, gradients, optimiser states.
    certain: f64,
    /// Of activations and logits.
    uncertain: f64,
    /// Whatever the size.
    fixed: f64,
}

impl Shares {
    fn of(&self, terms: &Terms) -> f64 {
        let uncertain = terms.activations + terms.logits;
        self.certain * (terms.total() - uncertain) + self.uncertain * uncertain + self.fixed
    }
}

/// Generating and serving: only kernels' temporaries are uncertain.
const SERVING: Shares = Shares { certain: 0.03, uncertain: 0.05, fixed: 0.1 * GIB };

/// Tensors of a training run.
const TRAINING: Shares = Shares { certain: 0.04, uncertain: 0.15, fixed: 0.3 * GIB };

/// What the allocator and the process add in a training run.
const ALLOCATOR: Shares = Shares { certain: 0.04, uncertain: 0.12, fixed: 0.0 };

/// Share of the estimated gap between allocator and tensors that may come on top.
const GAP: f64 = 0.25;

/// Returns the bounds of the tensors and of the whole process.
pub(super) fn bounds(
    a: &Architecture,
    setup: &Setup,
    terms: &Terms,
    reserved: Bytes,
    nvidia_smi: Bytes,
) -> (Bytes, Bytes) {
    let allocated = terms.total();
    let unknown = if a.unverified.is_empty() { 0.0 } else { 0.03 * terms.weights };
    let (tensors, process) = match &setup.work {
        Work::Inference(_) => (SERVING.of(terms), 0.0),
        Work::Training(t) => {
            let gap = (reserved.get() as f64 - allocated).max(0.0);
            (TRAINING.of(terms) + recipe(t, terms), ALLOCATOR.of(terms) + GAP * gap)
        }
    };
    (
        Bytes::from_estimate(allocated + tensors + unknown),
        Bytes::from_estimate(nvidia_smi.get() as f64 + tensors + unknown + process),
    )
}

/// Returns what a recipe adds: methods whose states were checked on one table only, and stacks whose
/// longest sample is not known.
fn recipe(t: &Training, terms: &Terms) -> f64 {
    let states = match t.method {
        Method::Full | Method::Lora { .. } => 0.0,
        _ => 0.15 * (terms.optimizer + terms.gradients),
    };
    let lengths =
        if t.details.lengths_vary { 0.25 * (terms.activations + terms.logits) } else { 0.0 };
    states + lengths
}

/// Returns how far an estimate may be trusted.
pub(super) fn confidence(a: &Architecture, setup: &Setup) -> Confidence {
    if !a.unverified.is_empty() {
        return Confidence::Low;
    }
    match &setup.work {
        Work::Inference(_) => Confidence::High,
        Work::Training(t) => match t.method {
            Method::Full | Method::Lora { .. } if a.experts.is_none() => Confidence::High,
            Method::Full | Method::Lora { .. } => Confidence::Medium,
            _ => Confidence::Low,
        },
    }
}
