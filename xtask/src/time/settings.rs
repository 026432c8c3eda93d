//! Reads the free words of a row: framework, parallelism, precision, links, card names.

use kasuan_model::Interconnect;
use kasuan_sizing::{Checkpointing, Engine, GgufMix, Sharding, TrainingStack, WeightFormat};

/// Finds the number that follows a word, as in `TP8` after `tp`.
fn number_after(text: &str, word: &str) -> Option<u32> {
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let before = rest[..at].chars().next_back();
        let tail = &rest[at + word.len()..];
        let digits: String = tail.chars().take_while(char::is_ascii_digit).collect();
        if let (Ok(number), false) =
            (digits.parse(), before.is_some_and(|c| c.is_ascii_alphabetic()))
        {
            return Some(number);
        }
        rest = tail;
    }
    None
}

/// How cards share a run, as far as the words say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(crate) tensor: u32,
    pub(crate) pipeline: u32,
    pub(crate) context: u32,
    pub(crate) sharding: Sharding,
    pub(crate) offload: bool,
    pub(crate) micro_batch: Option<u32>,
    /// Layers are spread over cards that wait for each other.
    pub(crate) in_turn: bool,
}

/// Reads a layout such as `TP2 PP8 CP2`, `dp4 tp2 mbz8`, `FSDP+CPU offload`, `layer split`.
pub(crate) fn layout(text: &str, cards: u32) -> Layout {
    let text = text.to_lowercase();
    let in_turn = text.contains("layer split") || text.contains("device_map");
    let sharding = if text.contains("fsdp0") || text.contains("ddp") {
        Sharding::None
    } else if text.contains("fsdp") {
        Sharding::Fsdp
    } else if text.contains("zero3") {
        Sharding::Zero3
    } else if text.contains("zero1") {
        Sharding::Zero1
    } else if text.contains("zero") || text.contains("deepspeed") {
        Sharding::Zero2
    } else {
        Sharding::None
    };
    let plain_tensor = text == "tp";
    // A pipeline written as `dp4PP8` has letters before it; look for the pairs in any order.
    let spaced: String = text
        .replace("tp", " tp")
        .replace("pp", " pp")
        .replace("dp", " dp")
        .replace("fs dp", "fsdp")
        .replace("d dp", "ddp");
    Layout {
        tensor: if plain_tensor { cards } else { number_after(&spaced, "tp").unwrap_or(1).max(1) },
        pipeline: if in_turn { cards } else { number_after(&spaced, "pp").unwrap_or(1).max(1) },
        context: number_after(&text, "cp").unwrap_or(1).max(1),
        sharding,
        offload: text.contains("offload"),
        micro_batch: number_after(&text, "mbz"),
        in_turn,
    }
}

/// Which rates a run multiplies with, and how its weights are stored.
pub(crate) fn weights(text: &str, engine: Option<Engine>) -> Option<WeightFormat> {
    let text = text.to_lowercase();
    let llama_cpp = engine == Some(Engine::LlamaCpp);
    let first = text.split([' ', '+']).next().unwrap_or("");
    Some(match first {
        "bf16" => WeightFormat::Bf16,
        "fp16" if llama_cpp => WeightFormat::Gguf(GgufMix::F16),
        "fp16" => WeightFormat::Fp16,
        "fp32" => WeightFormat::Fp32,
        "fp8" | "mxfp8" | "w8a8" | "fp8-weight-only" => WeightFormat::Fp8,
        "int8" if llama_cpp => WeightFormat::Gguf(GgufMix::Q8_0),
        "int8" | "gptq-int8" => WeightFormat::Int8,
        "fp4" | "nvfp4" => WeightFormat::Nvfp4,
        "mxfp4" => WeightFormat::Mxfp4,
        "q4_k_m" => WeightFormat::Gguf(GgufMix::Q4_K_M),
        "q4_0" => WeightFormat::Gguf(GgufMix::Q4_0),
        "q5_0" => WeightFormat::Gguf(GgufMix::Q5_0),
        "q8_0" => WeightFormat::Gguf(GgufMix::Q8_0),
        "q4" if llama_cpp => WeightFormat::Gguf(GgufMix::Q4_K_M),
        "nf4" | "bnb-4bit" => WeightFormat::Nf4 { double_quant: true },
        "awq" | "awq4" | "awq-int4" | "w4a16" => WeightFormat::Awq4 { group: 128 },
        "q4" | "int4" | "gptq-int4" | "int4-gptq" => WeightFormat::Gptq4 { group: 128 },
        "int4-g32" => WeightFormat::Gptq4 { group: 32 },
        _ => return exl2(first),
    })
}

