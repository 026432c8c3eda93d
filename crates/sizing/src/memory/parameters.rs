//! Parameters of a model, split by where they stand, because formats and adapters treat the parts
//! differently.

use crate::{Architecture, Attention, LoraTarget, Mlp};

/// Parameters by their place in the model; plain counts, not bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Token and learned position embeddings.
    pub embedding: f64,
    /// The output head; 0 when it shares the embedding.
    pub head: f64,
    /// Attention matrices of all layers.
    pub attention: f64,
    /// Dense feed-forward matrices of all layers, shared experts included.
    pub mlp: f64,
    /// Routed experts of all layers.
    pub experts: f64,
    /// Routers of all layers.
    pub router: f64,
    /// Norm weights and biases.
    pub small: f64,
    /// Mixers of recurrent layers.
    pub recurrent: f64,
    /// Vision tower and projector.
    pub vision: f64,
}

/// Input and output widths of one linear layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// Width of what goes in.
    pub input: f64,
    /// Width of what comes out.
    pub output: f64,
}

impl Parameters {
    /// Counts a model's parameters from its configuration.
    ///
    /// Gated decoder: `V*h*(1 or 2) + L*(2*h*q + 2*h*kv + 3*h*ff + norms + biases) + h`, checked to
    /// 0.04 % against loaded models; latent attention as in Megatron-LM's
    /// `theoretical_memory_usage.py`.
    pub fn of(a: &Architecture) -> Self {
        let w = Widths::of(a);
        let layers = f64::from(a.layers);
        let recurrent_layers = a.recurrent.map_or(0.0, |r| f64::from(r.layers)).min(layers);
        let attending = layers - recurrent_layers;
        let embedding = (w.vocab + f64::from(a.learned_positions)) * w.hidden;
        let head = if a.tied { 0.0 } else { w.vocab * w.hidden };
        let (mlp, experts, router) = feed_forward(a, &w);
        let norms_per_layer = if a.family.starts_with("gemma2") || a.family.starts_with("gemma3") {
            4.0
        } else {
            2.0
        };
        let mut small = (layers * norms_per_layer + 1.0) * w.hidden;
        if a.qkv_bias {
            small += attending * (w.query + 2.0 * w.kv);
        }
        if a.qk_norm {
            small += attending * 2.0 * w.head_dim;
        }
        Self {
            embedding,
            head,
            attention: attending * attention(a, &w),
            mlp,
            experts,
            router,
            small,
            recurrent: recurrent_layers * a.recurrent.map_or(0.0, |r| r.parameters as f64),
            vision: a.vision_parameters as f64,
        }
    }

    /// Returns everything together.
    pub fn total(&self) -> f64 {
        self.embedding
            + self.head
            + self.attention
            + self.mlp
            + self.experts
            + self.router
            + self.small
            + self.recurrent
            + self.vision
    }

    /// Returns the matrices that quantised formats store in few bits.
    pub fn quantised(&self) -> f64 {
        self.attention + self.mlp + self.experts + self.recurrent
    }

    /// Returns what quantised formats keep in 16 or 32 bits.
    pub fn unquantised(&self) -> f64 {
        self.total() - self.quantised()
    }
}

/// The widths that the formulas use, as floats so that absurd sizes cannot overflow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widths {
    pub(crate) layers: f64,
    pub(crate) hidden: f64,
    pub(crate) heads: f64,
    pub(crate) kv_heads: f64,
    pub(crate) head_dim: f64,
    pub(crate) query: f64,
    pub(crate) kv: f64,
    pub(crate) feed_forward: f64,
    pub(crate) vocab: f64,
}

impl Widths {
    pub(crate) fn of(a: &Architecture) -> Self {
        let (heads, kv_heads, head_dim) =
            (f64::from(a.heads), f64::from(a.kv_heads), f64::from(a.head_dim));
        let (query, kv) = match a.attention {
            Attention::Grouped => (heads * head_dim, kv_heads * head_dim),
            Attention::Latent { rope_dim, nope_dim, .. } => {
                let width = heads * (f64::from(rope_dim) + f64::from(nope_dim));
                (width, width)
            }
        };
        Self {
            layers: f64::from(a.layers),
            hidden: f64::from(a.hidden),
            heads,
            kv_heads,
            head_dim,
            query,
            kv,
            feed_forward: f64::from(a.intermediate),
            vocab: f64::from(a.vocab),
        }
    }
}

/// Returns the attention matrices of one layer.
fn attention(a: &Architecture, w: &Widths) -> f64 {
    match a.attention {
        Attention::Grouped => 2.0 * w.hidden * w.query + 2.0 * w.hidden * w.kv,
        Attention::Latent { kv_rank, q_rank, rope_dim, nope_dim, v_dim } => {
            let (kv_rank, rope, nope, v) =
                (f64::from(kv_rank), f64::from(rope_dim), f64::from(nope_dim), f64::from(v_dim));
            let query = match q_rank.map(f64::from) {
                Some(rank) => rank * (w.hidden + w.heads * (nope + rope) + 1.0),
                None => w.hidden * w.heads * (nope + rope),
            };
            query
                + w.hidden * (kv_rank + rope)
                + kv_rank * (w.heads * (nope + v) + 1.0)
                + w.heads * v * w.hidden
        }
    }
}

/// Returns dense feed-forward, routed experts and routers of all layers.
fn feed_forward(a: &Architecture, w: &Widths) -> (f64, f64, f64) {
    let matrices = match a.mlp {
        Mlp::Gated => 3.0,
        Mlp::Plain => 2.0,
    };
    let Some(experts) = a.experts else {
        return (w.layers * matrices * w.hidden * w.feed_forward, 0.0, 0.0);
    };
    let dense_layers = f64::from(experts.dense_layers).min(w.layers);
    let expert_layers = w.layers - dense_layers;
    let routed = f64::from(experts.experts);
    let dense = dense_layers * matrices * w.hidden * w.feed_forward;
    let shared =
        expert_layers * matrices * w.hidden * f64::from(experts.shared_intermediate);
    (
        dense + shared,
        expert_layers * routed * matrices * w.hidden * f64::from(experts.intermediate),
        expert_layers * routed * w.hidden,
    )
}

/// Returns the linear layer that an adapter stands beside, and how many of them the model has.
pub(crate) fn target(a: &Architecture, target: LoraTarget) -> (Linear, f64) {
    let w = Widths::of(a);
    let (hidden, ff) = (w.hidden, w.feed_forward);
    let blocks = match a.experts {
        // Adapters on the matrices of every expert (`Gate`, `Up`, `Down` of each).
        Some(e) if matches!(target, LoraTarget::Gate | LoraTarget::Up | LoraTarget::Down) => {
            let width = f64::from(e.intermediate);
            let count = (w.layers - f64::from(e.dense_layers)).max(0.0) * f64::from(e.experts);
            let linear = match target {
                LoraTarget::Down => Linear { input: width, output: hidden },
                _ => Linear { input: hidden, output: width },
            };
            return (linear, count);
        }
        _ => w.layers,
    };
    let linear = match target {
        LoraTarget::Q => Linear { input: hidden, output: w.query },
        LoraTarget::K | LoraTarget::V => Linear { input: hidden, output: w.kv },
        LoraTarget::O => Linear { input: w.query, output: hidden },
        LoraTarget::Gate | LoraTarget::Up => Linear { input: hidden, output: ff },
        LoraTarget::Down => Linear { input: ff, output: hidden },
        LoraTarget::Embedding | LoraTarget::Head => {
            return (Linear { input: hidden, output: w.vocab }, 1.0);
        }
    };
    (linear, blocks)
}
