//! Cleaning by a plan: everything moves into a trash beside it and can come back.
//!
//! Every folder on the way is opened without following links, and the move is made between open
//! folders, so that a link put in the way meanwhile leads nowhere.

use super::Item;
use jiff::Timestamp;
use kasuan_model::{Phrase, Phrased};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{CWD, Mode, OFlags, mkdirat, openat, renameat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use std::{
    ffi::OsStr,
    fs, io,
    path::{Component, Path, PathBuf},
};

/// The folder in the root that holds what was removed.
pub(super) const TRASH: &str = ".kasuan-trash";

/// What is to be removed, as scan writes it and a person looks it over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CleanPlan {
    /// The format's version: 1.
    pub version: u32,
    /// The root, as an absolute path.
    pub root: PathBuf,
    /// When the plan was made (RFC 3339).
    pub made: String,
    /// What goes; whatever shall stay after all is deleted from this list.
    pub items: Vec<PlannedItem>,
}

/// One thing to remove.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedItem {
    /// Its path below the root.
    pub path: PathBuf,
    /// What it is.
    pub kind: String,
    /// Its size.
    pub bytes: u64,
    /// When anything in it was last written (RFC 3339).
    pub changed: String,
    /// Why it may go.
    pub why: String,
}

impl PlannedItem {
    /// Plans the removal of an item.
    pub fn of(item: &Item, why: &str) -> Self {
        Self {
            path: item.path.clone(),
            kind: item.kind.word().to_owned(),
            bytes: item.bytes.get(),
            changed: item.changed.to_string(),
            why: why.to_owned(),
        }
    }
}

/// Why something was left where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// It is a link now.
    Link,
    /// Its path leads out of the root, or into the trash.
    Outside,
    /// The plan does not say when it was last written.
    Undated,
    /// It was written after the plan was made.
    Changed,
    /// Something of its name is there already.
    Taken,
    /// It is not there.
    Missing,
    /// This user may not.
    Denied,
    /// What the system said.
    System(String),
}

impl From<io::Error> for Left {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::Denied,
            io::ErrorKind::AlreadyExists => Self::Taken,
            // A folder on the way that was opened without following links, and is one now.
            io::ErrorKind::NotADirectory => Self::Link,
            _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => Self::Link,
            _ => Self::System(error.to_string()),
        }
    }
}

impl Phrased for Left {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Link => Phrase::new("storage-left-link"),
            Self::Outside => Phrase::new("storage-left-outside"),
            Self::Undated => Phrase::new("storage-left-undated"),
            Self::Changed => Phrase::new("storage-left-changed"),
            Self::Taken => Phrase::new("storage-left-taken"),
            Self::Missing => Phrase::new("storage-left-missing"),
            Self::Denied => Phrase::new("storage-left-denied"),
            Self::System(reason) => Phrase::new("storage-left-system").with("reason", reason),
        }
    }
}

/// What cleaning did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// What was moved into the trash.
    pub moved: Vec<PathBuf>,
    /// What was left alone, and why.
    pub left: Vec<(PathBuf, Left)>,
    /// Bytes that were moved; they are free after a purge.
    pub bytes: u64,
    /// The batch in the trash.
    pub batch: String,
}

/// What one cleaning put into the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Its name, which begins with its time.
    pub name: String,
    /// When it was made.
    pub made: Timestamp,
}

const FOLDER: OFlags =
    OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::RDONLY).union(OFlags::CLOEXEC);

/// Splits a path below a root into names; `None` when it could lead elsewhere.
fn names(path: &Path) -> Option<Vec<&OsStr>> {
    let parts = path.components().map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    parts.collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())
}

