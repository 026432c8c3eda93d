//! What captures say, in one shape for all tools. `None` is unknown, never zero.

use kasuan_model::{Bytes, Phrase, Phrased};

/// One card, or one MIG slice of it, at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuSample {
    /// Its ordinal on the machine.
    pub index: Option<u32>,
    /// Its UUID.
    pub uuid: Option<String>,
    /// Its PCI address.
    pub bus: Option<String>,
    /// The card's name.
    pub name: Option<String>,
    /// The machine.
    pub host: Option<String>,
    /// The MIG slice: the GPU instance id, or the profile's name.
    pub slice: Option<String>,
    /// Whether the card is cut into MIG slices, which makes its own busy share meaningless.
    pub mig_parent: bool,
    /// Whether the driver says that it has lost the card; nothing else is known of it then.
    pub lost: bool,
    /// Share of time in which any kernel ran, 0 to 100.
    pub busy: Option<f64>,
    /// Share of time in which memory was read or written, 0 to 100.
    pub memory_busy: Option<f64>,
    /// Memory in use.
    pub memory_used: Option<Bytes>,
    /// Memory in total.
    pub memory_total: Option<Bytes>,
    /// Power draw in watts.
    pub power_watts: Option<f64>,
    /// Power limit in watts.
    pub power_limit_watts: Option<f64>,
    /// Temperature of the chip in degrees Celsius.
    pub celsius: Option<f64>,
    /// Share of streaming multiprocessors at work, 0 to 1 (DCGM 1002, or GPM).
    pub sm_active: Option<f64>,
    /// Share of cycles with the tensor pipe at work, 0 to 1 (DCGM 1004).
    pub tensor_active: Option<f64>,
    /// Share of cycles with memory at work, 0 to 1 (DCGM 1005).
    pub dram_active: Option<f64>,
    /// Energy since the driver was loaded, in joules.
    pub energy_joules: Option<f64>,
    /// Current PCI Express lanes.
    pub pcie_width: Option<u32>,
    /// Most PCI Express lanes.
    pub pcie_width_max: Option<u32>,
    /// Why clocks are held back, the driver's bits.
    pub clock_reasons: Option<u64>,
    /// The last XID error.
    pub xid: Option<u64>,
    /// Who has it, as labels say: `namespace/pod`, a user, a job.
    pub owner: Option<String>,
}

/// One process on a card at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessSample {
    /// The card: UUID where known, else its ordinal.
    pub gpu: Option<String>,
    /// The process id, in the name space of whoever looked.
    pub pid: u32,
    /// The program.
    pub name: Option<String>,
    /// The user.
    pub user: Option<String>,
    /// Card memory in use.
    pub memory: Option<Bytes>,
    /// Its share of the card's time, 0 to 100.
    pub busy: Option<f64>,
}

/// Everything seen at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// When, as the tool wrote it.
    pub at: Option<String>,
    /// The driver's version.
    pub driver: Option<String>,
    /// The newest CUDA that the driver speaks.
    pub driver_cuda: Option<String>,
    /// Cards and slices.
    pub gpus: Vec<GpuSample>,
    /// Processes.
    pub processes: Vec<ProcessSample>,
}

/// A job of a scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobRecord {
    /// The job's id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Who ran it.
    pub user: Option<String>,
    /// Which account or team pays.
    pub account: Option<String>,
    /// Cards held; `None` where the record does not say.
    pub gpus: Option<u64>,
    /// The kind of card, as the scheduler names it.
    pub gpu_model: Option<String>,
    /// How it ended, or that it runs.
    pub state: Option<String>,
    /// When it started, as written.
    pub start: Option<String>,
    /// When it ended, as written; `None` while it runs.
    pub end: Option<String>,
    /// How long it ran, in seconds.
    pub elapsed_seconds: Option<u64>,
    /// Mean busy share, 0 to 100, where the record has it.
    pub busy: Option<f64>,
    /// Peak card memory, where the record has it.
    pub memory_peak: Option<Bytes>,
}

