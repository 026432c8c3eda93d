//! Memory: what a setup allocates, what the allocator reserves, what the driver shows, and the bound
//! to rent by.

mod bound;
mod families;
mod guide;
mod kv;
mod process;
mod serving;
mod terms;
mod training;
mod weights;
mod widths;

pub use guide::guide_rule;
pub use kv::kv_bytes_per_token;
pub use weights::weight_bytes;

use crate::{Architecture, Kind, MemoryEstimate, Setup, SizingError, Training, Work};
use kasuan_model::{Bytes, Card};

/// Estimates the memory that one card needs for a setup.
///
/// `card` sharpens what stands outside of the tensors, what an engine plans for, and how full the
/// card can get; without it middle values are used.
///
/// # Errors
/// [`SizingError::Zero`] where the model or the run has no size.
pub fn estimate(
    architecture: &Architecture,
    setup: &Setup,
    card: Option<&Card>,
) -> Result<MemoryEstimate, SizingError> {
    check(architecture, setup)?;
    let known;
    let setup = match &setup.work {
        Work::Training(Training { framework: Some(framework), .. }) => {
            known = framework.apply(setup);
            &known
        }
        _ => setup,
    };
    let need = match &setup.work {
        Work::Inference(i) => serving::need(architecture, setup, i, card),
        Work::Training(t) => training::need(architecture, setup, t),
    };
    let peak = need.worst();
    let breakdown = peak.terms.breakdown();
    let allocated = breakdown.total();
    let around = process::totals(&need, allocated.get() as f64, card);
    let (reserved, nvidia_smi) = (around.reserved, around.nvidia_smi);
    let reservation = match (&setup.work, card) {
        (Work::Inference(i), Some(card)) if architecture.kind == Kind::Generator => {
            let tokens =
                f64::from(i.concurrency) * f64::from(i.prompt.saturating_add(i.generated)).max(1.0);
            let per_token = peak.terms.kv_cache / tokens;
            serving::reservation(setup, i, card, &peak.terms, per_token)
        }
        _ => None,
    };
    let (allocated_upper, needed) = bound::bounds(architecture, setup, &peak, nvidia_smi);
    let needed = needed.max(nvidia_smi);
    let spilled = match &setup.work {
        Work::Training(t) => Bytes::new(training::spilled(architecture, setup, t) as u64),
        Work::Inference(_) => Bytes::ZERO,
    };
    Ok(MemoryEstimate {
        allocated,
        allocated_upper: allocated_upper.max(allocated),
        reserved: reserved.max(allocated),
        nvidia_smi: nvidia_smi.max(reserved).max(allocated),
        needed: needed.saturating_sub(spilled),
        upper: around.stops_at.map_or(needed, |end| needed.max(end)),
        breakdown,
        binding: peak.name,
        reservation,
        host: training::host(architecture, setup),
        confidence: bound::confidence(architecture, setup),
    })
}

/// Refuses models and runs without a size.
fn check(a: &Architecture, setup: &Setup) -> Result<(), SizingError> {
    let mut fields = vec![
        ("layers", a.layers),
        ("hidden", a.hidden),
        ("vocab", a.vocab),
        ("tensor", setup.parallelism.tensor),
        ("pipeline", setup.parallelism.pipeline),
        ("data", setup.parallelism.data),
    ];
    if a.attention_layers() > 0 {
        fields.extend([("heads", a.heads), ("kv_heads", a.kv_heads), ("head_dim", a.head_dim)]);
    }
    match &setup.work {
        Work::Inference(i) => fields.push(("concurrency", i.concurrency)),
        Work::Training(t) => {
            fields.push(("micro_batch", t.micro_batch));
            fields.push(("sequence", t.sequence));
        }
    }
    match fields.into_iter().find(|(_, value)| *value == 0) {
        Some((field, _)) => Err(SizingError::Zero { field }),
        None => Ok(()),
    }
}
