//! The bound to rent by: the likely value and what each cause of memory may be off by.
//!
//! Every cause has its own share, the same for every source: what is counted (weights, cache,
//! states) gets little, what kernels and the allocator decide gets more, and a cause that the setup
//! leaves open (which program trains, how long its samples are, what a configuration does not say)
//! adds its own. The shares were searched for on the development runs, source tables counted
//! equally, and rounded up; `docs/accuracy.md` says what they cover when a source is left out.

use super::{terms::Moment, training::LOADING};
use crate::{Architecture, Checkpointing, Evidence, Method, Setup, Training, Work};
use kasuan_model::{Bytes, Confidence};

const GIB: f64 = 1_073_741_824.0;

/// What the causes of an estimate may be off by.
#[derive(Clone, Copy)]
struct Shares {
    /// Of weights, cache, gradients, optimiser states.
    counted: f64,
    /// Of activations and logits.
    kernels: f64,
    /// Of what stands between tensors and the total.
    gap: f64,
    /// Whatever the size.
    fixed: f64,
}

/// Generating and serving: only kernels' temporaries are uncertain.
const SERVING: Shares = Shares { counted: 0.03, kernels: 0.05, gap: 0.0, fixed: 0.1 * GIB };

/// Tensors of a training run of a known program with known lengths: their peaks are at most
/// 4 % of activations above the likely value in every table but one.
const TENSORS: Shares = Shares { counted: 0.03, kernels: 0.08, gap: 0.0, fixed: 0.2 * GIB };

/// The whole process: the allocator and the driver decide beside the tensors.
const PROCESS: Shares = Shares { counted: 0.04, kernels: 0.04, gap: 0.2, fixed: 0.2 * GIB };

/// Tensors where batches differ in length and only the longest is known.
const VARIED_LENGTHS: f64 = 0.08;

/// Activations and logits of a program that is not in the table of stacks: the paths from logits to
/// a loss alone differ by half. More would cover little more: what no share covers is what a program
/// does that no other does (metrics on full logits, three copies of the weights).
const UNKNOWN_PROGRAM: f64 = 0.12;

/// What of this is added for a program whose row was read from its code and not measured.
const READ_ONLY: f64 = 0.5;

/// Weights while they are loaded whole before they are sharded.
const WHILE_LOADING: f64 = 0.08;

/// Activations where only some operations are recomputed, and the compiler decides with the policy
/// which.
const SELECTIVE: f64 = 0.15;

/// States of methods that were checked on one table only.
const RARE_METHODS: f64 = 0.15;

/// Weights of a configuration with fields that no file confirms.
const UNVERIFIED: f64 = 0.03;

/// Everything, where only the parameters are known and the shape is a typical one.
const SHAPE_ASSUMED: f64 = 0.15;

/// Returns the bounds of the tensors and of the whole process.
pub(super) fn bounds(
    a: &Architecture,
    setup: &Setup,
    peak: &Moment,
    nvidia_smi: Bytes,
) -> (Bytes, Bytes) {
    let terms = &peak.terms;
    let allocated = terms.total();
    let process = nvidia_smi.get() as f64;
    let kernels = terms.activations + terms.logits;
    let share = |shares: Shares, gap: f64| {
        shares.counted * (allocated - kernels)
            + shares.kernels * kernels
            + shares.gap * gap
            + shares.fixed
    };
    let open = open_causes(a, setup, peak);
    let (tensors, whole) = match &setup.work {
        Work::Inference(_) => (share(SERVING, 0.0), share(SERVING, 0.0)),
        Work::Training(t) => {
            let varied = if t.details.lengths_vary { VARIED_LENGTHS * kernels } else { 0.0 };
            let gap = (process - allocated).max(0.0);
            (share(TENSORS, 0.0) + varied, share(PROCESS, gap))
        }
    };
    let tensors = allocated + tensors + open;
    // What the tensors may need stands in the process too, even where its own range is narrower.
    (Bytes::from_estimate(tensors), Bytes::from_estimate((process + whole + open).max(tensors)))
}

/// Returns what the causes add that the setup or the configuration leaves open.
fn open_causes(a: &Architecture, setup: &Setup, peak: &Moment) -> f64 {
    let terms = &peak.terms;
    let unverified = if a.unverified.is_empty() { 0.0 } else { UNVERIFIED * terms.weights };
    let shape = if a.shape_assumed { SHAPE_ASSUMED * terms.total() } else { 0.0 };
    let run = match &setup.work {
        Work::Inference(_) => 0.0,
        Work::Training(t) => open_in_training(t, peak),
    };
    unverified + shape + run
}

fn open_in_training(t: &Training, peak: &Moment) -> f64 {
    let terms = &peak.terms;
    let states = match t.method {
        Method::Full | Method::Lora { .. } => 0.0,
        _ => RARE_METHODS * (terms.optimizer + terms.gradients),
    };
    let loading = if peak.name == LOADING { WHILE_LOADING * terms.weights } else { 0.0 };
    let unknown = match t.details.program {
        Evidence::Measured => 0.0,
        Evidence::Code => READ_ONLY,
        Evidence::Assumed => 1.0,
    };
    let program = unknown * UNKNOWN_PROGRAM * (terms.activations + terms.logits);
    let policy = t.checkpointing == Checkpointing::Selective && !t.details.keeps_matrix_products;
    let selective = if policy { SELECTIVE * terms.activations } else { 0.0 };
    states + loading + program + selective
}

/// Returns how far an estimate may be trusted.
pub(super) fn confidence(a: &Architecture, setup: &Setup) -> Confidence {
    if !a.unverified.is_empty() || a.shape_assumed {
        return Confidence::Low;
    }
    match &setup.work {
        Work::Inference(_) => Confidence::High,
        Work::Training(t) => match t.method {
            Method::Full | Method::Lora { .. } if a.experts.is_none() => Confidence::High,
            Method::Full | Method::Lora { .. } => Confidence::Medium,
            _ => Confidence::Low,
        },
    }
}
