//! Cards: what a GPU model can do, as facts with their source.

use crate::{Bytes, Source};
use std::{fmt, sync::Arc};

/// The id of a card model in the card table, for example `rtx-4090` or `a100-sxm-80`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CardId(Arc<str>);

impl CardId {
    /// Creates an id.
    pub fn new(id: &str) -> Self {
        Self(Arc::from(id))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// How the cards of one machine talk to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interconnect {
    /// NVLink bridges or an NVSwitch board (SXM).
    NvLink,
    /// PCI Express only.
    Pcie,
    /// Not stated by the source.
    Unknown,
}

/// A GPU model. `None` means unknown, never zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The id in the card table.
    pub id: CardId,
    /// What a person calls it, for example `GeForce RTX 4090`.
    pub display: String,
    /// The maker, in lower case: `nvidia`, `amd`, `huawei`...
    pub vendor: String,
    /// The architecture's name, for example `Ada Lovelace`.
    pub architecture: String,
    /// Memory as sold.
    pub memory: Bytes,
    /// Memory that a driver reports in total; what a job must fit into.
    pub usable_memory: Option<Bytes>,
    /// Memory bandwidth in bytes per second.
    pub bandwidth: Option<f64>,
    /// Plain FP32 rate in FLOP/s.
    pub fp32_flops: Option<f64>,
    /// Dense FP16/BF16 tensor rate in FLOP/s (FP32 accumulate where the source says so).
    pub tensor_flops: Option<f64>,
    /// Dense FP8 tensor rate in FLOP/s.
    pub fp8_flops: Option<f64>,
    /// Whether BF16 runs natively (compute capability 8.0 and above on NVIDIA).
    pub bf16: Option<bool>,
    /// CUDA compute capability, major and minor.
    pub compute_capability: Option<(u32, u32)>,
    /// NVLink bandwidth in bytes per second, both directions together; `Some(0.0)` when absent.
    pub nvlink: Option<f64>,
    /// PCI Express generation and width as stated, for example `4.0 x16`.
    pub pcie: Option<String>,
    /// Board power in watts.
    pub power_watts: Option<u32>,
    /// Whether the memory has error correction.
    pub ecc: Option<bool>,
    /// Where the row comes from.
    pub source: Source,
}

impl Card {
    /// Returns the memory that a job must fit into: what the driver reports, or, where that is
    /// unknown, the memory as sold less 3 % (the median gap of the cards whose figure is known).
    pub fn memory_for_jobs(&self) -> Bytes {
        self.usable_memory.unwrap_or_else(|| Bytes::new(self.memory.get() / 100 * 97))
    }
}
