//! What a model asks of a card for each token: arithmetic, weights to read, cache to read.

use crate::{Architecture, Attention, KvFormat, Mlp, WeightFormat};

/// Arithmetic and bytes of a model, in parameters and elements, before any card comes in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelWork {
    /// Transformer layers.
    pub layers: f64,
    /// Width of the hidden stream.
    pub hidden: f64,
    /// Parameters of the blocks that every token passes, without routed experts.
    pub dense: f64,
    /// Parameters of all routed experts.
    pub experts: f64,
    /// Parameters of the routed experts that one token passes.
    pub active_experts: f64,
    /// Share of the routed experts that one token passes.
    pub routed_share: f64,
    /// Parameters of the output head, which multiplies every token that needs a prediction.
    pub head: f64,
    /// Parameters of the input table when it is not the head.
    pub embedding: f64,
    /// FLOP of a token for each token before it that attention looks at (QK and PV), forward.
    pub attention_flops: f64,
    /// Elements of cached keys and values for each token.
    pub kv_elements: f64,
    /// Share of the layers that look at the whole context; the others stop at the window.
    pub full_attention: f64,
    /// The window of the other layers, in tokens.
    pub window: f64,
}

impl ModelWork {
    /// Counts a configuration. Parameter counts follow from the shapes; norms and biases (below
    /// 0.1 %) are left out.
    pub fn of(model: &Architecture) -> Self {
        let f = f64::from;
        let (layers, hidden) = (f(model.layers), f(model.hidden));
        let (heads, kv_heads, head_dim) = (f(model.heads), f(model.kv_heads), f(model.head_dim));
        let recurrent = f(model.recurrent.map_or(0, |r| r.layers)).min(layers);
        let attending = layers - recurrent;
        let (attention_parameters, attention_width, kv_elements) = match model.attention {
            Attention::Grouped => (
                2.0 * hidden * head_dim * (heads + kv_heads),
                heads * head_dim,
                2.0 * kv_heads * head_dim,
            ),
            Attention::Latent { kv_rank, q_rank, rope_dim, nope_dim, v_dim } => {
                let query = heads * (f(nope_dim) + f(rope_dim));
                let q = q_rank.map_or(hidden * query, |rank| f(rank) * (hidden + query));
                let kv = hidden * (f(kv_rank) + f(rope_dim))
                    + f(kv_rank) * heads * (f(nope_dim) + f(v_dim));
                (
                    q + kv + heads * f(v_dim) * hidden,
                    heads * (f(nope_dim) + f(rope_dim) + f(v_dim)) / 2.0,
                    f(kv_rank) + f(rope_dim),
                )
            }
        };
        let matrices = match model.mlp {
            Mlp::Gated => 3.0,
            Mlp::Plain => 2.0,
        };
        let mut work = Self {
            layers,
            hidden,
            dense: attending * attention_parameters
                + model.recurrent.map_or(0.0, |r| recurrent * r.parameters as f64),
            experts: 0.0,
            active_experts: 0.0,
            routed_share: 1.0,
            head: hidden * f(model.vocab),
            embedding: if model.tied { 0.0 } else { hidden * f(model.vocab) },
            attention_flops: 4.0 * attending * attention_width,
            kv_elements: attending * kv_elements,
            full_attention: 1.0,
            window: f64::INFINITY,
        };
        let one_mlp = |width: u32| matrices * hidden * f(width);
        match model.experts {
            None => work.dense += layers * one_mlp(model.intermediate),
            Some(moe) => {
                let dense_layers = f(moe.dense_layers).min(layers);
                let moe_layers = layers - dense_layers;
                work.dense += dense_layers * one_mlp(model.intermediate)
                    + moe_layers * (one_mlp(moe.shared_intermediate) + hidden * f(moe.experts));
                work.experts = moe_layers * f(moe.experts) * one_mlp(moe.intermediate);
                work.routed_share = (f(moe.active) / f(moe.experts.max(1))).min(1.0);
                work.active_experts = work.experts * work.routed_share;
            }
        }
        if let Some(window) = model.sliding_window {
            work.window = f(window.max(1));
            let full = model.full_attention_layers.map_or(0.0, |n| f(n).min(attending));
            work.full_attention = if attending > 0.0 { full / attending } else { 1.0 };
        }
        work
    }

    /// Returns the parameters that multiply a token in the blocks.
    pub const fn active_block(&self) -> f64 {
        self.dense + self.active_experts
    }

    /// Returns all parameters of the blocks.
    pub const fn block(&self) -> f64 {
        self.dense + self.experts
    }

    /// Returns all parameters.
    pub const fn total(&self) -> f64 {
        self.block() + self.head + self.embedding
    }

