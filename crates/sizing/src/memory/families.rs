//! What the Hugging Face code of some families does beside their configurations, as far as memory
//! depends on it.
//!
//! Traced without a GPU by `tools/trace_memory.py` (transformers 5.24): two models that differ by one
//! layer, or by their vocabulary, differ by these bytes.

use crate::{Architecture, Training};

/// What a family's code keeps beside what all code keeps; all in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Code {
    /// For each channel of a norm in 16 bits, where its weight is trained and where it is frozen;
    /// `None` means what the kind of norm says.
    pub(super) norm: Option<(f64, f64)>,
    /// Beside each logit while training.
    pub(super) logit_training: f64,
    /// Beside each logit of a prompt that is read.
    pub(super) logit_reading: f64,
    /// Beside each attention score.
    pub(super) score: f64,
    /// For each inner feature of the feed-forward block.
    pub(super) activation: f64,
}

/// Returns what a model's family does in a training run.
pub(super) fn in_training(a: &Architecture, t: &Training) -> Code {
    if t.details.own_models { Code::default() } else { code(a) }
}

/// Returns what a model's family does.
pub(super) fn code(a: &Architecture) -> Code {
    match a.family.as_str() {
        // `1 + weight` in FP32 (`Gemma*RMSNorm`).
        "gemma" | "gemma3" | "gemma3_text" => Code { norm: Some((10.0, 4.0)), ..Code::default() },
        // The same, and scores and logits squeezed by a tanh.
        "gemma2" => Code {
            norm: Some((10.0, 4.0)),
            logit_training: 2.0,
            logit_reading: 2.0,
            score: 2.0,
            ..Code::default()
        },
        // A LayerNorm written out in FP32 operations, and scaled logits.
        "cohere" | "cohere2" => {
            Code { norm: Some((14.0, 8.0)), logit_reading: 2.0, ..Code::default() }
        }
        // Scaled logits.
        "granite" | "granitemoe" | "granitemoeshared" | "granitemoehybrid" => {
            Code { logit_reading: 2.0, ..Code::default() }
        }
        // `gelu_new` written out in single operations.
        "phi" | "phi-msft" => Code { activation: 6.0, ..Code::default() },
        _ => Code::default(),
    }
}
