//! Training rows: method, recipe, lengths, and the habits of the named stack.

use super::{
    row::Row,
    words::{length, numbers},
};
use kasuan_sizing::{
    Architecture, AttentionKernel, Checkpointing, LoraTarget, Loss, Method, Optimizer, Recipe,
    StepKernel, Training, TrainingDetails,
};

/// Returns the training setup of a row.
pub(super) fn training(row: &Row<'_>, _model: &Architecture) -> Option<Training> {
    let framework = row.lower("framework_version");
    let length = length(row.get("context_or_seq_len"))?;
    let batch = numbers(row.get("batch_or_concurrency")).first().copied()?;
    let optimizer_text = row.lower("optimizer");
    Some(Training {
        method: method(row)?,
        recipe: recipe(row, &framework),
        optimizer: optimizer(&optimizer_text),
        micro_batch: batch,
        sequence: length.prompt,
        accumulation: 1,
        checkpointing: checkpointing(&row.lower("grad_checkpointing")),
        attention: match row.lower("flash_attn").as_str() {
            "no" => AttentionKernel::Eager,
            text if text.contains("sdpa") => AttentionKernel::Sdpa,
            _ => AttentionKernel::Flash,
        },
        loss: loss(row, &framework),
        packed: row.note("packed") == Some("yes"),
        fused_backward: optimizer_text.contains("fused in backward"),
        details: TrainingDetails {
            fp32_adapters: !framework.contains("litgpt"),
            step: StepKernel::ForEach,
            ..TrainingDetails::default()
        },
        ..Training::default()
    })
}

fn method(row: &Row<'_>) -> Option<Method> {
    if row.get("kind") == "full" || row.get("kind") == "pretrain" {
        return Some(Method::Full);
    }
    let rank = row.whole("lora_rank")?;
    Some(Method::Lora {
        rank,
        targets: targets(&row.lower("lora_targets")),
        dora: row.get("notes").contains("use_dora=True"),
    })
}

/// Reads adapter targets; `all` means every linear layer of a block, `default` of ms-swift the
/// attention input projections.
fn targets(text: &str) -> Vec<LoraTarget> {
    use LoraTarget::{Down, Gate, Head, K, O, Q, Up, V};
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|w| !w.is_empty())
        .collect();
    let has = |word: &str| words.contains(&word);
    let mut found = Vec::new();
    if has("all") || text.contains("all-linear") {
        found.extend(LoraTarget::ALL_LINEAR);
    } else if has("default") {
        found.extend([Q, K, V]);
    } else {
        let table: [(&[&str], &[LoraTarget]); 8] = [
            (&["q", "q_proj", "query"], &[Q]),
            (&["k", "k_proj", "key"], &[K]),
            (&["v", "v_proj", "value"], &[V]),
            (&["o", "o_proj", "output", "projection"], &[O]),
            (&["gate", "gate_proj", "w1"], &[Gate]),
            (&["up", "up_proj", "w2"], &[Up]),
            (&["down", "down_proj"], &[Down]),
            (&["mlp"], &[Gate, Up, Down]),
        ];
        for (names, targets) in table {
            if names.iter().any(|name| has(name)) {
                found.extend(targets);
            }
        }
        if has("c_attn") && found.is_empty() {
            // Qwen 1: c_attn is Q, K and V; c_proj the outputs of attention and of the block.
            found.extend([Q, K, V]);
        }
        if has("c_proj") {
            found = LoraTarget::ALL_LINEAR.to_vec();
        }
        if has("linear_qkv") {
            found.extend([Q, K, V]);
        }
        if has("linear_proj") {
            found.push(O);
        }
        if has("self_attn") {
            found.extend(LoraTarget::ATTENTION);
        }
    }
    if has("lm_head") || has("head") {
        found.push(Head);
    }
    found
}

fn recipe(row: &Row<'_>, framework: &str) -> Recipe {
    let weights = row.lower("weight_format");
    if weights.contains("fp32") && weights.contains("bf16") {
        return if framework.contains("megatron") { Recipe::MasterFp32 } else { Recipe::Autocast };
    }
    if weights.contains("fp32") { Recipe::Fp32 } else { Recipe::PureBf16 }
}

fn optimizer(text: &str) -> Optimizer {
    if text.contains("paged") {
        Optimizer::PagedAdamW8bit
    } else if text.contains("8bit") || text.contains("8-bit") {
        Optimizer::AdamW8bit
    } else {
        Optimizer::AdamW
    }
}

fn checkpointing(text: &str) -> Checkpointing {
    if text.starts_with("no") || text.is_empty() {
        Checkpointing::Off
    } else if text.contains("selective") {
        Checkpointing::Selective
    } else {
        Checkpointing::Full
    }
}

fn loss(row: &Row<'_>, framework: &str) -> Loss {
    let config = row.note("framework_config").unwrap_or("");
    if config.contains("liger") || framework.contains("unsloth") {
        Loss::Fused
    } else {
        Loss::Eager
    }
}
