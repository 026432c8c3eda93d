//! The record of a run, version 1, and where records are kept.

use kasuan_model::{Phrase, Phrased};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    io::Write as _,
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
    /// When the provider said that it takes the machine back (RFC 3339).
    #[serde(default)]
    pub taken_back: Option<String>,
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

impl RunRecord {
    /// Says whether the command ended by itself and with 0. Only such a run measures anything for
    /// others.
    pub fn ended_well(&self) -> bool {
        self.exit_code == Some(0)
    }
}

/// Why a record could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file could not be opened, read or written.
    #[error("{path}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("{path} is not a run record: line {line}, column {column}: {reason}")]
    Content {
        /// The file.
        path: PathBuf,
        /// Where in it, from 1.
        line: usize,
        /// Where in the line, from 1.
        column: usize,
        /// What the reader of JSON says.
        reason: String,
    },
    /// A version that this program does not know.
    #[error("{path} is a run record of version {version}")]
    Version {
        /// The file.
        path: PathBuf,
        /// The version.
        version: u32,
    },
}

impl RecordError {
    /// Says whether disk or rights have to be mended, rather than what the user named.
    pub fn is_of_the_surroundings(&self) -> bool {
        matches!(self, Self::File { source, .. } if source.kind() != io::ErrorKind::NotFound)
    }
}

impl Phrased for RecordError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::File { path, source } => Phrase::new("baseline-error-file")
                .with("path", path.display())
                .with_io("reason", source),
            Self::Content { path, line, column, reason } => Phrase::new("record-error-content")
                .with("path", path.display())
                .with("line", line)
                .with("column", column)
                .with("reason", reason),
            Self::Version { path, version } => Phrase::new("record-error-version")
                .with("path", path.display())
                .with("version", version),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Content { .. } => vec![Phrase::new("record-hint-content")],
            Self::File { .. } | Self::Version { .. } => Vec::new(),
        }
    }
}

/// The records of a task, and what lies among them that is none.
#[derive(Debug, Default)]
pub struct Listed {
    /// Oldest first.
    pub records: Vec<RunRecord>,
    /// Files that could not be read as records.
    pub broken: Vec<RecordError>,
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

    /// Tries whether records can be kept here, by making the folder and a file in it.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made, may not be written, or its disk is full.
    pub fn try_out(&self) -> Result<(), RecordError> {
        let trial = self.path.join(format!(".kasuan-trial-{}", std::process::id()));
        let tried = fs::create_dir_all(&self.path)
            .and_then(|()| fs::File::create(&trial))
            .and_then(|mut file| file.write_all(b"kasuan"));
        // It is gone already where it could not be made.
        let _ = fs::remove_file(&trial);
        tried.map_err(|source| RecordError::File { path: self.path.clone(), source })
    }

    /// Keeps a record under a new name and returns the file.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn keep(&self, record: &RunRecord) -> Result<PathBuf, RecordError> {
        let stem = format!("{}-{}", record.started.replace(':', ""), file_name(&record.task));
        let mut path = self.path.join(format!("{stem}.json"));
        let mut count = 1;
        while path.exists() {
            count += 1;
            path = self.path.join(format!("{stem}-{count}.json"));
        }
        write(&path, record)?;
        Ok(path)
    }

    /// Lists the records of a task. A file that is no record hides no other.
    ///
    /// # Errors
    ///
    /// When the folder itself cannot be read; one that is not there yet holds nothing.
    pub fn of_task(&self, task: &str) -> Result<Listed, RecordError> {
        let mut listed = Listed::default();
        let failed = |source| RecordError::File { path: self.path.clone(), source };
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listed),
            Err(error) => return Err(failed(error)),
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                paths.push(path);
            }
        }
        let mut found = Vec::new();
        for path in paths {
            match read(&path) {
                // Of two that started within one second, the one that ended later is the newer.
                Ok(record) if record.task == task => {
                    let written = fs::metadata(&path).and_then(|data| data.modified()).ok();
                    found.push((record.started.clone(), written, record));
                }
                Ok(_) => {}
                Err(error) => listed.broken.push(error),
            }
        }
        found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        listed.records = found.into_iter().map(|(_, _, record)| record).collect();
        Ok(listed)
    }
}

/// Reads a record.
///
/// # Errors
///
/// When the file cannot be read or is no record.
pub fn read(path: &Path) -> Result<RunRecord, RecordError> {
    let bytes =
        fs::read(path).map_err(|source| RecordError::File { path: path.to_owned(), source })?;
    let record: RunRecord =
        serde_json::from_slice(&bytes).map_err(|error| RecordError::Content {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
            reason: error.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
        })?;
    match record.version {
        1 => Ok(record),
        version => Err(RecordError::Version { path: path.to_owned(), version }),
    }
}

/// Writes a record whole or not at all.
///
/// # Errors
///
/// When its folder cannot be made or written.
pub fn write(path: &Path, record: &RunRecord) -> Result<(), RecordError> {
    let part = path.with_extension("json.part");
    let written = serde_json::to_vec_pretty(record).map_err(io::Error::from).and_then(|text| {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let mut file = fs::File::create(&part)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&part, path)
    });
    written.map_err(|source| {
        // Half a record on a full disk helps nobody.
        let _ = fs::remove_file(&part);
        RecordError::File { path: path.to_owned(), source }
    })
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
