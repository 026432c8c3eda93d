//! Tests only: a library with NVML's functions that plays a scenario instead of asking cards.
//!
//! The scenario is the file `scenario.txt` beside the library, so a test copies the library into a
//! folder of its own. Lines: `driver 550.54.15`, `cuda 12040`, `old` (memory by version 1
//! and processes by version 2 of the calls only, as in R470), `card NAME | UUID | TOTAL_MIB`, then for card 0, 1...: `0 busy 97,98,-,!` (a number a
//! sample; `-` not supported, `!` the card is lost), `0 used 1000`, `0 power 350000`,
//! `0 celsius 60`, `0 mig 1`, `0 sm 40` (GPM; also `tensor`, `dram`), `0 process 1234 2000`. The last value of a series stays.

mod exports;
mod peers;
mod scenario;

use std::path::PathBuf;

/// Returns where cargo put the library, seen from a test of this workspace.
pub fn library() -> Option<PathBuf> {
    let mut folder = std::env::current_exe().ok()?;
    folder.pop();
    let name =
        format!("{}kasuan_testkit{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let here = folder.join(&name);
    let above = folder.parent()?.join(&name);
    [here, above].into_iter().find(|path| path.is_file())
}

/// Copies the library into `folder` with a scenario beside it and returns its path.
pub fn install(folder: &std::path::Path, scenario: &str) -> std::io::Result<PathBuf> {
    let library = library().ok_or_else(|| {
        std::io::Error::new(std::io::ErrorKind::NotFound, "cargo built no library of testkit")
    })?;
    let copy = folder.join("libnvidia-ml.so.1");
    std::fs::copy(library, &copy)?;
    std::fs::write(folder.join("scenario.txt"), scenario)?;
    Ok(copy)
}
