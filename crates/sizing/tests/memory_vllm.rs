//! vLLM against what public start-up logs print: weights after loading, the profiled activation
//! peak, the cache that remains, bytes of a cached token.
//!
//! Sources: llm-d-benchmark `config_explorer/empirical-vllm-memory-results.md` at 2593348, vLLM pull
//! request 21489, ridgepoint CALIBRATION.md, AutoAWQ and vLLM logs quoted in public issues.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_model::{Bytes, Card, CardId, Source};
use kasuan_sizing::{
    Architecture, Catalogue, Engine, Inference, KvFormat, MemoryEstimate, Parallelism,
    RecurrentLayers, Setup, WeightFormat, Work, memory,
};

fn model(id: &str) -> &'static Architecture {
    Catalogue::shipped().find(id).unwrap()
}

fn card(id: &str, gib: u32, usable_gib: f64) -> Card {
    Card {
        id: CardId::new(id),
        display: id.to_owned(),
        vendor: "nvidia".to_owned(),
        architecture: "Hopper".to_owned(),
        memory: Bytes::from_gib(gib),
        usable_memory: Some(Bytes::from_estimate(usable_gib * 1_073_741_824.0)),
        bandwidth: None,
        fp32_flops: None,
        tensor_flops: None,
        fp8_flops: None,
        bf16: None,
        compute_capability: None,
        nvlink: None,
        pcie: None,
        power_watts: None,
        ecc: None,
        source: Source::stated("test"),
    }
}

fn served(id: &str, weights: WeightFormat, tensor: u32, card: &Card) -> MemoryEstimate {
    let setup = Setup {
        work: Work::Inference(Inference {
            engine: Engine::Vllm,
            concurrency: 1,
            ..Inference::default()
        }),
        weights,
        parallelism: Parallelism { tensor, ..Parallelism::SINGLE },
        ..Setup::default()
    };
    memory::estimate(model(id), &setup, Some(card)).unwrap()
}

fn near(what: &str, value: f64, measured: f64) {
    let error = value / measured - 1.0;
    assert!(error.abs() <= 0.04, "{what}: {value:.3} against {measured} ({:+.1} %)", 100.0 * error);
}

#[test]
fn weights_after_loading_are_within_4_per_cent() {
    let h100 = card("h100-sxm-80", 80, 79.18);
    let rows = [
        ("meta-llama/Llama-3.1-8B", WeightFormat::Bf16, 14.99),
        ("Qwen/Qwen3-32B", WeightFormat::Bf16, 61.03),
        ("meta-llama/Llama-3.1-70B", WeightFormat::Fp8, 67.72),
        ("meta-llama/Llama-3.1-70B", WeightFormat::Awq4 { group: 128 }, 37.06),
        ("openai/gpt-oss-120b", WeightFormat::Mxfp4, 64.38),
    ];
    for (id, format, measured) in rows {
        near(id, served(id, format, 1, &h100).breakdown.weights.gib(), measured);
    }
}

#[test]
fn the_profiled_peak_is_the_samplers() {
    let h100 = card("h100-sxm-80", 80, 79.18);
    let rows = [
        ("meta-llama/Llama-3.1-8B", WeightFormat::Bf16, 1, 4.76),
        ("meta-llama/Llama-3.1-70B", WeightFormat::Fp8, 2, 4.84),
        ("Qwen/Qwen3-0.6B", WeightFormat::Bf16, 1, 5.56),
        ("Qwen/Qwen3-32B", WeightFormat::Bf16, 1, 5.64),
        ("openai/gpt-oss-120b", WeightFormat::Mxfp4, 1, 7.38),
    ];
    for (id, format, tensor, measured) in rows {
        let e = served(id, format, tensor, &h100);
        near(id, (e.breakdown.activations + e.breakdown.logits).gib(), measured);
    }
}

#[test]
fn what_remains_for_the_cache_is_within_4_per_cent() {
    // A100 at nine tenths, Llama 3 8B: 55.11 GiB measured.
    let a100 = card("a100-sxm-80", 80, 79.25);
    let e = served("meta-llama/Meta-Llama-3-8B", WeightFormat::Bf16, 1, &a100);
    near("Llama 3 8B on A100", e.reservation.unwrap().cache.gib(), 55.11);
}

#[test]
fn a_cached_token_is_exact() {
    let rows =
        [("meta-llama/Meta-Llama-3-8B", 131_072.0), ("deepseek-ai/DeepSeek-V3-0324", 70_272.0)];
    for (id, measured) in rows {
        let bytes = memory::kv_bytes_per_token(model(id), KvFormat::Bits16);
        assert!((bytes - measured).abs() < 0.5, "{id}: {bytes} against {measured}");
    }
    // Qwen3.6-35B-A3B: 10 of 40 layers are full attention, the others keep a constant state.
    let hybrid = Architecture {
        layers: 40,
        kv_heads: 2,
        head_dim: 256,
        full_attention_layers: Some(10),
        recurrent: Some(RecurrentLayers { layers: 30, state_bytes: 2_146_304, parameters: 0 }),
        ..Architecture::default()
    };
    assert!((memory::kv_bytes_per_token(&hybrid, KvFormat::Bits16) - 20_480.0).abs() < 0.5);
}
