//! What the links between cards cost.

use super::{Coefficients, Hardware};
use kasuan_model::Interconnect;

/// The links of one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Links {
    /// NVLink or an equal (HCCS) between all cards.
    fast: bool,
    /// NVLink between the two cards of a pair.
    bridged: bool,
    nvlink: f64,
}

impl Links {
    /// Resolves what the offer says against what the card has; where nothing is said, NVLink is
    /// assumed only for cards that have at least 300 GB/s of it (SXM boards, not bridges).
    pub(super) fn of(hardware: &Hardware, interconnect: Interconnect) -> Self {
        let fast = match interconnect {
            Interconnect::NvLink => true,
            Interconnect::Pcie => false,
            Interconnect::Unknown => hardware.nvlink >= 3e11 && !hardware.bridged,
        };
        // An offer that says NVLink on a card without a stated figure gets the smallest SXM rate.
        let nvlink = if hardware.nvlink > 0.0 { hardware.nvlink } else { 4e11 };
        Self { fast, bridged: hardware.bridged, nvlink }
    }

    /// Says whether so many cards are linked by NVLink.
    pub(super) fn fast(&self, cards: f64) -> bool {
        self.fast || (self.bridged && cards <= 2.0)
    }

    /// Returns the bus bandwidth of a ring all-reduce over `cards` cards in bytes per second.
    pub(super) fn bus(&self, cards: f64, c: &Coefficients) -> f64 {
        if self.fast(cards) {
            self.nvlink * c.interconnect.nvlink_share
        } else {
            // Rings over a shared root lose bandwidth with every further pair.
            c.interconnect.pcie_bus
                / (1.0 + c.interconnect.pcie_crowding * (cards / 2.0).log2().max(0.0))
        }
    }

    /// Returns the seconds of one all-reduce of `bytes` over `cards` cards.
    pub(super) fn all_reduce(&self, cards: f64, bytes: f64, c: &Coefficients) -> f64 {
        if cards <= 1.0 {
            return 0.0;
        }
        let latency = if self.fast(cards) {
            c.interconnect.nvlink_latency
        } else {
            c.interconnect.pcie_latency
        };
        // A ring passes every card but one on the way in and on the way out.
        latency * (cards - 1.0) + 2.0 * bytes * (cards - 1.0) / cards / self.bus(cards, c)
    }

    /// Returns the seconds to gather or scatter `bytes` of states among `cards` copies.
    pub(super) fn exchange(&self, cards: f64, bytes: f64, c: &Coefficients) -> f64 {
        if cards <= 1.0 { 0.0 } else { bytes * (cards - 1.0) / cards / self.bus(cards, c) }
    }
}
