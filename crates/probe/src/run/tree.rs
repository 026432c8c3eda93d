//! A process and its descendants, from `/proc`.

use std::{collections::BTreeMap, fs, path::Path};

/// What a process tree uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Process ids, the root first.
    pub pids: Vec<u32>,
    /// Resident memory in bytes.
    pub resident: u64,
    /// What each process has used by itself: processor time in clock ticks (1/100 s on Linux), and
    /// bytes that reached or came from a disk where the system says so.
    pub used: BTreeMap<u32, Used>,
}

/// What one process has used since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Processor time in clock ticks.
    pub cpu_ticks: u64,
    /// Bytes read from disks.
    pub disk_read: Option<u64>,
    /// Bytes written to disks.
    pub disk_written: Option<u64>,
}

/// What a process tree has used in all. Processes come and go: each counts with the last that was
/// seen of it, so what one uses between its last sample and its end is missed.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    seen: BTreeMap<u32, Used>,
    resident_peak: u64,
}

impl Totals {
    /// Adds a look at the tree.
    pub fn add(&mut self, tree: &Tree) {
        self.resident_peak = self.resident_peak.max(tree.resident);
        self.seen.extend(&tree.used);
    }

    /// Returns processor seconds; `None` before the first look that saw any.
    #[expect(clippy::cast_precision_loss, reason = "ticks of a job are far below 2^53")]
    pub fn cpu_seconds(&self) -> Option<f64> {
        let ticks: u64 = self.seen.values().map(|used| used.cpu_ticks).sum();
        (!self.seen.is_empty()).then(|| ticks as f64 / 100.0)
    }

    /// Returns bytes read from disks.
    pub fn disk_read(&self) -> Option<u64> {
        sum(self.seen.values().map(|used| used.disk_read))
    }

    /// Returns bytes written to disks.
    pub fn disk_written(&self) -> Option<u64> {
        sum(self.seen.values().map(|used| used.disk_written))
    }

    /// Returns the peak of resident memory in bytes.
    pub fn resident_peak(&self) -> Option<u64> {
        (self.resident_peak > 0).then_some(self.resident_peak)
    }
}

/// The sum of what is known; `None` where nothing is.
fn sum(values: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    values.flatten().reduce(u64::saturating_add)
}

/// Returns bytes received and sent by every interface but the loopback, as the namespace of this
/// process (a container's, as a rule) counts them. The system keeps no such count for a process.
pub fn network(proc: &Path) -> Option<(u64, u64)> {
    let text = fs::read_to_string(proc.join("net/dev")).ok()?;
    let mut total = (0_u64, 0_u64);
    for line in text.lines() {
        let Some((name, counts)) = line.split_once(':') else { continue };
        let counts: Vec<u64> =
            counts.split_whitespace().filter_map(|count| count.parse().ok()).collect();
        if let (false, Some(received), Some(sent)) =
            (name.trim() == "lo", counts.first(), counts.get(8))
        {
            total = (total.0.saturating_add(*received), total.1.saturating_add(*sent));
        }
    }
    Some(total)
}

/// Reads a line of `/proc/PID/io`.
fn io(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// Looks at `root` and everything below it; `proc` is `/proc`.
pub fn look(proc: &Path, root: u32) -> Tree {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut stats: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for entry in fs::read_dir(proc).into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Some((parent, ticks, pages)) =
            fs::read_to_string(entry.path().join("stat")).ok().as_deref().and_then(stat)
        else {
            continue;
        };
        children.entry(parent).or_default().push(pid);
        stats.insert(pid, (ticks, pages));
    }
    let mut tree = Tree::default();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        if tree.pids.contains(&pid) {
            continue;
        }
        tree.pids.push(pid);
        if let Some((ticks, pages)) = stats.get(&pid) {
            let counts = fs::read_to_string(proc.join(pid.to_string()).join("io")).ok();
            let counts = counts.as_deref().unwrap_or_default();
            let used = Used {
                cpu_ticks: *ticks,
                disk_read: io(counts, "read_bytes:"),
                disk_written: io(counts, "write_bytes:"),
            };
            tree.used.insert(pid, used);
            tree.resident = tree.resident.saturating_add(pages.saturating_mul(4096));
        }
        open.extend(children.get(&pid).into_iter().flatten());
    }
    tree
}

/// Reads parent, user plus system time and resident pages. The program's name is in brackets and
/// may itself hold brackets and spaces.
fn stat(text: &str) -> Option<(u32, u64, u64)> {
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some((u32::try_from(number(1)?).ok()?, number(11)?.checked_add(number(12)?)?, number(21)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_ended_still_counts_and_unknown_is_not_zero() {
        let used = |ticks, read| Used { cpu_ticks: ticks, disk_read: read, disk_written: None };
        let tree = |used: &[(u32, Used)], resident| Tree {
            pids: used.iter().map(|(pid, _)| *pid).collect(),
            resident,
            used: used.iter().copied().collect(),
        };
        let mut totals = Totals::default();
        assert_eq!(totals.cpu_seconds(), None);
        totals.add(&tree(&[(1, used(100, Some(10))), (2, used(50, None))], 300));
        totals.add(&tree(&[(1, used(150, Some(30)))], 200));
        assert_eq!(totals.cpu_seconds(), Some(2.0));
        assert_eq!(totals.disk_read(), Some(30));
        assert_eq!(totals.disk_written(), None);
        assert_eq!(totals.resident_peak(), Some(300));
    }

    #[test]
    fn this_machine_counts_its_own_traffic() {
        assert!(network(Path::new("/proc")).is_some());
        assert_eq!(network(Path::new("/not-there")), None);
    }

    #[test]
    fn a_name_with_brackets_does_not_confuse() {
        let line = "12 (a) b (x)) S 7 12 12 0 -1 4194304 100 0 0 0 30 12 0 0 20 0 1 0 100 1000000 250 18446744073709551615";
        assert_eq!(stat(line), Some((7, 42, 250)));
    }
}
