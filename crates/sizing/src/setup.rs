//! How a job is run: everything about a task that changes memory or time, with defaults made
//! explicit.

use crate::{Framework, TrainingDetails};
use kasuan_model::Bytes;

/// How weights are stored in the card's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WeightFormat {
    /// 32-bit floats.
    Fp32,
    /// 16-bit brain floats.
    Bf16,
    /// 16-bit half floats.
    Fp16,
    /// 8-bit floats; embeddings and head stay 16-bit.
    Fp8,
    /// 8-bit integers (bitsandbytes LLM.int8, weight-only int8).
    Int8,
    /// GPTQ in 3, 4 or 8 bits, in groups; `group` 0 means one group for a whole column.
    Gptq {
        /// Bits of a weight.
        bits: u32,
        /// Weights that share a scale.
        group: u32,
    },
    /// bitsandbytes NF4, blocks of 64, with or without double quantisation of the scales.
    Nf4 {
        /// Whether the scales are quantised again.
        double_quant: bool,
    },
    /// GPTQ with 4-bit weights in groups.
    Gptq4 {
        /// Weights that share a scale.
        group: u32,
    },
    /// AWQ with 4-bit weights in groups.
    Awq4 {
        /// Weights that share a scale.
        group: u32,
    },
    /// A llama.cpp file mix, by its name in [`WeightFormat::GGUF_MIXES`].
    Gguf(GgufMix),
    /// 4-bit floats in blocks of 32 with a shared exponent.
    Mxfp4,
    /// 4-bit floats in blocks of 16 with 8-bit scales.
    Nvfp4,
}

/// A llama.cpp quantisation mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are llama.cpp's own and say all there is")]
#[expect(non_camel_case_types, reason = "the names are llama.cpp's own")]
pub enum GgufMix {
    F16,
    Q8_0,
    Q6_K,
    Q5_K_M,
    Q5_K_S,
    Q5_1,
    Q5_0,
    Q4_K_M,
    Q4_K_S,
    Q4_1,
    Q4_0,
    Q3_K_L,
    Q3_K_M,
    Q3_K_S,
    Q2_K,
    IQ4_XS,
    IQ4_NL,
    IQ3_S,
    IQ3_XXS,
    IQ2_S,
    IQ2_XS,
    IQ2_XXS,
    IQ1_M,
    IQ1_S,
}

/// How keys and values are cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KvFormat {
    /// 16-bit.
    Bits16,
    /// 8-bit floats.
    Fp8,
    /// llama.cpp's 8.5-bit blocks.
    Q8_0,
    /// llama.cpp's 4.5-bit blocks (`q4_0`, `iq4_nl`).
    Q4_0,
    /// 8-bit integers with a scale for each token and head.
    Int8,
    /// 32-bit.
    Bits32,
}

/// The program that serves or generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// Hugging Face `transformers` generate.
    Transformers,
    /// vLLM.
    Vllm,
    /// SGLang.
    Sglang,
    /// llama.cpp and what builds on it (ollama).
    LlamaCpp,
    /// NVIDIA TensorRT-LLM.
    TensorRtLlm,
    /// LMDeploy.
    LmDeploy,
    /// exllama and exllamav2.
    Exllama,
    /// Huawei MindIE.
    MindIe,
    /// Plain PyTorch programs with a cache laid out at the start (LitGPT, gpt-fast).
    StaticTorch,
}

/// Which prompt tokens get logits while the prompt is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptLogits {
    /// All of them, copied to FP32 (transformers before 4.45).
    All,
    /// All of them, in the model's own numbers (a plain forward pass without labels).
    Plain,
    /// The last one only.
    Last,
}

/// A service or a generating batch job.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// The program that serves.
    pub engine: Engine,
    /// The engine's version where it matters, as `major.minor`.
    pub engine_version: Option<(u32, u32)>,
    /// How keys and values are cached.
    pub kv: KvFormat,
    /// How values are cached where they differ from keys (llama.cpp).
    pub kv_values: Option<KvFormat>,
    /// Tokens of a prompt.
    pub prompt: u32,
    /// Tokens that are generated for it.
    pub generated: u32,
    /// Sequences in flight at once.
    pub concurrency: u32,
    /// Whether prompt logits are kept for all tokens.
    pub prompt_logits: PromptLogits,
    /// Tokens that the engine reads in one step (vLLM `max_num_batched_tokens`).
    pub batched_tokens: Option<u32>,
    /// Sequences that the engine plans for (vLLM `max_num_seqs`).
    pub max_sequences: Option<u32>,
    /// Share of the card that a pre-allocating engine takes (vLLM `gpu_memory_utilization`).
    pub memory_share: Option<f64>,
    /// Whether the engine captures CUDA graphs.
    pub cuda_graphs: bool,
    /// The attention kernel.
    pub attention: AttentionKernel,
    /// Whether the cache is laid out for all tokens at the start (LitGPT, gpt-fast, exllama) and
    /// not grown token by token.
    pub static_cache: bool,
    /// Tokens for which a cache is laid out at the start, where those are not the prompt's and the
    /// generated ones: the model's whole context (exllamav2, LitGPT unless told), or the generated
    /// tokens alone (AutoAWQ's fused layers).
    pub cache_tokens: Option<u32>,
}

