//! Counts a model's parameters from its configuration, by where they sit.
//!
//! The closed form: embedding, head, and for each layer the
//! projections of attention, the feed-forward block, norms and biases; see [`count`].

use crate::{Architecture, Attention, Mlp};

/// A model's parameters by where they sit. Counts stop at the largest number instead of wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParameterCount {
    /// Everything that is loaded; prediction layers that only draft tokens are left out.
    pub total: u64,
    /// What one token's pass touches: everything but the routed experts it does not use.
    pub active: u64,
    /// The token embedding and learned positions.
    pub embedding: u64,
    /// The head over the vocabulary; 0 when it shares the embedding's weights or does not exist.
    pub head: u64,
    /// Matrices of attention (and of recurrent mixers), all layers.
    pub attention: u64,
    /// Matrices of dense feed-forward blocks and of shared experts, all layers.
    pub mlp: u64,
    /// Matrices of routed experts, all layers.
    pub experts: u64,
    /// Routers that choose experts, all layers; kept in 16 or 32 bits by quantised formats.
    pub routers: u64,
    /// Norms, biases and other vectors, which no format quantises.
    pub vectors: u64,
    /// Vision tower and projector.
    pub vision: u64,
    /// What the configuration counts apart.
    pub other: u64,
}

impl ParameterCount {
    /// Returns the matrices inside the blocks that weight formats quantise.
    pub fn block_linear(&self) -> u64 {
        self.attention.saturating_add(self.mlp).saturating_add(self.experts)
    }

    /// Returns what stays in 16 bits (or more) whatever the format: embedding, head, routers,
    /// norms, biases, vision and the rest.
    pub fn unquantised(&self) -> u64 {
        self.total.saturating_sub(self.block_linear())
    }
}

/// Multiplies counts, stopping at the largest number.
fn times(factors: &[u64]) -> u64 {
    factors.iter().copied().fold(1, u64::saturating_mul)
}

/// Returns the matrices and the vectors (biases and inner norms) of one attention layer.
///
/// Latent attention: `q_rank·(h + heads·(nope+rope)) + h·(kv_rank+rope) + kv_rank·heads·(nope+v)
/// + heads·v·h` with a norm over each rank (Megatron-LM `theoretical_memory_usage.py`,
/// DeepSeek-V2 `modeling_deepseek.py`).
fn attention_layer(model: &Architecture) -> (u64, u64) {
    let hidden = u64::from(model.hidden);
    let query = model.query_width();
    match model.attention {
        Attention::Grouped => {
            let key = model.key_width();
            let gate = if model.attention_gate { query } else { 0 };
            let inputs = query.saturating_add(gate).saturating_add(key.saturating_mul(2));
            let matrices = times(&[hidden, inputs.saturating_add(query)]);
            let input_bias = if model.qkv_bias { inputs } else { 0 };
            let output_bias = if model.output_bias { hidden } else { 0 };
            let norms = if model.qk_norm { 2 * u64::from(model.head_dim) } else { 0 };
            (matrices, input_bias.saturating_add(output_bias).saturating_add(norms))
        }
        Attention::Latent { kv_rank, q_rank, rope_dim, nope_dim, v_dim } => {
            let [kv_rank, rope, nope, v] = [kv_rank, rope_dim, nope_dim, v_dim].map(u64::from);
            let heads = u64::from(model.heads);
            let queries = match q_rank.map(u64::from) {
                Some(rank) => times(&[rank, hidden.saturating_add(query)]),
                None => times(&[hidden, query]),
            };
            let matrices = [
                queries,
                times(&[hidden, kv_rank + rope]),
                times(&[kv_rank, heads, nope.saturating_add(v)]),
                times(&[heads, v, hidden]),
            ];
            let vectors = kv_rank + q_rank.map_or(0, u64::from);
            (matrices.into_iter().fold(0, u64::saturating_add), vectors)
        }
    }
}

/// Returns the matrices of a feed-forward block of a width.
fn feed_forward(model: &Architecture, width: u32) -> u64 {
    let matrices = match model.mlp {
        Mlp::Gated => 3,
        Mlp::Plain => 2,
    };
    times(&[matrices, u64::from(model.hidden), u64::from(width)])
}

