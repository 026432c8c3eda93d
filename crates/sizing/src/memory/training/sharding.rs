//! How training states and activations are divided over cards.

use super::states::States;
use crate::{Setup, Sharding};

/// By how much each part is divided on one card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Division {
    /// Layers on the fullest pipeline stage.
    pub(super) pipeline: f64,
    /// Matrices and what they produce.
    pub(super) tensor: f64,
    /// The vocabulary of embedding, head and logits.
    pub(super) vocabulary: f64,
    /// The hidden stream between layers (sequence parallelism comes with tensor parallelism).
    pub(super) sequence: f64,
}

/// Returns the divisors of a setup.
pub(super) fn division(setup: &Setup) -> Division {
    let tensor = f64::from(setup.parallelism.tensor.max(1));
    Division {
        pipeline: f64::from(setup.parallelism.pipeline.max(1)),
        tensor,
        vocabulary: tensor,
        sequence: tensor,
    }
}

/// Divides states over the data-parallel copies.
///
/// ZeRO-1 divides optimiser states, ZeRO-2 gradients too, ZeRO-3 and FSDP weights too; tensor and
/// pipeline parallelism divide everything first.
pub(super) fn shard(setup: &Setup, states: States) -> States {
    let cards = setup.parallelism;
    let model = f64::from(cards.tensor.max(1)) * f64::from(cards.pipeline.max(1));
    let data = f64::from(cards.data.max(1));
    let (weights, gradients, optimizer) = match cards.sharding {
        Sharding::None => (1.0, 1.0, 1.0),
        Sharding::Zero1 => (1.0, 1.0, data),
        Sharding::Zero2 => (1.0, data, data),
        Sharding::Zero3 | Sharding::Fsdp => (data, data, data),
    };
    let on_card = |here: bool| if here { 1.0 } else { 0.0 };
    let optimizer_here = on_card(!cards.offload_optimizer);
    let weights_here = on_card(!cards.offload_weights);
    States {
        weights: states.weights / model / weights * weights_here,
        gradients: states.gradients / model / gradients,
        optimizer: states.optimizer / model / optimizer * optimizer_here,
        adapters: states.adapters / model / optimizer,
        adapter_gradients: states.adapter_gradients / model / gradients,
        trained: states.trained / model / optimizer,
        casts: states.casts / model / weights,
    }
}
