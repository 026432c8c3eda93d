//! Brings GGUF metadata to the normal form of a configuration.

use super::{Gguf, GgufError, Value};
use kasuan_model::{Phrase, Source};
use kasuan_sizing::{Architecture, Attention, Experts, Kind, Mlp, Norm, parameters};

/// No model has a dimension above this.
const MOST: u64 = 1 << 24;

/// Reads the keys `ARCH.*` and the tensors' names; what the normal form does not count is added as
/// other parameters, so that the total is the table's.
pub(super) fn read(
    gguf: &Gguf,
    id: &str,
    source: Source,
) -> Result<(Architecture, Vec<Phrase>), GgufError> {
    let family = match gguf.metadata.get("general.architecture") {
        Some(Value::Text(family)) => family.clone(),
        _ => return Err(GgufError::Missing { key: "general.architecture".to_owned() }),
    };
    let keys = Keys { gguf, family: &family };
    let layers = keys.required("block_count")?;
    let hidden = keys.required("embedding_length")?;
    let heads = keys.required("attention.head_count")?;
    let kv_heads = keys.get("attention.head_count_kv").unwrap_or(heads);
    let even = hidden.checked_div(heads).unwrap_or(0);
    let head_dim = keys.get("attention.key_length").unwrap_or(even);
    let vocab = keys.get("vocab_size").or_else(|| tokens(gguf)).or_else(|| rows(gguf, hidden));
    let vocab = vocab.ok_or_else(|| keys.missing("vocab_size"))?;
    let has = |name: &str| gguf.has(&format!("blk.0.{name}"));
    let mut model = Architecture {
        id: id.to_owned(),
        kind: if has("attn_output_norm.weight") && !has("attn_norm.weight") {
            Kind::Encoder
        } else {
            Kind::Generator
        },
        layers,
        hidden,
        heads,
        kv_heads,
        head_dim,
        intermediate: keys.get("feed_forward_length").unwrap_or(0),
        vocab,
        tied: !gguf.has("output.weight"),
        mlp: if has("ffn_gate.weight") || has("ffn_gate_exps.weight") {
            Mlp::Gated
        } else {
            // Fused gate and up (Phi-3) is one matrix of twice the width; the table's total shows.
            Mlp::Plain
        },
        qkv_bias: has("attn_q.bias") || has("attn_qkv.bias"),
        output_bias: has("attn_output.bias"),
        mlp_bias: has("ffn_up.bias"),
        qk_norm: has("attn_q_norm.weight"),
        norm: if gguf.has("output_norm.bias") { Norm::Layer } else { Norm::Rms },
        norms_per_layer: if has("post_ffw_norm.weight") { 4 } else { 2 },
        sliding_window: keys.get("attention.sliding_window").filter(|window| *window > 0),
        max_context: keys.get("context_length"),
        family: family.clone(),
        source,
        ..Architecture::default()
    };
    model.attention = latent(&keys);
    model.experts = experts(&keys);
    if model.sliding_window.is_some() {
        let every = match family.as_str() {
            "gemma3" => 6,
            "gemma2" | "gpt-oss" => 2,
            "cohere2" | "llama4" => 4,
            _ => u32::MAX,
        };
        model.full_attention_layers = Some(layers / every);
    }
    let mut notes = Vec::new();
    let (table, counted) = (gguf.parameters(), parameters::count(&model).total);
    model.other_parameters = table.saturating_sub(counted);
    // More than a hundredth apart means that the normal form does not know this family.
    if table.abs_diff(counted) > table / 100 {
        model.unverified.push("family".to_owned());
        notes.push(Phrase::new("sizing-config-family-unknown").with("family", &family));
    }
    model.published_parameters = Some(table);
    Ok((model, notes))
}

/// The keys of one architecture.
struct Keys<'a> {
    gguf: &'a Gguf,
    family: &'a str,
}

impl Keys<'_> {
    fn get(&self, key: &str) -> Option<u32> {
        let count = self.gguf.count(&format!("{}.{key}", self.family))?;
        (count <= MOST).then(|| u32::try_from(count).ok()).flatten()
    }

    fn required(&self, key: &str) -> Result<u32, GgufError> {
        self.get(key).filter(|count| *count > 0).ok_or_else(|| self.missing(key))
    }

    fn missing(&self, key: &str) -> GgufError {
        GgufError::Missing { key: format!("{}.{key}", self.family) }
    }
}

/// Returns the tokens of the tokeniser's list.
fn tokens(gguf: &Gguf) -> Option<u32> {
    match gguf.metadata.get("tokenizer.ggml.tokens")? {
        Value::Array(length) => u32::try_from(*length).ok().filter(|tokens| *tokens > 0),
        _ => None,
    }
}

/// Returns the rows of the embedding.
fn rows(gguf: &Gguf, hidden: u32) -> Option<u32> {
    let embedding = gguf.tensors.iter().find(|tensor| tensor.name == "token_embd.weight")?;
    u32::try_from(embedding.elements.checked_div(u64::from(hidden))?).ok()
}

/// Reads DeepSeek's compressed attention.
fn latent(keys: &Keys<'_>) -> Attention {
    let rope = keys.get("rope.dimension_count");
    let key = keys.get("attention.key_length_mla").or(keys.get("attention.key_length"));
    let value = keys.get("attention.value_length_mla").or(keys.get("attention.value_length"));
    match (keys.get("attention.kv_lora_rank"), rope, key, value) {
        (Some(kv_rank), Some(rope_dim), Some(key), Some(v_dim)) => Attention::Latent {
            kv_rank,
            q_rank: keys.get("attention.q_lora_rank").filter(|rank| *rank > 0),
            rope_dim,
            nope_dim: key.saturating_sub(rope_dim),
            v_dim,
        },
        _ => Attention::Grouped,
    }
}

/// Reads the experts of a mixture.
fn experts(keys: &Keys<'_>) -> Option<Experts> {
    let experts = keys.get("expert_count").filter(|experts| *experts > 1)?;
    let active = keys.get("expert_used_count")?;
    let width = keys.get("expert_feed_forward_length").or(keys.get("feed_forward_length"))?;
    let shared = keys
        .get("expert_shared_feed_forward_length")
        .unwrap_or_else(|| keys.get("expert_shared_count").unwrap_or(0).saturating_mul(width));
    Some(Experts {
        experts,
        active: active.min(experts),
        intermediate: width,
        shared_intermediate: shared,
        dense_layers: keys.get("leading_dense_block_count").unwrap_or(0),
    })
}
