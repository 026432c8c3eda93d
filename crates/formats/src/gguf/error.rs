//! Why a GGUF file cannot be read.

use crate::safetensors::Flaw;
use kasuan_model::{Phrase, Phrased};
use std::io;

/// Why a GGUF file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GgufError {
    /// The file cannot be read.
    #[error("the file cannot be read")]
    Io(#[source] io::Error),
    /// The file does not begin with `GGUF`.
    #[error("the file does not begin with `GGUF`")]
    NotGguf,
    /// The file was written for machines with the other byte order.
    #[error("the file is big-endian")]
    BigEndian,
    /// The version is not 2 or 3.
    #[error("version {version} of GGUF is not known")]
    Version {
        /// What the file says.
        version: u32,
    },
    /// The file ends within its metadata or table.
    #[error("the file ends after {found} bytes, within its metadata")]
    Truncated {
        /// Bytes that were there.
        found: u64,
    },
    /// A count is larger than any file's.
    #[error("the file claims {count} {what}, more than {most}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// What the file says.
        count: u64,
        /// The most that makes sense.
        most: u64,
    },
    /// A metadata value has an unknown type.
    #[error("a metadata value has the unknown type {kind}")]
    ValueType {
        /// The type's number.
        kind: u32,
    },
    /// A text is not UTF-8.
    #[error("a text in the metadata is not UTF-8")]
    Text,
    /// A tensor's entry contradicts itself.
    #[error("tensor `{name}` contradicts itself: {reason}")]
    Tensor {
        /// The tensor.
        name: String,
        /// What is wrong.
        reason: Flaw,
    },
    /// A tensor has an unknown type.
    #[error("tensor `{name}` has the unknown type {kind}")]
    TensorType {
        /// The tensor.
        name: String,
        /// The type's number.
        kind: u32,
    },
    /// A metadata key that the size depends on is missing.
    #[error("`{key}` is missing from the metadata")]
    Missing {
        /// The key.
        key: String,
    },
}

impl Phrased for GgufError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Io(cause) => Phrase::new("sizing-weights-io").with_io("reason", cause),
            Self::NotGguf => Phrase::new("sizing-gguf-not-gguf"),
            Self::BigEndian => Phrase::new("sizing-gguf-big-endian"),
            Self::Version { version } => {
                Phrase::new("sizing-gguf-version").with("version", version)
            }
            Self::Truncated { found } => Phrase::new("sizing-gguf-truncated").with("found", found),
            Self::TooMany { what, count, most } => Phrase::new("sizing-gguf-too-many")
                .with("what", what)
                .with("count", count)
                .with("most", most),
            Self::ValueType { kind } => Phrase::new("sizing-gguf-value-type").with("kind", kind),
            Self::Text => Phrase::new("sizing-gguf-text"),
            Self::Tensor { name, reason } => Phrase::new("sizing-weights-tensor")
                .with("name", name)
                .with_word("reason", reason.key()),
            Self::TensorType { name, kind } => {
                Phrase::new("sizing-gguf-tensor-type").with("name", name).with("kind", kind)
            }
            Self::Missing { key } => Phrase::new("sizing-gguf-missing").with("key", key),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Missing { .. } | Self::TensorType { .. } => Vec::new(),
            _ => vec![Phrase::new("sizing-weights-hint")],
        }
    }
}
