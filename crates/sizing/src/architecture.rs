//! A model's configuration in one normal form, whatever file or table it came from.

use kasuan_model::Source;

/// How the attention of a model stores what it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// Multi-head, grouped-query or multi-query: `kv_heads` heads of `head_dim` for K and for V.
    Grouped,
    /// Multi-head latent attention (DeepSeek): one compressed vector for each token and layer.
    Latent {
        /// Rank of the compressed K and V.
        kv_rank: u32,
        /// Rank of the compressed Q; `None` when Q is not compressed.
        q_rank: Option<u32>,
        /// Width of the rotary part.
        rope_dim: u32,
        /// Width of the part of a head without position.
        nope_dim: u32,
        /// Width of a V head.
        v_dim: u32,
    },
}

/// Layers that keep a state of constant size instead of a growing cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecurrentLayers {
    /// How many of the layers are of this kind.
    pub layers: u32,
    /// Bytes of state for each sequence and layer.
    pub state_bytes: u64,
    /// Parameters of one such layer's mixer (in place of attention).
    pub parameters: u64,
}

/// The expert layers of a mixture of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experts {
    /// Routed experts of a layer.
    pub experts: u32,
    /// Routed experts that a token uses.
    pub active: u32,
    /// Width of one expert.
    pub intermediate: u32,
    /// Width of the shared experts together; 0 when there are none.
    pub shared_intermediate: u32,
    /// Layers at the start (or interleaved) that stay dense.
    pub dense_layers: u32,
}

/// The form of the feed-forward block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mlp {
    /// Three matrices (SwiGLU, GeGLU).
    Gated,
    /// Two matrices.
    Plain,
}

/// A language model's configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Architecture {
    /// The id, for example `Qwen/Qwen2.5-7B-Instruct`.
    pub id: String,
    /// The family as the configuration names it (`qwen2`, `llama`...).
    pub family: String,
    /// Transformer layers.
    pub layers: u32,
    /// Width of the hidden stream.
    pub hidden: u32,
    /// Query heads.
    pub heads: u32,
    /// Key and value heads.
    pub kv_heads: u32,
    /// Width of one head; from the configuration when it is there, never assumed `hidden / heads`
    /// where the file says otherwise.
    pub head_dim: u32,
    /// Width of the feed-forward block (of the dense layers of a mixture of experts).
    pub intermediate: u32,
    /// Tokens in the vocabulary.
    pub vocab: u32,
    /// Whether the head shares the embedding's weights.
    pub tied: bool,
    /// The form of the feed-forward block.
    pub mlp: Mlp,
    /// Whether Q, K and V have biases.
    pub qkv_bias: bool,
    /// Whether Q and K are normalised per head (Qwen3, Gemma 3).
    pub qk_norm: bool,
    /// How attention stores what it has read.
    pub attention: Attention,
    /// The window of sliding-window layers, in tokens.
    pub sliding_window: Option<u32>,
    /// Layers with full attention, where the others slide or are recurrent; `None` means all.
    pub full_attention_layers: Option<u32>,
    /// Layers with a state of constant size.
    pub recurrent: Option<RecurrentLayers>,
    /// Expert layers.
    pub experts: Option<Experts>,
    /// Parameters of a vision tower and its projector, where the configuration says.
    pub vision_parameters: u64,
    /// Width of learned position embeddings in tokens, 0 for rotary.
    pub learned_positions: u32,
    /// The total that the publisher states, where it does.
    pub published_parameters: Option<u64>,
    /// The longest context the publisher states.
    pub max_context: Option<u32>,
    /// Fields that were not in the source and are filled from memory or by rule.
    pub unverified: Vec<String>,
    /// Where the configuration comes from.
    pub source: Source,
}
