//! The bound to rent by: the likely value and what it may be off by, for each class of uncertainty.

use super::terms::Terms;
use crate::{Architecture, Loss, Method, Setup, Work};
use kasuan_model::{Bytes, Confidence};

/// Returns the bound under which at least 95 % of measured runs of such setups lie.
pub(super) fn upper(_a: &Architecture, setup: &Setup, terms: &Terms, nvidia_smi: Bytes) -> Bytes {
    let activations = terms.activations + terms.logits;
    let margin = match &setup.work {
        Work::Inference(_) => 0.05 * (terms.weights + terms.kv_cache) + 0.25 * activations,
        Work::Training(t) => {
            let states = terms.weights + terms.optimizer + terms.gradients + terms.adapters;
            let loss = if t.loss == Loss::Fused { 0.20 } else { 0.35 };
            let states_share = if matches!(t.method, Method::Lora { .. }) { 0.06 } else { 0.10 };
            states_share * states + loss * activations
        }
    };
    Bytes::from_estimate(nvidia_smi.get() as f64 + margin + 0.3 * 1_073_741_824.0)
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
