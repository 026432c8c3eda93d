//! Checkpoints kept safe: copied when finished, verified, renamed into place, pruned; the newest
//! complete one comes back on a new machine.
//!
//! A copy is complete when it has its final name; killed at any moment, only a `.part` is left,
//! which the next run removes.

use crate::same::same_content;
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The ending of a copy that is not complete.
const PART: &str = ".part";

/// Where checkpoints are written and where they are kept.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// Where the job writes them, one file or folder each.
    pub local: PathBuf,
    /// Where they are kept.
    pub kept: PathBuf,
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

impl Checkpoints {
    /// Copies every finished checkpoint that is not kept yet, oldest first, then prunes.
    /// `everything` also takes what has changed just now: the job has ended.
    pub fn sync(&self, everything: bool) -> io::Result<Synced> {
        let mut synced = Synced::default();
        fs::create_dir_all(&self.kept)?;
        let mut local = entries(&self.local)?;
        local.sort_by_key(|entry| entry.changed);
        let newest = local.len().saturating_sub(self.most.max(1));
        for entry in local.into_iter().skip(newest) {
            let target = self.kept.join(&entry.name);
            let finished = everything || entry.age >= self.settled;
            if !finished || target.exists() {
                continue;
            }
            copy(&self.local.join(&entry.name), &target)?;
            synced.copied.push(entry.name);
        }
        synced.pruned = self.prune()?;
        Ok(synced)
    }

    /// Copies the newest kept checkpoint back where the job has none; returns its name.
    pub fn restore(&self) -> io::Result<Option<String>> {
        self.sweep(&self.kept)?;
        self.sweep(&self.local)?;
        if self.local.is_dir() && !entries(&self.local)?.is_empty() {
            return Ok(None);
        }
        if !self.kept.is_dir() {
            return Ok(None);
        }
        let Some(newest) = entries(&self.kept)?.into_iter().max_by_key(|entry| entry.changed)
        else {
            return Ok(None);
        };
        fs::create_dir_all(&self.local)?;
        copy(&self.kept.join(&newest.name), &self.local.join(&newest.name))?;
        Ok(Some(newest.name))
    }

    fn prune(&self) -> io::Result<Vec<String>> {
        let mut kept = entries(&self.kept)?;
        kept.sort_by_key(|entry| entry.changed);
        let over = kept.len().saturating_sub(self.most.max(1));
        let mut pruned = Vec::new();
        for entry in kept.into_iter().take(over) {
            remove(&self.kept.join(&entry.name))?;
            pruned.push(entry.name);
        }
        Ok(pruned)
    }

    /// Removes what a killed copy left.
    fn sweep(&self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry?.path();
            if path.to_string_lossy().ends_with(PART) {
                remove(&path)?;
            }
        }
        Ok(())
    }
}

struct Entry {
    name: String,
    changed: std::time::SystemTime,
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

fn newest_change(path: &Path) -> io::Result<std::time::SystemTime> {
    let data = fs::symlink_metadata(path)?;
    let mut newest = data.modified()?;
    if data.is_dir() {
        for entry in fs::read_dir(path)? {
            newest = newest.max(newest_change(&entry?.path())?);
        }
    }
    Ok(newest)
}

/// Copies beside the target, compares, and renames into place.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut part = to.as_os_str().to_owned();
    part.push(PART);
    let part = PathBuf::from(part);
    remove(&part)?;
    copy_tree(from, &part)?;
    if !same(from, &part)? {
        remove(&part)?;
        return Err(io::Error::other(
            "the copy differs from the checkpoint; it is still being written",
        ));
    }
    fs::rename(&part, to)?;
    if let Some(folder) = to.parent() {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let data = fs::symlink_metadata(from)?;
    if data.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_tree(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else if data.is_file() {
        fs::copy(from, to)?;
        let file = fs::File::options().write(true).open(to)?;
        file.sync_all()?;
        file.set_modified(data.modified()?)?;
    }
    // Links (`latest -> checkpoint-500`) point at other checkpoints and are not copied.
    Ok(())
}

fn same(one: &Path, other: &Path) -> io::Result<bool> {
    let data = fs::symlink_metadata(one)?;
    if data.is_dir() {
        for entry in fs::read_dir(one)? {
            let entry = entry?;
            if entry.file_type()?.is_symlink() {
                continue;
            }
            if !same(&entry.path(), &other.join(entry.file_name()))? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    same_content(fs::File::open(one)?, fs::File::open(other)?)
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_up() -> (tempfile::TempDir, Checkpoints) {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints {
            local: folder.path().join("out"),
            kept: folder.path().join("kept"),
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
        let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds);
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        fs::File::open(&folder).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn finished_checkpoints_are_kept_and_the_newest_comes_back() {
        let (_folder, checkpoints) = set_up();
        for (name, seconds) in [("checkpoint-100", 1), ("checkpoint-200", 2), ("checkpoint-300", 3)]
        {
            write(&checkpoints, name, seconds);
        }
        let synced = checkpoints.sync(false).unwrap();
        assert_eq!(synced.copied, ["checkpoint-200", "checkpoint-300"]);
        fs::remove_dir_all(&checkpoints.local).unwrap();
        // A copy that was killed in the middle is no checkpoint.
        fs::create_dir(checkpoints.kept.join("checkpoint-400.part")).unwrap();
        assert_eq!(checkpoints.restore().unwrap().as_deref(), Some("checkpoint-300"));
        let text = fs::read_to_string(checkpoints.local.join("checkpoint-300/model.bin")).unwrap();
        assert_eq!(text, "checkpoint-300");
        assert!(!checkpoints.kept.join("checkpoint-400.part").exists());
        assert_eq!(checkpoints.restore().unwrap(), None);
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
        checkpoints.kept = folder.path().join("file/below");
        assert!(checkpoints.sync(false).is_err());
        assert!(checkpoints.local.join("checkpoint-1").exists());
    }
}
