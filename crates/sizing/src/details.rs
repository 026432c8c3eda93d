//! What a training or serving stack does that its settings don't show and memory depends on.

/// How the optimiser's step is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepKernel {
    /// One kernel, no temporaries (the default of Hugging Face since torch 2.8).
    #[default]
    Fused,
    /// All parameters at once: temporaries of the size of the trained weights.
    ForEach,
    /// One parameter after the other: two temporaries of the size of the largest.
    ForLoop,
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
        }
    }
}
