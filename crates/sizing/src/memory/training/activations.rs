//! What a layer saves for the backward pass, and what is alive while one layer runs.
//!
//! The byte counts are those of Hugging Face's Llama, Mistral and Qwen2 code, traced without a GPU
//! by `tools/trace_memory.py` and matched exactly for training in 16 bits, under autocast, and for
//! adapters.

use super::precision::{AdapterInput, Precision};
use crate::{
    Architecture, AttentionKernel, Checkpointing, LoraTarget, Method, Mlp, Norm, Setup, Training,
    WeightFormat,
    memory::{
        families, weights,
        widths::{Widths, target},
    },
};

/// Bytes for each token of one layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layer {
    /// Saved for the backward pass by a layer that is not recomputed.
    pub(super) saved: f64,
    /// Saved where only matrix products and attention are kept.
    pub(super) selective: f64,
    /// Alive on top while one layer runs backward.
    pub(super) transient: f64,
    /// What a recomputed layer keeps: its input.
    pub(super) stored: f64,
}

/// Returns the bytes for each token of a micro-batch.
pub(super) fn layer(a: &Architecture, setup: &Setup, t: &Training, p: &Precision) -> Layer {
    let w = Widths::of(a);
    let width = if p.stream > 2.0 && !p.casts { 4.0 } else { p.compute };
    let (attention, live_scores) = attention(a, &w, t, width);
    let block = feed_forward(a, &w, t, width);
    let inputs = if t.details.keeps_quantised_inputs && is_quantised(setup) {
        4.0 * w.hidden + 2.0 * w.feed_forward
    } else {
        0.0
    };
    let saved = norms(a, &w, t, p) + attention + block.saved + adapters(a, t, p) + inputs;
    let selective =
        if t.details.keeps_matrix_products { saved } else { per_operation(&w, &block, width) };
    Layer {
        saved,
        selective: selective.min(saved),
        transient: block.transient.max(block.norm_transient).max(live_scores),
        stored: w.hidden * p.stream,
    }
}

/// Returns what PyTorch's per-operation policy keeps: the layer's input, attention's output, and
/// every second matrix product, which are Q, V, gate and down (torchtitan
/// `distributed/activation_checkpoint.py`).
fn per_operation(w: &Widths, block: &Block, width: f64) -> f64 {
    width * (2.0 * w.hidden + 2.0 * w.query + w.kv) + 4.0 * w.heads + block.product
}

fn is_quantised(setup: &Setup) -> bool {
    weights::bits(setup.weights).matrix < 16.0
}

/// Returns what the norms of a layer save: the FP32 copy of their input and, where their weights are
/// trained, what those are multiplied with and the result. A LayerNorm kernel saves its input only.
fn norms(a: &Architecture, w: &Widths, t: &Training, p: &Precision) -> f64 {
    let trains_all = !t.method.trains_adapters();
    let number = f64::from(a.norms_per_layer);
    if let Some((trained, frozen)) = families::in_training(a, t).norm.filter(|_| p.stream <= 2.0) {
        return number * if trains_all { trained } else { frozen } * w.hidden + 8.0;
    }
    if a.norm != Norm::Rms {
        return number * (p.stream + if trains_all { 2.0 } else { 0.0 }) * w.hidden + 8.0;
    }
    let one = match (trains_all, p.stream > 2.0, p.casts) {
        (true, false, _) => 8.0,
        (true, true, true) => 13.0,
        (true, true, false) => 12.0,
        (false, false, _) => 4.0,
        (false, true, true) => 7.0,
        (false, true, false) => 8.0,
    };
    number * one * w.hidden + 8.0
}

/// Returns what attention saves (Q, K, V, its output, one FP32 sum of exponents a head) and what
/// scores take while a layer runs.
fn attention(a: &Architecture, w: &Widths, t: &Training, width: f64) -> (f64, f64) {
    let kv = if t.details.expands_kv { w.query } else { w.kv };
    let sequence = f64::from(t.sequence);
    let mut saved = 2.0 * width * w.query + 2.0 * width * kv + 4.0 * w.heads;
    if a.qk_norm {
        // The FP32 copy of their input, and the result where their weights are trained.
        let bytes = if t.method.trains_adapters() { 4.0 } else { 6.0 };
        saved += bytes * (w.query + w.kv) + 4.0 * (w.heads + w.kv_heads);
    }
    if t.details.builds_mask {
        saved += 2.0 * sequence;
    }
    if t.attention == AttentionKernel::Eager {
        // Scores in 16 bits after the softmax and in FP32 within it. While a recomputed layer runs
        // backward, eight to nine bytes more (empirical, 31 measured runs); where everything is kept, scores
        // are freed as gradients take their place.
        let live = if t.checkpointing == Checkpointing::Full { 8.5 } else { 0.0 };
        let kept = width + 4.0 + families::in_training(a, t).score;
        (saved + w.heads * sequence * kept, live * w.heads * sequence)
    } else {
        (saved, 0.0)
    }
}

