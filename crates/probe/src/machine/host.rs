//! Processor, memory, disks, limits and container, from `/proc`, `/sys` and a few known files.

use kasuan_model::Bytes;
use std::{collections::BTreeMap, fs, path::Path};

/// A file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Where it is mounted.
    pub path: String,
    /// Its size.
    pub total: Bytes,
    /// What an ordinary user may still write.
    pub free: Bytes,
}

/// The host, or what the container shows of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Processor cores that may be used: the container's quota where there is one.
    pub cores: Option<f64>,
    /// The processor's name.
    pub processor: Option<String>,
    /// Memory that may be used: the container's limit where there is one.
    pub memory: Option<Bytes>,
    /// Size of `/dev/shm`, through which data loaders hand over batches.
    pub shared_memory: Option<Bytes>,
    /// Disks worth knowing: the root, the working directory, the usual data mounts.
    pub disks: Vec<Disk>,
    /// Files that one process may hold open.
    pub open_files: Option<u64>,
    /// The CUDA version of the image.
    pub image_cuda: Option<String>,
    /// Whether forward-compatibility libraries come before the driver's own on the search path.
    pub compat_libraries_first: bool,
    /// Whether this is a container.
    pub container: bool,
    /// Whether this is Linux under Windows.
    pub wsl: bool,
    /// The environment of this process, as the kernel shows it.
    pub variables: BTreeMap<String, String>,
}

/// Reads everything below `root`.
pub(super) fn read(root: &Path) -> Host {
    let text = |path: &str| fs::read_to_string(root.join(path)).ok();
    let variables = variables(root);
    let shared = disk(root, "dev/shm").map(|disk| disk.total);
    let mut disks = Vec::new();
    for place in ["", "root/autodl-tmp", "root/autodl-fs", "workspace", "data", "mnt", "home"] {
        if let Some(disk) = disk(root, place)
            && !disks.iter().any(|seen: &Disk| seen.total == disk.total && seen.free == disk.free)
        {
            disks.push(disk);
        }
    }
    let search_path = variables.get("LD_LIBRARY_PATH").map_or("", String::as_str);
    Host {
        cores: quota(&text).or_else(|| text("proc/cpuinfo").map(|info| processors(&info))),
        processor: text("proc/cpuinfo").and_then(|info| {
            let line = info.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        }),
        memory: limit(&text),
        shared_memory: shared,
        disks,
        open_files: text("proc/self/limits").and_then(|limits| {
            let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
            line.split_whitespace().nth(3)?.parse().ok()
        }),
        image_cuda: image_cuda(root, &variables),
        compat_libraries_first: search_path.split(':').any(|part| part.contains("/compat")),
        container: root.join(".dockerenv").exists()
            || root.join("run/.containerenv").exists()
            || text("proc/1/cgroup").is_some_and(|text| text.contains("kubepods")),
        wsl: text("proc/version")
            .is_some_and(|text| text.to_ascii_lowercase().contains("microsoft")),
        variables,
    }
}

fn variables(root: &Path) -> BTreeMap<String, String> {
    let bytes = fs::read(root.join("proc/self/environ")).unwrap_or_default();
    bytes
        .split(|byte| *byte == 0)
        .filter_map(|entry| {
            let entry = String::from_utf8_lossy(entry);
            let (name, value) = entry.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        })
        .collect()
}

/// Returns the quota of control group v2, else of v1, in cores.
fn quota(text: &impl Fn(&str) -> Option<String>) -> Option<f64> {
    let (quota, period) = match text("sys/fs/cgroup/cpu.max") {
        Some(line) => {
            let (quota, period) = line.trim().split_once(' ')?;
            (quota.to_owned(), period.to_owned())
        }
        None => (
            text("sys/fs/cgroup/cpu/cpu.cfs_quota_us")?.trim().to_owned(),
            text("sys/fs/cgroup/cpu/cpu.cfs_period_us")?.trim().to_owned(),
        ),
    };
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

#[expect(clippy::cast_precision_loss, reason = "machines have few processors")]
fn processors(info: &str) -> f64 {
    info.lines().filter(|line| line.starts_with("processor")).count() as f64
}

/// Returns the smaller of the control group's limit and the machine's memory.
fn limit(text: &impl Fn(&str) -> Option<String>) -> Option<Bytes> {
    let total = text("proc/meminfo").and_then(|info| {
        let line = info.lines().find(|line| line.starts_with("MemTotal"))?;
        let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        kib.checked_mul(1024)
    });
    let limited = text("sys/fs/cgroup/memory.max")
        .or_else(|| text("sys/fs/cgroup/memory/memory.limit_in_bytes"))
        .and_then(|limit| limit.trim().parse::<u64>().ok());
    match (total, limited) {
        (Some(total), Some(limited)) => Some(Bytes::new(total.min(limited))),
        (total, limited) => total.or(limited).map(Bytes::new),
    }
}

fn disk(root: &Path, place: &str) -> Option<Disk> {
    let path = root.join(place);
    let stat = rustix::fs::statvfs(&path).ok()?;
    Some(Disk {
        path: path.display().to_string(),
        total: Bytes::new(stat.f_blocks.checked_mul(stat.f_frsize)?),
        free: Bytes::new(stat.f_bavail.checked_mul(stat.f_frsize)?),
    })
}

/// Official images say their CUDA in an environment variable; a toolkit says it in a file.
fn image_cuda(root: &Path, variables: &BTreeMap<String, String>) -> Option<String> {
    let short = |text: &str| {
        let mut parts = text.trim().split('.');
        Some(format!("{}.{}", parts.next()?, parts.next()?))
    };
    if let Some(version) = variables.get("CUDA_VERSION").and_then(|text| short(text)) {
        return Some(version);
    }
    let json = fs::read_to_string(root.join("usr/local/cuda/version.json")).ok()?;
    let value: serde_json::Value = serde_json::from_str(&json).ok()?;
    short(value["cuda"]["version"].as_str()?)
}
