//! Python packages that tests run beside kasuan, installed once below the target folder.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Returns a Python that has the packages, installed once below the target folder; without Python or
/// a package registry the test is skipped, except where tools are required.
pub(crate) fn python(purpose: &str, packages: &[&str]) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = target.join(format!("{purpose}-{}", packages.join("-").replace("==", "-")));
    let python = folder.join("bin/python");
    let marker = folder.join("complete");
    if marker.exists() {
        return Some(python);
    }
    let install = || -> Result<(), String> {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        eprintln!("installing {} once, which takes a minute", packages.join(", "));
        run(Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(packages))?;
        fs::write(&marker, "").map_err(|error| error.to_string())
    };
    match install() {
        Ok(()) => Some(python),
        Err(why) => {
            assert!(env::var_os("KASUAN_REQUIRE_TOOLS").is_none(), "{why}");
            eprintln!("SKIPPED: {purpose} is not checked with the real tools: {why}");
            None
        }
    }
}

/// Runs a program and returns what it printed; an error holds the end of its complaints.
pub(crate) fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let end: String = errors.lines().rev().take(12).collect::<Vec<_>>().join("\n");
    Err(format!("{command:?} ended with {}:\n{end}\n{text}", output.status))
}
