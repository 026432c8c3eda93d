//! Memory against exact figures: traced tensors and published single-GPU measurements.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_sizing::{
    Architecture, Attention, AttentionKernel, Checkpointing, Engine, Experts, Inference,
    LoraTarget, Method, Mlp, Norm, PromptLogits, Recipe, Setup, StepKernel, Training,
    TrainingDetails, WeightFormat, Work, memory,
};
use serde_json::Value;

/// What a run allocates at its peak, by our estimate and by the measurement.
struct Case {
    name: String,
    eager: bool,
    estimated: f64,
    measured: f64,
}

impl Case {
    fn error(&self) -> f64 {
        self.estimated / self.measured - 1.0
    }
}

fn estimate(name: String, a: &Architecture, setup: &Setup, eager: bool, measured: f64) -> Case {
    let estimated = memory::estimate(a, setup, None).unwrap().allocated.get() as f64;
    Case { name, eager, estimated, measured }
}

fn field(dims: &Value, key: &str) -> u32 {
    u32::try_from(dims[key].as_u64().unwrap()).unwrap()
}

fn vectors(file: &str) -> Vec<Case> {
    let file: Value = serde_json::from_str(file).unwrap();
    file["vectors"].as_array().unwrap().iter().map(vector).collect()
}

/// What the class of a traced configuration says beside its dimensions (`modeling_*.py` of
/// transformers 5.24).
fn class(a: Architecture, dims: &Value) -> Architecture {
    let number = |key: &str| field(dims, key);
    let plain = Architecture { mlp: Mlp::Plain, norm: Norm::Layer, mlp_bias: true, ..a.clone() };
    let qkv_bias = true;
    match dims["cls"].as_str().unwrap_or_default() {
        "Gemma" => Architecture { family: "gemma".into(), ..a },
        "Gemma2" => Architecture { family: "gemma2".into(), norms_per_layer: 4, ..a },
        "Gemma3Text" => {
            Architecture { family: "gemma3_text".into(), norms_per_layer: 4, qk_norm: true, ..a }
        }
        "Phi" => Architecture { family: "phi".into(), norms_per_layer: 1, qkv_bias, ..plain },
        "GPTNeoX" => Architecture { kv_heads: a.heads, qkv_bias, ..plain },
        "Starcoder2" => Architecture { qkv_bias, ..plain },
        "Glm" => Architecture { qkv_bias, ..a },
        "Glm4" => Architecture { qkv_bias, norms_per_layer: 4, ..a },
        "Olmo2" => Architecture { qk_norm: true, ..a },
        "Granite" => Architecture { family: "granite".into(), ..a },
        "Cohere" => {
            Architecture { family: "cohere".into(), norms_per_layer: 1, norm: Norm::Layer, ..a }
        }
        "Mixtral" => {
            Architecture { experts: Some(experts(&a, number("num_local_experts"), dims)), ..a }
        }
        "Qwen3Moe" => Architecture {
            qk_norm: true,
            experts: Some(experts(&a, number("num_experts"), dims)),
            ..a
        },
        "DeepseekV2" => Architecture {
            attention: Attention::Latent {
                kv_rank: number("kv_lora_rank"),
                q_rank: None,
                rope_dim: number("qk_rope_head_dim"),
                nope_dim: number("qk_nope_head_dim"),
                v_dim: number("v_head_dim"),
            },
            experts: Some(experts(&a, number("n_routed_experts"), dims)),
            ..a
        },
        _ => a,
    }
}

fn experts(a: &Architecture, experts: u32, dims: &Value) -> Experts {
    let or =
        |key: &str, other: u32| dims[key].as_u64().map_or(other, |n| u32::try_from(n).unwrap());
    let intermediate = or("moe_intermediate_size", a.intermediate);
    Experts {
        experts,
        active: field(dims, "num_experts_per_tok"),
        intermediate,
        shared_intermediate: or("n_shared_experts", 0) * intermediate,
        dense_layers: or("first_k_dense_replace", 0),
    }
}

/// The loop of the traced runs: a plain forward pass without labels for `infer`, otherwise a step
/// with the optimiser's for-loop, logits dropped before the backward pass, gradients set to none.
fn vector(v: &Value) -> Case {
    let dims = &v["dims"];
    let a = Architecture {
        layers: field(dims, "L"),
        hidden: field(dims, "h"),
        heads: field(dims, "nh"),
        kv_heads: field(dims, "nkv"),
        head_dim: field(dims, "hd"),
        intermediate: field(dims, "ff"),
        vocab: field(dims, "V"),
        tied: dims["tied"].as_bool().unwrap(),
        qkv_bias: dims["qkv_bias"].as_bool().unwrap_or(false),
        qk_norm: dims["qk_norm"].as_bool().unwrap_or(false),
        ..Architecture::default()
    };
    let a = class(a, dims);
    let mode = v["mode"].as_str().unwrap();
    let (batch, sequence) = (field(v, "batch"), field(v, "seq"));
    let eager = mode.contains("eager");
    let attention = if eager { AttentionKernel::Eager } else { AttentionKernel::Sdpa };
    let work = if mode.starts_with("infer") {
        Work::Inference(plain_forward(batch, sequence, attention))
    } else {
        let method = match mode {
            m if m.starts_with("lora16") => Method::Lora {
                rank: 16,
                targets: if m.contains("all") {
                    LoraTarget::ALL_LINEAR.to_vec()
                } else {
                    LoraTarget::ATTENTION.to_vec()
                },
                dora: false,
            },
            _ => Method::Full,
        };
        Work::Training(Training {
            method,
            recipe: if mode.contains("amp") { Recipe::Autocast } else { Recipe::PureBf16 },
            micro_batch: batch,
            sequence,
            accumulation: 1,
            checkpointing: checkpointing(mode.contains("ckpt")),
            attention,
            details: TrainingDetails { step: StepKernel::ForLoop, ..TrainingDetails::default() },
            ..Training::default()
        })
    };
    let setup = Setup { work, ..Setup::default() };
    let name = format!("{} {mode} {batch} x {sequence}", v["arch"].as_str().unwrap());
    estimate(name, &a, &setup, eager, v["bytes"]["peak"].as_f64().unwrap())
}

