//! Files of the same content, found by size first and by their bytes then.

use super::Scan;
use kasuan_model::Bytes;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    io::Read as _,
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

/// Finds files of the same content, most wasteful first. Two names of one file are not two files.
/// Files that cannot be read are like no other.
pub fn duplicates(root: &Path, scan: &Scan) -> Vec<Duplicates> {
    let mut sizes: BTreeMap<u64, Vec<&PathBuf>> = BTreeMap::new();
    let mut inodes = BTreeSet::new();
    for (path, size, inode) in &scan.files {
        if inodes.insert(*inode) {
            sizes.entry(*size).or_default().push(path);
        }
    }
    let mut found = Vec::new();
    for (size, paths) in sizes.into_iter().filter(|(_, paths)| paths.len() > 1) {
        let mut classes: Vec<Vec<&PathBuf>> = Vec::new();
        for path in paths {
            let same = classes.iter().position(|class| {
                class.first().is_some_and(|one| {
                    same_content(&root.join(one), &root.join(path)).unwrap_or(false)
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
    found
}

/// Compares two files byte by byte: of equal size, most differ in their first block.
fn same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut left, mut right) = (fs::File::open(one)?, fs::File::open(other)?);
    let (mut a, mut b) = (vec![0; 1 << 18], vec![0; 1 << 18]);
    loop {
        let count = left.read(&mut a)?;
        if count == 0 {
            return Ok(right.read(&mut b)? == 0);
        }
        let (Some(mine), Some(theirs)) = (a.get(..count), b.get_mut(..count)) else {
            return Ok(false);
        };
        if right.read_exact(theirs).is_err() || mine != theirs {
            return Ok(false);
        }
    }
}
