//! What stays for the whole run: weights, gradients, optimiser states, adapters.

use super::{DEEPSPEED_BUCKET, Precision};
use crate::{
    Architecture, LoraTarget, Method, Optimizer, ParameterCount, Recipe, Setup, Sharding, Training,
    TrainingStack,
    memory::{
        weights,
        widths::{Widths, target},
    },
    parameters::count,
};

/// Bytes that stay for the whole run, on one card that holds everything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct States {
    /// Weights, the frozen base of adapters included.
    pub(super) weights: f64,
    /// Gradients of trained weights.
    pub(super) gradients: f64,
    /// Optimiser states and master weights of trained weights.
    pub(super) optimizer: f64,
    /// Adapters: weights and optimiser states.
    pub(super) adapters: f64,
    /// Gradients of adapters.
    pub(super) adapter_gradients: f64,
    /// Parameters that are trained, adapters included.
    pub(super) trained: f64,
    /// Bytes of 16-bit copies that autocast makes of FP32 matrices.
    pub(super) casts: f64,
    /// The weights of the whole model, before anything is divided.
    pub(super) whole: f64,
    /// Flat buffers of the sharding framework.
    pub(super) buckets: f64,
    /// Share of the weights that are routed experts.
    pub(super) expert_share: f64,
}

/// Returns bytes of optimiser state for each trained parameter whose own numbers take `bytes`.
///
/// bitsandbytes 8-bit Adam: two bytes and two FP32 scales in 256 (`optim/optimizer.py`); torchao
/// 4-bit Adam: one byte and two FP32 scales in 128.
pub(super) fn state_bytes(optimizer: Optimizer, bytes: f64) -> f64 {
    match optimizer {
        Optimizer::AdamW => 2.0 * bytes,
        Optimizer::PagedAdamW32bit => 8.0,
        Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => 2.0 + 8.0 / 256.0,
        Optimizer::AdamW4bit => 1.0 + 8.0 / 128.0,
        Optimizer::AdamMini | Optimizer::SgdMomentum | Optimizer::Lion | Optimizer::Muon => bytes,
        Optimizer::Adafactor | Optimizer::Sgd => 0.0,
    }
}

/// Returns what stays for the whole run.
pub(super) fn states(a: &Architecture, setup: &Setup, t: &Training, p: &Precision) -> States {
    let parameters = count(a);
    let total = parameters.total as f64;
    let deepspeed =
        matches!(setup.parallelism.sharding, Sharding::Zero1 | Sharding::Zero2 | Sharding::Zero3)
            && t.stack != TrainingStack::Pretraining;
    let mut states = States {
        expert_share: parameters.experts as f64 / total.max(1.0),
        buckets: if deepspeed { 2.0 * 2.0 * DEEPSPEED_BUCKET } else { 0.0 },
        ..States::default()
    };
    match &t.method {
        Method::Lora { rank, targets, dora } => {
            states.weights = base_weights(a, &parameters, setup, t);
            if p.weight > 2.0 && p.casts {
                // Saved for the backward pass by each frozen matrix inside the blocks.
                states.casts = 2.0 * parameters.block_linear() as f64;
            }
            let ends = if t.details.saves_ends { 2.0 * head(a) } else { 0.0 };
            let count = adapter_parameters(a, *rank, targets, *dora) + ends;
            states.trained = count;
            states.adapters = count * (p.adapter + state_bytes(t.optimizer, p.adapter));
            states.adapter_gradients = count * p.adapter;
        }
        method => {
            states.weights = setup.exact_weights.map_or(total * p.weight, |b| b.get() as f64);
            if p.casts {
                states.casts = 2.0 * (parameters.block_linear() as f64 + head(a));
            }
            let trained = trained_parameters(method, a, &parameters);
            states.trained = trained;
            let (gradient, extra) = match t.recipe {
                Recipe::MasterFp32 => {
                    (master_gradient(setup, t), 4.0 + state_bytes(t.optimizer, 4.0))
                }
                _ => (p.gradient, state_bytes(t.optimizer, p.weight)),
            };
            states.gradients = trained * gradient;
            states.optimizer = match method {
                Method::GaLore { rank } => galore_states(a, &parameters, *rank, t, p),
                _ => trained * extra,
            };
        }
    }
    let copies = setup.parallelism.data > 1 && setup.parallelism.sharding == Sharding::None;
    if copies {
        // DDP's buckets hold every gradient a second time (`gradient_as_bucket_view` is off by
        // default; PyTorch documentation of DistributedDataParallel).
        states.buckets += states.gradients + states.adapter_gradients;
    }
    states.whole = states.weights;
    states
}

