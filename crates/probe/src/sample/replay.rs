//! Samples out of a capture file, one after the other.

use super::{SampleError, Sampler};
use crate::capture::{self, Snapshot};

/// A capture played back.
#[derive(Clone, Debug)]
pub struct Replay {
    left: std::vec::IntoIter<Snapshot>,
}

impl Replay {
    /// Reads a capture; `columns` names the columns of a CSV file without header.
    pub fn new(text: &str, columns: Option<&[&str]>) -> Result<Self, SampleError> {
        let capture = capture::read(text, columns)?;
        if capture.snapshots.is_empty() && !capture.jobs.is_empty() {
            return Err(SampleError::Jobs);
        }
        Ok(Self { left: capture.snapshots.into_iter() })
    }
}

impl Sampler for Replay {
    fn sample(&mut self) -> Result<Snapshot, SampleError> {
        self.left.next().ok_or(SampleError::End)
    }

    fn name(&self) -> &'static str {
        "file"
    }
}