/// Bytes for each token of a feed-forward block.
struct Block {
    saved: f64,
    /// Bytes of one inner product (gate).
    product: f64,
    transient: f64,
    norm_transient: f64,
}

/// Returns what the feed-forward block saves: gate, its activation, up, and the product where the
/// down matrix is trained; for experts as many as a token uses, one of them running at a time.
fn feed_forward(a: &Architecture, w: &Widths, t: &Training, width: f64) -> Block {
    let trains_all = !t.method.trains_adapters();
    let tensors = match (a.mlp, trains_all) {
        (Mlp::Gated, true) => 4.0,
        (Mlp::Gated, false) => 3.0,
        (Mlp::Plain, true) => 2.0,
        (Mlp::Plain, false) => 1.0,
    };
    let activation = families::in_training(a, t).activation;
    let Some(e) = a.experts else {
        return Block {
            saved: (tensors * width + activation) * w.feed_forward,
            product: width * w.feed_forward,
            transient: 3.0 * w.feed_forward * width + 2.0 * w.hidden,
            norm_transient: 16.0 * w.hidden,
        };
    };
    let (active, number) = (f64::from(e.active), f64::from(e.experts).max(1.0));
    let expert = f64::from(e.intermediate);
    let one = 3.0 * expert * width + 2.0 * w.hidden;
    let shared = f64::from(e.shared_intermediate);
    // A token's input at each of its experts and, where those are trained, its output.
    let ends = if trains_all { 2.0 } else { 1.0 };
    Block {
        saved: active * (ends * width * w.hidden + tensors * width * expert)
            + tensors * width * shared
            + 4.0 * number,
        product: width * (active * expert + shared),
        transient: (one * active / number).max(3.0 * shared * width),
        norm_transient: 0.0,
    }
}

/// Returns what adapters save in one layer.
fn adapters(a: &Architecture, t: &Training, p: &Precision) -> f64 {
    let Method::Lora { rank, targets, .. } = &t.method else { return 0.0 };
    let rank = f64::from(*rank);
    let w = Widths::of(a);
    let mut bytes = 0.0;
    for one in targets {
        if matches!(one, LoraTarget::Embedding | LoraTarget::Head) {
            continue;
        }
        let (linear, _) = target(a, *one);
        bytes += match p.adapter_input {
            AdapterInput::Copied32 => p.adapter * (linear.input + rank),
            AdapterInput::Copied16 => 2.0 * (linear.input + rank),
            AdapterInput::Shared => p.adapter * rank,
        };
        if t.details.adapter_dropout && !t.details.merged_adapters {
            bytes += 3.0 * linear.input;
        }
    }
    if t.details.merged_adapters {
        bytes += 3.0 * w.hidden + 2.0 * (w.query + 2.0 * w.kv);
    }
    bytes
}

/// Returns the temporary copies of the largest quantised matrix: dequantised in the numbers of its
/// multiplication, 2 bytes a weight; before bitsandbytes 0.42 in those of its scales and cast again,
/// 4 bytes (LitGPT and Hugging Face runs of 2023 agree).
pub(super) fn dequantised(a: &Architecture, setup: &Setup, t: &Training) -> f64 {
    if !matches!(setup.weights, WeightFormat::Nf4 { .. }) {
        return 0.0;
    }
    let bytes = if t.details.keeps_quantised_inputs { 4.0 } else { 2.0 };
    bytes * largest_matrix(a, t.details.quantises_head) / f64::from(setup.parallelism.tensor.max(1))
}

/// Returns the weights of the largest matrix that is quantised.
pub(in crate::memory) fn largest_matrix(a: &Architecture, head: bool) -> f64 {
    let w = Widths::of(a);
    let expert = a.experts.map_or(0.0, |e| f64::from(e.intermediate));
    let block =
        if a.expert_layers() > 0 && a.dense_layers() == 0 { expert } else { w.feed_forward };
    let inside = w.hidden * block.max(w.query);
    if head { inside.max(w.hidden * w.vocab) } else { inside }
}
