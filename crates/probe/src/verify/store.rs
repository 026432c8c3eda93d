//! Is the place for results really there: write, sync, read back.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::Path,
    time::{Duration, Instant},
};

/// What was written and read back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    /// Bytes written.
    pub bytes: u64,
    /// How long writing and syncing took.
    pub write: Duration,
    /// Whether what was read back is what was written.
    pub same: bool,
}

impl Stored {
    /// Returns the bytes a second of writing and syncing.
    #[expect(clippy::cast_precision_loss, reason = "a rate is an estimate")]
    pub fn rate(&self) -> Option<f64> {
        let seconds = self.write.as_secs_f64();
        (seconds > 0.0).then(|| self.bytes as f64 / seconds)
    }
}

/// Writes `mebibytes` to a new file in `folder`, syncs, reads back, removes the file.
///
/// # Errors
///
/// When the folder is not there, is full, or may not be written.
pub fn try_store(folder: &Path, mebibytes: u32) -> io::Result<Stored> {
    let path = folder.join(format!(".kasuan-verify-{}", std::process::id()));
    let result = write_and_read(&path, mebibytes);
    // What was written for the trial is removed whether it went well or not.
    let _ = fs::remove_file(&path);
    result
}

fn write_and_read(path: &Path, mebibytes: u32) -> io::Result<Stored> {
    let block: Vec<u8> =
        (0..1_u32 << 20).map(|place| (place.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let start = Instant::now();
    let mut file = fs::File::create_new(path)?;
    for _ in 0..mebibytes {
        file.write_all(&block)?;
    }
    file.sync_all()?;
    let write = start.elapsed();
    drop(file);
    let mut file = fs::File::open(path)?;
    let mut back = vec![0; block.len()];
    let mut same = true;
    for _ in 0..mebibytes {
        file.read_exact(&mut back)?;
        same &= back == block;
    }
    Ok(Stored { bytes: u64::from(mebibytes) << 20, write, same })
}

#[cfg(test)]
mod tests {
    use super::try_store;

    #[test]
    fn what_is_written_comes_back_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let stored = try_store(folder.path(), 2).unwrap();
        assert!(stored.same);
        assert_eq!(stored.bytes, 2 << 20);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(try_store(&folder.path().join("not-there"), 1).is_err());
    }
}