impl Default for Inference {
    fn default() -> Self {
        Self {
            engine: Engine::Vllm,
            engine_version: None,
            kv: KvFormat::Bits16,
            kv_values: None,
            prompt: 1536,
            generated: 512,
            concurrency: 8,
            prompt_logits: PromptLogits::Last,
            batched_tokens: None,
            max_sequences: None,
            memory_share: None,
            cuda_graphs: true,
            attention: AttentionKernel::Flash,
            static_cache: false,
            cache_tokens: None,
        }
    }
}

/// The attention kernel; eager attention materialises the score matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the field's own")]
pub enum AttentionKernel {
    Eager,
    Sdpa,
    Flash,
}

/// Which parameters are trained.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// Every parameter.
    Full,
    /// Low-rank adapters beside frozen weights (QLoRA when the weights are 4-bit).
    Lora {
        /// Rank of the adapters.
        rank: u32,
        /// Linear layers that get one.
        targets: Vec<LoraTarget>,
        /// Whether a magnitude vector is trained too (DoRA).
        dora: bool,
    },
    /// Full training with gradients projected to a low rank (GaLore).
    GaLore {
        /// Rank of the projection.
        rank: u32,
    },
    /// Full training of a few random layers at a time (LISA).
    Lisa {
        /// Layers that are trained at once.
        layers: u32,
    },
    /// Full training of one block at a time (BAdam).
    BAdam,
    /// Only the last layers, others frozen.
    Freeze {
        /// Layers that are trained.
        layers: u32,
    },
}

impl Method {
    /// Says whether only adapters beside frozen weights are trained.
    pub const fn trains_adapters(&self) -> bool {
        matches!(self, Self::Lora { .. })
    }
}

/// A linear layer that an adapter may be put beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of Hugging Face modules")]
pub enum LoraTarget {
    Q,
    K,
    V,
    O,
    Gate,
    Up,
    Down,
    Embedding,
    Head,
}

impl LoraTarget {
    /// Q, K, V and O.
    pub const ATTENTION: [Self; 4] = [Self::Q, Self::K, Self::V, Self::O];
    /// All seven linear layers of a block.
    pub const ALL_LINEAR: [Self; 7] =
        [Self::Q, Self::K, Self::V, Self::O, Self::Gate, Self::Up, Self::Down];
}

/// In which numbers weights, gradients and optimiser states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipe {
    /// Everything FP32.
    Fp32,
    /// FP32 weights, BF16/FP16 casts in the forward pass (autocast): 16 bytes a parameter.
    Autocast,
    /// BF16 weights, gradients and states: 8 bytes a parameter.
    #[serde(rename = "pure_bf16")]
    PureBf16,
    /// BF16 weights with FP32 master weights, FP32 gradients and states (DeepSpeed, Megatron).
    #[serde(rename = "master_fp32")]
    MasterFp32,
}

/// The optimiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the field's own")]
pub enum Optimizer {
    AdamW,
    AdamW8bit,
    PagedAdamW8bit,
    PagedAdamW32bit,
    AdamW4bit,
    AdamMini,
    Adafactor,
    Sgd,
    SgdMomentum,
    Lion,
    Muon,
}

/// What is recomputed in the backward pass instead of kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpointing {
    /// Everything is kept.
    Off,
    /// Attention is recomputed.
    Selective,
    /// Whole layers are recomputed.
    Full,
}

/// How the loss over the vocabulary is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Logits of all tokens at once, upcast to FP32.
    Eager,
    /// Fused with the head, so that logits never exist in full (Liger, Unsloth, cut-CE).
    Fused,
    /// In pieces of so many tokens.
    Chunked(u32),
}

