//! Sizes the safetensors files of a folder by their headers, or by the index that lists them.

use super::{LocalModelError, files};
use crate::safetensors::{self, Tensor};
use kasuan_model::{Bytes, Phrase};
use kasuan_sizing::WeightFormat;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    path::Path,
};

/// The list of weight files that Hugging Face writes beside them.
const INDEX: &str = "model.safetensors.index.json";

/// What the weight files say.
pub(super) struct Found {
    /// Bytes of all tensors.
    pub(super) bytes: Bytes,
    /// Parameters, where all tensors are stored as plain numbers and none is packed.
    pub(super) parameters: Option<u64>,
    /// Whether a head over the vocabulary is among them; `None` when that is not known.
    pub(super) has_head: Option<bool>,
    /// The format of most bytes, where it is a plain one.
    pub(super) stored: Option<WeightFormat>,
    /// What the reader should know.
    pub(super) notes: Vec<Phrase>,
}

/// Sizes the weights in a folder; `None` when there are none.
pub(super) fn size(path: &Path) -> Result<Option<Found>, LocalModelError> {
    let present = files(path, "safetensors")?;
    let listed = index(&path.join(INDEX))?;
    let names: BTreeSet<String> = present
        .iter()
        .filter_map(|file| file.file_name().map(|name| name.to_string_lossy().into_owned()))
        .collect();
    if let Some(listed) = &listed {
        let missing = listed.files.difference(&names).count();
        if missing > 0 {
            return Ok(listed.total.map(|total| listed.found(total, missing)));
        }
    }
    if present.is_empty() {
        return Ok(None);
    }
    let mut tensors = Vec::new();
    for file in &present {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
        // Folders keep other copies too (`consolidated.safetensors`); the index says which count.
        let counts = listed.as_ref().is_none_or(|listed| {
            listed.files.is_empty() || name.is_some_and(|name| listed.files.contains(&name))
        });
        if !counts {
            continue;
        }
        let mut open = File::open(file).map_err(|cause| LocalModelError::io(file, cause))?;
        let bytes = open.metadata().map_err(|cause| LocalModelError::io(file, cause))?.len();
        tensors.extend(
            safetensors::header(&mut open, bytes)
                .map_err(|cause| LocalModelError::Weights { path: file.clone(), cause })?,
        );
    }
    Ok(Some(summary(&tensors)))
}

fn summary(tensors: &[Tensor]) -> Found {
    let mut by_type: BTreeMap<&str, u64> = BTreeMap::new();
    for tensor in tensors {
        let bytes = by_type.entry(tensor.dtype.as_str()).or_default();
        *bytes = bytes.saturating_add(tensor.bytes);
    }
    let plain = by_type.keys().all(|dtype| matches!(*dtype, "BF16" | "F16" | "F32" | "F8_E4M3"));
    let most = by_type.iter().max_by_key(|(_, bytes)| **bytes).map(|(dtype, _)| *dtype);
    let elements = tensors.iter().fold(0_u64, |sum, tensor| sum.saturating_add(tensor.elements));
    Found {
        bytes: tensors.iter().map(|tensor| Bytes::new(tensor.bytes)).sum(),
        parameters: plain.then_some(elements),
        has_head: Some(tensors.iter().any(|tensor| is_head(&tensor.name))),
        stored: match most {
            Some("BF16") => Some(WeightFormat::Bf16),
            Some("F16") => Some(WeightFormat::Fp16),
            Some("F32") => Some(WeightFormat::Fp32),
            Some("F8_E4M3") => Some(WeightFormat::Fp8),
            _ => None,
        },
        notes: Vec::new(),
    }
}

/// Says whether a tensor is the head over the vocabulary.
fn is_head(name: &str) -> bool {
    name == "output.weight"
        || ["lm_head.weight", "embed_out.weight", "output_layer.weight"]
            .iter()
            .any(|head| name.ends_with(head))
}

/// What the index lists.
struct Index {
    files: BTreeSet<String>,
    total: Option<u64>,
    has_head: bool,
}

impl Index {
    /// What is known when the files themselves are not all there.
    fn found(&self, total: u64, missing: usize) -> Found {
        Found {
            bytes: Bytes::new(total),
            parameters: None,
            has_head: Some(self.has_head),
            stored: None,
            notes: vec![Phrase::new("sizing-weights-missing-files").with("count", missing)],
        }
    }
}

/// Reads the index, where there is one.
fn index(path: &Path) -> Result<Option<Index>, LocalModelError> {
    if !path.is_file() {
        return Ok(None);
    }
    let text = fs::read(path).map_err(|cause| LocalModelError::io(path, cause))?;
    let broken = || LocalModelError::Index { path: path.to_owned() };
    let value: Value = serde_json::from_slice(&text).map_err(|_| broken())?;
    let map = value["weight_map"].as_object().ok_or_else(broken)?;
    let files = map.values().filter_map(Value::as_str).map(str::to_owned).collect();
    let total = value["metadata"]["total_size"].as_u64();
    let has_head = map.keys().any(|name| is_head(name));
    Ok(Some(Index { files, total, has_head }))
}
