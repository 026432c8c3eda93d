//! Why a model on the disk cannot be read.

use crate::{gguf::GgufError, hf_config::HfConfigError, safetensors::SafetensorsError};
use kasuan_model::{Phrase, Phrased};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a model on the disk cannot be read; each says which file.
#[derive(Debug, thiserror::Error)]
pub enum LocalModelError {
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// The file is of no kind that describes a model.
    #[error("{} is no config.json, .gguf or .safetensors file", path.display())]
    UnknownKind {
        /// The file.
        path: PathBuf,
    },
    /// The folder has no config.json and not exactly one GGUF file.
    #[error("{} has no config.json", path.display())]
    NoConfig {
        /// The folder.
        path: PathBuf,
    },
    /// The file is too long to be a config.json.
    #[error("{} has {bytes} bytes, too many for a config.json", path.display())]
    ConfigTooLong {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The config.json is wrong.
    #[error("{} cannot be used", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: HfConfigError,
    },
    /// A safetensors header is wrong.
    #[error("{} cannot be used", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: SafetensorsError,
    },
    /// The list of weight files is wrong.
    #[error("{} is not a list of weight files", path.display())]
    Index {
        /// The file.
        path: PathBuf,
    },
    /// A GGUF file is wrong.
    #[error("{} cannot be used", path.display())]
    Gguf {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        cause: GgufError,
    },
}

impl LocalModelError {
    pub(super) fn io(path: &Path, cause: io::Error) -> Self {
        Self::Io { path: path.to_owned(), cause }
    }
}

impl Phrased for LocalModelError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Io { path, cause } => {
                Phrase::new("sizing-local-io").with("path", path.display()).with_io("reason", cause)
            }
            Self::UnknownKind { path } => {
                Phrase::new("sizing-local-unknown-kind").with("path", path.display())
            }
            Self::NoConfig { path } => {
                Phrase::new("sizing-local-no-config").with("path", path.display())
            }
            Self::ConfigTooLong { path, bytes } => Phrase::new("sizing-local-config-too-long")
                .with("path", path.display())
                .with("bytes", bytes),
            Self::Index { path } => Phrase::new("sizing-local-index").with("path", path.display()),
            // The path stands in the first hint, so that the cause reads as its own sentence.
            Self::Config { cause, .. } => cause.phrase(),
            Self::Weights { cause, .. } => cause.phrase(),
            Self::Gguf { cause, .. } => cause.phrase(),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        let (path, mut hints) = match self {
            Self::Config { path, cause } => (path, cause.hints()),
            Self::Weights { path, cause } => (path, cause.hints()),
            Self::Gguf { path, cause } => (path, cause.hints()),
            Self::UnknownKind { .. } | Self::NoConfig { .. } => {
                return vec![Phrase::new("sizing-model-other-ways")];
            }
            _ => return Vec::new(),
        };
        hints.insert(0, Phrase::new("sizing-local-file").with("path", path.display()));
        hints
    }
}