/// ExLlamaV2 files are named by their mean bits a weight; the nearest format of that size.
fn exl2(word: &str) -> Option<WeightFormat> {
    let bits: f64 = word.strip_prefix("exl2-")?.strip_suffix("bpw")?.parse().ok()?;
    Some(WeightFormat::Gguf(match bits {
        b if b < 2.8 => GgufMix::IQ2_S,
        b if b < 3.4 => GgufMix::IQ3_XXS,
        b if b < 4.1 => GgufMix::Q3_K_M,
        b if b < 4.6 => GgufMix::IQ4_XS,
        _ => GgufMix::Q4_K_M,
    }))
}

/// An engine with its version, and whether it captures graphs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EngineWords {
    pub(crate) engine: Engine,
    pub(crate) version: Option<(u32, u32)>,
    pub(crate) graphs: bool,
    /// Tokens that a drafting head proposes each step.
    pub(crate) drafted: u32,
}

/// Reads the name of an engine and its version or year.
pub(crate) fn engine(text: &str) -> Option<EngineWords> {
    let lower = text.to_lowercase();
    let has = |word: &str| lower.contains(word);
    let year = (2023..2030).find(|year| has(&format!("{year}")));
    let any = |words: &[&str]| words.iter().any(|word| has(word));
    let like_vllm =
        ["vllm", "tgi", "text-generation-inference", "lightllm", "mii", "fastgen", "aphrodite"];
    let engine = if any(&like_vllm) {
        Engine::Vllm
    } else if has("sglang") {
        Engine::Sglang
    } else if any(&["llama.cpp", "llama-cpp", "ollama", "lm studio", "kobold", "llamafile"]) {
        Engine::LlamaCpp
    } else if any(&["tensorrt-llm", "trt-llm", "trtllm", "nim "]) {
        Engine::TensorRtLlm
    } else if has("lmdeploy") || has("turbomind") {
        Engine::LmDeploy
    } else if has("mindie") {
        Engine::MindIe
    } else if ["exllama", "mlc", "tinychat", "gpt-fast", "fastllm", "autoawq", "llm-awq"]
        .iter()
        .any(|w| has(w))
    {
        Engine::Exllama
    } else if has("hf") || has("transformers") || has("predict") {
        Engine::Transformers
    } else {
        return None;
    };
    let version = if engine == Engine::Vllm && !has("ascend") {
        if has("tgi") {
            Some((0, 4))
        } else {
            version(&lower).or_else(|| year.and_then(release_of))
        }
    } else {
        version(&lower)
    };
    // vLLM captures graphs since the end of 2023, llama.cpp since the middle of 2024.
    let graphs = match engine {
        Engine::Vllm => year != Some(2023),
        Engine::LlamaCpp => has("ollama") || year.is_none_or(|year| year > 2024),
        _ => true,
    };
    let drafted = if has("mtp n=") { number_after(&lower, "n=").unwrap_or(1) } else { 0 };
    Some(EngineWords { engine, version, graphs, drafted })
}

/// Says whether a tool reports the speed of writing without the time to read the prompt.
pub(crate) fn times_apart(framework: &str) -> bool {
    engine(framework).is_some_and(|words| {
        matches!(words.engine, Engine::LlamaCpp | Engine::Exllama | Engine::LmDeploy)
    })
}

/// The vLLM series that was current in a year.
fn release_of(year: u32) -> Option<(u32, u32)> {
    match year {
        2023 => Some((0, 2)),
        2024 => Some((0, 5)),
        2025 => Some((0, 9)),
        _ => None,
    }
}

