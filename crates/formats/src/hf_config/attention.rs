//! Reads heads, latent attention, biases and windows.

use super::{HfConfigError, Reading, Rule};
use kasuan_sizing::{Architecture, Attention};
use serde_json::Value;

/// The names of the number of query heads.
pub(super) const HEADS: &[&str] = &["num_attention_heads", "n_head", "n_heads", "num_heads"];

/// Reads heads, their width, latent attention and biases.
pub(super) fn read(reading: &Reading<'_>, model: &mut Architecture) -> Result<(), HfConfigError> {
    let body = reading.body;
    if matches!(reading.name, "mamba" | "mamba2" | "falcon_mamba") {
        // No attention at all: one head of nothing keeps the normal form whole.
        (model.heads, model.kv_heads, model.head_dim) = (1, 1, 1);
        return Ok(());
    }
    model.heads = reading.required(model, "num_attention_heads", HEADS)?;
    model.kv_heads = key_heads(reading, model)?;
    multiple(("num_attention_heads", model.heads), ("num_key_value_heads", model.kv_heads))?;
    model.head_dim = match body.first(&["head_dim", "kv_channels", "d_kv", "attention_head_dim"])? {
        Some((width, _)) => width,
        None => match reading.class_default("head_dim") {
            Some(width) => {
                model.unverified.push("head_dim".to_owned());
                width
            }
            None if body.get("qk_nope_head_dim").is_some() => 0,
            None => {
                multiple(("hidden_size", model.hidden), ("num_attention_heads", model.heads))?;
                model.hidden / model.heads
            }
        },
    };
    latent(reading, model)?;
    biases(reading, model);
    Ok(())
}

fn key_heads(reading: &Reading<'_>, model: &mut Architecture) -> Result<u32, HfConfigError> {
    let body = reading.body;
    let stated = ["num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"];
    let found = body.first(&stated)?.map(|(heads, _)| heads);
    Ok(match reading.name {
        "falcon" | "RefinedWeb" | "RefinedWebModel" => {
            if body.flag("new_decoder_architecture") == Some(true) || reading.name == "RefinedWeb" {
                found.unwrap_or(model.heads)
            } else if body.any_flag(&["multi_query"]).unwrap_or(true) {
                1
            } else {
                model.heads
            }
        }
        "gpt_bigcode" if body.flag("multi_query").unwrap_or(true) => 1,
        "chatglm" if body.flag("multi_query_attention") != Some(true) => model.heads,
        "mpt" | "dbrx" => match body.object("attn_config") {
            Some(inner) => inner.count_or(&["kv_n_heads"], model.heads)?,
            None => model.heads,
        },
        _ => match (found, reading.class_default("num_key_value_heads")) {
            (Some(heads), _) => heads,
            (None, Some(heads)) => {
                model.unverified.push("num_key_value_heads".to_owned());
                heads
            }
            (None, None) => model.heads,
        },
    })
}

/// Reads DeepSeek's compression of K and V, also in MiniCPM3 (whose V heads share out the hidden
/// width).
fn latent(reading: &Reading<'_>, model: &mut Architecture) -> Result<(), HfConfigError> {
    let body = reading.body;
    let Some((kv_rank, _)) = body.first(&["kv_lora_rank"])? else { return Ok(()) };
    let (Some((rope_dim, _)), Some((nope_dim, _))) =
        (body.first(&["qk_rope_head_dim"])?, body.first(&["qk_nope_head_dim"])?)
    else {
        let field = if body.get("qk_rope_head_dim").is_none() {
            "qk_rope_head_dim"
        } else {
            "qk_nope_head_dim"
        };
        return Err(HfConfigError::Missing { field, also: &[], still: Vec::new() });
    };
    let q_rank = body.count("q_lora_rank")?.filter(|rank| *rank > 0);
    let v_dim = match body.first(&["v_head_dim"])? {
        Some((width, _)) => width,
        None => model.hidden / model.heads,
    };
    model.attention = Attention::Latent { kv_rank, q_rank, rope_dim, nope_dim, v_dim };
    // The cache holds one vector for all heads, and the heads' own width is that of V.
    model.head_dim = v_dim;
    Ok(())
}

fn biases(reading: &Reading<'_>, model: &mut Architecture) {
    let (body, family) = (reading.body, reading.family);
    let stated = body.any_flag(&[
        "attention_bias",
        "add_qkv_bias",
        "use_qkv_bias",
        "qkv_bias",
        "use_attention_bias",
        "qkv_proj_bias",
    ]);
    let every = body.any_flag(&["use_bias", "bias", "add_bias_linear", "enable_bias"]);
    model.qkv_bias = stated.or(every).unwrap_or(family.qkv_bias);
    model.output_bias = match reading.name {
        // These name the output projection apart, or give it none.
        "qwen" | "qwen2" | "qwen2_moe" | "glm" | "glm4" | "glm4_moe" | "chatglm" | "stablelm" => {
            false
        }
        "seed_oss" => body.flag("attention_out_bias").unwrap_or(false),
        "internlm3" => every.unwrap_or(false),
        "gptj" | "codegen" => false,
        "gpt_neo" => true,
        _ if reading.name.starts_with("qwen2_") => false,
        _ => every.or(stated).unwrap_or(family.output_bias),
    };
    model.mlp_bias = body
        .any_flag(&["mlp_bias", "mlp_fc1_bias"])
        .or(every.filter(|_| !matches!(reading.name, "internlm" | "internlm3")))
        .unwrap_or(family.mlp_bias);
    let norms = body.any_flag(&["use_qk_norm", "qk_layernorm", "qk_norm"]);
    model.qk_norm = match reading.name {
        // Their norms are as wide as all heads together; `extras` counts them.
        "olmo2" | "olmo3" | "olmoe" | "minimax_m2" | "stablelm" | "cohere" => false,
        // Llama 4 normalises without parameters.
        "llama4_text" => false,
        _ => norms.unwrap_or(family.qk_norm),
    };
}

