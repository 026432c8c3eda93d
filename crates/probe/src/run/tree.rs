//! A process and its descendants, from `/proc`.

use std::{collections::BTreeMap, fs, path::Path};

/// What a process tree uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Process ids, the root first.
    pub pids: Vec<u32>,
    /// Resident memory in bytes.
    pub resident: u64,
    /// Processor time in clock ticks (1/100 s on Linux).
    pub cpu_ticks: u64,
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
            tree.cpu_ticks = tree.cpu_ticks.saturating_add(*ticks);
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
    use super::stat;

    #[test]
    fn a_name_with_brackets_does_not_confuse() {
        let line = "12 (a) b (x)) S 7 12 12 0 -1 4194304 100 0 0 0 30 12 0 0 20 0 1 0 100 1000000 250 18446744073709551615";
        assert_eq!(stat(line), Some((7, 42, 250)));
    }
}