/// The program that trains; it changes speed, not what must be kept in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrainingStack {
    /// Hugging Face Trainer, PEFT, TRL, DeepSpeed and what builds on them (LLaMA-Factory, ms-swift,
    /// xtuner): one kernel for each small operation, started from Python.
    #[default]
    HuggingFace,
    /// Fused kernels for fine-tuning (Unsloth, Liger).
    Fused,
    /// Stacks tuned for pretraining (Megatron, llm-foundry, torchtitan, nanotron, MindFormers).
    Pretraining,
}

/// A training run.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// The kind of program that trains.
    pub stack: TrainingStack,
    /// The program by name, where it is known; what it does replaces `details`.
    pub framework: Option<Framework>,
    /// Which parameters are trained.
    pub method: Method,
    /// In which numbers.
    pub recipe: Recipe,
    /// The optimiser.
    pub optimizer: Optimizer,
    /// Sequences in one forward pass on one card.
    pub micro_batch: u32,
    /// Tokens in a sequence, padding included.
    pub sequence: u32,
    /// Forward passes before a step.
    pub accumulation: u32,
    /// What is recomputed.
    pub checkpointing: Checkpointing,
    /// The attention kernel.
    pub attention: AttentionKernel,
    /// How the loss is computed.
    pub loss: Loss,
    /// Whether sequences are packed without padding.
    pub packed: bool,
    /// Whether each parameter is updated inside the backward pass, so that gradients never all
    /// exist at once.
    pub fused_backward: bool,
    /// Sequences in one forward pass of an evaluation during the run; `None` where there is none.
    pub evaluation_batch: Option<u32>,
    /// What the stack does beside its settings.
    pub details: TrainingDetails,
}

impl Default for Training {
    /// The defaults of the common fine-tuning scripts: LoRA of rank 16 on all linear layers, micro
    /// batch 1, 2,048 tokens, full checkpointing.
    fn default() -> Self {
        Self {
            stack: TrainingStack::HuggingFace,
            framework: None,
            method: Method::Lora {
                rank: 16,
                targets: LoraTarget::ALL_LINEAR.to_vec(),
                dora: false,
            },
            recipe: Recipe::PureBf16,
            optimizer: Optimizer::AdamW,
            micro_batch: 1,
            sequence: 2048,
            accumulation: 8,
            checkpointing: Checkpointing::Full,
            attention: AttentionKernel::Sdpa,
            loss: Loss::Eager,
            packed: false,
            fused_backward: false,
            evaluation_batch: None,
            details: TrainingDetails::default(),
        }
    }
}

/// How states are spread over data-parallel cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharding {
    /// Every card holds everything (DDP).
    None,
    /// ZeRO-1: optimiser states are spread.
    Zero1,
    /// ZeRO-2: gradients too.
    Zero2,
    /// ZeRO-3: weights too.
    Zero3,
    /// PyTorch FSDP, full shard.
    Fsdp,
}

/// How one replica or one training run is spread over cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parallelism {
    /// Cards that share each matrix.
    pub tensor: u32,
    /// Cards that share the layers in sequence.
    pub pipeline: u32,
    /// Copies that read different data.
    pub data: u32,
    /// Cards that share each sequence (context or sequence parallelism with rings or all-to-all).
    pub context: u32,
    /// Cards of the data-parallel group that share the experts.
    pub expert: u32,
    /// How the copies share states.
    pub sharding: Sharding,
    /// Whether optimiser states live in host memory.
    pub offload_optimizer: bool,
    /// Whether weights live in host memory too.
    pub offload_weights: bool,
}

impl Parallelism {
    /// One card.
    pub const SINGLE: Self = Self {
        tensor: 1,
        pipeline: 1,
        data: 1,
        context: 1,
        expert: 1,
        sharding: Sharding::None,
        offload_optimizer: false,
        offload_weights: false,
    };

    /// Returns how many cards are used together.
    pub const fn cards(&self) -> u32 {
        self.tensor
            .saturating_mul(self.pipeline)
            .saturating_mul(self.data)
            .saturating_mul(self.context)
    }
}

/// What is being done with the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Serving or generating.
    Inference(Inference),
    /// Training.
    Training(Training),
}

/// A complete description of how a job is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// What is being done.
    pub work: Work,
    /// How the weights are stored (the frozen base, for LoRA).
    pub weights: WeightFormat,
    /// How it is spread over cards.
    pub parallelism: Parallelism,
    /// The weights' size where it is known from the files' headers; all cards together.
    pub exact_weights: Option<Bytes>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            work: Work::Inference(Inference::default()),
            weights: WeightFormat::Bf16,
            parallelism: Parallelism::SINGLE,
            exact_weights: None,
        }
    }
}
