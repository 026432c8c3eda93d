//! Free text of truth rows, read by rule.

use super::row::Row;
use kasuan_model::Bytes;
use kasuan_sizing::{
    Architecture, GgufMix, Parallelism, Sharding, WeightFormat, parameters::count,
};

/// Returns all whole numbers in a text, thousands separators removed.
pub(super) fn numbers(text: &str) -> Vec<u32> {
    let text = text.replace(',', "");
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// Returns the number that stands directly after a word (`tp8`, `fsdp2=8`, `cp 4`).
fn after(text: &str, word: &str) -> Option<u32> {
    let rest = text.get(text.find(word)? + word.len()..)?.trim_start_matches(['=', ' ']);
    numbers(rest.split(|c: char| !c.is_ascii_digit()).next()?).first().copied()
}

/// How the weights of a row are stored.
///
/// Groups are read from `g128`; GPTQ and AWQ without one have 128; bitsandbytes `4-bit` is FP4/NF4
/// without double quantisation unless `dq` is said. Formats nobody can size (AQLM, autoquant) are
/// declined.
pub(super) fn weight_format(row: &Row<'_>) -> Option<WeightFormat> {
    let text = row.lower("weight_format");
    let kind = row.get("kind");
    let has = |word: &str| text.contains(word);
    let group = || {
        ["g128", "128g"].iter().find(|word| has(word)).map(|_| 128).or_else(|| {
            if has("g32") {
                Some(32)
            } else if has("g64") || has("-64") {
                Some(64)
            } else {
                None
            }
        })
    };
    Some(if has("mxfp4") {
        WeightFormat::Mxfp4
    } else if has("gguf") {
        WeightFormat::Gguf(gguf(&text))
    } else if has("aqlm") || has("autoquant") || has("sparse") {
        return None;
    } else if has("gptq") {
        let bits = if has("int3") {
            3
        } else if has("int8") {
            8
        } else {
            4
        };
        // exllama and GPTQ-for-LLaMa name the group where there is one.
        let named = row.lower("framework_version").contains("llama");
        let group = group().unwrap_or(if named { 0 } else { 128 });
        WeightFormat::Gptq { bits, group }
    } else if has("awq") {
        WeightFormat::Awq4 { group: group().unwrap_or(128) }
    } else if has("nf4")
        || has("fp4") && !has("nvfp4")
        || has("bnb-4bit")
        || has("bnb") && has("int4")
    {
        // torchao's NF4 always quantises its scales again.
        WeightFormat::Nf4 { double_quant: has("dq") || has("torchao") }
    } else if has("nvfp4") {
        WeightFormat::Nvfp4
    } else if has("int4") {
        WeightFormat::Gptq { bits: 4, group: group().unwrap_or(128) }
    } else if has("int8") {
        WeightFormat::Int8
    } else if has("fp8") {
        WeightFormat::Fp8
    } else if has("fp32") && !has("bf16") || has("float32") {
        WeightFormat::Fp32
    } else if has("fp16") || has("float16") && !has("bfloat16") {
        WeightFormat::Fp16
    } else if has("bf16") || has("bfloat16") || text.is_empty() && kind != "inference" {
        WeightFormat::Bf16
    } else {
        return None;
    })
}

fn gguf(text: &str) -> GgufMix {
    let mixes = [
        ("iq1_s", GgufMix::IQ1_S),
        // Formats of a fork, at the format of the same bits where the file's size is not stated.
        ("iq2_k", GgufMix::IQ2_S),
        ("iq3_k", GgufMix::IQ3_S),
        ("iq4_ks", GgufMix::IQ4_XS),
        ("iq4_k", GgufMix::IQ4_NL),
        ("iq6_k", GgufMix::Q6_K),
        ("iq3_xxs", GgufMix::IQ3_XXS),
        ("iq4_xs", GgufMix::IQ4_XS),
        ("q2_k", GgufMix::Q2_K),
        ("q3_k", GgufMix::Q3_K_M),
        ("q4_k", GgufMix::Q4_K_M),
        ("q5_k", GgufMix::Q5_K_M),
        ("q6_k", GgufMix::Q6_K),
        ("q8_0", GgufMix::Q8_0),
        ("f16", GgufMix::F16),
    ];
    mixes.iter().find(|(name, _)| text.contains(name)).map_or(GgufMix::Q4_K_M, |(_, mix)| *mix)
}

/// The size of a GGUF file as its log states it before loading (`gguf 15.404 GiB`).
pub(super) fn file_size(row: &Row<'_>) -> Option<Bytes> {
    let gib: f64 = row.note("gguf ")?.parse().ok()?;
    Some(Bytes::from_estimate(gib * 1_073_741_824.0))
}

/// The size of an FP8 checkpoint whose attention stays in 16 bits (`fp8 (mixed)`, as published for
/// Llama 3.1 405B).
pub(super) fn mixed_fp8(row: &Row<'_>, model: &Architecture) -> Option<Bytes> {
    if !row.get("weight_format").contains("fp8 (mixed)") {
        return None;
    }
    let parts = count(model);
    let narrow = parts.mlp.saturating_add(parts.experts);
    Some(Bytes::new(narrow.saturating_add(parts.total.saturating_sub(narrow).saturating_mul(2))))
}

/// The size of a quantised checkpoint whose other parts are kept and computed in FP32 (`gptq-int4
/// weights, compute float32`).
pub(super) fn wide_rest(
    row: &Row<'_>,
    model: &Architecture,
    format: WeightFormat,
) -> Option<Bytes> {
    if !row.lower("weight_format").contains("compute float32") {
        return None;
    }
    let parts = count(model);
    let matrices = parts.block_linear() as f64 * format.bits_per_weight() / 8.0;
    Some(Bytes::from_estimate(matrices + 4.0 * parts.unquantised() as f64))
}

/// How a row's run was spread over cards.
pub(super) fn parallelism(row: &Row<'_>) -> Option<Parallelism> {
    let text = row.lower("parallelism");
    let has = |word: &str| text.contains(word);
    let cards = row.whole("n_gpus").unwrap_or(1).max(1);
    let size = |words: &[&str]| words.iter().find_map(|word| after(&text, word));
    let mut tensor = size(&["tensor_model_parallel_size", "tp"]).unwrap_or(1);
    let mut pipeline = size(&["pipeline_model_parallel_size", "pp"]).unwrap_or(1);
    let context = size(&["cp", "sequence_parallel_size"]).unwrap_or(1);
    let expert = size(&["expert_model_parallel_size", "ep"]).unwrap_or(1);
    if text == "tp" || has("tp?") {
        tensor = cards;
    }
    if tensor == 1
        && (has("pipeline(sequential)")
            || has("device_map")
            || has("layer split")
            || has("split over"))
    {
        pipeline = cards;
    }
    let sharding = if has("zero3") {
        Sharding::Zero3
    } else if has("zero2") {
        Sharding::Zero2
    } else if has("fsdp") {
        Sharding::Fsdp
    } else if has("dp") && has("pp") || row.lower("weight_format").contains("distributed optim") {
        Sharding::Zero1
    } else {
        Sharding::None
    };
    let model = tensor.max(1) * pipeline.max(1) * context.max(1);
    // Cards that no model dimension uses hold copies.
    let offload = has("offload");
    Some(Parallelism {
        tensor: tensor.max(1),
        pipeline: pipeline.max(1),
        data: (cards / model).max(1),
        context: context.max(1),
        expert: expert.max(1),
        sharding,
        offload_optimizer: offload,
        offload_weights: offload,
    })
}

/// The tokens of a prompt and the tokens generated, or the length of a training sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) prompt: u32,
    pub(super) generated: u32,
}

