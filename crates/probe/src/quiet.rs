//! Reading without a trace: when a file was last used is evidence, and reading it would change that.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

#[cfg(target_os = "linux")]
const NO_TRACE: i32 = rustix::fs::OFlags::NOATIME.bits().cast_signed();
#[cfg(not(target_os = "linux"))]
const NO_TRACE: i32 = 0;

/// Opens a file so that reading it is no use of it.
///
/// # Errors
///
/// `PermissionDenied` for another user's file: only its owner may read it without a trace.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(NO_TRACE).open(path)
}
