//! Is the data near: how many files, how small, how fast they are read.

use kasuan_model::Bytes;
use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Files smaller than this are read slower than the disk can.
const SMALL: u64 = 1 << 20;
/// A data set of so many files is worth packing when most are small.
const MANY: u64 = 10_000;
/// The walk stops here; what is beyond is like what was seen.
const MOST_FILES: u64 = 200_000;
/// So many files are read, spread over all of them, so that one folder does not stand for all.
const SAMPLE: usize = 2000;

/// What a data folder is like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataPath {
    /// Files seen.
    pub files: u64,
    /// Of them below 1 MiB.
    pub small: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Whether there are more files than were looked at.
    pub more: bool,
    /// Files and folders that may not be read.
    pub unreadable: u64,
    /// Bytes a second of the first reading, after asking the system to forget what it holds of the
    /// files; on a network store its own caches still help.
    pub cold: Option<f64>,
    /// Bytes a second of the second reading of the same files: the page cache.
    pub warm: Option<f64>,
    /// Files a second of the first reading.
    pub files_per_second: Option<f64>,
}

impl DataPath {
    /// Says whether packing into shards is worth it: many files, most of them small.
    pub fn should_be_packed(&self) -> bool {
        self.files >= MANY && self.small.saturating_mul(2) > self.files
    }
}

/// Looks at a folder (or one file) and reads files spread over it for at most `limit` of time and
/// `most` bytes, twice. Links are not followed.
///
/// # Errors
///
/// When the folder itself cannot be read; what cannot be read in it is counted.
pub fn look(folder: &Path, limit: Duration, most: Bytes) -> io::Result<DataPath> {
    let mut seen = DataPath::default();
    let mut files = Vec::new();
    let meta = fs::metadata(folder)?;
    if meta.is_file() {
        note(folder.to_owned(), meta.len(), &mut seen, &mut files);
    } else {
        let first = fs::read_dir(folder)?;
        walk(first, &mut seen, &mut files);
    }
    let every = (files.len() / SAMPLE).max(1);
    let chosen: Vec<PathBuf> = files.into_iter().step_by(every).collect();
    for path in &chosen {
        forget(path);
    }
    let cold = read(&chosen, limit, most);
    seen.cold = rate(cold.bytes, cold.time);
    seen.files_per_second = rate(cold.files, cold.time);
    let again = chosen.get(..usize::try_from(cold.files).unwrap_or(0)).unwrap_or(&chosen);
    let warm = read(again, limit, most);
    seen.warm = rate(warm.bytes, warm.time);
    seen.unreadable += cold.unreadable;
    Ok(seen)
}

fn note(path: PathBuf, length: u64, seen: &mut DataPath, files: &mut Vec<PathBuf>) {
    seen.files += 1;
    seen.small += u64::from(length < SMALL);
    seen.bytes = seen.bytes.saturating_add(length);
    files.push(path);
}

/// Visits every folder below; iterative, since a folder may be as deep as it likes.
fn walk(first: fs::ReadDir, seen: &mut DataPath, files: &mut Vec<PathBuf>) {
    let mut open = vec![first];
    while let Some(folder) = open.last_mut() {
        let Some(entry) = folder.next() else {
            open.pop();
            continue;
        };
        let Ok((path, Ok(kind), Ok(meta))) =
            entry.map(|entry| (entry.path(), entry.file_type(), entry.metadata()))
        else {
            seen.unreadable += 1;
            continue;
        };
        if kind.is_dir() {
            match fs::read_dir(&path) {
                Ok(below) => open.push(below),
                Err(_) => seen.unreadable += 1,
            }
        } else if kind.is_file() {
            if seen.files >= MOST_FILES {
                seen.more = true;
                return;
            }
            note(path, meta.len(), seen, files);
        }
    }
}

/// Asks the system to drop what it holds of a file, so that the next reading is a cold one.
fn forget(path: &Path) {
    if let Ok(file) = fs::File::open(path) {
        // Where the system does not do it the reading is warm, which the two figures then show.
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
    }
}

struct Reading {
    bytes: u64,
    files: u64,
    unreadable: u64,
    time: Duration,
}

fn read(files: &[PathBuf], limit: Duration, most: Bytes) -> Reading {
    let start = Instant::now();
    let mut reading = Reading { bytes: 0, files: 0, unreadable: 0, time: Duration::ZERO };
    let mut buffer = vec![0; 1 << 20];
    for path in files {
        let enough = |bytes| start.elapsed() > limit || bytes > most.get();
        let mut open = fs::File::open(path);
        loop {
            match open
                .as_mut()
                .map_err(|_| ())
                .and_then(|file| file.read(&mut buffer).map_err(|_| ()))
            {
                Ok(0) => break,
                Ok(length) => reading.bytes += length as u64,
                Err(()) => {
                    reading.unreadable += 1;
                    break;
                }
            }
            if enough(reading.bytes) {
                break;
            }
        }
        reading.files += 1;
        if enough(reading.bytes) {
            break;
        }
    }
    reading.time = start.elapsed();
    reading
}

#[expect(clippy::cast_precision_loss, reason = "a rate is an estimate")]
fn rate(amount: u64, time: Duration) -> Option<f64> {
    let seconds = time.as_secs_f64();
    (amount > 0 && seconds > 0.0).then(|| amount as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_files_are_to_be_packed_and_a_few_large_ones_are_not() {
        let small = DataPath { files: 50_000, small: 49_000, ..DataPath::default() };
        assert!(small.should_be_packed());
        let large = DataPath { files: 50_000, small: 100, ..DataPath::default() };
        assert!(!large.should_be_packed());
        let few = DataPath { files: 10, small: 10, ..DataPath::default() };
        assert!(!few.should_be_packed());
    }

    #[test]
    fn a_folder_is_counted_and_read_and_links_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        for name in ["a/1", "a/2", "3"] {
            fs::write(folder.path().join(name), vec![7; 1000]).unwrap();
        }
        // A loop: followed, it would never end.
        std::os::unix::fs::symlink(folder.path(), folder.path().join("a/loop")).unwrap();
        let seen = look(folder.path(), Duration::from_secs(1), Bytes::from_gib(1)).unwrap();
        assert_eq!((seen.files, seen.small, seen.bytes), (3, 3, 3000));
        assert!(seen.cold.is_some() && seen.warm.is_some());
        let one = look(&folder.path().join("3"), Duration::from_secs(1), Bytes::from_gib(1));
        assert_eq!(one.unwrap().files, 1);
        assert!(look(&folder.path().join("none"), Duration::ZERO, Bytes::new(1)).is_err());
    }
}
