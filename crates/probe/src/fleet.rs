//! Use of a whole fleet, summed by the user's own Prometheus or VictoriaMetrics: the questions to
//! ask, and the hours that the answers make. Nothing here opens a connection.

mod hours;
mod question;

pub use hours::{FleetError, Hours};
pub use question::{Labels, Page, Question, known_metrics, questions};

/// What a metric tells of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gauge {
    /// Share of time in which any kernel ran.
    Busy,
    /// Share of multiprocessors at work.
    Sm,
    /// Watts.
    Power,
    /// Bytes in use.
    MemoryUsed,
    /// Bytes free.
    MemoryFree,
    /// Bytes in all.
    MemoryTotal,
    /// Only that a part of the card was there: a MIG slice has no share of the whole card's time.
    Slice,
    /// Only the card's name.
    Info,
}

/// Which exporter a metric comes from, in the order of trust where several watch one card: DCGM knows
/// the pod that had it and how many multiprocessors worked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exporter {
    Dcgm,
    Kasuan,
    NvidiaSmi,
    Nvitop,
}

impl Exporter {
    fn of(metric: &str) -> Self {
        match metric {
            name if name.starts_with("DCGM_") => Self::Dcgm,
            name if name.starts_with("kasuan_") => Self::Kasuan,
            name if name.starts_with("nvidia_smi_") => Self::NvidiaSmi,
            _ => Self::Nvitop,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Dcgm => "dcgm-exporter",
            Self::Kasuan => "kasuan agent",
            Self::NvidiaSmi => "nvidia_gpu_exporter",
            Self::Nvitop => "nvitop-exporter",
        }
    }
}
