//! Reads the header of a safetensors file: every tensor's name, type, shape and bytes, without its
//! weights.
//!
//! The layout (Hugging Face `safetensors` README): eight bytes with the header's length, the header
//! as JSON, then the tensors' bytes, which nothing here touches.

use crate::workload::syntax::cause;
use kasuan_model::{Phrase, Phrased};
use serde_json::Value;
use std::io::{self, Read};

/// The longest header that the reference implementation accepts.
const LONGEST_HEADER: u64 = 100_000_000;

/// A tensor as the header describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name, for example `model.layers.0.self_attn.q_proj.weight`.
    pub name: String,
    /// Its type as written, for example `BF16`.
    pub dtype: String,
    /// Its elements; packed formats hold several weights in one.
    pub elements: u64,
    /// Its bytes in the file.
    pub bytes: u64,
}

/// Why a safetensors header cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SafetensorsError {
    /// The file cannot be read.
    #[error("the file cannot be read")]
    Io(#[from] io::Error),
    /// The file ends before it should.
    #[error("the file has {found} bytes, its header says {expected}")]
    Truncated {
        /// Bytes that the header says there are.
        expected: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// The header is longer than any header.
    #[error("the header is said to have {length} bytes, more than {LONGEST_HEADER}")]
    HeaderTooLong {
        /// What the file says.
        length: u64,
    },
    /// The header is not what the format says.
    #[error("the header is broken: {reason}")]
    Broken {
        /// What is wrong.
        reason: String,
    },
    /// A tensor's entry contradicts itself.
    #[error("tensor `{name}` contradicts itself: {reason}")]
    Tensor {
        /// The tensor.
        name: String,
        /// What is wrong.
        reason: Flaw,
    },
}

/// What is wrong with a tensor's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// Its type, shape or place is missing or of the wrong kind.
    #[error("its type, shape or place is missing or no count")]
    Incomplete,
    /// Its shape multiplies to more than 64 bits hold.
    #[error("its shape overflows")]
    Overflow,
    /// It ends before it starts.
    #[error("it ends before it starts")]
    Backwards,
    /// Its shape does not match its bytes or the blocks of its type.
    #[error("its shape does not match its bytes")]
    Mismatch,
    /// It has more than 4 dimensions.
    #[error("it has more than 4 dimensions")]
    Dimensions,
}

impl Flaw {
    /// Returns the key of its words.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Incomplete => "sizing-flaw-incomplete",
            Self::Overflow => "sizing-flaw-overflow",
            Self::Backwards => "sizing-flaw-backwards",
            Self::Mismatch => "sizing-flaw-mismatch",
            Self::Dimensions => "sizing-flaw-dimensions",
        }
    }
}

impl Phrased for SafetensorsError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Io(cause) => Phrase::new("sizing-weights-io").with_io("reason", cause),
            Self::Truncated { expected, found } => Phrase::new("sizing-weights-truncated")
                .with("expected", expected)
                .with("found", found),
            Self::HeaderTooLong { length } => {
                Phrase::new("sizing-weights-header-too-long").with("length", length)
            }
            Self::Broken { reason } => {
                Phrase::new("sizing-weights-broken").with_word("reason", cause(reason))
            }
            Self::Tensor { name, reason } => Phrase::new("sizing-weights-tensor")
                .with("name", name)
                .with_word("reason", reason.key()),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        vec![Phrase::new("sizing-weights-hint")]
    }
}

/// Reads the header of a file of `file_bytes` bytes; tensors in the order of their bytes.
///
/// # Errors
/// What is wrong with the file, before anything is believed: a length that does not fit the file, a
/// tensor whose shape does not match its bytes.
pub fn header(reader: &mut impl Read, file_bytes: u64) -> Result<Vec<Tensor>, SafetensorsError> {
    let mut length = [0_u8; 8];
    if file_bytes < 8 {
        return Err(SafetensorsError::Truncated { expected: 8, found: file_bytes });
    }
    reader.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST_HEADER {
        return Err(SafetensorsError::HeaderTooLong { length });
    }
    if length > file_bytes - 8 {
        return Err(SafetensorsError::Truncated { expected: length + 8, found: file_bytes });
    }
    let mut text = Vec::new();
    reader.take(length).read_to_end(&mut text)?;
    if (text.len() as u64) < length {
        let found = text.len() as u64 + 8;
        return Err(SafetensorsError::Truncated { expected: length + 8, found });
    }
    let value: Value = serde_json::from_slice(&text)
        .map_err(|error| SafetensorsError::Broken { reason: error.to_string() })?;
    let Value::Object(entries) = value else {
        return Err(SafetensorsError::Broken { reason: "it is not an object".to_owned() });
    };
    let mut tensors = Vec::new();
    let mut last = 0_u64;
    for (name, entry) in entries.iter().filter(|(name, _)| *name != "__metadata__") {
        let (start, tensor) = tensor(name, entry)?;
        last = last.max(start.saturating_add(tensor.bytes));
        tensors.push((start, tensor));
    }
    if last > file_bytes - 8 - length {
        let expected = last.saturating_add(8).saturating_add(length);
        return Err(SafetensorsError::Truncated { expected, found: file_bytes });
    }
    tensors.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.name.cmp(&b.1.name)));
    Ok(tensors.into_iter().map(|(_, tensor)| tensor).collect())
}

/// Reads one entry: where its bytes start, and what it is.
fn tensor(name: &str, entry: &Value) -> Result<(u64, Tensor), SafetensorsError> {
    let wrong = |reason| SafetensorsError::Tensor { name: name.to_owned(), reason };
    let dtype = entry["dtype"].as_str().ok_or_else(|| wrong(Flaw::Incomplete))?;
    let shape = entry["shape"].as_array().ok_or_else(|| wrong(Flaw::Incomplete))?;
    let mut elements = 1_u64;
    for side in shape {
        let side = side.as_u64().ok_or_else(|| wrong(Flaw::Incomplete))?;
        elements = elements.checked_mul(side).ok_or_else(|| wrong(Flaw::Overflow))?;
    }
    let offsets = entry["data_offsets"].as_array().ok_or_else(|| wrong(Flaw::Incomplete))?;
    let (Some(start), Some(end), 2) = (
        offsets.first().and_then(Value::as_u64),
        offsets.get(1).and_then(Value::as_u64),
        offsets.len(),
    ) else {
        return Err(wrong(Flaw::Incomplete));
    };
    let bytes = end.checked_sub(start).ok_or_else(|| wrong(Flaw::Backwards))?;
    if let Some(bits) = bits(dtype) {
        let expected = elements.checked_mul(bits).ok_or_else(|| wrong(Flaw::Overflow))?;
        if expected.div_ceil(8) != bytes {
            return Err(wrong(Flaw::Mismatch));
        }
    }
    Ok((start, Tensor { name: name.to_owned(), dtype: dtype.to_owned(), elements, bytes }))
}

/// Returns the bits of an element; `None` for types that this version does not know.
fn bits(dtype: &str) -> Option<u64> {
    Some(match dtype {
        "F64" | "I64" | "U64" => 64,
        "F32" | "I32" | "U32" => 32,
        "BF16" | "F16" | "I16" | "U16" => 16,
        "F8_E4M3" | "F8_E5M2" | "F8_E8M0" | "I8" | "U8" | "BOOL" => 8,
        "F4" => 4,
        _ => return None,
    })
}
