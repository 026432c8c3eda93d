//! The stacks that truth rows name, and what each does beside its settings.
//!
//! A stack is recognised by the words of its version; what it does is a property of its code, not of
//! a row: how it computes the loss, in which numbers it keeps what is trained, what it loads.

use super::row::Row;
use kasuan_sizing::{
    LogitsPath, Parallelism, Sharding, StepKernel, TrainingDetails, TrainingStack,
};

/// A training stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stack {
    /// Hugging Face Trainer with PEFT, TRL and what builds on it.
    HuggingFace,
    /// fms-hf-tuning: the Trainer with IBM's accelerated kernels, named in `framework_config`.
    Fms,
    /// Qwen 1's `finetune.py`: the Trainer with model code of 2023, DeepSpeed for 4-bit bases.
    QwenScript,
    /// ms-swift 2: the Trainer with an FP32 head and metrics on full logits.
    Swift2,
    /// LitGPT: plain PyTorch, 16-bit adapters.
    LitGpt,
    /// torchtune: plain PyTorch, chunked loss.
    TorchTune,
    /// torchtitan and its kin: compiled PyTorch with FSDP2.
    TorchTitan,
    /// Megatron-LM.
    Megatron,
    /// Unsloth.
    Unsloth,
}

impl Stack {
    pub(super) fn of(row: &Row<'_>) -> Self {
        let text = row.lower("framework_version");
        let has = |word: &str| text.contains(word);
        if has("fms-hf-tuning") {
            Self::Fms
        } else if has("unsloth") {
            Self::Unsloth
        } else if has("megatron") {
            Self::Megatron
        } else if has("finetune.py") && !has("llama-factory") {
            Self::QwenScript
        } else if has("ms-swift 2") || has("ms-swift 1") {
            Self::Swift2
        } else if has("litgpt") {
            Self::LitGpt
        } else if has("torchtune") {
            Self::TorchTune
        } else if has("torchtitan") || has("xtuner v1") {
            Self::TorchTitan
        } else {
            Self::HuggingFace
        }
    }

    pub(super) const fn program(self) -> TrainingStack {
        match self {
            Self::Unsloth => TrainingStack::Fused,
            Self::TorchTitan | Self::Megatron => TrainingStack::Pretraining,
            _ => TrainingStack::HuggingFace,
        }
    }

    /// Qwen's script runs DeepSpeed ZeRO-2 on one card too when the base is quantised or everything
    /// is trained.
    pub(super) fn cards(self, row: &Row<'_>, cards: Parallelism) -> Parallelism {
        let alone = self == Self::QwenScript && cards.sharding == Sharding::None;
        let engine = row.get("kind") != "lora";
        if alone && engine { Parallelism { sharding: Sharding::Zero2, ..cards } } else { cards }
    }

    /// Says whether the run was started with a mixed-precision flag.
    pub(super) fn mixed(self, row: &Row<'_>) -> bool {
        let notes = row.lower("notes");
        match self {
            Self::Fms => notes.contains("bf16 flag=true") || notes.contains("fp16 flag=true"),
            _ => true,
        }
    }

    pub(super) fn fuses_loss(self, row: &Row<'_>) -> bool {
        self == Self::Unsloth || row.note("framework_config").unwrap_or("").contains("liger")
    }

    pub(super) fn details(self, row: &Row<'_>, cards: Parallelism) -> TrainingDetails {
        let config = row.note("framework_config").unwrap_or("");
        let framework = row.lower("framework_version");
        let quantised = row.get("kind") == "qlora";
        let deepspeed =
            matches!(cards.sharding, Sharding::Zero1 | Sharding::Zero2 | Sharding::Zero3);
        let fsdp = cards.sharding == Sharding::Fsdp;
        let own_code = row.lower("model").contains("bigcode");
        let autocast = match self {
            Self::Fms => self.mixed(row),
            Self::HuggingFace => !framework.starts_with("peft 0.") && !deepspeed,
            Self::Swift2 => true,
            Self::QwenScript => !deepspeed,
            _ => false,
        };
        TrainingDetails {
            fp32_adapters: !matches!(self, Self::LitGpt | Self::TorchTune),
            upcasts_unquantised: match self {
                // Only the plain path calls prepare_model_for_kbit_training, and not under FSDP.
                Self::Fms => config.contains("baseline") && !fsdp,
                Self::Swift2 => row.lower("weight_format").contains("bnb"),
                Self::HuggingFace => {
                    quantised && !fsdp && !row.lower("weight_format").contains("ptq")
                }
                _ => false,
            },
            autocast,
            step: if matches!(self, Self::QwenScript) || framework.starts_with("peft 0.") {
                StepKernel::Fused
            } else {
                StepKernel::ForEach
            },
            logits: match self {
                Self::Fms if own_code => {
                    if autocast {
                        LogitsPath::Autocast
                    } else {
                        LogitsPath::Bits16
                    }
                }
                Self::Fms if config.contains("foak") => LogitsPath::InPlace,
                Self::Fms => LogitsPath::UpcastInModel,
                Self::QwenScript if autocast => LogitsPath::Autocast,
                Self::QwenScript => LogitsPath::Bits16,
                Self::Swift2 => LogitsPath::Metrics,
                Self::TorchTune if framework.contains("torchtune 0.1") => LogitsPath::UpcastInLoss,
                Self::TorchTitan | Self::Megatron | Self::TorchTune => LogitsPath::Bits16,
                Self::HuggingFace if old(&framework) => LogitsPath::UpcastInModel,
                Self::HuggingFace | Self::LitGpt | Self::Unsloth => LogitsPath::UpcastInLoss,
            },
            adapter_dropout: self == Self::LitGpt,
            merged_adapters: self == Self::LitGpt,
            keeps_quantised_inputs: framework.contains("bnb 0.41"),
            saves_ends: row.get("lora_targets").contains("modules_to_save"),
            quantises_head: self == Self::LitGpt,
            loads_whole: self == Self::LitGpt && fsdp,
            ..TrainingDetails::default()
        }
    }
}

/// Says whether a Hugging Face stack is from before transformers 4.45 (September 2024), by the year
/// it names or the torch beside it.
fn old(framework: &str) -> bool {
    const YEARS: [&str; 3] = ["2022", "2023", "2024"];
    const TORCH: [&str; 5] = ["torch 2.0", "torch 2.1", "torch 2.2", "torch 2.3", "torch 1."];
    YEARS.iter().any(|year| framework.contains(year))
        || TORCH.iter().any(|version| {
            // `torch 2.13` is not `torch 2.1`.
            framework.find(version).is_some_and(|at| {
                let next = framework.get(at + version.len()..).and_then(|rest| rest.chars().next());
                version.ends_with('.') || !next.is_some_and(|c| c.is_ascii_digit())
            })
        })
}
