//! Counts a vision tower and its projector from `vision_config`.

use super::{HfConfigError, Reading, fields::Fields};
use kasuan_sizing::Architecture;

/// What a tower's blocks look like.
#[derive(Clone, Copy, Debug)]
struct Tower {
    layers: u64,
    hidden: u64,
    intermediate: u64,
    /// Matrices of the feed-forward block.
    matrices: u64,
    /// Parameters of a norm for each channel.
    norm: u64,
}

impl Tower {
    /// Returns the parameters of all blocks: Q, K, V and O with biases, the feed-forward block with
    /// biases, two norms.
    fn blocks(&self) -> u64 {
        let attention = 4 * self.hidden * self.hidden + 4 * self.hidden;
        let feed_forward = self.matrices * self.hidden * self.intermediate
            + (self.matrices - 1) * self.intermediate
            + self.hidden;
        self.layers * (attention + feed_forward + 2 * self.norm * self.hidden)
    }
}

/// Reads the vision tower, where there is one.
pub(super) fn read(reading: &Reading<'_>, model: &mut Architecture) -> Result<(), HfConfigError> {
    let Some(vision) = reading.root.object("vision_config") else { return Ok(()) };
    let outer = reading.root.text("model_type").unwrap_or("");
    let text = u64::from(model.hidden);
    let counted = match outer {
        "qwen2_vl" => qwen2(vision, text)?,
        "qwen2_5_vl" | "qwen2_5_omni_thinker" => qwen25(vision, text)?,
        "qwen3_vl" | "qwen3_vl_moe" | "qwen3_5" | "qwen3_5_moe" => qwen3(vision, text)?,
        "gemma3" => {
            let tower = generic(vision)?;
            tower.map(|tower| tower + count(vision, &["hidden_size"]) * (text + 1))
        }
        "paligemma" => {
            let tower = generic(vision)?;
            tower.map(|tower| tower + count(vision, &["hidden_size"]) * text + text)
        }
        "llava" | "llava_next" => {
            let width = count(vision, &["hidden_size"]);
            generic(vision)?.map(|tower| tower + width * text + text + text * text + text)
        }
        _ => {
            model.unverified.push("vision_config".to_owned());
            generic(vision)?
        }
    };
    match counted {
        Some(parameters) => model.vision_parameters = parameters,
        None => model.unverified.push("vision_config".to_owned()),
    }
    model.unverified.dedup();
    Ok(())
}

/// Returns a count, or 0 where it is missing or wrong; the caller has read it before.
fn count(fields: Fields<'_>, names: &[&str]) -> u64 {
    fields.count_or(names, 0).map_or(0, u64::from)
}

/// Qwen2-VL (transformers `modeling_qwen2_vl.py`): `embed_dim` wide blocks, a merger of 2x2 patches.
fn qwen2(vision: Fields<'_>, text: u64) -> Result<Option<u64>, HfConfigError> {
    let hidden = u64::from(vision.count_or(&["embed_dim"], 1280)?);
    let ratio = u64::from(vision.count_or(&["mlp_ratio"], 4)?);
    let layers = u64::from(vision.count_or(&["depth"], 32)?);
    let tower = Tower { layers, hidden, intermediate: hidden * ratio, matrices: 2, norm: 2 };
    let merged = 4 * hidden;
    let merger = 2 * hidden + merged * merged + merged + merged * text + text;
    Ok(Some(patches(vision, hidden)? + tower.blocks() + merger))
}

/// Qwen2.5-VL: RMSNorm and a gated feed-forward block.
fn qwen25(vision: Fields<'_>, text: u64) -> Result<Option<u64>, HfConfigError> {
    let hidden = u64::from(vision.count_or(&["hidden_size"], 1280)?);
    let intermediate = u64::from(vision.count_or(&["intermediate_size"], 3420)?);
    let layers = u64::from(vision.count_or(&["depth"], 32)?);
    let out = u64::from(vision.count_or(&["out_hidden_size"], 0)?);
    let out = if out == 0 { text } else { out };
    let tower = Tower { layers, hidden, intermediate, matrices: 3, norm: 1 };
    let merged = 4 * hidden;
    let merger = hidden + merged * merged + merged + merged * out + out;
    Ok(Some(patches(vision, hidden)? + tower.blocks() + merger))
}

/// Qwen3-VL and Qwen3.5: learned positions, LayerNorm, and a merger more for each deep layer that is
/// fed to the language model.
fn qwen3(vision: Fields<'_>, text: u64) -> Result<Option<u64>, HfConfigError> {
    let hidden = u64::from(vision.count_or(&["hidden_size"], 1152)?);
    let intermediate = u64::from(vision.count_or(&["intermediate_size"], 4304)?);
    let layers = u64::from(vision.count_or(&["depth"], 27)?);
    let out = u64::from(vision.count_or(&["out_hidden_size"], 0)?);
    let out = if out == 0 { text } else { out };
    let positions = u64::from(vision.count_or(&["num_position_embeddings"], 2304)?);
    let tower = Tower { layers, hidden, intermediate, matrices: 2, norm: 2 };
    let merged = 4 * hidden;
    let merger = |normed: u64| 2 * normed + merged * merged + merged + merged * out + out;
    let deep = vision.list("deepstack_visual_indexes").map_or(0, <[_]>::len) as u64;
    Ok(Some(
        patches(vision, hidden)?
            + hidden
            + positions * hidden
            + tower.blocks()
            + merger(hidden)
            + deep * merger(merged),
    ))
}

/// Returns the parameters of the patch embedding, without bias.
fn patches(vision: Fields<'_>, hidden: u64) -> Result<u64, HfConfigError> {
    let patch = u64::from(vision.count_or(&["patch_size", "spatial_patch_size"], 14)?);
    let frames = u64::from(vision.count_or(&["temporal_patch_size"], 2)?);
    let channels = u64::from(vision.count_or(&["in_channels", "in_chans"], 3)?);
    Ok(channels * frames * patch * patch * hidden)
}

/// SigLIP and CLIP towers (transformers `modeling_siglip.py`, `modeling_clip.py`): plain blocks with
/// biases and LayerNorm, learned positions for each patch; `None` when the file says too little.
fn generic(vision: Fields<'_>) -> Result<Option<u64>, HfConfigError> {
    let layers = vision.first(&["num_hidden_layers", "depth", "num_layers", "layers"])?;
    let hidden = vision.first(&["hidden_size", "embed_dim", "width"])?;
    let (Some((layers, _)), Some((hidden, _))) = (layers, hidden) else { return Ok(None) };
    let (layers, hidden) = (u64::from(layers), u64::from(hidden));
    let four_times = u32::try_from(4 * hidden).unwrap_or(u32::MAX);
    let intermediate = u64::from(vision.count_or(&["intermediate_size"], four_times)?);
    let patch = u64::from(vision.count_or(&["patch_size"], 14)?).max(1);
    let image = u64::from(vision.count_or(&["image_size"], 224)?);
    let positions = (image / patch) * (image / patch);
    let tower = Tower { layers, hidden, intermediate, matrices: 2, norm: 2 };
    let clip = vision.text("model_type").is_some_and(|name| name.contains("clip_vision"));
    // CLIP has a class token with a position, and a norm before the first block, but no patch bias.
    let ends = if clip { 2 * hidden + 4 * hidden } else { hidden + 2 * hidden };
    Ok(Some(3 * patch * patch * hidden + positions * hidden + tower.blocks() + ends))
}
