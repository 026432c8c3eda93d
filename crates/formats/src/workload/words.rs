//! The words of the workload file for the choices of `sizing` and `plan`, read and written by one
//! table each.

use kasuan_plan::workload::Task;
use kasuan_sizing::{
    AttentionKernel, Checkpointing, Engine, GgufMix, KvFormat, LoraTarget, Loss, Optimizer, Recipe,
    Sharding, WeightFormat,
};

/// A choice and its word.
pub type Table<T> = &'static [(&'static str, T)];

/// Returns the choice for a word, whatever its case and its separators.
pub fn find<T: Copy>(table: Table<T>, word: &str) -> Option<T> {
    let plain = |word: &str| word.trim().to_lowercase().replace(['-', ' '], "_");
    let wanted = plain(word);
    table.iter().find(|(known, _)| plain(known) == wanted).map(|(_, choice)| *choice)
}

/// Returns the word for a choice; the first that fits is the one that is shown.
pub fn word<T: PartialEq>(table: Table<T>, choice: &T) -> &'static str {
    table.iter().find(|(_, known)| known == choice).map_or("", |(word, _)| word)
}

/// The tasks.
pub const TASKS: Table<Task> = &[
    ("inference", Task::Inference),
    ("lora", Task::Lora),
    ("qlora", Task::Qlora),
    ("full", Task::Full),
    ("pretrain", Task::Pretrain),
    ("batch", Task::Batch),
    ("serve", Task::Inference),
    ("推理", Task::Inference),
    ("sft", Task::Full),
    ("全参", Task::Full),
    ("全参微调", Task::Full),
    ("预训练", Task::Pretrain),
    ("批处理", Task::Batch),
];

/// How weights are stored.
pub const WEIGHTS: Table<WeightFormat> = &[
    ("fp32", WeightFormat::Fp32),
    ("bf16", WeightFormat::Bf16),
    ("fp16", WeightFormat::Fp16),
    ("fp8", WeightFormat::Fp8),
    ("int8", WeightFormat::Int8),
    ("nf4", WeightFormat::Nf4 { double_quant: true }),
    ("nf4_plain", WeightFormat::Nf4 { double_quant: false }),
    ("gptq4", WeightFormat::Gptq4 { group: 128 }),
    ("awq4", WeightFormat::Awq4 { group: 128 }),
    ("mxfp4", WeightFormat::Mxfp4),
    ("nvfp4", WeightFormat::Nvfp4),
    ("gguf_f16", WeightFormat::Gguf(GgufMix::F16)),
    ("q8_0", WeightFormat::Gguf(GgufMix::Q8_0)),
    ("q6_k", WeightFormat::Gguf(GgufMix::Q6_K)),
    ("q5_k_m", WeightFormat::Gguf(GgufMix::Q5_K_M)),
    ("q5_k_s", WeightFormat::Gguf(GgufMix::Q5_K_S)),
    ("q5_1", WeightFormat::Gguf(GgufMix::Q5_1)),
    ("q5_0", WeightFormat::Gguf(GgufMix::Q5_0)),
    ("q4_k_m", WeightFormat::Gguf(GgufMix::Q4_K_M)),
    ("q4_k_s", WeightFormat::Gguf(GgufMix::Q4_K_S)),
    ("q4_1", WeightFormat::Gguf(GgufMix::Q4_1)),
    ("q4_0", WeightFormat::Gguf(GgufMix::Q4_0)),
    ("q3_k_l", WeightFormat::Gguf(GgufMix::Q3_K_L)),
    ("q3_k_m", WeightFormat::Gguf(GgufMix::Q3_K_M)),
    ("q3_k_s", WeightFormat::Gguf(GgufMix::Q3_K_S)),
    ("q2_k", WeightFormat::Gguf(GgufMix::Q2_K)),
    ("iq4_xs", WeightFormat::Gguf(GgufMix::IQ4_XS)),
    ("iq4_nl", WeightFormat::Gguf(GgufMix::IQ4_NL)),
    ("iq3_s", WeightFormat::Gguf(GgufMix::IQ3_S)),
    ("iq3_xxs", WeightFormat::Gguf(GgufMix::IQ3_XXS)),
    ("iq2_s", WeightFormat::Gguf(GgufMix::IQ2_S)),
    ("iq2_xs", WeightFormat::Gguf(GgufMix::IQ2_XS)),
    ("iq2_xxs", WeightFormat::Gguf(GgufMix::IQ2_XXS)),
    ("iq1_m", WeightFormat::Gguf(GgufMix::IQ1_M)),
    ("iq1_s", WeightFormat::Gguf(GgufMix::IQ1_S)),
    ("gptq", WeightFormat::Gptq4 { group: 128 }),
    ("awq", WeightFormat::Awq4 { group: 128 }),
];

/// How keys and values are cached.
pub const CACHES: Table<KvFormat> = &[
    ("16bit", KvFormat::Bits16),
    ("fp8", KvFormat::Fp8),
    ("q8_0", KvFormat::Q8_0),
    ("q4_0", KvFormat::Q4_0),
    ("32bit", KvFormat::Bits32),
    ("fp16", KvFormat::Bits16),
    ("bf16", KvFormat::Bits16),
];

