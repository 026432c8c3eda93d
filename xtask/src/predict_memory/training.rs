//! Training rows: method, recipe, lengths, and the habits of the named stack.

use super::{
    row::Row,
    stacks,
    words::{length, numbers},
};
use kasuan_sizing::{
    Architecture, AttentionKernel, Checkpointing, Framework, LoraTarget, Loss, Method, Optimizer,
    Parallelism, Recipe, Sharding, Training, TrainingDetails,
};

/// Returns the training setup of a row without what its stack does, and how it is spread over cards.
pub(super) fn training(
    row: &Row<'_>,
    framework: &Framework,
    cards: Parallelism,
) -> Option<(Training, Parallelism)> {
    let length = length(row.get("context_or_seq_len"))?;
    let batch = numbers(row.get("batch_or_concurrency")).first().copied()?;
    let optimizer_text = row.lower("optimizer");
    let checkpoints = row.lower("grad_checkpointing");
    let mut cards = stacks::cards(framework.stack, row, cards);
    cards.offload_optimizer |=
        optimizer_text.contains("cpu_offload") || optimizer_text.contains("cpu offload");
    // The batch beside a pipeline is cut into as many micro-batches as there are stages (the default
    // of PyTorch's schedules), except where the micro-batch itself is stated (`mbs`).
    let micro_batch = if cards.pipeline > 1
        && cards.tensor > 1
        && !row.lower("batch_or_concurrency").contains("mbs")
    {
        (batch / cards.pipeline).max(1)
    } else {
        batch
    };
    let framework_text = row.lower("framework_version");
    let training = Training {
        method: method(row)?,
        recipe: recipe(row, framework, cards),
        optimizer: optimizer(&optimizer_text, &row.lower("notes")),
        micro_batch,
        sequence: length.prompt,
        accumulation: 1,
        checkpointing: checkpointing(&checkpoints),
        attention: match row.lower("flash_attn").as_str() {
            "no" => AttentionKernel::Eager,
            text if text.contains("sdpa") => AttentionKernel::Sdpa,
            _ => AttentionKernel::Flash,
        },
        loss: if stacks::fuses_loss(row) { Loss::Fused } else { Loss::Eager },
        packed: row.note("packed") == Some("yes"),
        fused_backward: optimizer_text.contains("fused in backward")
            || optimizer_text.contains("optimizer_in_bwd"),
        details: TrainingDetails {
            keeps_quantised_inputs: framework_text.contains("bnb 0.41"),
            saves_ends: row.get("lora_targets").contains("modules_to_save"),
            offloads_activations: checkpoints.contains("activation offload"),
            ..TrainingDetails::default()
        },
        ..Training::default()
    };
    Some((training, cards))
}

/// Blocks that LLaMA-Pro adds and trains alone (`tuner=llamapro num_blocks=4`).
fn added_blocks(row: &Row<'_>) -> Option<u32> {
    let named = row.lower("notes").contains("llamapro");
    named.then(|| row.note("num_blocks").and_then(|text| text.parse().ok()).unwrap_or(4))
}

/// Returns the model with the blocks that the method adds to it.
pub(super) fn enlarged(row: &Row<'_>, model: Architecture) -> Architecture {
    let added = added_blocks(row).unwrap_or(0);
    Architecture { layers: model.layers.saturating_add(added), ..model }
}

/// Reads the method: `other` rows are adapters when they have a rank, else what the notes name.
fn method(row: &Row<'_>) -> Option<Method> {
    let notes = row.lower("notes");
    let optimizer = row.lower("optimizer");
    if optimizer.contains("galore") {
        let rank = row.note("galore_rank").and_then(|text| text.parse().ok()).unwrap_or(128);
        return Some(Method::GaLore { rank });
    }
    if optimizer.contains("lisa") {
        let layers =
            row.note("lisa_activated_layers").and_then(|text| text.parse().ok()).unwrap_or(2);
        return Some(Method::Lisa { layers });
    }
    if optimizer.contains("badam") {
        return Some(Method::BAdam);
    }
    if let Some(layers) = added_blocks(row) {
        return Some(Method::Freeze { layers });
    }
    match row.get("kind") {
        "full" | "pretrain" => Some(Method::Full),
        "lora" | "qlora" => {
            let named = targets(&row.lower("lora_targets"));
            Some(Method::Lora {
                // Scripts that state no rank mostly use 8 on Q and V or on all linear layers.
                rank: row.whole("lora_rank").unwrap_or(8),
                targets: if named.is_empty() { LoraTarget::ALL_LINEAR.to_vec() } else { named },
                dora: notes.contains("use_dora=true"),
            })
        }
        // Other adapters and tricks: sized like a small LoRA where they name targets.
        _ => {
            let named = targets(&row.lower("lora_targets"));
            Some(Method::Lora {
                rank: row.whole("lora_rank").unwrap_or(8).min(64),
                targets: if named.is_empty() { vec![LoraTarget::Q, LoraTarget::V] } else { named },
                dora: false,
            })
        }
    }
}

