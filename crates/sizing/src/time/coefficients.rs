//! The fitted shares and overheads of the time model, with where they come from.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::LazyLock};

/// The shipped file, written by `cargo xtask calibrate time`.
const SHIPPED: &str = include_str!("../../../../data/time/coefficients.toml");

static COEFFICIENTS: LazyLock<Coefficients> = LazyLock::new(|| {
    Coefficients::parse(SHIPPED).expect("the shipped coefficients are read by a test")
});

/// The coefficients could not be read.
#[derive(Debug, thiserror::Error)]
#[error("the coefficients of the time model cannot be read")]
pub struct CoefficientsError(#[from] toml::de::Error);

/// What the coefficients were fitted on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The command that wrote the file.
    pub command: String,
    /// SHA-256 free digest of the truth: its rows, in words.
    pub truth: String,
    /// Rows that took part.
    pub rows: u32,
    /// Independent sources among them.
    pub sources: u32,
    /// The last day that a source was seen.
    pub date: String,
    /// Engines and training stacks among them.
    #[serde(default)]
    pub stacks: Vec<String>,
    /// Error of each kind of run: on the rows of the fit, and with the source left out.
    pub residuals: BTreeMap<String, Residual>,
}

impl Provenance {
    /// Says whether runs of an engine or a training stack were measured; of coefficients that were
    /// never fitted everything counts as measured.
    pub fn measures(&self, stack: &str) -> bool {
        self.stacks.is_empty() || self.stacks.iter().any(|s| s == stack)
    }
}

/// The error of one kind of run, as the time scorer counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// Rows.
    pub rows: u32,
    /// Sources.
    pub sources: u32,
    /// Mean over sources of the median absolute error, per cent, on the rows of the fit.
    pub fitted: f64,
    /// The same with each source predicted by a fit that has not seen it.
    pub left_out: f64,
}

/// Shares of peak arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComputeShares {
    /// Power of the watts for each TFLOP/s that a board has.
    pub power_exponent: f64,
    /// Share of the FP8 peak relative to the share of the 16-bit peak.
    pub fp8: f64,
    /// The same for 4-bit floats.
    pub fp4: f64,
    /// Share left when weights are widened to 16 bits on the way in.
    pub widened: f64,
    /// Share left when tokens are spread over experts.
    pub moe: f64,
    /// Share of a family without measurements.
    pub unseen_family: f64,
    /// Share of peak by family.
    pub family: BTreeMap<String, f64>,
    /// Multiplier by card, shrunk to 1.
    pub card: BTreeMap<String, f64>,
}

/// Shares of peak memory bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BandwidthShares {
    /// Share of a family without measurements.
    pub unseen_family: f64,
    /// Share by family.
    pub family: BTreeMap<String, f64>,
    /// Multiplier by card, shrunk to 1.
    pub card: BTreeMap<String, f64>,
}

/// Links between cards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkCosts {
    /// Bus bandwidth of a ring as a share of NVLink's both directions.
    pub nvlink_share: f64,
    /// Seconds that each further card adds to a small all-reduce on NVLink.
    pub nvlink_latency: f64,
    /// Bus bandwidth of a ring over two PCIe cards, bytes per second.
    pub pcie_bus: f64,
    /// How fast that falls with each doubling of cards.
    pub pcie_crowding: f64,
    /// Seconds that each further card adds to a small all-reduce on PCIe.
    pub pcie_latency: f64,
    /// Bytes per second between host memory and one card.
    pub host_bus: f64,
}

/// Training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingCosts {
    /// Multiplier on the compute share by stack.
    pub stack: BTreeMap<String, f64>,
    /// Multiplier on the compute share by family, shrunk to 1.
    pub family: BTreeMap<String, f64>,
    /// Multiplier when only adapters are trained.
    pub lora: f64,
    /// Cost of attention arithmetic relative to plain multiplications.
    pub attention: f64,
    /// Hidden width at which half of the share is reached, on a card of 312 TFLOP/s; a card of four
    /// times the rate needs twice the width to be filled.
    pub half_hidden: f64,
    /// Share of the links between tensor-parallel cards that arithmetic doesn't hide.
    pub tensor_exposed: f64,
    /// Host seconds for each layer and pass, by stack.
    pub host_layer: BTreeMap<String, f64>,
    /// Host seconds of ZeRO-3's hooks for each layer and pass.
    pub zero3_hooks: f64,
    /// Host cost of adapters: how many times as many kernels a layer has with them.
    pub lora_host: f64,
    /// Share of bandwidth that widening NF4 weights reaches.
    pub nf4_widening: f64,
    /// Share of bandwidth that widening GPTQ or AWQ weights reaches.
    pub gptq_widening: f64,
    /// Loss for each doubling of cards beyond a machine of eight.
    pub scaling: f64,
    /// Share of the pipeline's bubble, (stages - 1) / micro-batches, that schedules leave.
    pub bubble: f64,
    /// Share left for mixtures of experts.
    pub moe: f64,
    /// Extra loss of FP8 training outside the multiplications.
    pub fp8: f64,
}

