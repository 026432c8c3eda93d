//! Memory of serving and generating.

use super::{
    kv::kv_bytes,
    terms::{Moment, Terms},
    weights,
    widths::Widths,
};
use crate::{
    Architecture, AttentionKernel, Engine, Inference, PromptLogits, Setup, parameters::count,
};

/// Bytes that vLLM's sampler takes at its profiling run for each planned sequence and token of the
/// vocabulary; seven public start-up logs fit within 3.3 %.
const VLLM_SAMPLER: f64 = 38.5;

/// Returns the moments at which one card may peak.
pub(super) fn moments(a: &Architecture, setup: &Setup, i: &Inference) -> Vec<Moment> {
    let w = Widths::of(a);
    let cards =
        f64::from(setup.parallelism.tensor.max(1)) * f64::from(setup.parallelism.pipeline.max(1));
    let parameters = count(a);
    let all = setup
        .exact_weights
        .map_or(weights::weights(&parameters, setup.weights), |b| b.get() as f64);
    let kv_cards = cards.min(w.kv_heads.max(1.0));
    let length = i.prompt.saturating_add(i.generated);
    let caps = matches!(i.engine, Engine::Vllm | Engine::Sglang);
    let base = Terms {
        weights: all / cards,
        kv_cache: kv_bytes(a, i.kv, length, i.concurrency, caps) / kv_cards,
        ..Terms::default()
    };
    let tokens = f64::from(i.prompt) * f64::from(i.concurrency);
    let compute = 2.0;
    let moment = |name, activations: f64, logits: f64| Moment {
        name,
        terms: Terms { activations, logits, ..base },
    };
    if matches!(i.engine, Engine::Vllm | Engine::Sglang | Engine::LmDeploy) {
        let batched = i.batched_tokens.map_or(8192.0, f64::from);
        let sequences = i.max_sequences.map_or(256.0, f64::from);
        let layer = batched * (2.0 * w.feed_forward + 4.0 * w.hidden) * compute / cards;
        let sampler = VLLM_SAMPLER * sequences * w.vocab;
        return vec![
            moment("profiling run of the sampler", 0.0, sampler),
            moment("reading a batch of prompt tokens", layer, 0.0),
        ];
    }
    let live = compute * (3.0 * w.feed_forward + 3.0 * w.hidden) / cards;
    let scores = if i.attention == AttentionKernel::Eager {
        10.0 * w.heads * f64::from(i.prompt) / cards
    } else {
        0.0
    };
    let logits = match i.prompt_logits {
        PromptLogits::All => (compute + 4.0) * w.vocab * tokens,
        PromptLogits::Plain => compute * w.vocab * tokens,
        PromptLogits::Last => (compute + 4.0) * w.vocab * f64::from(i.concurrency),
    };
    vec![
        moment("a layer reading the prompt", tokens * (live + scores), 0.0),
        moment("logits of the prompt", tokens * 2.0 * w.hidden * compute, logits),
    ]
}
