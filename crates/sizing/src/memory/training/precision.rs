//! The numbers that a training run uses, in bytes.

use crate::{Recipe, Setup, Sharding, Training, WeightFormat, memory::weights};

/// Bytes of the numbers that a run uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Precision {
    /// Weights that are trained, or the base of adapters.
    pub(super) weight: f64,
    /// Gradients of what is trained.
    pub(super) gradient: f64,
    /// The hidden stream between layers.
    pub(super) stream: f64,
    /// What matrices are multiplied in.
    pub(super) compute: f64,
    /// Whether autocast copies FP32 matrices and keeps the copies.
    pub(super) casts: bool,
    /// Adapter weights.
    pub(super) adapter: f64,
    /// How the input of an adapter is kept.
    pub(super) adapter_input: AdapterInput,
    /// Logits as the model returns them.
    pub(super) logits: f64,
    /// What the last norm keeps for each channel.
    pub(super) final_norm: f64,
}

/// How the input of an adapter is kept for the backward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AdapterInput {
    /// An FP32 copy for each adapter.
    Copied32,
    /// A 16-bit copy of that copy, which autocast makes.
    Copied16,
    /// The layer's own input, kept anyway.
    Shared,
}

impl Precision {
    pub(super) fn of(setup: &Setup, t: &Training) -> Self {
        if t.method.trains_adapters() { adapters(setup, t) } else { full(setup, t) }
    }
}

fn adapters(setup: &Setup, t: &Training) -> Precision {
    let quantised = weights::bits(setup.weights).matrix < 16.0;
    let fp32_base = setup.weights == WeightFormat::Fp32;
    let upcast = quantised && t.details.upcasts_unquantised;
    let autocast = t.details.autocast || t.recipe == Recipe::Autocast;
    let stream = if fp32_base || upcast { 4.0 } else { 2.0 };
    let adapter = if t.details.fp32_adapters { 4.0 } else { 2.0 };
    let adapter_input = if stream >= adapter {
        AdapterInput::Shared
    } else if autocast {
        AdapterInput::Copied16
    } else {
        AdapterInput::Copied32
    };
    Precision {
        weight: if fp32_base { 4.0 } else { 2.0 },
        gradient: adapter,
        stream,
        compute: if fp32_base && !autocast { 4.0 } else { 2.0 },
        casts: fp32_base && autocast,
        adapter,
        adapter_input,
        logits: stream,
        final_norm: 4.0,
    }
}

fn full(setup: &Setup, t: &Training) -> Precision {
    // FSDP keeps FP32 shards and gathers 16-bit copies of one layer at a time: no cache of casts,
    // and a 16-bit stream.
    let fsdp = setup.parallelism.sharding == Sharding::Fsdp;
    let (weight, gradient, stream, compute, casts) = match t.recipe {
        Recipe::Fp32 => (4.0, 4.0, 4.0, 4.0, false),
        Recipe::Autocast if fsdp => (4.0, 4.0, 2.0, 2.0, false),
        Recipe::Autocast => (4.0, 4.0, 4.0, 2.0, true),
        Recipe::PureBf16 => (2.0, 2.0, 2.0, 2.0, false),
        Recipe::MasterFp32 => (2.0, 4.0, 2.0, 2.0, false),
    };
    Precision {
        weight,
        gradient,
        stream,
        compute,
        casts,
        adapter: weight,
        adapter_input: AdapterInput::Shared,
        logits: compute,
        final_norm: 8.0,
    }
}
