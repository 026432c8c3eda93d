//! llama.cpp: weights, cache, and one compute buffer for the worst graph.

use super::{cache, moment, weights_on_card};
use crate::{
    Architecture, Attention, Inference, Setup,
    memory::{
        terms::{Moment, Terms},
        widths::Widths,
    },
};

/// Tokens of a graph when nothing else is said (`n_ubatch`).
const MICRO_BATCH: f64 = 512.0;

/// Returns the moment at which one card peaks; buffers are laid out at the start.
///
/// The compute buffer holds the FP32 logits of a micro-batch and two streams beside them:
/// `n_ubatch * (vocab + 2*hidden) * 4`, exact in the logs of dense models and Qwen3 MoE. Latent
/// attention expands K and V for the whole context: `context * heads * 2 * (nope + rope) * 2`.
pub(super) fn moments(a: &Architecture, setup: &Setup, i: &Inference) -> Vec<Moment> {
    let w = Widths::of(a);
    let context = f64::from(i.prompt.saturating_add(i.generated));
    let batch = i.batched_tokens.map_or(MICRO_BATCH, f64::from);
    let streams = batch * 2.0 * w.hidden * 4.0;
    let logits = batch * w.vocab * 4.0;
    let expanded = match a.attention {
        Attention::Latent { rope_dim, nope_dim, .. } => {
            4.0 * context * w.heads * (f64::from(rope_dim) + f64::from(nope_dim))
        }
        Attention::Grouped => 0.0,
    };
    vec![moment(
        "the largest graph",
        Terms {
            weights: weights_on_card(a, setup, i),
            kv_cache: cache(a, setup, i, context, false),
            activations: streams + expanded,
            logits,
            ..Terms::default()
        },
    )]
}