/// Which job holds a card, by a scheduler's map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuOwner {
    /// The card: ordinal, UUID, or ordinal and slice (`2.0`).
    pub gpu: String,
    /// The job.
    pub job: String,
    /// The user's id.
    pub uid: Option<u64>,
}

/// The cards that a pod was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodGpus {
    /// The name space, mostly a team.
    pub namespace: String,
    /// The pod.
    pub pod: String,
    /// The container.
    pub container: String,
    /// Device ids.
    pub devices: Vec<String>,
}

/// What kind of capture it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureKind {
    /// `nvidia-smi --query-gpu ... --format=csv`.
    SmiCsv,
    /// `nvidia-smi --query-compute-apps ... --format=csv`.
    SmiApps,
    /// `nvidia-smi dmon`.
    Dmon,
    /// `nvidia-smi pmon`.
    Pmon,
    /// The table that plain `nvidia-smi` prints.
    SmiTable,
    /// `nvidia-smi -q -x`.
    SmiXml,
    /// Prometheus text: DCGM, nvidia_gpu_exporter, nvitop-exporter.
    Prometheus,
    /// An answer of the Prometheus API.
    PrometheusApi,
    /// `gpustat --json` or its text.
    Gpustat,
    /// `nvtop -s`.
    Nvtop,
    /// Slurm: sacct, squeue, sinfo.
    Slurm,
    /// A scheduler's map of cards to jobs.
    OwnerMap,
    /// jobstats.
    Jobstats,
    /// A job trace as CSV.
    JobTrace,
    /// kubelet's PodResources.
    PodResources,
}

/// A capture that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// What it was.
    pub kind: CaptureKind,
    /// What was seen, in order.
    pub snapshots: Vec<Snapshot>,
    /// Jobs.
    pub jobs: Vec<JobRecord>,
    /// Who holds which card.
    pub owners: Vec<GpuOwner>,
    /// Which pod was given which card.
    pub pods: Vec<PodGpus>,
    /// Lines that could not be used, for example the last one of a file cut off in the middle.
    pub skipped: usize,
    /// Lines whose columns have no names, so that only cells with a unit of their own were used.
    pub unlabelled: usize,
}

impl Capture {
    pub(super) fn new(kind: CaptureKind) -> Self {
        Self {
            kind,
            snapshots: Vec::new(),
            jobs: Vec::new(),
            owners: Vec::new(),
            pods: Vec::new(),
            skipped: 0,
            unlabelled: 0,
        }
    }

    pub(super) fn of(kind: CaptureKind, snapshots: Vec<Snapshot>) -> Self {
        Self { snapshots, ..Self::new(kind) }
    }
}

/// Why a capture cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// Nothing in it.
    #[error("the capture is empty")]
    Empty,
    /// Cut off.
    #[error("the {0} ends in the middle")]
    Truncated(&'static str),
    /// Not a kind that is known.
    #[error("not a kind of telemetry that is known; it begins with `{0}`")]
    Unrecognised(String),
    /// The source itself reports an error.
    #[error("the source reports: {0}")]
    Reported(String),
}

impl CaptureError {
    pub(super) fn unrecognised(text: &str) -> Self {
        Self::Unrecognised(text.lines().next().unwrap_or("").chars().take(60).collect())
    }
}

impl Phrased for CaptureError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Empty => Phrase::new("capture-error-empty"),
            Self::Truncated(what) => Phrase::new("capture-error-truncated").with("what", what),
            Self::Unrecognised(start) => {
                Phrase::new("capture-error-unrecognised").with("start", start)
            }
            Self::Reported(reason) => Phrase::new("capture-error-reported").with("reason", reason),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Unrecognised(_) => vec![Phrase::new("capture-hint-kinds")],
            _ => Vec::new(),
        }
    }
}
