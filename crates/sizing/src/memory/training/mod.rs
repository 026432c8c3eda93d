//! Memory of a training run: the moments at which it may peak.
//!
//! The peak is the worst of: the loss (all saved activations and the logits), one layer's backward
//! pass, the optimiser's step, and, with FP32 weights under autocast and checkpointing, the end of
//! the forward pass.

mod activations;
mod precision;
mod sharding;
mod states;

use super::{
    families,
    process::WORKSPACE,
    terms::{Moment, Need, Terms},
    widths::Widths,
};
use crate::{
    Architecture, Checkpointing, Loss, Method, Optimizer, Setup, Sharding, StepKernel, Training,
    Work,
};
use kasuan_model::Bytes;
use precision::Precision;
use sharding::{Division, division, gathered, shard, waiting_gradients};
use states::{States, states};

const GIB: f64 = 1_073_741_824.0;

/// The moment of a program that loads the whole model on each card.
pub(super) const LOADING: &str = "loading the model before it is sharded";

/// What is added to what the allocator holds in training, beside the middle of the measured runs: to
/// be under costs a failed run, to be over a few per cent.
const LEAN: f64 = 0.03;

/// What the allocator loses to blocks that fit nothing else, as a share of activations: the median of
/// 22 runs of adapters with a fused loss on one card, 8 to 15 % (one source, fms-acceleration).
const FRAGMENTED: f64 = 0.12;

/// What the allocator loses beside that where batches differ in length, as a share of activations and
/// logits: between nothing (ms-swift's benchmark) and 45 % (its tuner table, LLaMA-Factory's runs);
/// the middle.
const VARIED: f64 = 0.25;

/// Share of activations whose blocks the optimiser's step cannot use again. Set by eye between none
/// and all, which single-card runs of one source show both; all of them where states are flat
/// sharded buffers.
const STEP_ON_ACTIVATIONS: f64 = 0.4;

/// Bytes that collectives and gather buffers take beside the allocator on each of several cards:
/// what 36 pairs of tensors and driver of one source (FSDP on A100) leave to this term, 3.4 GiB in
/// the median on two cards and 4.3 on four (1.9 to 6.9).
const COLLECTIVES: f64 = 3.4 * GIB;

/// The same on more than two cards.
const MORE_COLLECTIVES: f64 = 4.3 * GIB;

/// Elements of each of DeepSpeed's two flat buckets (`reduce_bucket_size`, `allgather_bucket_size`
/// of `deepspeed/runtime/zero/config.py`), 16-bit each.
const DEEPSPEED_BUCKET: f64 = 5e8;

/// What the moments are made of, for one card.
struct Run {
    states: States,
    division: Division,
    tokens: f64,
    /// Kept until the backward pass reaches it.
    kept: f64,
    /// Alive while one layer runs backward, recomputed activations included.
    layer_bytes: f64,
    /// Kept a second time while the backward pass of sharded adapters runs.
    kept_again: f64,
    /// Unsharded copies of the layer at work and of the ends of the model.
    gathered: f64,
    final_norm: f64,
    logits: f64,
    reserved_logits: f64,
    casts: f64,
    /// Weights that are dequantised for a multiplication.
    dequantised: f64,
    /// The head where it is quantised, dequantised for its own gradient.
    dequantised_head: f64,
}

/// Returns what one card needs for a training run.
pub(super) fn need(a: &Architecture, setup: &Setup, t: &Training) -> Need {
    let p = Precision::of(setup, t);
    let run = run(a, setup, t, &p);
    let accumulates = t.accumulation > 1 && !t.fused_backward;
    let gradients_held = if accumulates { 1.0 } else { 0.0 };
    let base = |gradients: f64| Terms {
        weights: run.states.weights,
        gradients: run.states.gradients * gradients,
        optimizer: run.states.optimizer,
        adapters: run.states.adapters + run.states.adapter_gradients * gradients,
        framework: run.states.buckets + WORKSPACE,
        ..Terms::default()
    };
    let keeps_casts = t.checkpointing != Checkpointing::Full;
    let casts = if keeps_casts { run.casts } else { 0.0 };

    let loss = Moment {
        name: "backward of the loss",
        terms: Terms {
            activations: run.kept + run.final_norm + casts + run.dequantised_head,
            logits: run.logits,
            weights: run.states.weights + run.gathered,
            ..base(gradients_held)
        },
    };
    let in_layer = Moment {
        name: "backward of a layer",
        terms: Terms {
            activations: run.kept + run.kept_again + run.layer_bytes + run.dequantised + casts,
            weights: run.states.weights + run.gathered,
            ..base(gradients_held)
        },
    };
    let temporaries = end_temporaries(a, t, &p, &run);
    let end_base = base(if t.fused_backward { 0.0 } else { 1.0 });
    let end = Moment {
        name: "end of the backward pass and the step",
        terms: Terms { framework: end_base.framework + temporaries, ..end_base },
    };
    let mut moments = vec![loss, in_layer, end];
    // Autocast caches its casts of trained weights only, and for the forward pass.
    if p.casts && !keeps_casts && !t.method.trains_adapters() {
        moments.push(Moment {
            name: "end of the forward pass",
            terms: Terms {
                activations: run.kept + run.casts,
                logits: (p.logits + 8.0) * logit_count(a, t, &run),
                ..base(gradients_held)
            },
        });
    }
    moments.extend(t.evaluation_batch.map(|batch| evaluation(a, t, &run, batch, base(0.0))));
    if t.details.loads_whole {
        moments.push(Moment {
            name: LOADING,
            terms: Terms {
                weights: run.states.whole + run.states.weights + run.gathered,
                ..Terms::default()
            },
        });
    }
    let persistent = base(gradients_held).total();
    let reserved = reserved(setup, t, &run, persistent, end.terms.total() - persistent);
    Need { moments, reserved, outside: collectives(setup) }
}