fn version(text: &str) -> Option<(u32, u32)> {
    text.split([' ', ',', 'v']).find_map(|word| {
        let mut parts = word.split('.');
        let major: u32 = parts.next()?.parse().ok()?;
        let minor: u32 = parts
            .next()?
            .chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .ok()?;
        (major < 10).then_some((major, minor))
    })
}

/// Reads the name of a training stack.
pub(crate) fn stack(text: &str) -> TrainingStack {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["unsloth"]) {
        TrainingStack::Fused
    } else if lower.starts_with("hf")
        || has(&[
            "llama-factory",
            "swift",
            "xtuner",
            "fsdp_qlora",
            "fa2",
            "flash attention",
            "transformers",
            "torchtune",
        ])
    {
        TrainingStack::HuggingFace
    } else {
        TrainingStack::Pretraining
    }
}

/// Reads whether activations are computed again. Pretraining stacks recompute attention at most
/// unless they say so; fine-tuning scripts recompute whole layers.
pub(crate) fn checkpointing(text: &str, stack: TrainingStack) -> Checkpointing {
    match text.to_lowercase().as_str() {
        "true" => Checkpointing::Full,
        "false" => Checkpointing::Off,
        "selective" => Checkpointing::Selective,
        _ if stack == TrainingStack::Pretraining => Checkpointing::Off,
        _ => Checkpointing::Full,
    }
}

/// Reads the links between cards.
pub(crate) fn interconnect(text: &str) -> Interconnect {
    match text {
        t if t.starts_with("nvlink") || t == "hccs" => Interconnect::NvLink,
        t if t.starts_with("pcie") => Interconnect::Pcie,
        _ => Interconnect::Unknown,
    }
}

/// Returns the id in the card table of a name in the truth; names of other tables go through the
/// card table's own search.
pub(crate) fn card_id(name: &str) -> Option<&'static str> {
    Some(match name {
        "910B" => "ascend-910b",
        "A100-40G-PCIe" => "a100-pcie-40",
        "A100-40G-SXM" => "a100-sxm4-40",
        "A100-80G-PCIe" => "a100-pcie-80",
        "A100-80G-SXM" => "a100-sxm4-80",
        "A800" => "a800-sxm4-80",
        "A5000" => "rtx-a5000",
        "A6000" => "rtx-a6000",
        "B200" => "b200-180",
        "B300" => "b300-288",
        "GB200" => "gb200-186",
        "GB300" => "gb300-288",
        "GH200" => "gh200-96",
        "GTX1080" => "gtx-1080",
        "H100-96G-HBM2e" | "H100-SXM" => "h100-sxm5-80",
        "H100-NVL" => "h100-nvl-94",
        "H100-PCIe" => "h100-pcie-80",
        "H20" => "h20-96",
        "H200" => "h200-sxm-141",
        "H200-PCIe" => "h200-nvl-141",
        "H800" => "h800-sxm5-80",
        "P100" => "p100-pcie-16",
        "RTX2080Ti" => "rtx-2080-ti",
        "RTX3060" => "rtx-3060",
        "RTX3070" => "rtx-3070",
        "RTX3080" => "rtx-3080",
        "RTX3080Ti" => "rtx-3080-ti",
        "RTX3090" => "rtx-3090",
        "RTX3090Ti" => "rtx-3090-ti",
        "RTX4000Ada" => "rtx-4000-ada",
        "RTX4070Ti" => "rtx-4070-ti",
        "RTX4080" => "rtx-4080",
        "RTX4090" => "rtx-4090",
        "RTX5000Ada" => "rtx-5000-ada",
        "RTX5080" => "rtx-5080",
        "RTX5090" => "rtx-5090",
        "RTX6000Ada" => "rtx-6000-ada",
        "RTX8000" => "quadro-rtx-8000",
        "RTXPRO6000S" => "rtx-pro-6000",
        "V100-PCIe" => "v100-pcie-16",
        "V100-SXM" => "v100-sxm2-16",
        _ => return None,
    })
}
