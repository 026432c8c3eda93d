//! Walks a folder and says of everything large what it is and whether it may go.

use super::classify;
use crate::quiet;
use jiff::Timestamp;
use kasuan_model::Bytes;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A state of training that can be resumed.
    Checkpoint,
    /// Weights to serve or to start from.
    Model,
    /// Data to train on.
    Dataset,
    /// What a tool can fetch or build again.
    Cache,
}

impl Kind {
    /// Returns the stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::Model => "model",
            Self::Dataset => "dataset",
            Self::Cache => "cache",
        }
    }
}

/// Why something stays or may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Among the newest of its run.
    Newest,
    /// The best of its run, as its trainer noted.
    Best,
    /// A recorded command or a link names it.
    Referenced,
    /// Used within the days that were asked for.
    Recent,
    /// Nothing says that it can be had again.
    Precious,
    /// Newer ones of the same run are kept.
    Superseded,
    /// A tool can fetch it again, and nobody used it for long.
    Refetchable,
}

impl Why {
    /// Returns the stable word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Best => "best",
            Self::Referenced => "referenced",
            Self::Recent => "recent",
            Self::Precious => "precious",
            Self::Superseded => "superseded",
            Self::Refetchable => "refetchable",
        }
    }
}

/// Whether something may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It stays.
    Keep(Why),
    /// It may go.
    Drop(Why),
}

/// Something that takes space.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its path below the root.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
    /// Its size on disk.
    pub bytes: Bytes,
    /// When anything in it was last read or written, as far as the file system notes it.
    pub last_used: Option<Timestamp>,
    /// When anything in it was last written.
    pub changed: Timestamp,
    /// Whether it may go.
    pub verdict: Verdict,
    step: Option<u64>,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Checkpoints of a run that always stay, counted from the newest.
    pub keep: usize,
    /// Days without use after which a cache may go, and before which nothing may.
    pub old_days: i64,
    /// The time now.
    pub now: Timestamp,
    /// Commands of recorded runs; whatever they name stays.
    pub commands: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The items, largest first.
    pub items: Vec<Item>,
    /// Links that were not followed.
    pub links: u64,
    /// Folders and files that could not be read.
    pub unreadable: Vec<PathBuf>,
    /// All bytes below the root.
    pub total: u64,
    /// Every larger file, for finding duplicates: path below the root, size, device and inode.
    pub(super) files: Vec<(PathBuf, u64, (u64, u64))>,
}

/// Sizes and times of everything below a folder.
#[derive(Clone, Copy, Default)]
struct Weight {
    bytes: u64,
    read: i64,
    written: i64,
}

struct Walk<'a> {
    root: &'a Path,
    scan: Scan,
    targets: BTreeSet<PathBuf>,
    best: BTreeSet<PathBuf>,
    seen: BTreeSet<(u64, u64)>,
}

/// Walks a folder.
///
/// # Errors
///
/// When the root itself cannot be read; what lies below and cannot is listed.
pub fn scan(root: &Path, asked: &Asked) -> io::Result<Scan> {
    let root = root.canonicalize()?;
    let mut walk = Walk {
        root: &root,
        scan: Scan::default(),
        targets: BTreeSet::new(),
        best: BTreeSet::new(),
        seen: BTreeSet::new(),
    };
    fs::read_dir(&root)?;
    let whole = walk.folder(&root, true);
    walk.scan.total = whole.bytes;
    let Walk { mut scan, targets, best, .. } = walk;
    judge(&mut scan.items, asked, &root, &targets, &best);
    scan.items.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
    Ok(scan)
}