/// How an engine generates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineCosts {
    /// Multiplier on the compute share while prompts are read.
    pub prefill: f64,
    /// Multiplier on both shares in a step under load.
    pub load: f64,
    /// Seconds of a layer in each step beside arithmetic and reading.
    pub layer: f64,
    /// Seconds of a sequence in each step (sampling, scheduling).
    pub sequence: f64,
    /// Seconds of a step whatever is in it (scheduling, the head, sampling).
    pub step: f64,
    /// How many times the layer's host cost FP8 kernels have in engines that start each kernel from
    /// Python; 1 elsewhere.
    #[serde(default = "one")]
    pub fp8_host: f64,
    /// Seconds of each expert of a layer, for engines that loop over experts.
    #[serde(default)]
    pub expert: f64,
    /// Seconds of a layer of experts in GPTQ, for engines without a fused kernel for it.
    #[serde(default)]
    pub unfused: f64,
    /// Multiplier on the bandwidth share, shrunk to 1: hand-written kernels read more of it.
    #[serde(default = "one")]
    pub reading: f64,
    /// Share of bandwidth that 4-bit kernels keep.
    pub four_bit: f64,
    /// Share of bandwidth that attention over one sequence reaches.
    pub cache: f64,
}

const fn one() -> f64 {
    1.0
}

/// Reading prompts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrefillCosts {
    /// Tokens at which half of the share is reached.
    pub half_tokens: f64,
    /// Cost of attention arithmetic relative to plain multiplications.
    pub attention: f64,
    /// Seconds of a layer in each pass.
    pub layer: f64,
    /// Bytes moved to widen one quantised parameter, relative to its 16-bit size.
    pub widening: f64,
    /// Multiplier by family for kernels that accumulate in 16 bits or integers, over twice the peak.
    pub short_accumulate: f64,
}

/// Networks other than language models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkCosts {
    /// Share of the sustained rate by network and direction.
    pub share: BTreeMap<String, f64>,
    /// Bytes that a sample moves, by network and direction.
    pub bytes: BTreeMap<String, f64>,
    /// Power of the watts for each TFLOP/s that a board has, in the place of that for large
    /// multiplications: 8-bit convolutions draw less.
    pub power_exponent: f64,
    /// Share of the full rate that is left when 99 % of the samples keep a limit of 15 to 130 ms.
    pub latency_bound: f64,
}

/// Half-widths of ranges, as factors: likely / `low` to likely x `high`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Width {
    /// What the likely figure is divided by.
    pub low: f64,
    /// What the likely figure is multiplied by.
    pub high: f64,
}

/// All coefficients of the time model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coefficients {
    /// Where they come from.
    pub provenance: Provenance,
    /// Seconds that a server's front end adds to the first token (25 to 60 ms were measured on vLLM,
    /// SGLang and TensorRT-LLM servers).
    pub front_end: f64,
    /// Shares of peak arithmetic.
    pub compute: ComputeShares,
    /// Shares of peak bandwidth.
    pub bandwidth: BandwidthShares,
    /// Links.
    pub interconnect: LinkCosts,
    /// Training.
    pub training: TrainingCosts,
    /// Reading prompts.
    pub prefill: PrefillCosts,
    /// Engines.
    pub engine: BTreeMap<String, EngineCosts>,
    /// Share of the full rate that a language model keeps when 99 % of its requests keep seconds to
    /// the first token and tenths of a second for each further one.
    pub latency_bound: f64,
    /// Other networks.
    pub network: NetworkCosts,
    /// Ranges by kind of run and by how well its surroundings are known.
    pub range: BTreeMap<String, Width>,
}

impl Coefficients {
    /// Returns the shipped coefficients.
    pub fn shipped() -> &'static Self {
        &COEFFICIENTS
    }

    /// Reads coefficients from TOML.
    pub fn parse(text: &str) -> Result<Self, CoefficientsError> {
        Ok(toml::from_str(text)?)
    }
}
