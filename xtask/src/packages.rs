//! Programs that tests need and cargo cannot bring: checked, installed as root, else named.

use std::{path::Path, process::Command};

/// A Debian package, a program of it or a Python module whose presence shows that it is installed,
/// and what for.
const NEEDED: &[(&str, &str, &str)] = &[
    (
        "libreoffice-calc-nogui",
        "soffice",
        "recalculates the exported spreadsheet to prove that its formulas are live",
    ),
    ("python3-torch", "torchrun", "the first validation of a box is run by a real torch"),
    ("chromium", "chromium", "opens the web pages as a reader does"),
    ("chromium-driver", "chromedriver", "drives Chromium through the web pages"),
    ("postgresql", "pg_ctlcluster", "the ledger's tests run on a real server of their own"),
    ("curl", "curl", "carries alerts and asks Prometheus"),
    ("prometheus", "prometheus", "use is imported from a real server that scrapes a real agent"),
    ("victoria-metrics", "victoria-metrics", "use is imported from it as from Prometheus"),
    (
        "python3-venv",
        "python3 -m ensurepip",
        "loads exported files with the real SkyPilot and dstack in an environment of their own",
    ),
];

/// Makes sure that every needed program is there, installing what is missing when run as root on
/// Debian.
pub(crate) fn ensure() -> Result<(), String> {
    let missing: Vec<_> = NEEDED.iter().filter(|(_, sign, _)| !is_there(sign)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|(package, _, _)| *package).collect();
    if !(is_root() && on_path("apt-get")) {
        let mut told = String::from("programs that the tests need are missing:\n");
        for (package, program, why) in missing {
            told.push_str(&format!("  {program} (Debian package {package}): {why}\n"));
        }
        told.push_str(&format!(
            "install them with: sudo apt-get install --no-install-recommends {}",
            names.join(" ")
        ));
        return Err(told);
    }
    println!("== packages: apt-get install {}", names.join(" "));
    apt(&["update"])?;
    let mut args = vec!["install", "--yes", "--no-install-recommends"];
    args.extend(&names);
    apt(&args)
}

fn apt(args: &[&str]) -> Result<(), String> {
    let run = Command::new("apt-get")
        .args(["-qq", "-o", "Dpkg::Use-Pty=0"])
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdout(std::process::Stdio::null())
        .status();
    match run {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("apt-get {} ended with {status}", args.join(" "))),
        Err(error) => Err(format!("apt-get {}: {error}", args.join(" "))),
    }
}

/// Looks for a program, or for a module of Python.
fn is_there(sign: &str) -> bool {
    match sign.split_once(" -m ") {
        None => on_path(sign),
        Some((python, module)) => Command::new(python)
            .args(["-c", &format!("import {module}")])
            .stderr(std::process::Stdio::null())
            .status()
            .is_ok_and(|status| status.success()),
    }
}

fn on_path(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// Says whether this process runs as root, by the owner of its own `/proc` entry.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    Path::new("/proc/self").metadata().is_ok_and(|entry| entry.uid() == 0)
}
