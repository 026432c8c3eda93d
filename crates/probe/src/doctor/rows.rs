//! The rows of the compatibility tables.

use super::{
    tables::{ArchList, Capability},
    version::Version,
};
use serde::Deserialize;

/// One CUDA toolkit release and the driver that it ships with.
#[derive(Clone, Debug)]
pub(super) struct Toolkit {
    pub(super) cuda: Version,
    pub(super) linux: Version,
    pub(super) windows: Option<Version>,
    pub(super) source: String,
}

/// The oldest driver for all toolkits of one CUDA major (minor-version compatibility).
#[derive(Clone, Debug)]
pub(super) struct MajorFloor {
    pub(super) major: u32,
    pub(super) linux: Version,
    pub(super) windows: Option<Version>,
    pub(super) source: String,
}

/// A driver branch and the newest CUDA that it reports.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) branch: u32,
    pub(super) max_cuda: Version,
}

/// Which architectures the compilers of a range of toolkits know.
#[derive(Clone, Debug)]
pub(super) struct SmRange {
    pub(super) from: Version,
    pub(super) to: Version,
    pub(super) least: Capability,
    pub(super) most: Capability,
    pub(super) source: String,
}

/// A torch release and the CUDA builds it has.
#[derive(Clone, Debug)]
pub(super) struct TorchRelease {
    pub(super) torch: Version,
    pub(super) cuda: Vec<Version>,
    pub(super) source: String,
}

/// The Python versions that a torch release line has wheels for.
#[derive(Clone, Debug)]
pub(super) struct TorchPython {
    pub(super) torch: Version,
    pub(super) least: Version,
    pub(super) most: Version,
    pub(super) source: String,
}

/// The architecture list of one torch build.
#[derive(Clone, Debug)]
pub(super) struct TorchBuild {
    pub(super) torch: Version,
    pub(super) cuda: Version,
    pub(super) archs: ArchList,
    pub(super) conda: bool,
    pub(super) arm: bool,
    pub(super) source: String,
}

/// What plain `pip install torch==X` brings on Linux.
#[derive(Clone, Debug)]
pub(super) struct PipDefault {
    pub(super) torch: Version,
    pub(super) cuda: Version,
    pub(super) source: String,
}

/// What a vLLM release pins.
#[derive(Clone, Debug)]
pub(super) struct VllmPin {
    pub(super) vllm: Version,
    pub(super) torch: Version,
    pub(super) cuda: Version,
    pub(super) python: String,
    pub(super) source: String,
}

/// What a TensorFlow release is built with.
#[derive(Clone, Debug)]
pub(super) struct TensorFlow {
    pub(super) version: Version,
    pub(super) least: Version,
    pub(super) most: Version,
    pub(super) cuda: Version,
    pub(super) source: String,
}

/// A card's name and compute capability.
#[derive(Clone, Debug)]
pub(super) struct CardRow {
    pub(super) name: String,
    pub(super) capability: Capability,
    pub(super) source: String,
}

/// The driver branches that drive cards of a range of capabilities.
#[derive(Clone, Debug)]
pub(super) struct CardDriver {
    pub(super) from: Capability,
    pub(super) to: Capability,
    pub(super) first: Option<u32>,
    pub(super) last: Option<u32>,
    pub(super) source: String,
}

/// A row of `components.toml`: what a framework or a number format asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ComponentRule {
    pub(super) id: String,
    pub(super) names: Vec<String>,
    pub(super) from: Option<String>,
    pub(super) before: Option<String>,
    pub(super) for_cc_from: Option<String>,
    pub(super) min_cc: Option<String>,
    pub(super) max_cc: Option<String>,
    pub(super) min_torch: Option<String>,
    pub(super) min_cuda: Option<String>,
    pub(super) min_python: Option<String>,
    pub(super) min_driver: Option<String>,
    pub(super) settled_to_cc: Option<String>,
    pub(super) os: Option<String>,
    #[serde(default)]
    pub(super) datacentre: bool,
    pub(super) source: String,
}

/// Which torch runs `torch.compile` on which Python.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Dynamo {
    pub(super) python: String,
    pub(super) min_torch: String,
    pub(super) source: String,
}

/// The oldest driver branch to reckon with on a rented machine.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Expect {
    pub(super) oldest_branch: u32,
    pub(super) source: String,
}
