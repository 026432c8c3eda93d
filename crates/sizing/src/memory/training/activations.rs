//! What a layer saves for the backward pass, and what is alive while one layer runs.
//!
//! The byte counts are those of Hugging Face's Llama, Mistral and Qwen2 code, traced without a GPU
//! by `tools/trace_memory.py` and matched exactly for the first four rows.

use super::Precision;
use crate::{
    Architecture, AttentionKernel, LoraTarget, Method, Mlp, Training,
    memory::widths::{Widths, target},
};

/// Bytes for each token of one layer, or of the live layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layer {
    /// Saved for the backward pass by every layer that is not recomputed.
    pub(super) saved: f64,
    /// Alive on top while one layer runs backward.
    pub(super) transient: f64,
    /// What a recomputed layer keeps: its input.
    pub(super) stored: f64,
}

/// Returns the bytes for each token of a micro-batch.
pub(super) fn layer(a: &Architecture, t: &Training, precision: &Precision) -> Layer {
    let w = Widths::of(a);
    let stream = precision.stream;
    let c = precision.compute;
    let kv = if t.details.expands_kv { w.query } else { w.kv };
    let sequence = f64::from(t.sequence);
    let trains_all = !matches!(t.method, Method::Lora { .. });

    // Two RMS norms: the FP32 copy of their input and, where their weights are trained, what those
    // are multiplied with and the result.
    let norms = match (trains_all, stream > 2.0, precision.casts) {
        (true, false, _) => 16.0 * w.hidden,
        (true, true, true) => 26.0 * w.hidden,
        (true, true, false) => 24.0 * w.hidden,
        (false, false, _) => 8.0 * w.hidden,
        (false, true, true) => 14.0 * w.hidden,
        (false, true, false) => 16.0 * w.hidden,
    } + 8.0;
    // Q, K, V and the output of attention, and one FP32 sum of exponents a head.
    let width = if stream > 2.0 && !precision.casts { 4.0 } else { c };
    let mut attention = 2.0 * width * w.query + 2.0 * width * kv + 4.0 * w.heads;
    if a.qk_norm {
        attention += 6.0 * (w.query + w.kv) + 4.0 * (w.heads + w.kv_heads);
    }
    if t.details.builds_mask {
        attention += 2.0 * sequence;
    }
    let mut live = 0.0;
    if t.attention == AttentionKernel::Eager {
        attention += w.heads * sequence * (width + 4.0);
        live = 10.0 * w.heads * sequence;
    }
    let mlp = feed_forward(a, &w, width, trains_all);
    let saved = norms + attention + mlp + adapters(a, t, precision);
    let wide = (3.0 * w.feed_forward * width + 2.0 * w.hidden).max(16.0 * w.hidden);
    Layer { saved, transient: wide + live, stored: w.hidden * stream }
}

/// Returns what the feed-forward block saves: gate, its activation, up, and the product where the
/// down matrix is trained.
fn feed_forward(a: &Architecture, w: &Widths, width: f64, trains_all: bool) -> f64 {
    let tensors = match (a.mlp, trains_all) {
        (Mlp::Gated, true) => 4.0,
        (Mlp::Gated, false) => 3.0,
        (Mlp::Plain, true) => 2.0,
        (Mlp::Plain, false) => 1.0,
    };
    match a.experts {
        None => tensors * width * w.feed_forward,
        Some(e) => {
            let active = f64::from(e.active);
            active * (2.0 * width * w.hidden + 4.0 * width * f64::from(e.intermediate))
                + tensors * width * f64::from(e.shared_intermediate)
                + 4.0 * f64::from(e.experts)
        }
    }
}

/// Returns what adapters save in one layer: their input, copied where their numbers differ from
/// the stream's, and the low-rank middle.
fn adapters(a: &Architecture, t: &Training, precision: &Precision) -> f64 {
    let Method::Lora { rank, targets, .. } = &t.method else { return 0.0 };
    let rank = f64::from(*rank);
    let inside =
        targets.iter().filter(|target| !matches!(target, LoraTarget::Embedding | LoraTarget::Head));
    let mut bytes = 0.0;
    for one in inside {
        let (linear, _) = target(a, *one);
        bytes += if precision.adapter_copies {
            precision.adapter * (linear.input + rank)
        } else {
            precision.adapter_compute * rank
        };
    }
    bytes
}