    /// Says whether the model is a mixture of experts.
    pub fn is_mixture(&self) -> bool {
        self.experts > 0.0
    }

    /// Returns how many tokens a token at position `context` looks at, mean over the layers.
    pub fn visible(&self, context: f64) -> f64 {
        self.full_attention * context + (1.0 - self.full_attention) * context.min(self.window)
    }

    /// Returns how many tokens each token of a sequence of `length` looks at in the mean.
    pub fn visible_mean(&self, length: f64) -> f64 {
        let windowed = if length <= self.window {
            length / 2.0
        } else {
            self.window - self.window * self.window / (2.0 * length)
        };
        self.full_attention * length / 2.0 + (1.0 - self.full_attention) * windowed
    }

    /// Returns the share of the routed experts that `tokens` tokens touch together, when routing
    /// is even: 1 - (1 - k/E)^tokens.
    pub fn touched_experts(&self, tokens: f64) -> f64 {
        1.0 - (1.0 - self.routed_share).powf(tokens.max(1.0))
    }

    /// Returns the bytes of all weights in a format.
    pub fn weight_bytes(&self, format: WeightFormat) -> f64 {
        self.block() * block_bytes(format) + (self.head + self.embedding) * head_bytes(format)
    }

    /// Returns the bytes of weights that one step over `tokens` tokens reads: the input table is
    /// looked up, not read.
    pub fn step_bytes(&self, format: WeightFormat, tokens: f64) -> f64 {
        (self.dense + self.experts * self.touched_experts(tokens)) * block_bytes(format)
            + self.head * head_bytes(format)
    }

    /// Returns the bytes of cache for each token.
    pub fn kv_bytes(&self, format: KvFormat) -> f64 {
        self.kv_elements * kv_element_bytes(format)
    }
}

/// Bytes of a block parameter, scales included.
///
/// Groups of 128 with a 16-bit scale and a 4-bit zero point make 4.16 bits; llama.cpp mixes are the
/// bits per weight that its quantiser prints for a 7B model.
pub(super) fn block_bytes(format: WeightFormat) -> f64 {
    use crate::GgufMix as G;
    match format {
        WeightFormat::Fp32 => 4.0,
        WeightFormat::Bf16 | WeightFormat::Fp16 | WeightFormat::Gguf(G::F16) => 2.0,
        WeightFormat::Fp8 | WeightFormat::Int8 => 1.0,
        WeightFormat::Nf4 { double_quant } => {
            if double_quant {
                0.516
            } else {
                0.5625
            }
        }
        WeightFormat::Gptq4 { group } | WeightFormat::Awq4 { group } => {
            0.5 + 20.0 / 8.0 / f64::from(group.max(1))
        }
        WeightFormat::Mxfp4 => 0.531,
        WeightFormat::Nvfp4 => 0.5625,
        WeightFormat::Gguf(mix) => {
            let bits = match mix {
                G::F16 => 16.0,
                G::Q8_0 => 8.5,
                G::Q6_K => 6.56,
                G::Q5_K_M => 5.69,
                G::Q5_K_S | G::Q5_0 => 5.54,
                G::Q5_1 => 6.0,
                G::Q4_K_M => 4.85,
                G::Q4_K_S => 4.58,
                G::Q4_1 => 5.0,
                G::Q4_0 | G::IQ4_NL => 4.5,
                G::Q3_K_L => 4.27,
                G::Q3_K_M => 3.91,
                G::Q3_K_S => 3.5,
                G::Q2_K => 3.35,
                G::IQ4_XS => 4.32,
                G::IQ3_S => 3.44,
                G::IQ3_XXS => 3.06,
                G::IQ2_S => 2.5,
                G::IQ2_XS => 2.31,
                G::IQ2_XXS => 2.06,
                G::IQ1_M => 1.75,
                G::IQ1_S => 1.56,
            };
            bits / 8.0
        }
    }
}

/// Bytes of a parameter of the head and the input table: quantisers other than llama.cpp's leave
/// them at 16 bits; llama.cpp stores them in Q6_K beside 4-bit blocks.
fn head_bytes(format: WeightFormat) -> f64 {
    match format {
        WeightFormat::Fp32 => 4.0,
        WeightFormat::Gguf(_) => block_bytes(format).clamp(0.82, 2.0),
        _ => 2.0,
    }
}

/// Bytes of a cached element.
pub(super) const fn kv_element_bytes(format: KvFormat) -> f64 {
    match format {
        KvFormat::Bits16 => 2.0,
        KvFormat::Fp8 => 1.0,
        KvFormat::Q8_0 => 1.0625,
        KvFormat::Q4_0 => 0.5625,
        KvFormat::Bits32 => 4.0,
    }
}
