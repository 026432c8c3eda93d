//! Raw samples on disk: a folder a day, Parquet, so that whoever wants to look behind the hours can.

use crate::{
    error::CommandError,
    files::{self, Existing},
};
use jiff::{Timestamp, tz::Offset};
use kasuan_formats::columnar::{Sample, write_samples};
use kasuan_model::Phrase;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// An agent writes a file when the hour changes, or when this many rows wait.
const MOST_WAITING: usize = 50_000;

/// Writes samples below a folder, `date=2026-12-01/NAME.parquet` for each day (UTC), and returns how
/// many files that were. A file of the same name is replaced: the same input has the same name.
pub(crate) fn write(
    folder: &Path,
    name: &str,
    samples: Vec<Sample>,
) -> Result<usize, CommandError> {
    let mut days: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    for sample in samples {
        let at = Timestamp::from_millisecond(sample.at).unwrap_or_default();
        let day = Offset::UTC.to_datetime(at).date().to_string();
        days.entry(day).or_default().push(sample);
    }
    let count = days.len();
    for (day, samples) in days {
        let folder = folder.join(format!("date={day}"));
        let failed = |reason: String| {
            CommandError::surroundings(
                Phrase::new("error-file-write")
                    .with("path", folder.display())
                    .with("reason", reason),
            )
        };
        std::fs::create_dir_all(&folder).map_err(|error| failed(error.to_string()))?;
        let bytes = write_samples(&samples).map_err(|error| failed(error.to_string()))?;
        files::write(&folder.join(format!("{name}.parquet")), &bytes, Existing::Replace)?;
    }
    Ok(count)
}

/// What a host is called in a file's name.
pub(crate) fn plain(host: &str) -> String {
    host.chars()
        .map(|c| if c.is_alphanumeric() || c == '-' || c == '.' { c } else { '_' })
        .collect()
}

/// Samples that an agent keeps, written by the hour.
#[derive(Debug)]
pub(crate) struct Keeper {
    folder: PathBuf,
    host: String,
    waiting: Vec<Sample>,
}

impl Keeper {
    /// Keeps samples of a host below a folder.
    pub(crate) const fn new(folder: PathBuf, host: String) -> Self {
        Self { folder, host, waiting: Vec::new() }
    }

    /// Adds samples, writing those of the hour before.
    pub(crate) fn add(&mut self, samples: Vec<Sample>) -> Result<(), CommandError> {
        let hour = |sample: &Sample| sample.at.div_euclid(3_600_000);
        let turned =
            self.waiting.first().zip(samples.first()).is_some_and(|(a, b)| hour(a) != hour(b));
        let done = if turned || self.waiting.len() >= MOST_WAITING { self.flush() } else { Ok(()) };
        self.waiting.extend(samples);
        done
    }

    /// Writes what waits. What cannot be written is given up: the ledger has its hours.
    pub(crate) fn flush(&mut self) -> Result<(), CommandError> {
        let samples = std::mem::take(&mut self.waiting);
        let Some(first) = samples.first() else { return Ok(()) };
        let name = format!("{}-{}", plain(&self.host), first.at);
        write(&self.folder, &name, samples).map(drop)
    }
}
