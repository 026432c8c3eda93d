//! Whether two files hold the same bytes.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

/// Compares two files byte by byte: of equal size, most that differ do so in their first block.
pub(crate) fn same_content(one: &Path, other: &Path) -> io::Result<bool> {
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
