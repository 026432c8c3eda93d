//! Reads layers that keep a state of constant size: Mamba, Mamba-2 and gated delta networks.

use super::{HfConfigError, Reading, attention::layer_kinds};
use kasuan_sizing::{Architecture, RecurrentLayers};

/// Reads the recurrent layers, where there are any.
pub(super) fn read(reading: &Reading<'_>, model: &mut Architecture) -> Result<(), HfConfigError> {
    match reading.name {
        "mamba" | "falcon_mamba" => {
            model.norms_per_layer = 1;
            model.feed_forward_layers = Some(0);
            model.recurrent = Some(mamba(reading, model, model.layers)?);
        }
        "mamba2" => {
            model.norms_per_layer = 1;
            model.feed_forward_layers = Some(0);
            model.recurrent = Some(mamba2(reading, model, model.layers)?);
        }
        "jamba" => {
            let period = reading.body.count_or(&["attn_layer_period"], 8)?.max(1);
            let offset = reading.body.count_or(&["attn_layer_offset"], 4)?;
            let with = (0..model.layers).filter(|layer| layer % period == offset).count();
            let layers = model.layers - u32::try_from(with).unwrap_or(model.layers);
            model.recurrent = Some(mamba(reading, model, layers)?);
        }
        "bamba" => {
            let with = reading.body.list("attn_layer_indices").map_or(0, <[_]>::len);
            let layers = model.layers.saturating_sub(u32::try_from(with).unwrap_or(u32::MAX));
            model.recurrent = Some(mamba2(reading, model, layers)?);
        }
        "granitemoehybrid" => {
            let layers = layer_kinds(reading, model)?.map_or(0, |kinds| kinds.recurrent);
            if layers > 0 {
                model.recurrent = Some(mamba2(reading, model, layers)?);
            }
        }
        "nemotron_h" => nemotron(reading, model)?,
        name if name.starts_with("qwen3_next") || name.starts_with("qwen3_5") => {
            let layers = match layer_kinds(reading, model)? {
                Some(kinds) => kinds.recurrent,
                None => {
                    let every = reading.body.count_or(&["full_attention_interval"], 4)?.max(1);
                    model.layers - model.layers / every
                }
            };
            model.attention_gate = reading.body.flag("attn_output_gate").unwrap_or(true);
            model.recurrent = Some(delta_net(reading, model, layers)?);
        }
        _ => {}
    }
    Ok(())
}

/// Nemotron-H writes one letter a layer: `M` Mamba-2, `*` attention, `-` feed-forward, `E` experts;
/// each layer is one of them with one norm.
fn nemotron(reading: &Reading<'_>, model: &mut Architecture) -> Result<(), HfConfigError> {
    let Some(pattern) = reading.body.text("hybrid_override_pattern") else {
        return Err(HfConfigError::Missing {
            field: "hybrid_override_pattern",
            also: &[],
            still: Vec::new(),
        });
    };
    let count = |letter: char| u32::try_from(pattern.matches(letter).count()).unwrap_or(u32::MAX);
    let (attention, dense, expert) = (count('*'), count('-'), count('E'));
    model.layers = u32::try_from(pattern.chars().count()).unwrap_or(u32::MAX);
    model.norms_per_layer = 1;
    model.attention_layer_count = Some(attention);
    model.full_attention_layers = Some(attention);
    model.feed_forward_layers = Some(dense.saturating_add(expert));
    if let Some(experts) = &mut model.experts {
        experts.dense_layers = dense;
    }
    model.recurrent = Some(mamba2(reading, model, count('M'))?);
    Ok(())
}

