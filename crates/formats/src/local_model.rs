//! Reads a model from the disk: a config.json, a folder with weights beside it, or a GGUF file.
//!
//! Weights are sized by their headers and never loaded.

mod error;
#[cfg(test)]
mod tests;
mod weights;

pub use error::LocalModelError;

use crate::{gguf, hf_config};
use kasuan_model::{Bytes, Phrase, Source};
use kasuan_sizing::{Architecture, WeightFormat, parameters};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

/// No config.json is longer; a longer file is something else.
const LONGEST_CONFIG: u64 = 16 << 20;

/// A model on the disk.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalModel {
    /// The configuration in the normal form.
    pub architecture: Architecture,
    /// How the weights are stored, where the files say.
    pub stored: Option<WeightFormat>,
    /// Bytes of the weights by their headers; `None` when there are none to look at.
    pub weights: Option<Bytes>,
    /// What the reader should know.
    pub notes: Vec<Phrase>,
}

/// Reads a model from a folder, a config.json or a .gguf file.
///
/// # Errors
/// The file that stands against it, and why.
pub fn open(path: &Path) -> Result<LocalModel, LocalModelError> {
    let kind = fs::metadata(path).map_err(|cause| LocalModelError::io(path, cause))?;
    if kind.is_dir() {
        return folder(path);
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => config(path).map(|(_, model)| model),
        Some("gguf") => gguf_file(path),
        Some("safetensors") => match path.parent() {
            Some(parent) => folder(parent),
            None => Err(LocalModelError::UnknownKind { path: path.to_owned() }),
        },
        _ => Err(LocalModelError::UnknownKind { path: path.to_owned() }),
    }
}

/// Reads a folder: config.json and the weights' headers, or the GGUF file when it is the only one.
fn folder(path: &Path) -> Result<LocalModel, LocalModelError> {
    let file = path.join("config.json");
    if !file.is_file() {
        return match &files(path, "gguf")?[..] {
            [only] => gguf_file(only),
            _ => Err(LocalModelError::NoConfig { path: path.to_owned() }),
        };
    }
    let (untied, mut model) = config(&file)?;
    let Some(found) = weights::size(path)? else { return Ok(model) };
    model.weights = Some(found.bytes);
    model.notes.extend(found.notes);
    if let (true, Some(false)) = (untied, found.has_head) {
        // Saved without a head although the configuration describes one: an embedding model.
        model.architecture.tied = true;
        model.notes.push(Phrase::new("sizing-weights-no-head"));
    }
    if model.stored.is_none() {
        model.stored = found.stored;
    }
    let counted = parameters::count(&model.architecture).total;
    if let Some(stored) = found.parameters
        && stored.abs_diff(counted + model.architecture.draft_parameters) > stored / 100
    {
        let percent = stored as f64 / counted.max(1) as f64 * 100.0 - 100.0;
        model.notes.push(
            Phrase::new("sizing-weights-differ")
                .with("stored", format!("{:.2}", stored as f64 / 1e9))
                .with("counted", format!("{:.2}", counted as f64 / 1e9))
                .with("percent", format!("{percent:+.1}")),
        );
        model.architecture.other_parameters =
            model.architecture.other_parameters.saturating_add(stored.saturating_sub(counted));
    }
    Ok(model)
}

/// Reads a config.json; says too whether it describes a head of its own.
fn config(path: &Path) -> Result<(bool, LocalModel), LocalModelError> {
    let bytes = fs::metadata(path).map_err(|cause| LocalModelError::io(path, cause))?.len();
    if bytes > LONGEST_CONFIG {
        return Err(LocalModelError::ConfigTooLong { path: path.to_owned(), bytes });
    }
    let text = fs::read_to_string(path).map_err(|cause| LocalModelError::io(path, cause))?;
    let name = path.display().to_string();
    let read = hf_config::read(&text, &name, Source::stated(&name))
        .map_err(|cause| LocalModelError::Config { path: path.to_owned(), cause })?;
    let model = LocalModel {
        architecture: read.architecture,
        stored: read.stored,
        weights: None,
        notes: read.notes,
    };
    Ok((!model.architecture.tied, model))
}

/// Reads a GGUF file.
fn gguf_file(path: &Path) -> Result<LocalModel, LocalModelError> {
    let wrap = |cause| LocalModelError::Gguf { path: path.to_owned(), cause };
    let file = File::open(path).map_err(|cause| LocalModelError::io(path, cause))?;
    let bytes = file.metadata().map_err(|cause| LocalModelError::io(path, cause))?.len();
    let name = path.display().to_string();
    let read = gguf::read(file, bytes).map_err(wrap)?;
    let model = read.model(&name, Source::stated(&name)).map_err(wrap)?;
    let mut notes = model.notes;
    if model.weights.get() > bytes {
        notes.push(
            Phrase::new("sizing-gguf-part")
                .with("weights", model.weights)
                .with("file", Bytes::new(bytes)),
        );
    }
    Ok(LocalModel {
        architecture: model.architecture,
        stored: model.stored,
        weights: Some(model.weights),
        notes,
    })
}

/// Returns the files of a folder with an extension, by name.
fn files(path: &Path, extension: &str) -> Result<Vec<PathBuf>, LocalModelError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(|cause| LocalModelError::io(path, cause))? {
        let file = entry.map_err(|cause| LocalModelError::io(path, cause))?.path();
        if file.extension().is_some_and(|found| found == extension) {
            found.push(file);
        }
    }
    found.sort();
    Ok(found)
}