/// Reads adapter targets; `all` means every linear layer of a block, `default` of ms-swift the
/// attention input projections, `c_attn, c_proj, w1, w2` of Qwen 1 every linear layer.
fn targets(text: &str) -> Vec<LoraTarget> {
    use LoraTarget::{Down, Embedding, Gate, Head, K, O, Q, Up, V};
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let has = |word: &str| words.contains(&word);
    let mut found = Vec::new();
    // `q,k,v,up (script default)` names its layers; `DEFAULT (c_attn)` does not.
    let named = has("q") || has("q_proj") || has("query");
    if has("all") || has("w1") {
        found.extend(LoraTarget::ALL_LINEAR);
    } else if has("default") && !named || has("c_attn") && words.len() == 1 {
        found.extend([Q, K, V]);
    } else {
        let table: [(&[&str], &[LoraTarget]); 11] = [
            (&["q", "q_proj", "query"], &[Q]),
            (&["k", "k_proj", "key"], &[K]),
            (&["v", "v_proj", "value"], &[V]),
            (&["o", "o_proj", "output", "projection"], &[O]),
            (&["gate", "gate_proj"], &[Gate]),
            (&["up", "up_proj"], &[Up]),
            (&["down", "down_proj"], &[Down]),
            (&["mlp"], &[Gate, Up, Down]),
            (&["linear_qkv"], &[Q, K, V]),
            (&["linear_proj"], &[O]),
            (&["self_attn"], &[Q, K, V, O]),
        ];
        for (names, targets) in table {
            if names.iter().any(|name| has(name)) {
                found.extend(targets);
            }
        }
    }
    if text.contains("modules_to_save") {
        return found;
    }
    if has("lm_head") || has("head") {
        found.push(Head);
    }
    if has("embed_tokens") {
        found.push(Embedding);
    }
    found
}

/// Reads the numbers that are trained in: what the weights' format says, what the way of sharding
/// brings with it, else the stack's own default.
fn recipe(row: &Row<'_>, framework: &Framework, cards: Parallelism) -> Recipe {
    let weights = row.lower("weight_format");
    let quantised = weights.contains("gptq") || weights.contains("nf4");
    if weights.contains("fp32") && weights.contains("bf16") {
        return match framework.stack.recipe() {
            Recipe::MasterFp32 => Recipe::MasterFp32,
            _ => Recipe::Autocast,
        };
    }
    if (weights.contains("fp32") || weights.contains("float32")) && !quantised {
        return Recipe::Fp32;
    }
    if row.get("kind") != "full" && row.get("kind") != "pretrain" {
        return Recipe::PureBf16;
    }
    if matches!(cards.sharding, Sharding::Zero1 | Sharding::Zero2 | Sharding::Zero3) {
        return Recipe::MasterFp32;
    }
    // FSDP with a mixed-precision flag keeps FP32 shards; programs that are 16-bit throughout
    // (`bf16-true`, torchtune) have none.
    let throughout = !framework.details_autocast() || weights.contains("true");
    if cards.sharding == Sharding::Fsdp && stacks::mixed(row) && !throughout {
        return Recipe::Autocast;
    }
    match framework.stack.recipe() {
        // The row says 16-bit weights.
        Recipe::Autocast if weights.contains("bf16") => Recipe::PureBf16,
        stated => stated,
    }
}

fn optimizer(text: &str, notes: &str) -> Optimizer {
    if notes.contains("galore") && notes.contains("+quantize") {
        // `galore_quantization`: the projected states are kept in 8 bits.
        return Optimizer::AdamW8bit;
    }
    if text.contains("4bit") || text.contains("4-bit") {
        Optimizer::AdamW4bit
    } else if text.contains("paged") {
        Optimizer::PagedAdamW8bit
    } else if text.contains("8bit") || text.contains("8-bit") || text.contains("fp8") {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapter_targets_are_read_in_every_dialect() {
        use LoraTarget::{K, O, Q, V};
        assert_eq!(targets("q_proj k_proj v_proj o_proj"), [Q, K, V, O]);
        assert_eq!(targets("default (qkv / c_attn)"), [Q, K, V]);
        assert_eq!(targets("all (all linear)"), LoraTarget::ALL_LINEAR);
        assert_eq!(targets("all-linear"), LoraTarget::ALL_LINEAR);
        assert_eq!(targets("query,value"), [Q, V]);
        assert_eq!(targets("q,k,v,up,down,gate (script default)").len(), 6);
        assert_eq!(targets("c_attn,c_proj,w1,w2 + modules_to_save wte,lm_head").len(), 7);
    }
}