fn checkpointing(on: bool) -> Checkpointing {
    if on { Checkpointing::Full } else { Checkpointing::Off }
}

fn plain_forward(batch: u32, sequence: u32, attention: AttentionKernel) -> Inference {
    Inference {
        engine: Engine::Transformers,
        prompt: sequence,
        generated: 0,
        concurrency: batch,
        prompt_logits: PromptLogits::Plain,
        attention,
        ..Inference::default()
    }
}

fn receipts() -> Vec<Case> {
    let mut reader = csv::Reader::from_reader(include_bytes!("data/receipts.csv").as_slice());
    let headers = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    rows.iter()
        .map(|row| {
            let get = |name: &str| {
                let at = headers.iter().position(|header| header == name).unwrap();
                row.get(at).unwrap()
            };
            receipt(&get)
        })
        .collect()
}

/// vramcalc measures a loop that keeps its gradients and the model's output; fitcheck a Trainer-like
/// loop in FP16 on a T4, with the output kept, the base prepared for k-bit training, a mask built
/// and K and V expanded.
fn receipt<'a>(get: &impl Fn(&str) -> &'a str) -> Case {
    let number = |name: &str| get(name).parse::<u32>().unwrap();
    let fitcheck = get("src").starts_with("fitcheck");
    let a = Architecture {
        layers: number("L"),
        hidden: number("h"),
        heads: number("nh"),
        kv_heads: number("nkv"),
        head_dim: number("hd"),
        intermediate: number("ff"),
        vocab: number("V"),
        tied: get("tied") == "True",
        qkv_bias: get("model").contains("Qwen2"),
        ..Architecture::default()
    };
    let eager = get("attn") == "eager";
    let attention = if eager { AttentionKernel::Eager } else { AttentionKernel::Sdpa };
    let name = format!("{} {} {}", get("id"), get("model"), get("attn"));
    let measured = get("alloc_peak").parse().unwrap();
    if get("mode") == "inference" {
        let work = Work::Inference(plain_forward(number("batch"), number("seq"), attention));
        return estimate(name, &a, &Setup { work, ..Setup::default() }, eager, measured);
    }
    let rank = number("lora_r");
    let amp = get("precision") == "amp";
    let method = if rank == 0 {
        Method::Full
    } else {
        Method::Lora { rank, targets: LoraTarget::ATTENTION.to_vec(), dora: false }
    };
    let quantised = get("quant") == "nf4";
    let weights = match (quantised, rank > 0 && amp) {
        (true, _) => WeightFormat::Nf4 { double_quant: get("dq") == "True" },
        (false, true) => WeightFormat::Fp32,
        (false, false) => WeightFormat::Bf16,
    };
    let training = Training {
        method,
        recipe: if amp { Recipe::Autocast } else { Recipe::PureBf16 },
        micro_batch: number("batch"),
        sequence: number("seq"),
        accumulation: if fitcheck { 1 } else { 2 },
        checkpointing: checkpointing(get("ckpt") == "True"),
        attention,
        details: TrainingDetails {
            holds_logits: true,
            expands_kv: true,
            builds_mask: true,
            step: StepKernel::ForEach,
            ..TrainingDetails::default()
        },
        ..Training::default()
    };
    let setup = Setup { work: Work::Training(training), weights, ..Setup::default() };
    estimate(name, &a, &setup, eager, measured)
}

fn check(cases: &[Case], each: f64, mean: f64) {
    let mut wrong = Vec::new();
    for case in cases {
        if case.error().abs() > each {
            wrong.push(format!("{:+.2} % {}", 100.0 * case.error(), case.name));
        }
    }
    let average = cases.iter().map(|case| case.error().abs()).sum::<f64>() / cases.len() as f64;
    assert!(wrong.is_empty(), "mean {:.2} %, off:\n{}", 100.0 * average, wrong.join("\n"));
    assert!(average <= mean, "the mean error is {:.2} %", 100.0 * average);
}

#[test]
fn traced_runs_are_estimated_to_one_per_cent() {
    let cases = vectors(include_str!("data/vectors.json"));
    assert_eq!(cases.len(), 52);
    let (eager, others): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| case.eager);
    check(&others, 0.01, 0.005);
    check(&eager, 0.02, 0.01);
}

/// Families with other norms, activations, logits, experts and attention, at eight layers or fewer, so
/// that what is wrong in a layer shows. What families keep was read from their code and checked with
/// the same tracer, so this holds the model and is no independent test of it.
#[test]
fn traced_runs_of_other_architectures_are_estimated_to_about_one_per_cent() {
    let cases = vectors(include_str!("data/traced.json"));
    assert!(cases.len() >= 140, "{}", cases.len());
    let (eager, others): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| case.eager);
    // What latent attention concatenates for adapters is not modelled tensor by tensor.
    let (latent, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|case| case.name.starts_with("deepseek_v2"));
    check(&others, 0.0125, 0.005);
    check(&latent, 0.025, 0.015);
    check(&eager, 0.02, 0.01);
}

#[test]
fn measured_runs_are_estimated_to_two_per_cent_and_half_a_per_cent_in_the_mean() {
    let cases = receipts();
    assert_eq!(cases.len(), 63);
    let (eager, others): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| case.eager);
    check(&others, 0.02, 0.005);
    check(&eager, 0.10, 0.02);
}
