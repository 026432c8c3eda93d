//! Reads the experts of a mixture and which layers have them.

use super::{HfConfigError, Reading, Rule, attention::non_zero};
use kasuan_sizing::{Architecture, Experts};

/// Reads the experts, where there are any.
pub(super) fn read(reading: &Reading<'_>, model: &mut Architecture) -> Result<(), HfConfigError> {
    let body = reading.body;
    let inner = body.object("ffn_config").unwrap_or(body);
    let mut names = vec!["num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"];
    if reading.name == "jamba" {
        names.retain(|name| *name == "num_experts");
    }
    let mut experts = 0;
    for name in names {
        experts = experts.max(inner.count(name)?.unwrap_or(0));
    }
    if experts <= 1 {
        return dense_beside_nothing(reading, model);
    }
    let active_names = [
        "num_experts_per_tok",
        "experts_per_token",
        "num_experts_per_token",
        "moe_k",
        "moe_topk",
        "moe_top_k",
        "top_k_experts",
    ];
    let Some((active, active_name)) = inner.first(&active_names)? else {
        return Err(HfConfigError::Missing {
            field: "num_experts_per_tok",
            also: &["experts_per_token", "moe_k", "moe_topk", "moe_top_k"],
            still: Vec::new(),
        });
    };
    if active > experts {
        return Err(HfConfigError::Contradiction {
            left: active_name.to_owned(),
            left_value: u64::from(active),
            right: "num_experts".to_owned(),
            right_value: u64::from(experts),
            rule: Rule::AtMost,
        });
    }
    let width_names =
        ["moe_intermediate_size", "expert_ffn_hidden_size", "intermediate_size", "ffn_hidden_size"];
    let Some((intermediate, _)) = inner.first(&width_names)? else {
        return Err(HfConfigError::Missing {
            field: "moe_intermediate_size",
            also: &["intermediate_size"],
            still: Vec::new(),
        });
    };
    let dense_layers = dense_layers(reading, model)?;
    if dense_layers > model.layers {
        return Err(HfConfigError::Contradiction {
            left: "first_k_dense_replace".to_owned(),
            left_value: u64::from(dense_layers),
            right: "num_hidden_layers".to_owned(),
            right_value: u64::from(model.layers),
            rule: Rule::AtMost,
        });
    }
    let shared_intermediate = shared(reading, intermediate)?;
    model.experts =
        Some(Experts { experts, active, intermediate, shared_intermediate, dense_layers });
    Ok(())
}

/// Granite's hybrid files without experts name the dense width as that of the shared expert.
fn dense_beside_nothing(
    reading: &Reading<'_>,
    model: &mut Architecture,
) -> Result<(), HfConfigError> {
    if reading.name == "granitemoehybrid" {
        model.intermediate = reading.body.count_or(&["shared_intermediate_size"], 0)?;
    }
    Ok(())
}

/// Returns the width of the shared experts together.
fn shared(reading: &Reading<'_>, intermediate: u32) -> Result<u32, HfConfigError> {
    let body = reading.body;
    let whole = [
        "shared_expert_intermediate_size",
        "shared_intermediate_size",
        "moe_shared_expert_intermediate_size",
        "share_expert_dim",
    ];
    for name in whole {
        if let Some(width) = body.count(name)? {
            return Ok(width);
        }
    }
    if reading.name == "llama4_text" {
        return Ok(intermediate);
    }
    let count =
        body.count_or(&["n_shared_experts", "num_shared_experts", "moe_num_shared_experts"], 0)?;
    Ok(count.saturating_mul(intermediate))
}

/// Returns how many layers keep a dense block.
fn dense_layers(reading: &Reading<'_>, model: &Architecture) -> Result<u32, HfConfigError> {
    let body = reading.body;
    let layers = model.layers;
    if let Some(kinds) = body.list("mlp_layer_types") {
        let dense = kinds.iter().filter(|kind| kind.as_str() == Some("dense")).count();
        return Ok(u32::try_from(dense).unwrap_or(u32::MAX));
    }
    if let Some(frequency) = body.list("moe_layer_freq") {
        let listed = u32::try_from(frequency.len()).unwrap_or(u32::MAX);
        return Ok(listed.saturating_sub(non_zero(frequency)));
    }
    match reading.name {
        "llama4_text" => {
            let step = body.count_or(&["interleave_moe_layer_step"], 1)?.max(1);
            return Ok(layers - layers / step);
        }
        "jamba" => {
            let period = body.count_or(&["expert_layer_period"], 2)?.max(1);
            let offset = body.count_or(&["expert_layer_offset"], 1)?;
            let with = (0..layers).filter(|layer| layer % period == offset).count();
            return Ok(layers - u32::try_from(with).unwrap_or(layers));
        }
        "ernie4_5_moe" => return body.count_or(&["moe_layer_start_index"], 1),
        _ => {}
    }
    let step = body.count_or(&["decoder_sparse_step"], 1)?.max(1);
    let only = body.list("mlp_only_layers").map_or(0, <[_]>::len);
    let leading = body.count_or(&["first_k_dense_replace"], 0)?;
    let stepped = layers - layers / step;
    Ok(stepped.saturating_add(u32::try_from(only).unwrap_or(u32::MAX)).saturating_add(leading))
}
