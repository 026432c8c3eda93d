//! Generating with plain PyTorch: Hugging Face transformers, LitGPT, gpt-fast, exllama.

use super::{cache, live_layer, moment, weights_on_card};
use crate::{
    Architecture, AttentionKernel, Engine, Inference, PromptLogits, Setup, WeightFormat,
    memory::{
        families,
        process::WORKSPACE,
        terms::{Moment, Terms},
        training::largest_matrix,
        weights,
        widths::Widths,
    },
};

/// Rows of the rotary tables that each layer kept in transformers before 4.45, where the model's
/// longest context is not known.
const ROTARY_ROWS: f64 = 32_768.0;

/// Returns the moments at which one card may peak.
pub(super) fn moments(a: &Architecture, setup: &Setup, i: &Inference) -> Vec<Moment> {
    let w = Widths::of(a);
    let tensor = f64::from(setup.parallelism.tensor.max(1));
    let sequences = f64::from(i.concurrency);
    let (prompt, generated) = (f64::from(i.prompt), f64::from(i.generated));
    let old =
        i.engine == Engine::Transformers && i.prompt_logits == PromptLogits::All && !i.static_cache;
    let total = prompt + generated;
    let laid_out = i.cache_tokens.filter(|_| i.static_cache).map_or(total, f64::from);
    let after_prompt = if i.static_cache { laid_out } else { prompt };
    let base = Terms {
        weights: weights_on_card(a, setup, i),
        framework: fixed(a, setup, i, old, total),
        ..Terms::default()
    };
    let at =
        |tokens: f64, terms: Terms| Terms { kv_cache: cache(a, setup, i, tokens, false), ..terms };

    let tokens = prompt * sequences;
    let scores =
        if i.attention == AttentionKernel::Eager { 10.0 * w.heads * prompt / tensor } else { 0.0 };
    let logit = 2.0 * w.hidden * 2.0;
    // Other programs bring their own code for the models.
    let beside =
        if i.engine == Engine::Transformers { families::code(a).logit_reading } else { 0.0 };
    let logits = match i.prompt_logits {
        PromptLogits::All => (6.0 + beside) * w.vocab * tokens,
        PromptLogits::Plain => (2.0 + beside) * w.vocab * tokens,
        PromptLogits::Last => 6.0 * w.vocab * sequences,
    };
    let mut decoding = at(if i.static_cache { laid_out } else { total }, base);
    decoding.logits = 6.0 * w.vocab * sequences;
    if !i.static_cache {
        // Each step builds the grown cache beside the old one: all of it where caches were tuples
        // (before 4.45), one layer's where they are objects.
        decoding.kv_cache *= if old { 2.0 } else { 1.0 + 1.0 / w.layers.max(1.0) };
    }
    if i.static_cache && w.query > w.kv {
        // K and V are expanded to the width of Q and copied for the product over the whole cache.
        decoding.activations += 16.0 * w.query * total * sequences / tensor;
    }
    let reading = at(after_prompt, base);
    let dequantised = dequantised(a, setup, i);
    vec![
        moment(
            "a layer reading the prompt",
            Terms {
                activations: tokens * (live_layer(a, tensor) + scores) + dequantised,
                ..reading
            },
        ),
        moment("logits of the prompt", Terms { activations: tokens * logit, logits, ..reading }),
        moment("the last generated token", decoding),
    ]
}

/// Returns tables that stay: rotary tables of old versions, masks of static caches.
fn fixed(a: &Architecture, setup: &Setup, i: &Inference, old: bool, total: f64) -> f64 {
    let w = Widths::of(a);
    let pipeline = f64::from(setup.parallelism.pipeline.max(1));
    if old {
        let rows = a.max_context.map_or(ROTARY_ROWS, f64::from).min(ROTARY_ROWS);
        return w.layers / pipeline * rows * w.head_dim * 4.0 + WORKSPACE;
    }
    let workspace = WORKSPACE;
    if i.engine == Engine::StaticTorch {
        // A causal mask of one byte for each pair of positions.
        return total * total + workspace;
    }
    workspace
}

/// Returns temporary copies of the largest quantised matrix, 4 bytes a weight, while a prompt is
/// read with 4-bit bitsandbytes, or with the quantised formats of static-cache programs.
fn dequantised(a: &Architecture, setup: &Setup, i: &Inference) -> f64 {
    let own = i.engine == Engine::StaticTorch;
    let quantised = weights::bits(setup.weights).matrix < 16.0;
    let bitsandbytes = matches!(setup.weights, WeightFormat::Nf4 { .. });
    let bytes = if own || i.prompt_logits == PromptLogits::All { 4.0 } else { 2.0 };
    if (own && quantised) || bitsandbytes { bytes * largest_matrix(a, own) } else { 0.0 }
}
