//! Servers that take a share of the card at the start and page the cache: vLLM, SGLang and kin.

use super::{cache, live_layer, moment, weights_on_card};
use crate::{
    Architecture, Engine, Inference, Reservation, Setup,
    memory::{
        process,
        terms::{Moment, Terms},
        widths::Widths,
    },
};
use kasuan_model::{Bytes, Card};

/// Bytes of the sampler at the profiling run for each planned sequence and token of the vocabulary:
/// seven public start-up logs of vLLM fit within 3.3 %, four more within 6.2 %. One on a T4 does not.
const SAMPLER: f64 = 38.5;

/// Share of the card that each engine takes by default.
fn default_share(engine: Engine) -> f64 {
    match engine {
        Engine::Sglang => 0.88,
        Engine::LmDeploy => 0.8,
        _ => 0.9,
    }
}

/// Returns sequences that the engine plans for: 1,024 on cards of 70 GiB and more that are not A100
/// (`test_defaults_with_usage_context` of vLLM); 256 elsewhere. From which version on is an
/// assumption: 0.9.
fn sequences(i: &Inference, card: Option<&Card>) -> f64 {
    let large = card.is_some_and(|card| {
        card.memory >= Bytes::from_gib(70)
            && !card.id.as_str().starts_with("a100")
            && !card.id.as_str().starts_with("a800")
    });
    let modern = i.engine_version.is_none_or(|version| version >= (0, 9));
    i.max_sequences.map_or(if large && modern { 1024.0 } else { 256.0 }, f64::from)
}

/// Returns the tokens of one step of the profiling run.
fn batched(i: &Inference, card: Option<&Card>) -> f64 {
    let large = card.is_some_and(|card| card.memory >= Bytes::from_gib(70));
    i.batched_tokens.map_or(if large { 8192.0 } else { 2048.0 }, f64::from)
}

/// Returns the moments at which one card may peak.
pub(super) fn moments(
    a: &Architecture,
    setup: &Setup,
    i: &Inference,
    card: Option<&Card>,
) -> Vec<Moment> {
    let w = Widths::of(a);
    let length = f64::from(i.prompt.saturating_add(i.generated));
    let tensor = f64::from(setup.parallelism.tensor.max(1));
    let base = Terms {
        weights: weights_on_card(a, setup, i),
        kv_cache: cache(a, setup, i, length, true),
        ..Terms::default()
    };
    let tokens = batched(i, card);
    vec![
        moment(
            "profiling run of the sampler",
            Terms { logits: SAMPLER * sequences(i, card) * w.vocab, ..base },
        ),
        moment(
            "reading a batch of prompt tokens",
            Terms { activations: tokens * live_layer(a, tensor), ..base },
        ),
    ]
}

/// Returns what an engine that takes its share at the start will hold, and what of it is cache.
///
/// `cache = share * total - weights - activations - outside` (vLLM
/// `Worker.determine_available_memory`); SGLang and TensorRT-LLM count the same parts differently.
pub(in crate::memory) fn reservation(
    setup: &Setup,
    i: &Inference,
    card: &Card,
    terms: &Terms,
    per_token: f64,
) -> Option<Reservation> {
    if !matches!(
        i.engine,
        Engine::Vllm | Engine::Sglang | Engine::LmDeploy | Engine::TensorRtLlm | Engine::MindIe
    ) {
        return None;
    }
    let total = card.memory_for_jobs().get() as f64;
    let taken = total * i.memory_share.unwrap_or_else(|| default_share(i.engine)).clamp(0.0, 1.0);
    let outside = process::OUTSIDE_TORCH + super::outside(setup, i);
    // SGLang keeps room for activations in the share that it does not take.
    let without_cache = match i.engine {
        Engine::Sglang => terms.weights,
        _ => terms.total() - terms.kv_cache,
    };
    let cache = (taken - without_cache - outside).max(0.0);
    let tokens = if per_token > 0.0 { cache / per_token } else { 0.0 };
    Some(Reservation {
        taken: Bytes::from_estimate(taken),
        cache: Bytes::new(cache as u64),
        tokens: tokens as u64,
    })
}