/// Reads the window of sliding layers and how many layers see everything.
pub(super) fn windows(
    reading: &Reading<'_>,
    model: &mut Architecture,
) -> Result<(), HfConfigError> {
    let body = reading.body;
    let kinds = layer_kinds(reading, model)?;
    let window = match reading.name {
        "llama4_text" => body.first(&["attention_chunk_size"])?,
        _ if body.flag("use_sliding_window") == Some(false) => None,
        _ => body.first(&["sliding_window"])?,
    };
    // A window as long as the longest context never slides.
    let window = window
        .map(|(window, _)| window)
        .filter(|window| model.max_context.is_none_or(|context| *window < context));
    let slides = matches!(
        reading.name,
        "mistral"
            | "phi3"
            | "phimoe"
            | "gemma2"
            | "gemma3"
            | "gemma3_text"
            | "cohere2"
            | "gpt_oss"
            | "llama4_text"
            | "olmo3"
            | "exaone4"
            | "starcoder2"
    ) || body.flag("use_sliding_window") == Some(true)
        || kinds.is_some_and(|kinds| kinds.sliding > 0);
    let Some(window) = window.filter(|_| slides) else {
        if model.recurrent.is_some() {
            model.full_attention_layers = Some(model.attention_layers());
        }
        return Ok(());
    };
    let every = |pattern: u32| model.layers / pattern.max(1);
    let full = match (kinds, reading.name) {
        (Some(kinds), _) => kinds.full,
        (None, "gemma2" | "gpt_oss") => every(2),
        (None, "gemma3" | "gemma3_text") => {
            every(body.count_or(&["sliding_window_pattern", "_sliding_window_pattern"], 6)?)
        }
        (None, "cohere2" | "llama4_text" | "olmo3" | "exaone4") => {
            every(body.count_or(&["sliding_window_pattern"], 4)?)
        }
        // Qwen2: layers below this index see everything.
        (None, _) => match body.count("max_window_layers")? {
            Some(layers) if body.flag("use_sliding_window") == Some(true) => {
                layers.min(model.layers)
            }
            _ => 0,
        },
    };
    model.sliding_window = Some(window);
    model.full_attention_layers = Some(full);
    Ok(())
}

/// How many layers of each kind `layer_types` lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerKinds {
    /// Layers that see everything.
    pub(super) full: u32,
    /// Layers that see a window.
    pub(super) sliding: u32,
    /// Layers with a state of constant size.
    pub(super) recurrent: u32,
}

/// Counts the kinds in `layer_types`; `None` when the file has no such list.
pub(super) fn layer_kinds(
    reading: &Reading<'_>,
    model: &Architecture,
) -> Result<Option<LayerKinds>, HfConfigError> {
    let Some(list) = reading.body.list("layer_types") else { return Ok(None) };
    if list.len() != model.layers as usize {
        return Err(HfConfigError::Contradiction {
            left: "layer_types".to_owned(),
            left_value: list.len() as u64,
            right: "num_hidden_layers".to_owned(),
            right_value: u64::from(model.layers),
            rule: Rule::AsMany,
        });
    }
    let mut kinds = LayerKinds { full: 0, sliding: 0, recurrent: 0 };
    for kind in list {
        match kind.as_str().unwrap_or("") {
            "sliding_attention" | "chunked_attention" => kinds.sliding += 1,
            "linear_attention" | "mamba" | "mamba2" | "conv" | "recurrent" => kinds.recurrent += 1,
            _ => kinds.full += 1,
        }
    }
    Ok(Some(kinds))
}

/// Refuses two counts of which the first is not a multiple of the second.
fn multiple(left: (&str, u32), right: (&str, u32)) -> Result<(), HfConfigError> {
    if right.1 > 0 && left.1.is_multiple_of(right.1) {
        return Ok(());
    }
    Err(HfConfigError::Contradiction {
        left: left.0.to_owned(),
        left_value: u64::from(left.1),
        right: right.0.to_owned(),
        right_value: u64::from(right.1),
        rule: Rule::Multiple,
    })
}

/// Returns how many entries of a list of numbers are not zero.
pub(super) fn non_zero(list: &[Value]) -> u32 {
    let count = list.iter().filter(|value| value.as_u64().is_some_and(|number| number > 0)).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}