/// Mamba: `in_proj`, a convolution, `x_proj`, `dt_proj`, `A`, `D`, `out_proj` (transformers
/// `modeling_mamba.py`); the state is `inner·state` in FP32 and `inner·(kernel−1)` in 16 bits.
fn mamba(
    reading: &Reading<'_>,
    model: &Architecture,
    layers: u32,
) -> Result<RecurrentLayers, HfConfigError> {
    let body = reading.body;
    let hidden = u64::from(model.hidden);
    let expand = u64::from(body.count_or(&["mamba_expand", "expand"], 2)?);
    let inner = match body.count("intermediate_size")? {
        Some(width) if reading.name != "jamba" => u64::from(width),
        _ => hidden * expand,
    };
    let state = u64::from(body.count_or(&["state_size", "mamba_d_state"], 16)?);
    let kernel = u64::from(body.count_or(&["conv_kernel", "mamba_d_conv"], 4)?);
    let rank = match body.count("time_step_rank") {
        Ok(Some(rank)) => u64::from(rank),
        _ => match body.count("mamba_dt_rank") {
            Ok(Some(rank)) => u64::from(rank),
            // "auto"
            _ => hidden.div_ceil(16),
        },
    };
    let mut parameters = hidden * 2 * inner
        + inner * (kernel + 1)
        + inner * (rank + 2 * state)
        + rank * inner
        + inner
        + inner * state
        + inner
        + inner * hidden;
    if reading.name == "jamba" {
        parameters += rank + 2 * state;
    }
    let state_bytes = inner * state * 4 + inner * kernel.saturating_sub(1) * 2;
    Ok(RecurrentLayers { layers, state_bytes, parameters })
}

/// Mamba-2: `in_proj` to gate, input, B, C and steps; a convolution over input, B and C; a norm;
/// `out_proj` (transformers `modeling_mamba2.py`).
fn mamba2(
    reading: &Reading<'_>,
    model: &Architecture,
    layers: u32,
) -> Result<RecurrentLayers, HfConfigError> {
    let body = reading.body;
    let hidden = u64::from(model.hidden);
    let heads = body.first(&["mamba_num_heads", "mamba_n_heads", "num_heads"])?;
    let width = body.first(&["mamba_head_dim", "mamba_d_head", "head_dim"])?;
    let (Some((heads, _)), Some((width, _))) = (heads, width) else {
        let field = if heads.is_none() { "mamba_num_heads" } else { "mamba_head_dim" };
        return Err(HfConfigError::Missing { field, also: &[], still: Vec::new() });
    };
    let heads = u64::from(heads);
    let inner = heads * u64::from(width);
    let groups = u64::from(body.count_or(&["n_groups", "mamba_n_groups"], 1)?);
    let state = u64::from(body.count_or(&["ssm_state_size", "mamba_d_state", "state_size"], 128)?);
    let kernel = u64::from(body.count_or(&["conv_kernel", "mamba_d_conv"], 4)?);
    let convolved = inner + 2 * groups * state;
    let parameters = hidden * (inner + convolved + heads)
        + convolved * (kernel + 1)
        + 3 * heads
        + inner
        + inner * hidden;
    let state_bytes = inner * state * 4 + convolved * kernel.saturating_sub(1) * 2;
    Ok(RecurrentLayers { layers, state_bytes, parameters })
}

/// A gated delta network: `in_proj` to Q, K, V and gate, two projections to each V head, a
/// convolution, a norm, `out_proj` (transformers `modeling_qwen3_next.py`); the state is one matrix
/// of K times V width for each V head in FP32.
fn delta_net(
    reading: &Reading<'_>,
    model: &Architecture,
    layers: u32,
) -> Result<RecurrentLayers, HfConfigError> {
    let body = reading.body;
    let hidden = u64::from(model.hidden);
    let mut widths = [0_u64; 4];
    let names = [
        "linear_num_key_heads",
        "linear_key_head_dim",
        "linear_num_value_heads",
        "linear_value_head_dim",
    ];
    for (width, name) in widths.iter_mut().zip(names) {
        let Some((count, _)) = body.first(&[name])? else {
            return Err(HfConfigError::Missing { field: name, also: &[], still: Vec::new() });
        };
        *width = u64::from(count);
    }
    let [key_heads, key_dim, value_heads, value_dim] = widths;
    let (keys, values) = (key_heads * key_dim, value_heads * value_dim);
    let kernel = u64::from(body.count_or(&["linear_conv_kernel_dim"], 4)?);
    let convolved = 2 * keys + values;
    let parameters = hidden * (convolved + values + 2 * value_heads)
        + convolved * kernel
        + 2 * value_heads
        + value_dim
        + values * hidden;
    let state_bytes =
        value_heads * key_dim * value_dim * 4 + convolved * kernel.saturating_sub(1) * 2;
    Ok(RecurrentLayers { layers, state_bytes, parameters })
}
