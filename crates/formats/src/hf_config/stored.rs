//! Reads how the weights beside a config.json are stored.

use super::fields::Fields;
use kasuan_sizing::WeightFormat;

/// The group of GPTQ and AWQ files that do not say theirs.
const GROUP: u32 = 128;

/// Returns the format of the stored weights, where the file says.
pub(super) fn format(root: Fields<'_>) -> Option<WeightFormat> {
    let text = root.object("text_config");
    let quantised = root
        .object("quantization_config")
        .or_else(|| text.and_then(|text| text.object("quantization_config")));
    if let Some(settings) = quantised {
        return quantisation(settings);
    }
    let dtype = |fields: Fields<'_>| match fields.text("torch_dtype").or(fields.text("dtype"))? {
        "bfloat16" => Some(WeightFormat::Bf16),
        "float16" => Some(WeightFormat::Fp16),
        "float32" => Some(WeightFormat::Fp32),
        _ => None,
    };
    dtype(root).or_else(|| text.and_then(dtype))
}

fn quantisation(settings: Fields<'_>) -> Option<WeightFormat> {
    let bits = settings.count("bits").ok().flatten();
    let group = settings
        .count("group_size")
        .or_else(|_| settings.count("q_group_size"))
        .ok()
        .flatten()
        .filter(|group| *group > 0)
        .unwrap_or(GROUP);
    match settings.text("quant_method")? {
        "gptq" | "auto-round" if bits == Some(8) => Some(WeightFormat::Int8),
        "gptq" | "auto-round" => Some(WeightFormat::Gptq4 { group }),
        "awq" => Some(WeightFormat::Awq4 { group }),
        "fp8" | "fbgemm_fp8" => Some(WeightFormat::Fp8),
        "mxfp4" => Some(WeightFormat::Mxfp4),
        "bitsandbytes" if settings.flag("load_in_8bit") == Some(true) => Some(WeightFormat::Int8),
        "bitsandbytes" => {
            let double_quant = settings.flag("bnb_4bit_use_double_quant").unwrap_or(false);
            Some(WeightFormat::Nf4 { double_quant })
        }
        "modelopt" => match settings.text("quant_algo")? {
            "FP8" => Some(WeightFormat::Fp8),
            "NVFP4" => Some(WeightFormat::Nvfp4),
            _ => None,
        },
        "compressed-tensors" => compressed(settings),
        _ => None,
    }
}

/// The format of llm-compressor's files: bits, type and group of the first group of layers.
fn compressed(settings: Fields<'_>) -> Option<WeightFormat> {
    let groups = settings.object("config_groups")?;
    let first = groups.0.values().next()?.as_object().map(Fields)?;
    let weights = first.object("weights")?;
    let bits = weights.count("num_bits").ok().flatten()?;
    let group = weights.count("group_size").ok().flatten().unwrap_or(GROUP);
    match (weights.text("type")?, bits) {
        ("float", 8) => Some(WeightFormat::Fp8),
        ("float", 4) => Some(WeightFormat::Nvfp4),
        ("int", 8) => Some(WeightFormat::Int8),
        ("int", 4) => Some(WeightFormat::Gptq4 { group }),
        _ => None,
    }
}
