//! The record of a run, version 1, and where records are kept.

use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// A run as it is written. Unknown is `null`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The format's version: 1.
    pub version: u32,
    /// A name for the work, by which runs are compared.
    pub task: String,
    /// Who ran it.
    pub person: Option<String>,
    /// The command.
    pub command: Vec<String>,
    /// When it started (RFC 3339).
    pub started: String,
    /// How long it ran, in seconds.
    pub seconds: f64,
    /// Its exit code; `None` where a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The back end that sampled.
    pub sampler: Option<String>,
    /// Samples taken.
    pub samples: u64,
    /// Samples that could not be taken.
    pub samples_missed: u64,
    /// Cards.
    pub cards: Vec<CardRecord>,
    /// What the log told.
    pub log: StepRecord,
    /// Processor seconds of the process tree, as far as samples saw it.
    pub cpu_seconds: Option<f64>,
    /// Peak resident memory of the process tree in bytes.
    pub resident_peak_bytes: Option<u64>,
    /// Bytes that the process tree read from disks, as far as samples saw it.
    #[serde(default)]
    pub disk_read_bytes: Option<u64>,
    /// Bytes that it wrote to disks.
    #[serde(default)]
    pub disk_written_bytes: Option<u64>,
    /// Bytes that the machine or container received meanwhile, from whatever program.
    #[serde(default)]
    pub network_received_bytes: Option<u64>,
    /// Bytes that it sent.
    #[serde(default)]
    pub network_sent_bytes: Option<u64>,
    /// What the time cost: a decimal.
    pub cost: Option<String>,
    /// In which currency.
    pub currency: Option<String>,
    /// What it ran on, to tell why two runs differ.
    pub environment: BTreeMap<String, String>,
}

/// A card's part of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CardRecord {
    /// Its UUID, else its ordinal.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Mean busy share, 0 to 100.
    pub busy_mean: Option<f64>,
    /// The 95th percentile of the busy share.
    pub busy_p95: Option<f64>,
    /// Peak memory in bytes.
    pub memory_peak_bytes: Option<u64>,
    /// Memory in bytes.
    pub memory_total_bytes: Option<u64>,
    /// Mean power in watts.
    pub watts_mean: Option<f64>,
    /// Power limit in watts.
    pub watts_limit: Option<f64>,
    /// Samples in which heat or hardware held the clocks back.
    pub throttled_samples: u64,
    /// Whether the driver lost it.
    pub lost: bool,
}

/// What the log told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Steps done.
    pub steps: Option<u64>,
    /// Median seconds for a step.
    pub step_seconds_median: Option<f64>,
    /// Spread of the step time, as a standard deviation.
    pub step_seconds_spread: Option<f64>,
    /// Median rates per second by what they count.
    pub rates: BTreeMap<String, f64>,
    /// Median of the user's own metric.
    pub own: Option<f64>,
}

/// Where records are kept. The ledger is one such place, a folder of JSON files another.
pub trait RecordStore {
    /// Keeps a record under a new name and returns the name.
    fn keep(&self, record: &RunRecord) -> io::Result<String>;
    /// Lists the records of a task, oldest first.
    fn of_task(&self, task: &str) -> io::Result<Vec<RunRecord>>;
}

/// A folder of JSON files.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Uses a folder, which is made when the first record is kept.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the file of a baseline.
    pub fn baseline(&self, task: &str) -> PathBuf {
        self.path.join("baselines").join(format!("{}.json", file_name(task)))
    }
}

impl RecordStore for Folder {
    fn keep(&self, record: &RunRecord) -> io::Result<String> {
        let stem = format!("{}-{}", record.started.replace(':', ""), file_name(&record.task));
        let mut path = self.path.join(format!("{stem}.json"));
        let mut count = 1;
        while path.exists() {
            count += 1;
            path = self.path.join(format!("{stem}-{count}.json"));
        }
        write(&path, record)?;
        Ok(path.display().to_string())
    }

    fn of_task(&self, task: &str) -> io::Result<Vec<RunRecord>> {
        let mut records = Vec::new();
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(records),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let record = read(&path)?;
                if record.task == task {
                    records.push(record);
                }
            }
        }
        records.sort_by(|a, b| a.started.cmp(&b.started));
        Ok(records)
    }
}

/// Reads a record.
pub fn read(path: &Path) -> io::Result<RunRecord> {
    let record: RunRecord = serde_json::from_slice(&fs::read(path)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    if record.version == 1 {
        Ok(record)
    } else {
        let why = format!("version {} of a run record is not known here", record.version);
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    }
}

/// Writes a record whole or not at all.
pub fn write(path: &Path, record: &RunRecord) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let text = serde_json::to_vec_pretty(record)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    let part = path.with_extension("json.part");
    fs::write(&part, text)?;
    fs::File::open(&part)?.sync_all()?;
    fs::rename(&part, path)
}

/// Letters and digits of any script stay; everything else, slashes above all, becomes `-`.
fn file_name(task: &str) -> String {
    let name: String = task
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' })
        .take(80)
        .collect();
    if name.is_empty() { "run".to_owned() } else { name }
}