/// The programs that serve.
pub const ENGINES: Table<Engine> = &[
    ("vllm", Engine::Vllm),
    ("sglang", Engine::Sglang),
    ("transformers", Engine::Transformers),
    ("llama.cpp", Engine::LlamaCpp),
    ("tensorrt-llm", Engine::TensorRtLlm),
    ("lmdeploy", Engine::LmDeploy),
    ("exllama", Engine::Exllama),
    ("mindie", Engine::MindIe),
    ("ollama", Engine::LlamaCpp),
];

/// The optimisers.
pub const OPTIMIZERS: Table<Optimizer> = &[
    ("adamw", Optimizer::AdamW),
    ("adamw_8bit", Optimizer::AdamW8bit),
    ("paged_adamw_8bit", Optimizer::PagedAdamW8bit),
    ("paged_adamw_32bit", Optimizer::PagedAdamW32bit),
    ("adam_mini", Optimizer::AdamMini),
    ("adafactor", Optimizer::Adafactor),
    ("sgd", Optimizer::Sgd),
    ("sgd_momentum", Optimizer::SgdMomentum),
    ("lion", Optimizer::Lion),
    ("muon", Optimizer::Muon),
];

/// In which numbers a run trains.
pub const RECIPES: Table<Recipe> = &[
    ("autocast", Recipe::Autocast),
    ("pure_bf16", Recipe::PureBf16),
    ("master_fp32", Recipe::MasterFp32),
    ("fp32", Recipe::Fp32),
];

/// The attention kernels.
pub const KERNELS: Table<AttentionKernel> = &[
    ("flash", AttentionKernel::Flash),
    ("sdpa", AttentionKernel::Sdpa),
    ("eager", AttentionKernel::Eager),
];

/// What is recomputed.
pub const CHECKPOINTING: Table<Checkpointing> = &[
    ("full", Checkpointing::Full),
    ("selective", Checkpointing::Selective),
    ("off", Checkpointing::Off),
];

/// How the loss is computed.
pub const LOSSES: Table<Loss> = &[("eager", Loss::Eager), ("fused", Loss::Fused)];

/// How states are spread over cards.
pub const SHARDINGS: Table<Sharding> = &[
    ("none", Sharding::None),
    ("zero1", Sharding::Zero1),
    ("zero2", Sharding::Zero2),
    ("zero3", Sharding::Zero3),
    ("fsdp", Sharding::Fsdp),
    ("ddp", Sharding::None),
];

pub(super) const TARGETS: Table<LoraTarget> = &[
    ("q", LoraTarget::Q),
    ("k", LoraTarget::K),
    ("v", LoraTarget::V),
    ("o", LoraTarget::O),
    ("gate", LoraTarget::Gate),
    ("up", LoraTarget::Up),
    ("down", LoraTarget::Down),
    ("embedding", LoraTarget::Embedding),
    ("head", LoraTarget::Head),
    ("q_proj", LoraTarget::Q),
    ("k_proj", LoraTarget::K),
    ("v_proj", LoraTarget::V),
    ("o_proj", LoraTarget::O),
    ("gate_proj", LoraTarget::Gate),
    ("up_proj", LoraTarget::Up),
    ("down_proj", LoraTarget::Down),
];

/// What Chinese providers are called at home, and their id in the catalogue.
const PROVIDERS: &[(&str, &str)] = &[
    ("阿里云", "alibaba"),
    ("腾讯云", "tencent"),
    ("亚马逊云", "aws"),
    ("微软云", "azure"),
    ("谷歌云", "gcp"),
    ("优云智算", "compshare"),
    ("恒源云", "hengyuanyun"),
    ("矩池云", "matpool"),
    ("算家云", "suanjiayun"),
    ("智星云", "zhixingyun"),
    ("晨涧云", "chenjianyun"),
];

/// Returns the id of a provider by what people call it; other names stay as they are.
pub(super) fn provider(text: &str) -> String {
    let found = PROVIDERS.iter().find(|(name, _)| *name == text);
    found.map_or_else(|| text.to_lowercase(), |(_, id)| (*id).to_owned())
}

#[cfg(test)]
mod tests {
    use super::{super::fields, *};

    #[test]
    fn the_table_of_fields_offers_every_word_and_no_other() {
        fn first_words<T: PartialEq>(table: Table<T>) -> Vec<&'static str> {
            let shown = table.iter().filter(|(name, choice)| word(table, choice) == *name);
            shown.map(|(name, _)| *name).collect()
        }
        assert_eq!(first_words(TASKS), fields::TASKS);
        assert_eq!(first_words(WEIGHTS), fields::WEIGHTS);
        assert_eq!(first_words(CACHES), fields::CACHES);
        assert_eq!(first_words(ENGINES), fields::ENGINES);
        assert_eq!(first_words(OPTIMIZERS), fields::OPTIMIZERS);
        assert_eq!(first_words(RECIPES), fields::RECIPES);
        assert_eq!(first_words(KERNELS), fields::KERNELS);
        assert_eq!(first_words(CHECKPOINTING), fields::CHECKPOINTING);
        assert_eq!(first_words(LOSSES), fields::LOSSES);
        let stacks: Vec<&str> =
            kasuan_sizing::stacks().iter().map(|stack| stack.id.as_str()).collect();
        assert_eq!(stacks, fields::FRAMEWORKS);
        assert_eq!(first_words(SHARDINGS), fields::SHARDINGS);
        assert_eq!(first_words(TARGETS), &fields::TARGETS[2..]);
    }
}
