//! Reads a GGUF file's metadata and tensor table (versions 2 and 3), without its weights.
//!
//! The layout is that of `docs/gguf.md` in ggml: a magic, a version, two counts, key-value pairs,
//! then a name, a shape, a type and an offset for each tensor.

mod architecture;
mod error;
mod reader;
#[cfg(test)]
mod tests;
mod types;

pub use error::GgufError;

use crate::safetensors::Flaw;
use kasuan_model::{Bytes, Phrase, Source};
use kasuan_sizing::{Architecture, WeightFormat};
use reader::Reader;
use std::{collections::BTreeMap, io::Read};

/// A value of the metadata; texts and arrays of texts keep only what the reader needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// Any other number.
    Number(f64),
    /// A switch.
    Flag(bool),
    /// A text.
    Text(String),
    /// An array of whole numbers, up to the first few thousand.
    Counts(Vec<u64>),
    /// The length of an array of something else.
    Array(u64),
}

/// A tensor of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name, for example `blk.0.attn_q.weight`.
    pub name: String,
    /// Its elements.
    pub elements: u64,
    /// Its bytes in memory.
    pub bytes: u64,
}

/// What a GGUF file says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Gguf {
    /// The metadata by key.
    pub metadata: BTreeMap<String, Value>,
    /// The tensors in the file's order.
    pub tensors: Vec<Tensor>,
}

/// A model read from a GGUF file.
#[derive(Clone, Debug, PartialEq)]
pub struct GgufModel {
    /// The configuration in the normal form.
    pub architecture: Architecture,
    /// The mix that the file states.
    pub stored: Option<WeightFormat>,
    /// Bytes of all tensors.
    pub weights: Bytes,
    /// What the reader should know.
    pub notes: Vec<Phrase>,
}

/// Tensors of the largest known models number a few thousand; a file that claims more is broken.
const MOST_TENSORS: u64 = 1 << 20;

/// More keys than any file has.
const MOST_KEYS: u64 = 1 << 16;

/// Reads the metadata and the tensor table of a file of `file_bytes` bytes.
///
/// # Errors
/// What is wrong with the file; nothing that it claims is allocated before it was read.
pub fn read(source: impl Read, file_bytes: u64) -> Result<Gguf, GgufError> {
    let mut reader = Reader::new(source, file_bytes);
    let magic = reader.bytes::<4>()?;
    if magic != *b"GGUF" {
        return Err(GgufError::NotGguf);
    }
    let version = reader.u32()?;
    match version {
        2 | 3 => {}
        _ if version.swap_bytes() <= 3 => return Err(GgufError::BigEndian),
        _ => return Err(GgufError::Version { version }),
    }
    let (tensors, keys) = (reader.u64()?, reader.u64()?);
    for (what, count, most) in [("tensors", tensors, MOST_TENSORS), ("keys", keys, MOST_KEYS)] {
        if count > most {
            return Err(GgufError::TooMany { what, count, most });
        }
    }
    let mut metadata = BTreeMap::new();
    for _ in 0..keys {
        let key = reader.text()?;
        let kind = reader.u32()?;
        let value = reader.value(kind)?;
        metadata.insert(key, value);
    }
    let mut table = Vec::new();
    for _ in 0..tensors {
        table.push(tensor(&mut reader)?);
    }
    Ok(Gguf { metadata, tensors: table })
}

fn tensor(reader: &mut Reader<impl Read>) -> Result<Tensor, GgufError> {
    let name = reader.text()?;
    let dimensions = reader.u32()?;
    if dimensions > 4 {
        return Err(GgufError::Tensor { name, reason: Flaw::Dimensions });
    }
    let mut elements = 1_u64;
    let mut overflows = false;
    for _ in 0..dimensions {
        let (product, overflow) = elements.overflowing_mul(reader.u64()?);
        elements = product;
        overflows |= overflow;
    }
    let kind = reader.u32()?;
    let _offset = reader.u64()?;
    if overflows {
        return Err(GgufError::Tensor { name, reason: Flaw::Overflow });
    }
    let Some((block, bytes)) = types::block(kind) else {
        return Err(GgufError::TensorType { name, kind });
    };
    if !elements.is_multiple_of(block) {
        return Err(GgufError::Tensor { name, reason: Flaw::Mismatch });
    }
    let Some(bytes) = (elements / block).checked_mul(bytes) else {
        return Err(GgufError::Tensor { name, reason: Flaw::Overflow });
    };
    Ok(Tensor { name, elements, bytes })
}

impl Gguf {
    /// Returns the bytes of all tensors.
    pub fn weights(&self) -> Bytes {
        self.tensors.iter().map(|tensor| Bytes::new(tensor.bytes)).sum()
    }

    /// Returns the elements of all tensors.
    pub fn parameters(&self) -> u64 {
        self.tensors.iter().fold(0, |sum, tensor| sum.saturating_add(tensor.elements))
    }

    /// Returns the configuration in the normal form, with the tensors' exact size.
    ///
    /// # Errors
    /// The metadata field that is missing.
    pub fn model(&self, id: &str, source: Source) -> Result<GgufModel, GgufError> {
        let (architecture, notes) = architecture::read(self, id, source)?;
        let stored = self.count("general.file_type").and_then(types::mix).map(WeightFormat::Gguf);
        Ok(GgufModel { architecture, stored, weights: self.weights(), notes })
    }

    /// Returns a whole number of the metadata.
    fn count(&self, key: &str) -> Option<u64> {
        match self.metadata.get(key)? {
            Value::Count(count) => Some(*count),
            // Files with different layers list one number a layer; the largest sizes them all.
            Value::Counts(counts) => counts.iter().copied().max(),
            _ => None,
        }
    }

    /// Says whether a tensor with this name is in the table.
    fn has(&self, name: &str) -> bool {
        self.tensors.iter().any(|tensor| tensor.name == name)
    }
}