/// Returns the biases of a feed-forward block of a width.
fn feed_forward_bias(model: &Architecture, width: u32) -> u64 {
    if !model.mlp_bias {
        return 0;
    }
    let inner = match model.mlp {
        Mlp::Gated => 2,
        Mlp::Plain => 1,
    };
    times(&[inner, u64::from(width)]).saturating_add(u64::from(model.hidden))
}

/// Returns the parameters of the last kind of block: attention, experts where the model has them
/// (else the dense block), norms.
pub fn last_block(model: &Architecture) -> u64 {
    let (matrices, vectors) = attention_layer(model);
    let norms = times(&[
        model.norm.parameters(),
        u64::from(model.hidden),
        u64::from(model.norms_per_layer),
    ]);
    let feed_forward = match model.experts {
        Some(mixture) => {
            let routed = u64::from(mixture.experts);
            let one =
                feed_forward(model, mixture.intermediate).saturating_add(u64::from(model.hidden));
            times(&[routed, one]).saturating_add(feed_forward(model, mixture.shared_intermediate))
        }
        None => feed_forward(model, model.intermediate),
    };
    [matrices, vectors, norms, feed_forward].into_iter().fold(0, u64::saturating_add)
}

/// Counts the parameters of a configuration.
///
/// `total = vocab·h (+ head) + layers·(attention + feed-forward + norms + biases) + final norm`,
/// with a mixture's `experts·3·h·width + router + shared experts` in place of the dense block of
/// its expert layers. Exact for the families in the catalogue (see its test against published
/// totals).
pub fn count(model: &Architecture) -> ParameterCount {
    let hidden = u64::from(model.hidden);
    let layers = u64::from(model.layers);
    let (attention_matrices, attention_vectors) = attention_layer(model);
    let attention_layers = u64::from(model.attention_layers());
    let recurrent = model
        .recurrent
        .map_or(0, |recurrent| times(&[u64::from(recurrent.layers), recurrent.parameters]));
    let dense_layers = u64::from(model.dense_layers());
    let expert_layers = u64::from(model.expert_layers());

    let mut mlp = times(&[dense_layers, feed_forward(model, model.intermediate)]);
    let mut vectors = times(&[attention_layers, attention_vectors])
        .saturating_add(times(&[dense_layers, feed_forward_bias(model, model.intermediate)]))
        .saturating_add(times(&[
            model.norm.parameters(),
            hidden,
            times(&[layers, u64::from(model.norms_per_layer)]).saturating_add(1),
        ]));
    let (mut experts, mut routers, mut idle) = (0, 0, 0);
    if let Some(mixture) = model.experts {
        let one = feed_forward(model, mixture.intermediate);
        let routed = u64::from(mixture.experts);
        let unused = u64::from(mixture.experts.saturating_sub(mixture.active));
        experts = times(&[expert_layers, routed, one]);
        idle = times(&[expert_layers, unused, one]);
        routers = times(&[expert_layers, routed, hidden]);
        mlp = mlp.saturating_add(times(&[
            expert_layers,
            feed_forward(model, mixture.shared_intermediate),
        ]));
        let bias = feed_forward_bias(model, mixture.intermediate);
        vectors = vectors.saturating_add(times(&[expert_layers, routed, bias]));
    }
    let embedding =
        times(&[hidden, u64::from(model.vocab).saturating_add(u64::from(model.learned_positions))]);
    let head = if model.tied { 0 } else { times(&[hidden, u64::from(model.vocab)]) };
    let attention = times(&[attention_layers, attention_matrices]).saturating_add(recurrent);
    let total = [
        embedding,
        head,
        attention,
        mlp,
        experts,
        routers,
        vectors,
        model.vision_parameters,
        model.other_parameters,
    ]
    .into_iter()
    .fold(0, u64::saturating_add);
    ParameterCount {
        total,
        active: total.saturating_sub(idle),
        embedding,
        head,
        attention,
        mlp,
        experts,
        routers,
        vectors,
        vision: model.vision_parameters,
        other: model.other_parameters,
    }
}
