//! What a model asks of a card for each token: arithmetic, weights to read, cache to read.

use crate::{Architecture, Attention, Kind, KvFormat, WeightFormat, parameters::count};

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
    /// Query heads that share one cached head.
    pub shared_by: f64,
    /// Share of the layers that look at the whole context; the others stop at the window.
    pub full_attention: f64,
    /// The window of the other layers, in tokens.
    pub window: f64,
    /// Routed experts of all layers together.
    pub expert_count: f64,
}

impl ModelWork {
    /// Counts a configuration.
    pub fn of(model: &Architecture) -> Self {
        let f = f64::from;
        let counted = count(model);
        let attending = f(model.attention_layers());
        let (width, kv_elements) = match model.attention {
            Attention::Grouped => (model.query_width() as f64, 2.0 * model.key_width() as f64),
            // Scores over query vectors, values over their own width; one compressed vector cached.
            Attention::Latent { kv_rank, rope_dim, v_dim, .. } => (
                f64::midpoint(model.query_width() as f64, f(model.heads) * f(v_dim)),
                f(kv_rank) + f(rope_dim),
            ),
        };
        let table = f(model.hidden) * f(model.vocab);
        let routed_share =
            model.experts.map_or(1.0, |moe| (f(moe.active) / f(moe.experts.max(1))).min(1.0));
        let window = model.sliding_window.map(|window| f(window.max(1)));
        let full = model.full_attention_layers.map_or(0.0, |n| f(n).min(attending));
        Self {
            layers: f(model.layers),
            hidden: f(model.hidden),
            dense: (counted.attention as f64)
                + (counted.mlp as f64)
                + (counted.routers as f64)
                + (counted.vectors as f64),
            experts: counted.experts as f64,
            active_experts: counted.experts as f64 * routed_share,
            routed_share,
            head: if model.kind == Kind::Generator { table } else { 0.0 },
            embedding: if model.tied { 0.0 } else { table },
            attention_flops: 4.0 * attending * width,
            kv_elements: attending * kv_elements,
            shared_by: match model.attention {
                Attention::Grouped => (f(model.heads) / f(model.kv_heads.max(1))).max(1.0),
                Attention::Latent { .. } => 1.0,
            },
            full_attention: match window {
                Some(_) if attending > 0.0 => full / attending,
                _ => 1.0,
            },
            window: window.unwrap_or(f64::INFINITY),
            expert_count: f(model.expert_layers())
                * model.experts.map_or(0.0, |moe| f(moe.experts)),
        }
    }

    /// Returns the work of a model of which only the parameter count is known (and, for a mixture,
    /// the parameters that a token passes): a grouped-query decoder of the shape that such sizes
    /// usually have, 12 h^2 parameters a layer with h near 128 times the layers (Kaplan et al. 2020;
    /// Llama, Qwen and Mistral configurations keep to it within a third).
    pub fn counted(parameters: f64, active: Option<f64>) -> Self {
        let parameters = if parameters.is_finite() { parameters.max(1e6) } else { 1e6 };
        let active = active.filter(|a| a.is_finite() && *a > 0.0).unwrap_or(parameters);
        let active = active.min(parameters);
        let hidden = (active * 128.0 / 12.0).cbrt();
        let layers = (hidden / 128.0).max(1.0);
        let table = (hidden * 128_000.0).min(parameters / 4.0);
        // Below 4 billion parameters the two tables are nearly always one.
        let tied = parameters < 4e9;
        let embedding = if tied { 0.0 } else { table };
        let block = parameters - table - embedding;
        // Nearly all weights of a mixture are experts; a token passes one in 16 of them or so.
        let (experts, active_experts) = if active < 0.9 * parameters {
            (block * 0.95, (active - table - embedding - block * 0.05).max(block * 0.005))
        } else {
            (0.0, 0.0)
        };
        let head_dim = 128.0;
        Self {
            layers,
            hidden,
            dense: block - experts,
            experts,
            active_experts,
            routed_share: if experts > 0.0 { active_experts / experts } else { 1.0 },
            head: table,
            embedding,
            attention_flops: 4.0 * layers * hidden,
            kv_elements: 2.0 * layers * head_dim * (hidden / head_dim / 4.0).clamp(1.0, 8.0),
            shared_by: (hidden / head_dim / (hidden / head_dim / 4.0).clamp(1.0, 8.0)).max(1.0),
            full_attention: 1.0,
            window: f64::INFINITY,
            expert_count: if experts > 0.0 { 64.0 * layers } else { 0.0 },
        }
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
        self.kv_elements * format.bytes_per_value()
    }
}

/// Bytes of a block parameter, scales included.
pub(super) fn block_bytes(format: WeightFormat) -> f64 {
    format.bits_per_weight() / 8.0
}

/// Bytes of a parameter of the head and the input table: quantisers other than llama.cpp's leave
/// them at 16 bits.
fn head_bytes(format: WeightFormat) -> f64 {
    match format {
        WeightFormat::Fp32 => 4.0,
        WeightFormat::Gguf(_) => block_bytes(format),
        _ => 2.0,
    }
}
