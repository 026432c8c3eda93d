//! Files of the same content, found by size first and by their bytes then.

use super::Scan;
use crate::{quiet, same::same_content};
use kasuan_model::Bytes;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// Smaller files are not worth a look.
pub(super) const LEAST: u64 = 1 << 20;

/// Files of the same content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicates {
    /// The files, in order of their paths below the root.
    pub paths: Vec<PathBuf>,
    /// The size of one.
    pub bytes: Bytes,
}

impl Duplicates {
    /// Returns what all but one of them take.
    pub fn wasted(&self) -> Bytes {
        let more = self.paths.len().saturating_sub(1) as u64;
        Bytes::new(self.bytes.get().saturating_mul(more))
    }
}

/// Finds files of the same content, most wasteful first, and says how many files of the same size
/// were not compared. Two names of one file are not two files. Files that cannot be read without
/// counting as used, because they belong to somebody else, are not read.
pub fn duplicates(root: &Path, scan: &Scan) -> (Vec<Duplicates>, u64) {
    let mut sizes: BTreeMap<u64, Vec<&PathBuf>> = BTreeMap::new();
    let mut inodes = BTreeSet::new();
    for (path, size, inode) in &scan.files {
        if inodes.insert(*inode) {
            sizes.entry(*size).or_default().push(path);
        }
    }
    let mut found = Vec::new();
    let mut left_out = 0;
    for (size, paths) in sizes.into_iter().filter(|(_, paths)| paths.len() > 1) {
        let mut classes: Vec<Vec<&PathBuf>> = Vec::new();
        for path in paths {
            if quiet::open(&root.join(path)).is_err() {
                left_out += 1;
                continue;
            }
            let same = classes.iter().position(|class| {
                class.first().is_some_and(|one| {
                    let both = quiet::open(&root.join(one))
                        .and_then(|one| same_content(one, quiet::open(&root.join(path))?));
                    both.unwrap_or(false)
                })
            });
            match same.and_then(|at| classes.get_mut(at)) {
                Some(class) => class.push(path),
                None => classes.push(vec![path]),
            }
        }
        let many = classes.into_iter().filter(|class| class.len() > 1);
        found.extend(many.map(|class| Duplicates {
            paths: class.into_iter().cloned().collect(),
            bytes: Bytes::new(size),
        }));
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.wasted()));
    (found, left_out)
}
