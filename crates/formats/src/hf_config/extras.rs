//! Counts what only one family has: odd biases and norms, pooling heads, cross-attention, indexers.

use super::{HfConfigError, Reading};
use kasuan_sizing::{Architecture, parameters};

/// Adds parameters that no field of the normal form stands for, and norms that deviate.
pub(super) fn read(reading: &Reading<'_>, model: &mut Architecture) -> Result<(), HfConfigError> {
    let body = reading.body;
    let hidden = u64::from(model.hidden);
    let vocab = u64::from(model.vocab);
    let layers = u64::from(model.layers);
    let heads = u64::from(model.heads);
    let (query, key) = (model.query_width(), model.key_width());
    let expert_layers = u64::from(model.expert_layers());
    let experts = model.experts.map_or(0, |mixture| u64::from(mixture.experts));
    let mut other = 0_u64;
    match reading.name {
        "bert" | "electra" | "ernie" | "roberta" | "xlm-roberta" | "camembert" | "new" | "gte"
        | "nomic_bert" => {
            let types = body.count_or(&["type_vocab_size"], 2)?;
            other += u64::from(types) * hidden + encoder_head(reading, hidden);
            if matches!(reading.name, "new" | "gte") {
                // The second matrix of its feed-forward block has a bias, the fused first has none.
                other += layers * hidden;
            }
        }
        "modernbert" => {
            // Norms without bias; the first layer has none before attention, the embedding one.
            model.norm = kasuan_sizing::Norm::Rms;
        }
        "phi" | "gptj" | "codegen" => other += vocab,
        "bloom" => other += 2 * hidden,
        "gpt_oss" => other += layers * (heads + experts),
        "qwen2_moe" | "qwen3_next" | "qwen3_5_moe_text" => other += expert_layers * hidden,
        "deepseek_v3" | "kimi_k2" | "glm4_moe" | "glm4_moe_lite" | "dots1" => {
            other += expert_layers * experts;
        }
        "deepseek_v32" | "glm_moe_dsa" => {
            other += expert_layers * experts + layers * indexer(reading, hidden)?;
        }
        "minimax_m2" => other += expert_layers * experts + layers * (query + key),
        "olmo2" | "olmo3" | "olmoe" => other += layers * (query + key),
        "cohere" if body.flag("use_qk_norm") == Some(true) => other += layers * (query + key),
        "falcon" | "RefinedWeb" | "RefinedWebModel" => {
            let parallel = body.flag("parallel_attn").unwrap_or(true);
            let two = body.flag("new_decoder_architecture") == Some(true)
                || reading.name == "RefinedWeb"
                || !parallel;
            let stated = body.count("num_ln_in_parallel_attn")?;
            model.norms_per_layer = stated.unwrap_or(if two { 2 } else { 1 }).clamp(1, 2);
        }
        "stablelm" if body.flag("use_parallel_residual") == Some(true) => {
            model.norms_per_layer = 1;
        }
        "phimoe" if body.flag("lm_head_bias") == Some(true) => other += vocab,
        "t5" | "mt5" | "umt5" => {
            let decoder = u64::from(body.count_or(&["num_decoder_layers"], model.layers)?);
            let buckets = u64::from(body.count_or(&["relative_attention_num_buckets"], 32)?);
            model.layers = model.layers.saturating_add(u32::try_from(decoder).unwrap_or(0));
            other += decoder * (4 * hidden * query + hidden) + 2 * buckets * heads + hidden;
        }
        _ => {}
    }
    model.other_parameters = model.other_parameters.saturating_add(other);
    model.draft_parameters = draft(reading, model)?;
    Ok(())
}

/// Returns the parameters after the last layer of an encoder: BERT's pooler, or RoBERTa's dense
/// layer and score when it classifies.
fn encoder_head(reading: &Reading<'_>, hidden: u64) -> u64 {
    let class = reading
        .root
        .list("architectures")
        .and_then(|classes| classes.first())
        .and_then(serde_json::Value::as_str)
        .unwrap_or("");
    let dense = hidden * hidden + hidden;
    if class.ends_with("ForSequenceClassification") {
        dense + hidden + 1
    } else if class.ends_with("ForMaskedLM") || matches!(reading.name, "nomic_bert" | "new" | "gte")
    {
        0
    } else {
        dense
    }
}

/// Returns the parameters of DeepSeek's sparse-attention indexer in one layer: projections of the
/// compressed Q and of the hidden stream, a norm, and the heads' weights.
fn indexer(reading: &Reading<'_>, hidden: u64) -> Result<u64, HfConfigError> {
    let body = reading.body;
    let heads = u64::from(body.count_or(&["index_n_heads"], 0)?);
    let width = u64::from(body.count_or(&["index_head_dim"], 0)?);
    let rank = u64::from(body.count_or(&["q_lora_rank"], 0)?);
    Ok(rank * heads * width + hidden * width + 2 * width + hidden * heads)
}

/// Returns the parameters of the layers that predict further tokens ahead: a block each, a matrix
/// that joins the embedding with the hidden stream, three norms. DeepSeek's and GLM's files store
/// the embedding and the head once more for each (DeepSeek-V3 `README_WEIGHTS.md`).
fn draft(reading: &Reading<'_>, model: &Architecture) -> Result<u64, HfConfigError> {
    let names = ["num_nextn_predict_layers", "mtp_num_hidden_layers"];
    let layers = u64::from(reading.body.count_or(&names, 0)?);
    let hidden = u64::from(model.hidden);
    let copies = match reading.name {
        "deepseek_v3" | "deepseek_v32" | "glm4_moe" | "glm4_moe_lite" => {
            2 * u64::from(model.vocab) * hidden
        }
        _ => 0,
    };
    let block = parameters::last_block(model);
    Ok(layers.saturating_mul(block.saturating_add(2 * hidden * hidden + 3 * hidden + copies)))
}
