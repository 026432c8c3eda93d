//! The work of the model that a row names: from the catalogue where it is in there, else from the
//! row's own shape.

use super::truth::{Row, number};
use kasuan_sizing::{Catalogue, time::ModelWork};

/// Returns the work of a row's language model.
pub(crate) fn work(row: &Row) -> Result<ModelWork, String> {
    let shape = [&row.layers, &row.hidden, &row.heads, &row.kv_heads, &row.vocab, &row.params_b]
        .map(|text| number(text));
    let known = catalogue(&row.model);
    if let [Some(layers), Some(hidden), Some(heads), Some(kv_heads), Some(vocab), Some(params)] =
        shape
    {
        let same = |known: &ModelWork| {
            (known.layers - layers).abs() < 0.5
                && (known.total() / (params * 1e9) - 1.0).abs() < 0.05
        };
        if let Some(known) = known.filter(same) {
            return Ok(known);
        }
        return Ok(from_shape(row, layers, hidden, heads, kv_heads, vocab, params * 1e9));
    }
    if let Some(known) = known {
        return Ok(known);
    }
    match shape[5].map(|b| b * 1e9).or_else(|| size_in_name(&row.model)) {
        Some(parameters) => Ok(ModelWork::counted(parameters, active_in_name(&row.model))),
        None => Err(format!("model `{}` has neither a shape nor a size", row.model)),
    }
}

/// Names of the truth that the catalogue's search cannot know: base and chat models share a shape.
fn catalogue(name: &str) -> Option<ModelWork> {
    let id = match name {
        "CodeLlama-34B" => "codellama/CodeLlama-34b-hf",
        "Llama-2-7B" => "meta-llama/Llama-2-7b-hf",
        "Llama-2-13B" => "meta-llama/Llama-2-13b-hf",
        "Llama-2-70B" => "meta-llama/Llama-2-70b-hf",
        "Llama-3-8B" => "meta-llama/Meta-Llama-3-8B",
        "Llama-3-70B" | "Llama-3.3-70B" => "meta-llama/Llama-3.1-70B",
        "Mistral-7B" => "mistralai/Mistral-7B-v0.1",
        "Mixtral-8x7B" => "mistralai/Mixtral-8x7B-v0.1",
        "Qwen2.5-VL-7B" => "Qwen/Qwen2.5-7B",
        other => other,
    };
    Catalogue::shipped().find(id).ok().map(ModelWork::of)
}

fn from_shape(
    row: &Row,
    layers: f64,
    hidden: f64,
    heads: f64,
    kv_heads: f64,
    vocab: f64,
    parameters: f64,
) -> ModelWork {
    let head_dim = hidden / heads.max(1.0);
    let table = hidden * vocab;
    let name = row.model.to_lowercase();
    let tied = ["mpt", "bert", "gpt2", "falcon"].iter().any(|w| name.starts_with(w));
    let tables = if tied { table } else { 2.0 * table };
    ModelWork {
        layers,
        hidden,
        dense: (parameters - tables).max(0.5 * parameters),
        experts: 0.0,
        active_experts: 0.0,
        routed_share: 1.0,
        // An encoder has no head over the vocabulary to speak of.
        head: if name.starts_with("bert") { 0.0 } else { table },
        embedding: if tied { 0.0 } else { table },
        attention_flops: 4.0 * layers * heads * head_dim,
        kv_elements: 2.0 * layers * kv_heads * head_dim,
        shared_by: (heads / kv_heads.max(1.0)).max(1.0),
        full_attention: 1.0,
        window: f64::INFINITY,
        expert_count: 0.0,
    }
}

/// Reads `7B` or `0.6B` in a name.
fn size_in_name(name: &str) -> Option<f64> {
    name.split(['-', '(', ' '])
        .find_map(|word| {
            let word = word.to_lowercase();
            let (digits, unit) = if let Some(d) = word.strip_suffix('b') {
                (d, 1e9)
            } else {
                (word.strip_suffix('m')?, 1e6)
            };
            digits.parse::<f64>().ok().map(|n| n * unit)
        })
        .filter(|n| *n > 1e6)
}

/// Reads `A3B` in a name: the parameters that a token passes.
fn active_in_name(name: &str) -> Option<f64> {
    name.split('-').find_map(|word| {
        let digits = word.strip_prefix('A')?.strip_suffix('B')?;
        digits.parse::<f64>().ok().map(|n| n * 1e9)
    })
}