/// Returns the moment of an evaluation: no gradients, one layer's activations at a time, but logits of
/// every token, their FP32 copy and its log-probabilities (10 bytes; transformers `loss_utils.py`).
fn evaluation(a: &Architecture, t: &Training, run: &Run, batch: u32, base: Terms) -> Moment {
    let tokens = f64::from(batch) * f64::from(t.sequence) / run.division.context;
    let w = Widths::of(a);
    let logits = match t.loss {
        Loss::Eager => 10.0 * w.vocab * tokens,
        Loss::Fused => 0.0,
        Loss::Chunked(chunk) => 10.0 * w.vocab * tokens.min(f64::from(chunk)),
    };
    let layer = 2.0 * (3.0 * w.feed_forward + 3.0 * w.hidden) * tokens;
    Moment {
        name: "evaluation",
        terms: Terms {
            activations: layer / run.division.tensor,
            logits: logits / run.division.tensor,
            weights: run.states.weights + run.gathered,
            ..base
        },
    }
}

/// Returns what collectives take beside the allocator. Copies of adapters exchange little (DDP), and
/// so do stages of a pipeline.
fn collectives(setup: &Setup) -> f64 {
    match setup.parallelism.data.max(setup.parallelism.tensor) {
        0 | 1 => 0.0,
        2 => COLLECTIVES,
        _ => MORE_COLLECTIVES,
    }
}

/// Puts together what the moments share.
fn run(a: &Architecture, setup: &Setup, t: &Training, p: &Precision) -> Run {
    let w = Widths::of(a);
    let division = division(a, setup);
    let whole = states(a, setup, t, p);
    let mut states = shard(setup, whole);
    states.gradients += waiting_gradients(setup, &whole);
    let tokens = f64::from(t.micro_batch) * f64::from(t.sequence) / division.context;
    let layers = w.layers / division.pipeline;
    let layer = activations::layer(a, setup, t, p);
    let saved = layer.saved * tokens / division.tensor;
    let full = t.checkpointing == Checkpointing::Full;
    let stored = layers * layer.stored * tokens / division.tensor * division.in_flight;
    let host = full && t.details.offloads_activations;
    let (kept, recomputed) = match t.checkpointing {
        // Two layers' inputs are on their way to the host and back.
        Checkpointing::Full if host => (stored / layers.max(1.0) * 2.0, saved),
        Checkpointing::Off => (layers * saved * division.in_flight, 0.0),
        Checkpointing::Selective => {
            (layers * layer.selective * tokens / division.tensor * division.in_flight, 0.0)
        }
        Checkpointing::Full => (stored, saved),
    };
    let lora = t.method.trains_adapters();
    let fsdp = setup.parallelism.sharding == Sharding::Fsdp && setup.parallelism.data > 1;
    let count = w.vocab / division.tensor * tokens;
    let (logits, reserved_logits) = match t.loss {
        Loss::Eager => (1.0, 1.0),
        Loss::Fused => (0.0, 0.0),
        Loss::Chunked(chunk) => {
            let part = if tokens > 0.0 { (f64::from(chunk) / tokens).min(1.0) } else { 1.0 };
            (part, part)
        }
    };
    let held = if t.details.holds_logits { p.logits } else { 0.0 };
    let beside = held + families::in_training(a, t).logit_training;
    let (matrix, ends) = gathered(a, setup, t, p);
    let transient = layer.transient * tokens / division.tensor;
    Run {
        states,
        tokens,
        kept,
        layer_bytes: recomputed + transient,
        // Seen in every run of adapters under FSDP with checkpointing of one source (three bases,
        // four models), cause unknown: the backward pass of a layer finds the inputs twice.
        kept_again: if fsdp && lora && full { stored } else { 0.0 },
        gathered: matrix + ends,
        final_norm: p.final_norm * w.hidden * tokens,
        logits: logits * (t.details.logits.bytes() + beside) * count,
        reserved_logits: reserved_logits * (t.details.logits.reserved_bytes() + beside) * count,
        casts: states.casts,
        dequantised: activations::dequantised(a, setup, t),
        dequantised_head: if t.details.quantises_head && setup.weights.bits_per_weight() < 16.0 {
            2.0 * w.hidden * w.vocab
        } else {
            0.0
        },
        division,
    }
}

