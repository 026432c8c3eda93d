//! Checkpoints kept safe: copied when finished, verified, published whole, pruned; the newest
//! complete one comes back on a new machine. One job has one place: two that share one would prune
//! each other's.

mod folder;
mod http;
mod listing;
mod place;
mod s3;
mod sigv4;

pub use folder::Folder;
pub use http::{Http, Request, Response};
pub use place::{Place, PlaceError};
pub use s3::S3;
pub use sigv4::Keys;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The ending of a copy that is not complete.
const PART: &str = ".part";

/// A complete checkpoint in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// The newest change in it, when it was written.
    pub changed: SystemTime,
}

/// A store that outlives the machine. What it lists is complete, whenever a writer was killed.
pub trait Keep: Send {
    /// Removes what a killed writer left.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached.
    fn prepare(&self) -> io::Result<()>;

    /// Lists the complete checkpoints.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached.
    fn list(&self) -> io::Result<Vec<Kept>>;

    /// Copies a file or a folder there, verifies it, and only then makes it visible.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached, is full, or the checkpoint changed meanwhile.
    fn put(&self, from: &Path, name: &str, changed: SystemTime) -> io::Result<()>;

    /// Copies a checkpoint back and verifies it before it has its name.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is damaged ([`io::ErrorKind::InvalidData`]).
    fn get(&self, name: &str, to: &Path) -> io::Result<()>;

    /// Removes a checkpoint.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached.
    fn remove(&self, name: &str) -> io::Result<()>;
}

/// Where checkpoints are written and where they are kept.
pub struct Checkpoints {
    /// Where the job writes them, one file or folder each.
    pub local: PathBuf,
    /// Where they are kept.
    pub kept: Box<dyn Keep>,
    /// How many are kept; older ones are removed.
    pub most: usize,
    /// How long nothing in it may have changed before a checkpoint counts as finished.
    pub settled: Duration,
}

/// What a pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// Checkpoints copied.
    pub copied: Vec<String>,
    /// Checkpoints removed from the store as too old.
    pub pruned: Vec<String>,
}

/// What came back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// The checkpoint; `None` where there was none to bring back, or the job has its own.
    pub name: Option<String>,
    /// Newer ones that were damaged in the store and passed over.
    pub damaged: Vec<String>,
}

impl Checkpoints {
    /// Copies every finished checkpoint that is not kept yet, oldest first, then prunes.
    /// `everything` also takes what has changed just now: the job has ended.
    ///
    /// # Errors
    ///
    /// When one could not be copied; those before it are kept.
    pub fn sync(&self, everything: bool) -> io::Result<Synced> {
        let mut synced = Synced::default();
        let mut local = entries(&self.local)?;
        local.sort_by_key(|entry| entry.changed);
        let newest = local.len().saturating_sub(self.most.max(1));
        local.drain(..newest);
        local.retain(|entry| everything || entry.age >= self.settled);
        if local.is_empty() {
            return Ok(synced);
        }
        let mut kept = self.kept.list()?;
        for entry in local {
            if kept.iter().any(|one| one.name == entry.name) {
                continue;
            }
            self.kept.put(&self.local.join(&entry.name), &entry.name, entry.changed)?;
            kept.push(Kept { name: entry.name.clone(), changed: entry.changed });
            synced.copied.push(entry.name);
        }
        kept.sort_by_key(|one| one.changed);
        let over = kept.len().saturating_sub(self.most.max(1));
        for one in kept.into_iter().take(over) {
            self.kept.remove(&one.name)?;
            synced.pruned.push(one.name);
        }
        Ok(synced)
    }

