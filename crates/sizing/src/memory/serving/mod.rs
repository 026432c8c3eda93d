//! Memory of serving and generating, engine by engine.

mod llama_cpp;
mod paged;
mod torch;

use super::{
    kv,
    terms::{Moment, Need, Terms},
    weights,
    widths::Widths,
};
use crate::{Architecture, Engine, Inference, Kind, Mlp, Setup, parameters::count};
use kasuan_model::Card;

pub(super) use paged::reservation;

/// What the allocator holds beyond the tensors while generating: an assumption, since no row of the
/// development data states both.
const ROUNDING: f64 = 0.02;

/// Returns what one card needs.
pub(super) fn need(a: &Architecture, setup: &Setup, i: &Inference, card: Option<&Card>) -> Need {
    let mut moments = match i.engine {
        Engine::Vllm | Engine::Sglang | Engine::LmDeploy | Engine::TensorRtLlm | Engine::MindIe => {
            paged::moments(a, setup, i, card)
        }
        Engine::LlamaCpp => llama_cpp::moments(a, setup, i),
        Engine::Transformers | Engine::Exllama | Engine::StaticTorch => torch::moments(a, setup, i),
    };
    if a.kind == Kind::Encoder {
        // A model that returns a vector or a score has no head over the vocabulary.
        for moment in &mut moments {
            moment.terms.logits = 0.0;
        }
    }
    let need = Need { moments, reserved: 0.0, outside: outside(setup, i) };
    let peak = need.worst().terms.total();
    let slack = if i.engine == Engine::LlamaCpp { 0.0 } else { ROUNDING };
    Need { reserved: peak * (1.0 + slack), ..need }
}

/// Returns communication buffers of several cards: 0.4 GiB with NCCL (0.54 GiB outside of torch on
/// two H100, 0.13 on one).
fn outside(setup: &Setup, i: &Inference) -> f64 {
    if setup.parallelism.tensor > 1 && i.engine != Engine::LlamaCpp {
        0.4 * 1_073_741_824.0
    } else {
        0.0
    }
}

/// Returns the weights on the fullest card.
///
/// vLLM and SGLang divide the vocabulary too; plain PyTorch programs keep embedding and head whole
/// (LitGPT, `device_map`). llama.cpp leaves an untied embedding in host memory.
fn weights_on_card(a: &Architecture, setup: &Setup, i: &Inference) -> f64 {
    let parameters = count(a);
    let bits = weights::bits(setup.weights);
    let ends = parameters.embedding as f64 + parameters.head as f64;
    let mut all = match setup.exact_weights {
        Some(exact) => exact.get() as f64,
        None => weights::weights(a, &parameters, setup.weights),
    };
    if i.engine == Engine::LlamaCpp && !a.tied {
        all -= parameters.embedding as f64 * bits.matrix / 8.0;
    }
    if i.engine == Engine::StaticTorch && setup.exact_weights.is_none() {
        all -= parameters.head as f64 * (bits.rest - bits.matrix).max(0.0) / 8.0;
    }
    all += absorbed(a, i);
    let tensor = f64::from(setup.parallelism.tensor.max(1));
    let pipeline = f64::from(setup.parallelism.pipeline.max(1));
    match i.engine {
        Engine::StaticTorch if tensor * pipeline > 1.0 => {
            let inside = (all - ends * bits.rest / 8.0).max(0.0);
            inside / tensor / pipeline + (all - inside)
        }
        _ => all / tensor / pipeline,
    }
}

/// Returns the cache on one card for so many tokens of every sequence.
fn cache(a: &Architecture, setup: &Setup, i: &Inference, tokens: f64, caps: bool) -> f64 {
    let w = Widths::of(a);
    let tensor = f64::from(setup.parallelism.tensor.max(1));
    // Heads are copied once there are more cards than heads; a latent cache is on every card.
    let shared = match a.attention {
        crate::Attention::Grouped => tensor.min(w.kv_heads.max(1.0)),
        crate::Attention::Latent { .. } => 1.0,
    };
    let pipeline = f64::from(setup.parallelism.pipeline.max(1));
    let formats = (i.kv, i.kv_values.unwrap_or(i.kv));
    kv::bytes(a, formats, tokens, f64::from(i.concurrency), caps, padded(i)) / shared / pipeline
}

/// vLLM 0.7 multiplied the projections of latent attention together in advance and kept the products
/// beside the weights: `layers * heads * (kv_rank * (queries' input + hidden) + rope * input)` 16-bit
/// numbers (`VLLM_MLA_PERFORM_MATRIX_ABSORPTION`, on by default then, gone in 0.8).
fn absorbed(a: &Architecture, i: &Inference) -> f64 {
    let crate::Attention::Latent { kv_rank, q_rank, rope_dim, .. } = a.attention else {
        return 0.0;
    };
    let version = i.engine_version.is_some_and(|version| version.0 == 0 && version.1 == 7);
    if i.engine != Engine::Vllm || !version {
        return 0.0;
    }
    let hidden = f64::from(a.hidden);
    let input = q_rank.map_or(hidden, f64::from);
    let (kv_rank, rope) = (f64::from(kv_rank), f64::from(rope_dim));
    2.0 * f64::from(a.layers) * f64::from(a.heads) * (kv_rank * (input + hidden) + rope * input)
}

/// vLLM before 0.8 padded the latent cache to a multiple of 128 values.
fn padded(i: &Inference) -> bool {
    i.engine == Engine::Vllm && i.engine_version.is_some_and(|version| version < (0, 8))
}

/// Returns what one layer keeps alive for a token while a prompt is read: gate, up, their product
/// and the stream, `2*(3*ff + 3*h)` (without a gate one product less); with it the totals of 84 runs of Qwen2.5 at 6,144 to 30,720
/// prompt tokens are within 3.6 %.
fn live_layer(a: &Architecture, cards: f64) -> f64 {
    let w = Widths::of(a);
    let dense = w.feed_forward;
    let width = match a.experts {
        Some(e) => (f64::from(e.intermediate) * f64::from(e.active)
            + f64::from(e.shared_intermediate))
        .max(if e.dense_layers > 0 { dense } else { 0.0 }),
        None => dense,
    };
    let products = if a.mlp == Mlp::Plain { 2.0 } else { 3.0 };
    2.0 * (products * width / cards + 3.0 * w.hidden)
}

fn moment(name: &'static str, terms: Terms) -> Moment {
    Moment { name, terms }
}
