//! Checkpoints kept in a folder that outlives the machine: copied beside, compared, renamed.
//!
//! A copy is complete when it has its final name; killed at any moment, only a `.part` is left,
//! which the next run removes.

use super::{Keep, Kept, PART, entries};
use crate::same::same_content;
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// A folder of checkpoints.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Keep for Folder {
    fn prepare(&self) -> io::Result<()> {
        sweep(&self.0)
    }

    fn list(&self) -> io::Result<Vec<Kept>> {
        let found = entries(&self.0)?.into_iter();
        Ok(found.map(|entry| Kept { name: entry.name, changed: entry.changed }).collect())
    }

    fn put(&self, from: &Path, name: &str, _changed: SystemTime) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        copy(from, &self.0.join(name))
    }

    fn get(&self, name: &str, to: &Path) -> io::Result<()> {
        copy(&self.0.join(name), to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        remove(&self.0.join(name))
    }
}

/// Removes what a killed copy left in a folder.
pub(super) fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(PART) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Copies beside the target, compares, and renames into place.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut part = to.as_os_str().to_owned();
    part.push(PART);
    let part = PathBuf::from(part);
    remove(&part)?;
    let copied = copy_tree(from, &part).and_then(|()| same(from, &part));
    if !matches!(copied, Ok(true)) {
        // Half a copy would only keep a full disk full.
        remove(&part)?;
        copied?;
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

pub(super) fn remove(path: &Path) -> io::Result<()> {
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