impl Walk<'_> {
    /// Weighs a folder; below one that is an item as a whole nothing is an item of its own.
    fn folder(&mut self, path: &Path, parts_count: bool) -> Weight {
        let mut sum = Weight::default();
        let Ok(entries) = fs::read_dir(path) else {
            self.unreadable(path);
            return sum;
        };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        let names: Vec<String> =
            entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        let own =
            if parts_count && path != self.root { classify::folder(path, &names) } else { None };
        for (entry, name) in entries.iter().zip(&names) {
            let path = entry.path();
            let Ok(data) = fs::symlink_metadata(&path) else {
                self.unreadable(&path);
                continue;
            };
            if data.is_symlink() {
                self.scan.links += 1;
                if let Ok(target) = fs::canonicalize(&path) {
                    self.targets.insert(target);
                }
            } else if data.is_dir() {
                if name == super::trash::TRASH {
                    continue;
                }
                let weight = self.folder(&path, parts_count && own.is_none());
                sum.add(weight);
            } else if data.is_file() {
                let weight = self.file(&path, name, &data, parts_count && own.is_none());
                sum.add(weight);
            }
        }
        if let Some(kind) = own {
            self.item(path, kind, sum);
        }
        sum
    }

    fn file(&mut self, path: &Path, name: &str, data: &fs::Metadata, counts: bool) -> Weight {
        let state = name == "trainer_state.json";
        if state {
            self.note_best(path);
        }
        let weight = Weight {
            // A second name of the same file takes no more space.
            bytes: if self.seen.insert((data.dev(), data.ino())) { data.len() } else { 0 },
            // Scans read it themselves.
            read: if state { 0 } else { data.atime() },
            written: data.mtime(),
        };
        if data.len() >= super::duplicates::LEAST {
            let below = self.below(path);
            self.scan.files.push((below, data.len(), (data.dev(), data.ino())));
        }
        if counts && let Some(kind) = classify::file(name) {
            self.item(path, kind, weight);
        }
        weight
    }

    fn item(&mut self, path: &Path, kind: Kind, weight: Weight) {
        let moment = |second: i64| Timestamp::from_second(second).ok();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let used = weight.read.max(weight.written);
        self.scan.items.push(Item {
            path: self.below(path),
            kind,
            bytes: Bytes::new(weight.bytes),
            last_used: moment(used).filter(|_| used > 0),
            changed: moment(weight.written).unwrap_or_default(),
            verdict: Verdict::Keep(Why::Precious),
            step: name.and_then(|name| classify::step(&name)),
        });
    }

    /// HF Trainer notes its best checkpoint in every later one.
    fn note_best(&mut self, path: &Path) {
        // Another user's file is read all the same: the best checkpoint must stay.
        let opened = quiet::open(path).or_else(|_| fs::File::open(path));
        let Ok(text) = opened.and_then(io::read_to_string) else { return };
        let Ok(state) = serde_json::from_str::<serde_json::Value>(&text) else { return };
        let best = state.get("best_model_checkpoint").and_then(serde_json::Value::as_str);
        let name = best.map(Path::new).and_then(Path::file_name);
        // The path was another machine's; the name beside this checkpoint is what is meant.
        let beside = path.parent().and_then(Path::parent);
        if let Some((beside, name)) = beside.zip(name) {
            self.best.insert(beside.join(name));
        }
    }

    fn below(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.root).unwrap_or(path).to_owned()
    }

    fn unreadable(&mut self, path: &Path) {
        let path = self.below(path);
        self.scan.unreadable.push(path);
    }
}

impl Weight {
    fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.read = self.read.max(other.read);
        self.written = self.written.max(other.written);
    }
}

/// Decides what may go: of each run's checkpoints those that are neither new, best nor named; of
/// caches those that nobody used for long. Everything else stays.
fn judge(
    items: &mut [Item],
    asked: &Asked,
    root: &Path,
    targets: &BTreeSet<PathBuf>,
    best: &BTreeSet<PathBuf>,
) {
    let mut runs: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        if item.kind == Kind::Checkpoint {
            let parent = item.path.parent().map(Path::to_path_buf).unwrap_or_default();
            runs.entry(parent).or_default().push(at);
        }
    }
    let mut newest: BTreeSet<usize> = BTreeSet::new();
    for places in runs.values_mut() {
        places.sort_by_key(|at| (items[*at].step, items[*at].changed));
        newest.extend(places.iter().rev().take(asked.keep.max(1)));
    }
    let old = |item: &Item| {
        item.last_used.is_some_and(|used| {
            (asked.now.as_second() - used.as_second()) / 86_400 >= asked.old_days
        })
    };
    let recent_write = |item: &Item| {
        // What was written today may still be written on.
        asked.now.as_second() - item.changed.as_second() < 86_400
    };
    for (at, item) in items.iter_mut().enumerate() {
        let whole = root.join(&item.path);
        let name = item.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let linked = targets.iter().any(|target| target.starts_with(&whole));
        let named = asked.commands.iter().any(|command| {
            command.contains(&whole.display().to_string())
                || command.contains(&item.path.display().to_string())
        });
        let says_best = name.starts_with("best") || name.starts_with("last.");
        item.verdict = if linked || named {
            Verdict::Keep(Why::Referenced)
        } else {
            match item.kind {
                Kind::Checkpoint if best.contains(&whole) || says_best => Verdict::Keep(Why::Best),
                Kind::Checkpoint if newest.contains(&at) => Verdict::Keep(Why::Newest),
                Kind::Checkpoint if recent_write(item) => Verdict::Keep(Why::Recent),
                Kind::Checkpoint => Verdict::Drop(Why::Superseded),
                Kind::Cache if old(item) => Verdict::Drop(Why::Refetchable),
                Kind::Cache => Verdict::Keep(Why::Recent),
                Kind::Model | Kind::Dataset => Verdict::Keep(Why::Precious),
            }
        };
    }
}