fn logit_count(a: &Architecture, t: &Training, run: &Run) -> f64 {
    match t.loss {
        Loss::Fused => 0.0,
        _ => f64::from(a.vocab) / run.division.tensor * run.tokens,
    }
}

/// Returns what the allocator holds at its peak.
///
/// Logits and a layer's activations peak one after the other, but their blocks differ in size and
/// are not given back, so that the allocator holds both; where no logits exist, a share of the
/// activations is lost to fragments.
fn reserved(setup: &Setup, t: &Training, run: &Run, persistent: f64, step: f64) -> f64 {
    let layer = run.layer_bytes + run.dequantised;
    let casts = if t.checkpointing == Checkpointing::Full { 0.0 } else { run.casts };
    let summed =
        run.kept + run.final_norm + run.kept_again.max(run.reserved_logits) + layer + casts;
    let alone = run.kept + casts + (run.final_norm + run.logits).max(run.kept_again + layer);
    let varied = if t.details.lengths_vary { VARIED * alone } else { 0.0 };
    let activations = summed.max((1.0 + FRAGMENTED) * alone) + varied;
    let flat = setup.parallelism.data > 1
        && setup.parallelism.sharding != Sharding::None
        && !t.method.trains_adapters();
    let share = if flat { 1.0 } else { STEP_ON_ACTIVATIONS };
    let steps = if t.method.trains_adapters() { 0.0 } else { step + share * activations };
    (1.0 + LEAN) * (persistent + (run.gathered + activations).max(steps).max(step))
}

/// Returns temporaries at the end of the backward pass and of the step.
fn end_temporaries(a: &Architecture, t: &Training, p: &Precision, run: &Run) -> f64 {
    let w = Widths::of(a);
    let embedding = w.vocab * w.hidden / run.division.tensor;
    let lora = t.method.trains_adapters();
    let tied = if a.tied && !lora { 2.0 * embedding * p.weight } else { 0.0 };
    // GaLore's optimiser is a loop over the parameters, whatever the stack's own does.
    let kernel = match t.method {
        Method::GaLore { .. } => StepKernel::ForLoop,
        _ => t.details.step,
    };
    let step = match kernel {
        StepKernel::Fused => 0.0,
        StepKernel::ForEach => run.states.trained * p.gradient,
        StepKernel::ForLoop if lora => 0.0,
        StepKernel::ForLoop => {
            // The experts of a layer are one tensor, gate and up together (transformers 5).
            let experts =
                a.experts.map_or(0.0, |e| f64::from(e.experts) * f64::from(e.intermediate));
            let largest = embedding.max(w.hidden * w.feed_forward).max(2.0 * w.hidden * experts);
            2.0 * largest * p.weight
        }
    };
    step.max(tied)
}

/// Returns host memory that offloading needs, all cards of the machine together.
///
/// ZeRO with the optimiser in host memory: `parameters * max(4*cards, 16) * 1.5`, with the weights
/// there too `parameters * 18 * 1.5` (DeepSpeed `docs/code-docs/source/memory.rst`).
///
/// Paged optimisers live in memory that the driver moves to the host when the card is full: their
/// states. Offloaded activations wait there too, as what checkpointing keeps.
pub(super) fn host(a: &Architecture, setup: &Setup) -> Option<Bytes> {
    let cards = setup.parallelism;
    if !cards.offload_optimizer && !cards.offload_weights {
        let Work::Training(t) = &setup.work else { return None };
        let kept = if t.details.offloads_activations {
            let p = Precision::of(setup, t);
            let run = run(a, setup, t, &p);
            let layer = activations::layer(a, setup, t, &p);
            f64::from(a.layers) * layer.stored * run.tokens * f64::from(cards.cards())
        } else {
            0.0
        };
        let bytes = kept + spilled(a, setup, t) * f64::from(cards.cards());
        return (bytes > 0.0).then(|| Bytes::from_estimate(bytes));
    }
    let parameters = crate::parameters::count(a).total as f64;
    let bytes =
        if cards.offload_weights { 18.0 } else { (4.0 * f64::from(cards.cards())).max(16.0) };
    Some(Bytes::from_estimate(parameters * bytes * 1.5))
}

/// Returns what one card may move to the host without an option: the states of a paged optimiser.
pub(super) fn spilled(a: &Architecture, setup: &Setup, t: &Training) -> f64 {
    if !matches!(t.optimizer, Optimizer::PagedAdamW8bit | Optimizer::PagedAdamW32bit) {
        return 0.0;
    }
    let p = Precision::of(setup, t);
    let states = shard(setup, states(a, setup, t, &p));
    states.optimizer + states.trained * states::state_bytes(t.optimizer, p.adapter) * adapters_of(t)
}

/// Says with 1 that what is trained are adapters, whose states stand with them.
const fn adapters_of(t: &Training) -> f64 {
    if t.method.trains_adapters() { 1.0 } else { 0.0 }
}

pub(super) use activations::largest_matrix;
