//! Serving and generating rows: which engine, which lengths, which of its habits.

use super::{
    row::Row,
    words::{Length, SHORT_PROMPT, length, numbers},
};
use kasuan_sizing::{AttentionKernel, Engine, Inference, KvFormat, PromptLogits};

/// For rows that measure a part which no length changes.
const NO_LENGTH: Length = Length { prompt: 1, generated: 0 };

/// Returns the inference setup of a row; `context` is the longest that its model allows.
pub(super) fn inference(row: &Row<'_>, context: Option<u32>) -> Option<Inference> {
    let framework = row.lower("framework_version");
    let engine = engine(&framework)?;
    let component =
        matches!(row.get("what_is_measured"), "weights_loaded" | "non_torch" | "cuda_graphs");
    let mut length =
        length(row.get("context_or_seq_len")).or_else(|| component.then_some(NO_LENGTH))?;
    // A benchmark that decodes token by token, or says that it generates its whole context.
    if framework.contains("gptq-for-llama")
        || row.get("notes").contains("generated length = context")
    {
        length = Length { prompt: 1, generated: length.prompt.saturating_add(length.generated) };
    }
    if row.get("context_or_seq_len").starts_with("cache_size") {
        length = Length { prompt: SHORT_PROMPT, generated: length.prompt };
    }
    let batch = row.lower("batch_or_concurrency");
    let serving = matches!(engine, Engine::Vllm | Engine::Sglang);
    let (kv, kv_values) = cache_format(&row.lower("kv_format"));
    Some(Inference {
        engine,
        engine_version: version(&framework),
        kv,
        kv_values,
        prompt: length.prompt,
        generated: length.generated,
        concurrency: numbers(&batch).first().copied().filter(|_| !serving).unwrap_or(1).max(1),
        prompt_logits: logits(&framework, &row.lower("model")),
        batched_tokens: match engine {
            Engine::LlamaCpp => row.note("n_ubatch").and_then(|text| text.parse().ok()),
            Engine::Vllm => vllm_batch(&framework, &batch, length.prompt),
            _ => None,
        },
        max_sequences: if batch.contains("max_num_seqs") {
            numbers(&batch).first().copied()
        } else {
            None
        },
        memory_share: share(&framework),
        attention: attention(&row.lower("flash_attn")),
        static_cache: matches!(engine, Engine::StaticTorch | Engine::Exllama)
            || row.get("kv_format").contains("pre-allocated"),
        cache_tokens: laid_out(&framework, length, context),
        ..Inference::default()
    })
}

/// Tokens for which a program lays its cache out, where that is not what it reads and writes:
/// exllamav2 takes the model's whole context (`ExLlamaV2Config.max_seq_len`), Lit-GPT its block size,
/// which stops at 4,096 for models with a window, and AutoAWQ's fused layers what will be generated
/// (`max_new_tokens`).
fn laid_out(framework: &str, length: Length, context: Option<u32>) -> Option<u32> {
    if framework.contains("exllamav2") {
        return context;
    }
    if framework.contains("lightning") {
        return Some(context?.min(4096));
    }
    (framework.contains("autoawq") && framework.contains("fused")).then_some(length.generated)
}

/// Tokens of vLLM's profiling run: as stated; the whole context without chunked prefill (V0, up to
/// 32k); 512 where V0 switches chunked prefill on by itself.
fn vllm_batch(framework: &str, batch: &str, context: u32) -> Option<u32> {
    if batch.contains("max_num_batched_tokens") {
        return numbers(batch).first().copied();
    }
    if framework.contains("no chunked prefill") {
        return Some(context);
    }
    if framework.contains("chunked prefill auto-on") {
        return Some(512);
    }
    None
}

/// The share of the card that a server was told to take (`util 0.9`, `mem-fraction-static 0.93`).
fn share(framework: &str) -> Option<f64> {
    let word = ["util ", "mem-fraction-static "].iter().find_map(|word| {
        let rest = framework.get(framework.find(word)? + word.len()..)?;
        rest.split([' ', ',']).next()
    })?;
    word.parse().ok().filter(|share| (0.0..=1.0).contains(share))
}

/// Names in the order in which they are looked for.
const ENGINES: &[(&str, Engine)] = &[
    ("vllm", Engine::Vllm),
    ("sglang", Engine::Sglang),
    ("llama.cpp", Engine::LlamaCpp),
    ("ollama", Engine::LlamaCpp),
    ("ctransformers", Engine::LlamaCpp),
    ("exllama", Engine::Exllama),
    ("gptq-for-llama", Engine::Exllama),
    ("litgpt", Engine::StaticTorch),
    ("lightning", Engine::StaticTorch),
    ("torchao", Engine::StaticTorch),
    ("tensorrt", Engine::TensorRtLlm),
    ("lmdeploy", Engine::LmDeploy),
];

fn engine(framework: &str) -> Option<Engine> {
    let named = ENGINES.iter().find(|(name, _)| framework.contains(name)).map(|(_, e)| *e);
    Some(named.unwrap_or(Engine::Transformers))
}

/// Returns `major.minor` after the program's name.
fn version(framework: &str) -> Option<(u32, u32)> {
    let word = framework.split([' ', ',']).find(|word| {
        word.contains('.') && word.chars().next().is_some_and(|c| c.is_ascii_digit())
    })?;
    match numbers(word).as_slice() {
        [major, minor, ..] => Some((*major, *minor)),
        _ => None,
    }
}

/// transformers before 4.45 computes and upcasts the logits of the whole prompt, except for models
/// whose own code returns the last one only (GLM).
fn logits(framework: &str, model: &str) -> PromptLogits {
    if model.contains("glm") {
        return PromptLogits::Last;
    }
    let year = numbers(framework).into_iter().find(|n| (2020..2030).contains(n));
    match version(framework) {
        Some((4, minor)) if minor >= 45 => PromptLogits::Last,
        Some((major, _)) if major >= 5 => PromptLogits::Last,
        _ if year.is_some_and(|year| year >= 2025) => PromptLogits::Last,
        _ => PromptLogits::All,
    }
}

fn attention(text: &str) -> AttentionKernel {
    match text {
        "no" => AttentionKernel::Eager,
        text if text.contains("sdpa") => AttentionKernel::Sdpa,
        _ => AttentionKernel::Flash,
    }
}

fn cache_format(text: &str) -> (KvFormat, Option<KvFormat>) {
    let one = |text: &str| {
        if text.contains("q8_0") {
            KvFormat::Q8_0
        } else if text.contains("q4_0") || text.contains("iq4") {
            KvFormat::Q4_0
        } else if text.contains("int8") {
            KvFormat::Int8
        } else if text.contains("fp8") {
            KvFormat::Fp8
        } else if text.contains("32") {
            KvFormat::Bits32
        } else {
            KvFormat::Bits16
        }
    };
    match text.split_once(", v") {
        Some((keys, values)) => (one(keys), Some(one(values))),
        None => (one(text), None),
    }
}
