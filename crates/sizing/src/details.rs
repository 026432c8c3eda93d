//! What a training or serving stack does that its settings don't show and memory depends on.

/// How the optimiser's step is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKernel {
    /// One kernel, no temporaries (the default of Hugging Face since torch 2.8).
    #[default]
    Fused,
    /// All parameters at once: temporaries of the size of the trained weights.
    ForEach,
    /// One parameter after the other: two temporaries of the size of the largest.
    ForLoop,
}

/// How a stack gets from logits to a loss, which decides how many copies of the logits are alive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogitsPath {
    /// The loss function copies them to FP32 (transformers since 4.45): log-probabilities, gradient
    /// and copy are alive together, 12 bytes a logit.
    #[default]
    UpcastInLoss,
    /// The model copies them to FP32 and again when it shifts them, and the caller holds the first
    /// (transformers 4.30 to 4.44): 14 bytes.
    UpcastInModel,
    /// They stay in 16 bits throughout (code of their own without autocast; DeepSpeed): 8 bytes.
    Bits16,
    /// 16-bit code under autocast, which copies them for the loss, while accelerate returns another
    /// FP32 copy (GPT-BigCode, Qwen 1): 18 bytes.
    Autocast,
    /// An FP32 head, the loss and metrics on full logits (ms-swift 2): 33 bytes, and 44 in the
    /// allocator, fitted on one table of 86 runs whose longest sample is unknown.
    Metrics,
    /// A fused kernel that writes the gradient over the FP32 logits, which were copied once to shift
    /// them (`Fast_CrossEntropyLoss` of fms-acceleration), in model code that keeps only the FP32
    /// copy (transformers before 4.46): 8 bytes.
    InPlace,
    /// The same kernel inside the loss function of transformers since 4.46, while whose copies are
    /// made the model still holds its 16-bit logits: 10 bytes.
    InPlaceInLoss,
    /// The same kernel on the 16-bit logits themselves (Unsloth of 2024), of which accelerate returns
    /// an FP32 copy: 6 bytes.
    InPlace16,
    /// The head in eight pieces, of which one at a time is copied to FP32 (torchtune's
    /// `CEWithChunkedOutputLoss`): 16-bit logits and FP32 log-probabilities of all pieces and the
    /// copy of one, 6.5 bytes, traced.
    Pieces,
    /// FP32 logits that the caller shifts and holds (torchtune before 0.3): 16 bytes, traced.
    UpcastAndHeld,
}

impl LogitsPath {
    /// Returns the bytes of a logit that are alive at the worst moment.
    pub const fn bytes(self) -> f64 {
        match self {
            Self::UpcastInLoss => 12.0,
            Self::UpcastInModel => 14.0,
            Self::Bits16 => 8.0,
            Self::Autocast => 18.0,
            Self::Metrics => 33.0,
            Self::InPlace => 8.0,
            Self::InPlaceInLoss => 10.0,
            Self::InPlace16 => 6.0,
            Self::Pieces => 6.5,
            Self::UpcastAndHeld => 16.0,
        }
    }

    /// Returns the bytes of a logit that the allocator keeps for them, since copies of different
    /// sizes don't fit each other's blocks.
    pub const fn reserved_bytes(self) -> f64 {
        match self {
            Self::Metrics => 44.0,
            Self::InPlace | Self::InPlaceInLoss => 11.0,
            _ => self.bytes(),
        }
    }
}

/// What the details of a program rest on, which decides how far they may be off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The program is in the table, and its row was held against measured runs.
    Measured,
    /// The program is in the table, its row read from its code only.
    Code,
    /// The program is not known: what most programs do.
    #[default]
    Assumed,
}

/// What a training stack does beside its settings; the default is a current Hugging Face stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrainingDetails {
    /// Whether adapters, their gradients and states are FP32 (PEFT), or in the base's numbers.
    pub fp32_adapters: bool,
    /// Whether the caller keeps the model's output, logits included, through the backward pass
    /// (plain training loops do, the Trainer does not).
    pub holds_logits: bool,
    /// Whether embeddings, head and norms of a quantised base are upcast to FP32
    /// (`prepare_model_for_kbit_training`).
    pub upcasts_unquantised: bool,
    /// Whether the forward pass runs under autocast although the frozen weights are 16-bit.
    pub autocast: bool,
    /// Whether K and V are copied to the width of Q before attention (no native grouped kernel, or
    /// any explicit mask).
    pub expands_kv: bool,
    /// Whether a mask of sequence times sequence is built and kept by each layer.
    pub builds_mask: bool,
    /// How the step is carried out.
    pub step: StepKernel,
    /// How the loss is computed from logits, where it is not fused away.
    pub logits: LogitsPath,
    /// Whether adapters have dropout, whose mask and output are kept.
    pub adapter_dropout: bool,
    /// Whether the adapters of Q, K and V write into one padded result (LitGPT).
    pub merged_adapters: bool,
    /// Whether quantised matrices keep their input although they are frozen (bitsandbytes before
    /// 0.42).
    pub keeps_quantised_inputs: bool,
    /// Whether every linear layer is quantised, the head too (LitGPT).
    pub quantises_head: bool,
    /// Whether embedding and head are trained in full beside adapters (`modules_to_save`).
    pub saves_ends: bool,
    /// Whether each card loads the whole model before it is sharded (LitGPT).
    pub loads_whole: bool,
    /// Whether selective recomputation drops attention scores alone and keeps every matrix product
    /// (Megatron-LM).
    pub keeps_matrix_products: bool,
    /// Whether batches differ in length, so that the blocks of one don't fit the next (padding to
    /// the longest of a batch; not packing, not padding to a fixed length).
    pub lengths_vary: bool,
    /// Whether what checkpointing keeps waits in host memory (torchtune's activation offloading).
    pub offloads_activations: bool,
    /// Whether the program brings its own code for the models, so that what Hugging Face's code of a
    /// family does is not what runs (LitGPT, torchtune, Megatron-LM).
    pub own_models: bool,
    /// What these fields rest on.
    pub program: Evidence,
}

impl Default for TrainingDetails {
    fn default() -> Self {
        Self {
            fp32_adapters: true,
            holds_logits: false,
            upcasts_unquantised: true,
            autocast: false,
            expands_kv: false,
            builds_mask: false,
            step: StepKernel::Fused,
            logits: LogitsPath::UpcastInLoss,
            adapter_dropout: false,
            merged_adapters: false,
            keeps_quantised_inputs: false,
            quantises_head: false,
            saves_ends: false,
            loads_whole: false,
            keeps_matrix_products: false,
            lengths_vary: false,
            offloads_activations: false,
            own_models: false,
            program: Evidence::Assumed,
        }
    }
}