/// Opens folders one below the other, making them when asked to.
fn descend(root: &OwnedFd, names: &[&OsStr], make: bool) -> io::Result<OwnedFd> {
    let mut folder = root.try_clone()?;
    for name in names {
        if make {
            match mkdirat(&folder, *name, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        folder = openat(&folder, *name, FOLDER, Mode::empty())?;
    }
    Ok(folder)
}

fn open_root(root: &Path) -> io::Result<OwnedFd> {
    Ok(openat(CWD, root, FOLDER, Mode::empty())?)
}

/// Returns the size and the last write of what lies at a path, as scan would.
fn weigh(path: &Path) -> Result<(u64, i64), Left> {
    use std::os::unix::fs::MetadataExt as _;
    let data = fs::symlink_metadata(path)?;
    if data.is_symlink() {
        return Err(Left::Link);
    }
    if !data.is_dir() {
        return Ok((data.len(), data.mtime()));
    }
    let (mut bytes, mut written) = (0_u64, 0);
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if fs::symlink_metadata(&path)?.is_symlink() {
            continue;
        }
        let (more, time) = weigh(&path)?;
        bytes = bytes.saturating_add(more);
        written = written.max(time);
    }
    Ok((bytes, written))
}

fn move_between(
    from: &OwnedFd,
    to: &OwnedFd,
    path: &Path,
    make_from: &[&OsStr],
) -> Result<(), Left> {
    let below = names(path).ok_or(Left::Outside)?;
    let Some((name, folders)) = below.split_last() else {
        return Err(Left::Outside);
    };
    let source = descend(from, folders, false)?;
    let all: Vec<&OsStr> = make_from.iter().copied().chain(folders.iter().copied()).collect();
    let target = descend(to, &all, true)?;
    // A rename would replace what is there.
    if rustix::fs::statat(&target, *name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        return Err(Left::Taken);
    }
    renameat(source.as_fd(), *name, target.as_fd(), *name).map_err(io::Error::from)?;
    Ok(())
}

/// Moves what a plan names into the trash. What changed since the plan was made stays.
///
/// # Errors
///
/// When the root cannot be opened.
pub fn clean(plan: &CleanPlan, now: Timestamp) -> io::Result<Cleaned> {
    let root = open_root(&plan.root)?;
    let batch = now.strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut done = Cleaned { batch: batch.clone(), ..Cleaned::default() };
    for item in &plan.items {
        let whole = plan.root.join(&item.path);
        let outcome = (|| {
            if names(&item.path).is_none_or(|names| names.first() == Some(&OsStr::new(TRASH))) {
                return Err(Left::Outside);
            }
            let (_, written) = weigh(&whole)?;
            let planned: Timestamp = item.changed.parse().map_err(|_| Left::Undated)?;
            if written > planned.as_second() {
                return Err(Left::Changed);
            }
            move_between(&root, &root, &item.path, &[OsStr::new(TRASH), OsStr::new(&batch)])
        })();
        match outcome {
            Ok(()) => {
                done.moved.push(item.path.clone());
                done.bytes = done.bytes.saturating_add(item.bytes);
            }
            Err(reason) => done.left.push((item.path.clone(), reason)),
        }
    }
    Ok(done)
}

/// Lists what is in the trash, oldest first.
///
/// # Errors
///
/// When the trash cannot be read.
pub fn batches(root: &Path) -> io::Result<Vec<Batch>> {
    let mut found = Vec::new();
    let listed = match fs::read_dir(root.join(TRASH)) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error),
    };
    for entry in listed {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let civil = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", &name);
        if let Some(made) = civil.ok().and_then(|c| jiff::tz::Offset::UTC.to_timestamp(c).ok()) {
            found.push(Batch { name, made });
        }
    }
    found.sort_by_key(|batch| batch.made);
    Ok(found)
}

/// Brings a batch back to where it was; returns what came back and what could not.
///
/// # Errors
///
/// When the batch cannot be opened.
pub fn undo(root: &Path, batch: &str) -> io::Result<Cleaned> {
    let folder = open_root(root)?;
    let trash = descend(&folder, &[OsStr::new(TRASH), OsStr::new(batch)], false)?;
    let mut done = Cleaned { batch: batch.to_owned(), ..Cleaned::default() };
    restore(&root.join(TRASH).join(batch), Path::new(""), (&trash, &folder), root, &mut done)?;
    if done.left.is_empty() {
        fs::remove_dir_all(root.join(TRASH).join(batch))?;
    }
    Ok(done)
}

/// Moves back what has no place any more; folders that are still there are entered.
fn restore(
    at: &Path,
    below: &Path,
    folders: (&OwnedFd, &OwnedFd),
    root: &Path,
    done: &mut Cleaned,
) -> io::Result<()> {
    for entry in fs::read_dir(at)? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        let is_folder = entry.file_type()?.is_dir();
        if is_folder && root.join(&path).is_dir() {
            restore(&entry.path(), &path, folders, root, done)?;
            continue;
        }
        match move_between(folders.0, folders.1, &path, &[]) {
            Ok(()) => done.moved.push(path),
            Err(reason) => done.left.push((path, reason)),
        }
    }
    Ok(())
}

/// Deletes a batch for good.
///
/// # Errors
///
/// When it cannot be deleted.
pub fn purge(root: &Path, batch: &Batch) -> io::Result<()> {
    // The names are checked when they are listed; `remove_dir_all` follows no link.
    fs::remove_dir_all(root.join(TRASH).join(&batch.name))
}
