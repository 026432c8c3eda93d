//! Parquet: tables of text from any file, and the raw samples that kasuan keeps itself.
//!
//! Written and read without Arrow, whose arrays nothing here needs.

mod samples;
mod table;

pub use samples::{Sample, read_samples, write_samples};
pub(crate) use table::{is, table};

/// A file that cannot be read or written as Parquet; the reason is the library's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ColumnarError(pub String);

impl From<parquet::errors::ParquetError> for ColumnarError {
    fn from(error: parquet::errors::ParquetError) -> Self {
        Self(error.to_string())
    }
}
