//! Sampling cards: one trait, three back ends (NVML, `nvidia-smi` here or by ssh, a capture file).

mod nvml;
mod replay;
mod smi;
pub mod who;

pub use nvml::Nvml;
pub use replay::Replay;
pub use smi::Smi;

use crate::{
    capture::{CaptureError, Snapshot},
    machine::Programs,
};
use kasuan_model::{Phrase, Phrased};
use std::path::Path;

/// Where samples come from.
pub trait Sampler {
    /// Takes one sample of every card.
    fn sample(&mut self) -> Result<Snapshot, SampleError>;

    /// Returns the back end's name: `nvml`, `nvidia-smi`, `file`.
    fn name(&self) -> &'static str;
}

/// Why no sample was taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// No driver: neither its library nor its program is there.
    #[error("no NVIDIA driver: {0}")]
    NoDriver(String),
    /// A call of the driver's library failed.
    #[error("{call}: {reason}")]
    Call {
        /// The function.
        call: &'static str,
        /// What the library says.
        reason: String,
    },
    /// `nvidia-smi` could not be run, or not reached.
    #[error("`{0}` gave no answer")]
    Silent(String),
    /// The capture could not be read.
    #[error("the capture cannot be read")]
    Capture(#[from] CaptureError),
    /// The capture lists jobs and holds no sample of a card.
    #[error("the capture lists jobs and holds no sample of a card")]
    Jobs,
    /// The capture has no more samples.
    #[error("the capture has no more samples")]
    End,
}

impl Phrased for SampleError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::NoDriver(_) => Phrase::new("sample-no-driver"),
            Self::Call { call, reason } => {
                Phrase::new("sample-call-failed").with("call", call).with("reason", reason)
            }
            Self::Silent(command) => Phrase::new("sample-silent").with("command", command),
            Self::Capture(error) => error.phrase(),
            Self::Jobs => Phrase::new("sample-jobs"),
            Self::End => Phrase::new("sample-end"),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::NoDriver(_) => vec![Phrase::new("machine-no-driver-fix")],
            Self::Capture(error) => error.hints(),
            Self::Jobs => vec![Phrase::new("sample-hint-jobs")],
            _ => Vec::new(),
        }
    }
}

/// Opens the driver's library, or `nvidia-smi` where that fails. `library` overrides where the
/// library is looked for.
pub fn open<P: Programs + Send + 'static>(
    library: Option<&Path>,
    programs: P,
) -> Result<Box<dyn Sampler + Send>, SampleError> {
    match Nvml::open(library) {
        Ok(nvml) => Ok(Box::new(nvml)),
        Err(error) => {
            let mut smi = Smi::new(programs, None);
            // The first error says more about why there is nothing to see.
            smi.sample().map_err(|_| error)?;
            Ok(Box::new(smi))
        }
    }
}