/// A prompt that the source only calls short.
pub(super) const SHORT_PROMPT: u32 = 16;

/// Reads a length; `None` where the source states none.
///
/// `A prompt + B generated`; `encoding N`, `cache_size N` and a bare number are prompts;
/// `generating N` starts from a short prompt; `max N` and `cutoff N` are taken at the limit.
pub(super) fn length(text: &str) -> Option<Length> {
    let text = text.to_lowercase();
    // A picture's side is no number of tokens.
    if text.contains("px") {
        return None;
    }
    let found = numbers(&text);
    let first = found.first().copied();
    if text.contains("model init") {
        return Some(Length { prompt: 1, generated: 0 });
    }
    // `2 x 131072`: so many caches of so many tokens.
    if let ([number, tokens], true) = (found.as_slice(), text.contains(" x ")) {
        return Some(Length { prompt: number.saturating_mul(*tokens), generated: 0 });
    }
    if let ([cells, number], true) = (found.as_slice(), text.starts_with("swa")) {
        return Some(Length { prompt: cells.saturating_mul(*number), generated: 0 });
    }
    if text.contains("prompt") && text.contains("generated") {
        return match found.as_slice() {
            [prompt, generated, ..] => Some(Length { prompt: *prompt, generated: *generated }),
            [generated] => Some(Length { prompt: SHORT_PROMPT, generated: *generated }),
            [] => None,
        };
    }
    if text.contains("prompt") || text.contains("generating") {
        return Some(Length { prompt: SHORT_PROMPT, generated: first? });
    }
    Some(Length { prompt: first?, generated: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_as_prompt_and_generated() {
        let pair = |prompt, generated| Some(Length { prompt, generated });
        assert_eq!(length("30720 prompt + 2048 generated"), pair(30_720, 2048));
        assert_eq!(length("prompt + 200 generated"), pair(SHORT_PROMPT, 200));
        assert_eq!(length("generating 8192 tokens"), pair(SHORT_PROMPT, 8192));
        assert_eq!(length("cache_size 131072"), pair(131_072, 0));
        assert_eq!(length("max 2048, Alpaca (variable)"), pair(2048, 0));
        assert_eq!(length("not stated"), None);
    }

    #[test]
    fn sizes_stand_after_their_word() {
        assert_eq!(after("fsdp 4, cp 2,tp8,pp8", "tp"), Some(8));
        assert_eq!(after("fsdp 4, cp 2,tp8,pp8", "cp"), Some(2));
        assert_eq!(after("tensor_model_parallel_size=4", "tensor_model_parallel_size"), Some(4));
    }
}
