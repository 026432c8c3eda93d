//! A model's configuration in one normal form, whatever file or table it came from.

use kasuan_model::Source;

/// What a model is for, as far as memory cares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Writes text token by token: has a head over the vocabulary and caches keys and values.
    #[default]
    Generator,
    /// Reads a text once and returns a vector or a score: no head over the vocabulary, no cache
    /// that outlives the pass.
    Encoder,
}

/// How the attention of a model stores what it has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attention {
    /// Multi-head, grouped-query or multi-query: `kv_heads` heads of `head_dim` for K and for V.
    #[default]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mlp {
    /// Three matrices (SwiGLU, GeGLU).
    #[default]
    Gated,
    /// Two matrices.
    Plain,
}

/// The form of the normalisation layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// One weight for each channel (RMSNorm).
    #[default]
    Rms,
    /// A weight and a bias for each channel (LayerNorm).
    Layer,
    /// No parameters (OLMo 1).
    Bare,
}

impl Norm {
    /// Returns the parameters for each channel.
    pub const fn parameters(self) -> u64 {
        match self {
            Self::Rms => 1,
            Self::Layer => 2,
            Self::Bare => 0,
        }
    }
}

/// A language model's configuration.
///
/// [`Architecture::default`] has nothing in it; a reader or a test states what it knows and leaves
/// the rest at what most families do (gated feed-forward, RMSNorm twice a layer, no biases).
#[derive(Clone, Debug, PartialEq)]
pub struct Architecture {
    /// The id, for example `Qwen/Qwen2.5-7B-Instruct`.
    pub id: String,
    /// The family as the configuration names it (`qwen2`, `llama`...).
    pub family: String,
    /// What the model is for.
    pub kind: Kind,
    /// Transformer layers, encoder and decoder together.
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
    /// Tokens in the vocabulary, rows of padding included.
    pub vocab: u32,
    /// Whether the head shares the embedding's weights.
    pub tied: bool,
    /// The form of the feed-forward block.
    pub mlp: Mlp,
    /// Whether Q, K and V have biases.
    pub qkv_bias: bool,
    /// Whether the output projection of attention has a bias.
    pub output_bias: bool,
    /// Whether the matrices of the feed-forward block have biases.
    pub mlp_bias: bool,
    /// Whether Q and K are normalised per head (Qwen3, Gemma 3).
    pub qk_norm: bool,
    /// Whether the query projection also makes a gate as wide as itself (Qwen3-Next, Qwen3.5).
    pub attention_gate: bool,
    /// The form of the normalisation layers.
    pub norm: Norm,
    /// Normalisation layers in a block: 2 in most families, 1 where attention and feed-forward run
    /// side by side, 4 in Gemma 2 and 3.
    pub norms_per_layer: u32,
    /// How attention stores what it has read.
    pub attention: Attention,
    /// The window of sliding-window layers, in tokens.
    pub sliding_window: Option<u32>,
    /// Layers with full attention, where the others slide or are recurrent; `None` means all.
    pub full_attention_layers: Option<u32>,
    /// Layers with a state of constant size.
    pub recurrent: Option<RecurrentLayers>,
    /// Layers with attention, where that is not every layer that is not recurrent (Nemotron-H).
    pub attention_layer_count: Option<u32>,
    /// Layers with a feed-forward block, dense or of experts, where not all have one (Mamba).
    pub feed_forward_layers: Option<u32>,
    /// Expert layers.
    pub experts: Option<Experts>,
    /// Parameters of a vision tower and its projector, where the configuration says.
    pub vision_parameters: u64,
    /// Parameters of anything that no other field counts: token types, poolers, cross-attention,
    /// position biases.
    pub other_parameters: u64,
    /// Parameters of prediction layers that stand in the published files but are loaded only to
    /// draft tokens ahead (multi-token prediction); in no other count.
    pub draft_parameters: u64,
    /// Rows of learned position embeddings, 0 for rotary.
    pub learned_positions: u32,
    /// The total that the publisher states, where it does.
    pub published_parameters: Option<u64>,
    /// The longest context the publisher states.
    pub max_context: Option<u32>,
    /// Fields that were not in the source and are filled from memory or by rule.
    pub unverified: Vec<String>,
    /// Whether only the parameters are known, so that widths and layers are those of a typical model
    /// of the size.
    pub shape_assumed: bool,
    /// Where the configuration comes from.
    pub source: Source,
}

impl Default for Architecture {
    fn default() -> Self {
        Self {
            id: String::new(),
            family: String::new(),
            kind: Kind::Generator,
            layers: 0,
            hidden: 0,
            heads: 0,
            kv_heads: 0,
            head_dim: 0,
            intermediate: 0,
            vocab: 0,
            tied: false,
            mlp: Mlp::Gated,
            qkv_bias: false,
            output_bias: false,
            mlp_bias: false,
            qk_norm: false,
            attention_gate: false,
            norm: Norm::Rms,
            norms_per_layer: 2,
            attention: Attention::Grouped,
            sliding_window: None,
            full_attention_layers: None,
            recurrent: None,
            attention_layer_count: None,
            feed_forward_layers: None,
            experts: None,
            vision_parameters: 0,
            other_parameters: 0,
            draft_parameters: 0,
            learned_positions: 0,
            published_parameters: None,
            max_context: None,
            unverified: Vec::new(),
            shape_assumed: false,
            source: Source::stated(String::new()),
        }
    }
}

impl Architecture {
    /// Returns the width of all query heads together; for latent attention that of the heads'
    /// query vectors.
    pub fn query_width(&self) -> u64 {
        let head = match self.attention {
            Attention::Grouped => self.head_dim,
            Attention::Latent { rope_dim, nope_dim, .. } => rope_dim.saturating_add(nope_dim),
        };
        u64::from(self.heads) * u64::from(head)
    }

    /// Returns the width of all key heads together (that of all value heads is the same).
    pub fn key_width(&self) -> u64 {
        u64::from(self.kv_heads) * u64::from(self.head_dim)
    }

    /// Returns how many layers have attention, of whatever kind.
    pub fn attention_layers(&self) -> u32 {
        let recurrent = self.recurrent.map_or(0, |recurrent| recurrent.layers);
        self.attention_layer_count.unwrap_or_else(|| self.layers.saturating_sub(recurrent))
    }

    /// Returns how many layers have routed experts.
    pub fn expert_layers(&self) -> u32 {
        let blocks = self.feed_forward_layers.unwrap_or(self.layers);
        self.experts.map_or(0, |experts| blocks.saturating_sub(experts.dense_layers))
    }

    /// Returns how many layers have a dense feed-forward block.
    pub fn dense_layers(&self) -> u32 {
        self.feed_forward_layers.unwrap_or(self.layers).saturating_sub(self.expert_layers())
    }
}