    /// Copies the newest kept checkpoint back where the job has none.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached or the local folder cannot be written.
    pub fn restore(&self) -> io::Result<Restored> {
        folder::sweep(&self.local)?;
        self.kept.prepare()?;
        let mut restored = Restored::default();
        if !entries(&self.local)?.is_empty() {
            return Ok(restored);
        }
        let mut kept = self.kept.list()?;
        kept.sort_by_key(|one| std::cmp::Reverse(one.changed));
        for one in kept {
            fs::create_dir_all(&self.local)?;
            match self.kept.get(&one.name, &self.local.join(&one.name)) {
                Ok(()) => {
                    restored.name = Some(one.name);
                    break;
                }
                // An older checkpoint that is whole is worth more than none.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    restored.damaged.push(one.name);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(restored)
    }
}

/// A file or folder directly below a folder.
struct Entry {
    name: String,
    changed: SystemTime,
    age: Duration,
}

/// Lists complete entries with the newest change inside each.
fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error),
    };
    for entry in listed {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(PART) || name.starts_with('.') {
            continue;
        }
        let changed = newest_change(&path)?;
        found.push(Entry { name, changed, age: changed.elapsed().unwrap_or_default() });
    }
    Ok(found)
}

fn newest_change(path: &Path) -> io::Result<SystemTime> {
    let data = fs::symlink_metadata(path)?;
    let mut newest = data.modified()?;
    if data.is_dir() {
        for entry in fs::read_dir(path)? {
            newest = newest.max(newest_change(&entry?.path())?);
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_up() -> (tempfile::TempDir, Checkpoints) {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints {
            local: folder.path().join("out"),
            kept: Box::new(Folder(folder.path().join("kept"))),
            most: 2,
            settled: Duration::ZERO,
        };
        fs::create_dir(&checkpoints.local).unwrap();
        (folder, checkpoints)
    }

    fn write(checkpoints: &Checkpoints, name: &str, seconds: u64) {
        let folder = checkpoints.local.join(name);
        fs::create_dir(&folder).unwrap();
        let path = folder.join("model.bin");
        fs::write(&path, name).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        fs::File::open(&folder).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn finished_checkpoints_are_kept_and_the_newest_comes_back() {
        let (folder, checkpoints) = set_up();
        let kept = folder.path().join("kept");
        for (name, seconds) in [("checkpoint-100", 1), ("checkpoint-200", 2), ("checkpoint-300", 3)]
        {
            write(&checkpoints, name, seconds);
        }
        let synced = checkpoints.sync(false).unwrap();
        assert_eq!(synced.copied, ["checkpoint-200", "checkpoint-300"]);
        fs::remove_dir_all(&checkpoints.local).unwrap();
        // A copy that was killed in the middle is no checkpoint.
        fs::create_dir(kept.join("checkpoint-400.part")).unwrap();
        assert_eq!(checkpoints.restore().unwrap().name.as_deref(), Some("checkpoint-300"));
        let text = fs::read_to_string(checkpoints.local.join("checkpoint-300/model.bin")).unwrap();
        assert_eq!(text, "checkpoint-300");
        assert!(!kept.join("checkpoint-400.part").exists());
        assert_eq!(checkpoints.restore().unwrap().name, None);
    }

    #[test]
    fn a_checkpoint_that_is_still_written_waits() {
        let (_folder, mut checkpoints) = set_up();
        checkpoints.settled = Duration::from_secs(3600);
        fs::write(checkpoints.local.join("last.ckpt"), "half").unwrap();
        assert!(checkpoints.sync(false).unwrap().copied.is_empty());
        assert_eq!(checkpoints.sync(true).unwrap().copied, ["last.ckpt"]);
    }

    #[test]
    fn a_store_that_cannot_be_written_is_an_error_and_not_a_loss() {
        let (folder, mut checkpoints) = set_up();
        write(&checkpoints, "checkpoint-1", 1);
        fs::write(folder.path().join("file"), "").unwrap();
        checkpoints.kept = Box::new(Folder(folder.path().join("file/below")));
        assert!(checkpoints.sync(false).is_err());
        assert!(checkpoints.local.join("checkpoint-1").exists());
    }
}
