//! Memory of a training run: the moments at which it may peak.
//!
//! The peak is the worst of: the loss (all saved activations and the logits), one layer's backward
//! pass, the optimiser's step, and, with FP32 weights under autocast and checkpointing, the end of
//! the forward pass.

mod activations;
mod sharding;
mod states;

use super::{
    terms::{Moment, Terms},
    widths::Widths,
};
use crate::{
    Architecture, Checkpointing, Loss, Method, Recipe, Setup, StepKernel, Training, WeightFormat,
};
use sharding::{division, shard};
use states::{States, states};

/// Bytes of the numbers that a run uses.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Precision {
    /// Weights that are trained, or the base of adapters.
    weight: f64,
    /// Gradients of full training.
    gradient: f64,
    /// The hidden stream between layers.
    stream: f64,
    /// What matrices are multiplied in.
    compute: f64,
    /// Whether autocast copies FP32 matrices.
    casts: bool,
    /// Adapter weights.
    adapter: f64,
    /// What adapters are multiplied in.
    adapter_compute: f64,
    /// Whether the input of an adapter is copied into the adapter's numbers.
    adapter_copies: bool,
    /// Logits as the model returns them.
    logits: f64,
}

impl Precision {
    fn of(setup: &Setup, t: &Training) -> Self {
        let quantised = is_quantised(setup.weights);
        if matches!(t.method, Method::Lora { .. }) {
            let fp32_base = setup.weights == WeightFormat::Fp32;
            let upcast = quantised && t.details.upcasts_unquantised;
            let adapter = if t.details.fp32_adapters { 4.0 } else { 2.0 };
            let autocast = t.details.autocast || t.recipe == Recipe::Autocast;
            let stream = if fp32_base || upcast { 4.0 } else { 2.0 };
            return Self {
                weight: if fp32_base { 4.0 } else { 2.0 },
                gradient: adapter,
                stream,
                compute: if fp32_base && !autocast { 4.0 } else { 2.0 },
                casts: fp32_base && autocast,
                adapter,
                adapter_compute: if autocast { 2.0 } else { adapter },
                adapter_copies: stream < adapter && !autocast,
                logits: stream,
            };
        }
        let (weight, gradient, stream, compute, casts) = match t.recipe {
            Recipe::Fp32 => (4.0, 4.0, 4.0, 4.0, false),
            Recipe::Autocast => (4.0, 4.0, 4.0, 2.0, true),
            Recipe::PureBf16 => (2.0, 2.0, 2.0, 2.0, false),
            Recipe::MasterFp32 => (2.0, 4.0, 2.0, 2.0, false),
        };
        Self {
            weight,
            gradient,
            stream,
            compute,
            casts,
            adapter: weight,
            adapter_compute: compute,
            adapter_copies: false,
            logits: compute,
        }
    }
}

fn is_quantised(format: WeightFormat) -> bool {
    super::weights::bits(format).matrix < 16.0
}

/// Returns the moments at which one card may peak.
pub(super) fn moments(a: &Architecture, setup: &Setup, t: &Training) -> Vec<Moment> {
    let precision = Precision::of(setup, t);
    let states = shard(setup, states(a, setup, t, &precision));
    let w = Widths::of(a);
    let tokens = f64::from(t.micro_batch) * f64::from(t.sequence);
    let shared = division(setup);
    let layers = w.layers / shared.pipeline;
    let layer = activations::layer(a, t, &precision);
    let saved_layer = layer.saved * tokens / shared.tensor;
    let (kept, one_layer) = match t.checkpointing {
        Checkpointing::Off => (layers * saved_layer, 0.0),
        Checkpointing::Selective => (layers * saved_layer, 0.0),
        Checkpointing::Full => (layers * layer.stored * tokens / shared.sequence, saved_layer),
    };
    let final_norm = if matches!(t.method, Method::Lora { .. }) { 4.0 } else { 8.0 } * w.hidden;
    let accumulates = t.accumulation > 1 && !t.fused_backward;
    let held = if accumulates { 1.0 } else { 0.0 };
    let base = |gradients: f64| Terms {
        weights: states.weights,
        gradients: states.gradients * gradients,
        optimizer: states.optimizer,
        adapters: states.adapters + states.adapter_gradients * gradients,
        ..Terms::default()
    };
    let vocab = w.vocab / shared.vocabulary;
    let casts = |fraction: f64| states.casts * fraction;
    let unfused = t.checkpointing != Checkpointing::Full;

    let loss = Moment {
        name: "backward of the loss",
        terms: Terms {
            activations: kept + final_norm * tokens + if unfused { casts(1.0) } else { 0.0 },
            logits: logits_bytes(t, &precision, vocab, tokens),
            ..base(held)
        },
    };
    let in_backward = Moment {
        name: "backward of a layer",
        terms: Terms {
            activations: kept
                + one_layer
                + layer.transient * tokens / shared.tensor
                + if unfused { casts(1.0) } else { 0.0 },
            ..base(held)
        },
    };
    let end = Moment {
        name: "end of the backward pass and the step",
        terms: Terms {
            framework: end_temporaries(a, t, &precision, &states, shared.vocabulary),
            ..base(if t.fused_backward { 0.0 } else { 1.0 })
        },
    };
    let mut moments = vec![loss, in_backward, end];
    if precision.casts && t.checkpointing == Checkpointing::Full {
        moments.push(Moment {
            name: "end of the forward pass",
            terms: Terms {
                activations: kept + casts(1.0),
                logits: (precision.logits + 8.0) * vocab * tokens,
                ..base(held)
            },
        });
    }
    moments
}

/// Returns the bytes of logits and loss at their worst: FP32 copies of the logits, of their
/// log-probabilities and of the gradient, and the model's own logits where the caller holds them.
fn logits_bytes(t: &Training, precision: &Precision, vocab: f64, tokens: f64) -> f64 {
    let held = if t.details.holds_logits { precision.logits } else { 0.0 };
    match t.loss {
        Loss::Eager => (12.0 + held) * vocab * tokens,
        Loss::Fused => 0.0,
        Loss::Chunked(chunk) => (12.0 + held) * vocab * f64::from(chunk).min(tokens),
    }
}

/// Returns temporaries at the end of the backward pass and of the step.
fn end_temporaries(
    a: &Architecture,
    t: &Training,
    precision: &Precision,
    states: &States,
    vocabulary: f64,
) -> f64 {
    let w = Widths::of(a);
    let embedding = w.vocab * w.hidden / vocabulary;
    let lora = matches!(t.method, Method::Lora { .. });
    let tied = if a.tied && !lora { 2.0 * embedding * precision.weight } else { 0.0 };
    let step = match t.details.step {
        StepKernel::Fused => 0.0,
        StepKernel::ForEach => states.trained * precision.gradient,
        StepKernel::ForLoop if lora => 0.0,
        StepKernel::ForLoop => 2.0 * embedding.max(w.hidden * w.feed_forward) * precision.weight,
    };
    step.max(tied)
}
