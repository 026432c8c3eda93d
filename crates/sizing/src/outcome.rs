//! What an estimate of memory says: three totals, their causes, and the bound to rent by.

use kasuan_model::{Bytes, Confidence};

/// Memory that one card needs, split into its causes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// Weights, scales included.
    pub weights: Bytes,
    /// Cached keys and values, and recurrent states.
    pub kv_cache: Bytes,
    /// Activations that are alive at the peak.
    pub activations: Bytes,
    /// Logits and the loss over the vocabulary.
    pub logits: Bytes,
    /// Gradients.
    pub gradients: Bytes,
    /// Optimiser states and master weights.
    pub optimizer: Bytes,
    /// Adapters with everything that belongs to them.
    pub adapters: Bytes,
    /// Workspaces and buffers of libraries inside the allocator.
    pub framework: Bytes,
}

/// What an engine takes at its start, whatever the requests need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// What it holds in total on one card; this is what monitoring shows.
    pub taken: Bytes,
    /// What of it caches keys and values.
    pub cache: Bytes,
    /// Tokens that fit that cache, all sequences together.
    pub tokens: u64,
}

/// The memory estimate of one card, in three totals that must not be confused.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryEstimate {
    /// What the tensors need at the peak (`max_memory_allocated`).
    pub allocated: Bytes,
    /// What the allocator holds at the peak (`max_memory_reserved`).
    pub reserved: Bytes,
    /// What the driver shows for the process (`nvidia-smi`).
    pub nvidia_smi: Bytes,
    /// The bound of the tensors alone: at least 95 % of measured peaks lie under it.
    pub allocated_upper: Bytes,
    /// The bound of what the driver shows: at least 95 % of measured runs of such setups lie under
    /// it.
    pub upper: Bytes,
    /// The bound to rent by: `upper`, except where the allocator would fill the whole card and gives
    /// its free blocks back when it reaches the end; then what it cannot do without. States of a
    /// paged optimiser move to the host and are not in it.
    pub needed: Bytes,
    /// The causes; they add up to `allocated`.
    pub breakdown: Breakdown,
    /// Which moment of the run is the peak, for example `backward of the loss`.
    pub binding: &'static str,
    /// What an engine that takes a share of the card at the start will hold; needs the card.
    pub reservation: Option<Reservation>,
    /// Memory of the host that offloading and paging need.
    pub host: Option<Bytes>,
    /// How far the estimate may be trusted.
    pub confidence: Confidence,
}
