//! What stands outside of the tensors: the CUDA context, and how full a card can get.

use super::terms::Need;
use kasuan_model::{Bytes, Card};

const GIB: f64 = 1_073_741_824.0;

/// Bytes of a CUDA context with its libraries where the card is not known: between the 0.14 GiB of a
/// T4 and the 0.7 of an A6000, near the latter as most rented cards are.
const CONTEXT: f64 = 0.6 * GIB;

/// Bytes of cuBLAS workspaces inside the allocator: the constant residual of 16 measured runs on an
/// A6000.
pub(super) const WORKSPACE: f64 = 17.0 * 1024.0 * 1024.0;

/// What vLLM calls non-torch memory on one card, beyond what was used before it started: 0.05 to
/// 0.16 GiB in public logs.
pub(super) const OUTSIDE_TORCH: f64 = 0.15 * GIB;

/// Share of a card's memory up to which a process was seen to grow.
const FILLED: f64 = 0.985;

/// Returns the context of a card's driver and libraries.
///
/// T4 141 MiB (69 runs), A6000 702 to 710 MiB, H100 0.61 GiB, B200 0.70 GiB.
pub(super) fn context(card: Option<&Card>) -> f64 {
    match card.map(|card| card.architecture.as_str()) {
        Some("Turing" | "Volta" | "Pascal") => 0.14 * GIB,
        Some("Blackwell") => 0.7 * GIB,
        _ => CONTEXT,
    }
}

/// What stands around the tensors of one card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Process {
    /// What the allocator holds.
    pub(super) reserved: Bytes,
    /// What the driver shows.
    pub(super) nvidia_smi: Bytes,
    /// Where the process stops growing, when its allocator would outgrow the card otherwise.
    pub(super) stops_at: Option<Bytes>,
}

/// Returns what the allocator holds and what the driver shows, within what the card has.
///
/// An allocator that would outgrow the card gives its free blocks back and tries again; measured
/// runs then lie between their tensors and the card's end, so the middle is returned.
pub(super) fn totals(need: &Need, allocated: f64, card: Option<&Card>) -> Process {
    let around = context(card) + need.outside;
    let mut reserved = need.reserved.max(allocated);
    let mut stops_at = None;
    if let Some(card) = card {
        let memory = card.memory_for_jobs().get() as f64;
        let room = memory * FILLED - around;
        if reserved > room && allocated < room {
            reserved = f64::midpoint(allocated, room);
            stops_at = Some(Bytes::from_estimate(memory));
        }
    }
    Process {
        reserved: Bytes::from_estimate(reserved),
        nvidia_smi: Bytes::from_estimate(reserved + around),
        stops_at,
    }
}
