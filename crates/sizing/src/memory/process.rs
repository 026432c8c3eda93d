//! What stands outside of the tensors: the allocator's slack, and the process's CUDA context.

use crate::{Setup, Work};
use kasuan_model::Card;

/// Bytes of a CUDA context with its libraries, where the card's is not known: 0.5 GiB, between the
/// 141 MiB of a T4 and the 700 MiB of an A6000 or B200.
const CONTEXT: f64 = 0.5 * 1024.0 * 1024.0 * 1024.0;

/// Returns what the allocator holds for `allocated` bytes of tensors at the peak.
pub(super) fn reserved(setup: &Setup, allocated: f64) -> f64 {
    let slack = match setup.work {
        Work::Inference(_) => 1.02,
        Work::Training(_) => 1.06,
    };
    allocated * slack
}

/// Returns what the driver shows for a process that holds `reserved` bytes.
pub(super) fn nvidia_smi(_card: Option<&Card>, reserved: f64) -> f64 {
    reserved + CONTEXT
}