/// Returns bytes of gradient beside FP32 master weights: FP32 alone in Megatron, 16-bit and an FP32
/// copy in DeepSpeed (`stage_1_and_2.py`), and two bytes more that one table of six runs shows,
/// probably the 16-bit gradients flattened for the step (not checked in its code).
fn master_gradient(setup: &Setup, t: &Training) -> f64 {
    match setup.parallelism.sharding {
        Sharding::Zero1 | Sharding::Zero2 if t.stack != TrainingStack::Pretraining => 8.0,
        _ => 4.0,
    }
}

/// Returns the frozen base of adapters.
fn base_weights(a: &Architecture, parameters: &ParameterCount, setup: &Setup, t: &Training) -> f64 {
    if let Some(exact) = setup.exact_weights {
        return exact.get() as f64;
    }
    let bits = weights::bits(setup.weights);
    let mut bytes = weights::weights(a, parameters, setup.weights);
    if t.details.quantises_head {
        bytes -= parameters.head as f64 * (bits.rest - bits.matrix) / 8.0;
    }
    if t.details.upcasts_unquantised && bits.matrix < 16.0 {
        bytes + parameters.unquantised() as f64 * (32.0 - bits.rest) / 8.0
    } else {
        bytes
    }
}

fn head(a: &Architecture) -> f64 {
    let w = Widths::of(a);
    w.vocab * w.hidden
}

/// Returns `rank * (input + output)` over all targets; a magnitude vector for DoRA.
pub(super) fn adapter_parameters(
    a: &Architecture,
    rank: u32,
    targets: &[LoraTarget],
    dora: bool,
) -> f64 {
    let rank = f64::from(rank);
    let mut count = 0.0;
    for one in targets {
        let (linear, number) = target(a, *one);
        count += number * rank * (linear.input + linear.output);
        if dora {
            count += number * linear.output;
        }
    }
    count
}

/// Returns how many weights a method trains at once.
fn trained_parameters(method: &Method, a: &Architecture, parameters: &ParameterCount) -> f64 {
    let layers = f64::from(a.layers).max(1.0);
    let total = parameters.total as f64;
    let ends = parameters.embedding as f64 + parameters.head as f64;
    let layer = (total - ends - parameters.vision as f64) / layers;
    match method {
        Method::Full | Method::GaLore { .. } | Method::Lora { .. } => total,
        Method::Lisa { layers: some } => (f64::from(*some) * layer + ends).min(total),
        Method::BAdam => layer,
        Method::Freeze { layers: some } => (f64::from(*some) * layer).min(total),
    }
}

/// Returns GaLore's states: two moments of the projected gradient and the projection itself, for
/// every matrix; the rest as usual.
fn galore_states(
    a: &Architecture,
    parameters: &ParameterCount,
    rank: u32,
    t: &Training,
    p: &Precision,
) -> f64 {
    let mut projected = 0.0;
    for one in LoraTarget::ALL_LINEAR {
        let (linear, number) = target(a, one);
        let (short, long) = (linear.input.min(linear.output), linear.input.max(linear.output));
        let rank = f64::from(rank).min(short);
        projected += number * rank * (long * state_bytes(t.optimizer, p.weight) + short * p.weight);
    }
    let rest = parameters.unquantised() as f64;
    projected + rest * state_bytes(t.optimizer, p.weight)
}
