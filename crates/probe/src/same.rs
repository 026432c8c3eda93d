//! Whether two files hold the same bytes.

use std::{
    fs::File,
    io::{self, Read as _},
};

/// Compares two files byte by byte: of equal size, most that differ do so in their first block.
pub(crate) fn same_content(mut left: File, mut right: File) -> io::Result<bool> {
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
