//! Memory: what a setup allocates, what the allocator reserves, what the driver shows, and the bound
//! to rent by.

mod guide;
mod inference;
mod kv;
mod process;
mod terms;
mod training;
mod weights;
mod widths;

pub use guide::guide_rule;
pub use kv::{kv_bytes, kv_bytes_per_token};
pub use weights::weight_bytes;

use crate::{Architecture, MemoryEstimate, Setup, SizingError, Work};
use kasuan_model::{Bytes, Card, Confidence};

/// Estimates the memory that one card needs for a setup.
///
/// `card` sharpens what stands outside of the tensors; without it a middle value is used.
///
/// # Errors
/// [`SizingError::Zero`] where the model or the run has no size.
pub fn estimate(
    architecture: &Architecture,
    setup: &Setup,
    card: Option<&Card>,
) -> Result<MemoryEstimate, SizingError> {
    check(architecture, setup)?;
    let moments = match &setup.work {
        Work::Inference(i) => inference::moments(architecture, setup, i),
        Work::Training(t) => training::moments(architecture, setup, t),
    };
    let peak = terms::worst(&moments);
    let breakdown = peak.terms.breakdown();
    let allocated = breakdown.total();
    let reserved = Bytes::from_estimate(process::reserved(setup, allocated.get() as f64));
    let nvidia_smi = Bytes::from_estimate(process::nvidia_smi(card, reserved.get() as f64));
    Ok(MemoryEstimate {
        allocated,
        reserved: reserved.max(allocated),
        nvidia_smi: nvidia_smi.max(reserved).max(allocated),
        upper: Bytes::from_estimate(nvidia_smi.get() as f64 * 1.15),
        breakdown,
        binding: peak.name,
        host: None,
        confidence: Confidence::Medium,
    })
}

/// Refuses models and runs without a size.
fn check(a: &Architecture, setup: &Setup) -> Result<(), SizingError> {
    let mut fields = vec![
        ("layers", a.layers),
        ("hidden", a.hidden),
        ("heads", a.heads),
        ("kv_heads", a.kv_heads),
        ("head_dim", a.head_dim),
        ("vocab", a.vocab),
        ("tensor", setup.parallelism.tensor),
        ("pipeline", setup.parallelism.pipeline),
        ("data", setup.parallelism.data),
    ];
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
