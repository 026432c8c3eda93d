//! How training states and activations are divided over cards.

use super::{Precision, states::States};
use crate::{
    Architecture, Parallelism, Setup, Sharding, Training,
    memory::{weights, widths::Widths},
    parameters::count,
};

/// By how much each part is divided on one card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Division {
    /// Layers on one pipeline stage.
    pub(super) pipeline: f64,
    /// Matrices, what they produce, and, by sequence parallelism, the stream between them.
    pub(super) tensor: f64,
    /// Tokens of a sequence.
    pub(super) context: f64,
    /// Micro-batches that the first stage holds at once.
    pub(super) in_flight: f64,
}

/// Returns the divisors of a setup.
pub(super) fn division(_a: &Architecture, setup: &Setup) -> Division {
    let cards = setup.parallelism;
    let pipeline = f64::from(cards.pipeline.max(1));
    Division {
        pipeline,
        tensor: f64::from(cards.tensor.max(1)),
        context: f64::from(cards.context.max(1)),
        // Up to as many micro-batches as there are stages are in flight on the first
        // (`theoretical_memory_usage.py` of Megatron-LM); without a schedule (`device_map`), one.
        in_flight: if cards.data > 1 || cards.tensor > 1 { pipeline } else { 1.0 },
    }
}

/// Returns on how many cards sharded states are spread.
fn spread(cards: Parallelism) -> f64 {
    f64::from(cards.data.max(1)) * f64::from(cards.context.max(1))
}

/// Divides states over the data-parallel copies.
///
/// ZeRO-1 divides optimiser states, ZeRO-2 gradients too, ZeRO-3 and FSDP weights too; tensor and
/// pipeline parallelism divide everything first.
pub(super) fn shard(setup: &Setup, states: States) -> States {
    let cards = setup.parallelism;
    let model = f64::from(cards.tensor.max(1)) * f64::from(cards.pipeline.max(1));
    let data = spread(cards);
    let (weights, gradients, optimizer) = match cards.sharding {
        Sharding::None => (1.0, 1.0, 1.0),
        Sharding::Zero1 => (1.0, 1.0, data),
        Sharding::Zero2 => (1.0, data, data),
        Sharding::Zero3 | Sharding::Fsdp => (data, data, data),
    };
    // Experts are spread over the cards of their group, whatever else is spread.
    let experts = f64::from(cards.expert.max(1));
    let dense = 1.0 - states.expert_share;
    let own = |bytes: f64, over: f64| {
        let expert_over = over.max(experts);
        bytes / model * (dense / over + states.expert_share / expert_over)
    };
    let zero = matches!(cards.sharding, Sharding::Zero2 | Sharding::Zero3);
    let here = |offloaded: bool| if offloaded { 0.0 } else { 1.0 };
    States {
        weights: own(states.weights, weights) * here(cards.offload_weights),
        // FSDP offloads gradients with the weights; DeepSpeed moves them to the optimiser's host.
        gradients: own(states.gradients, gradients)
            * here(cards.offload_weights || cards.offload_optimizer && zero),
        optimizer: own(states.optimizer, optimizer) * here(cards.offload_optimizer),
        adapters: states.adapters / model / optimizer,
        adapter_gradients: states.adapter_gradients / model / gradients,
        trained: own(states.trained, optimizer) * here(cards.offload_optimizer),
        casts: states.casts / model / weights,
        whole: states.whole / model,
        ..states
    }
}

/// Says whether FSDP under a pipeline keeps a stage unsharded between micro-batches.
const fn keeps_stage(cards: Parallelism) -> bool {
    matches!(cards.sharding, Sharding::Fsdp) && cards.pipeline > 1
}

/// Returns gradients that are not reduced before the last micro-batch: those of FSDP under a
/// pipeline, FP32 and unsharded.
pub(super) fn waiting_gradients(setup: &Setup, states: &States) -> f64 {
    let cards = setup.parallelism;
    if !keeps_stage(cards) || spread(cards) <= 1.0 {
        return 0.0;
    }
    let model = f64::from(cards.tensor.max(1)) * f64::from(cards.pipeline.max(1));
    (4.0 * states.trained / model - states.gradients).max(0.0)
}

/// Returns unsharded copies on a card that holds shards of weights: one layer's, and those of the
/// model's ends (the root unit of FSDP). With a pipeline FSDP keeps its whole stage unsharded between
/// micro-batches (torchtitan `parallelize_llama.py`: no resharding after the forward pass then).
pub(super) fn gathered(a: &Architecture, setup: &Setup, t: &Training, p: &Precision) -> (f64, f64) {
    let cards = setup.parallelism;
    let sharded = matches!(cards.sharding, Sharding::Fsdp | Sharding::Zero3);
    if !sharded || spread(cards) <= 1.0 {
        return (0.0, 0.0);
    }
    let parameters = count(a);
    let w = Widths::of(a);
    let tensor = f64::from(cards.tensor.max(1));
    let bytes = if t.method.trains_adapters() {
        weights::bits(setup.weights).matrix / 8.0
    } else {
        p.compute
    };
    let layer = parameters.block_linear() as f64 / w.layers.max(1.0) * bytes / tensor;
    let ends = (parameters.embedding as f64 + parameters.head as f64) * 2.0 / tensor;
    let stages = f64::from(cards.pipeline.max(1));
    if keeps_stage(cards) {
        return (parameters.total as f64 * bytes / tensor / stages, 0.0);
    }
    (layer, if stages > 1.0 { ends / 2.0 } else { ends })
}
