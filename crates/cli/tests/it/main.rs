//! The command as users run it: whole stdout, stderr and exit code as one snapshot.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

mod advise;
mod alerts;
mod baseline;
mod basics;
mod calendar;
mod capacity;
mod columnar;
mod doctor;
mod exports;
mod fit;
mod fleet;
mod imports;
mod inputs;
mod keeping;
mod ledger;
mod market;
mod mcp;
mod offers;
mod on_box;
mod price_lists;
mod python;
mod shell;
mod taken;
mod timing;
mod verify;
mod watching;
mod workbook;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Runs `kasuan` in a folder, with a fixed day, no colour and no locale.
pub(crate) fn kasuan(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kasuan"))
        .args(["--today", "2026-12-01"])
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    format!(
        "$ kasuan {}\n{}{}[{}]\n",
        arguments.join(" "),
        text(&output.stdout),
        text(&output.stderr),
        output.status.code().unwrap()
    )
}

/// Returns the root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
