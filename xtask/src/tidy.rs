//! House rules that no lint can say, checked by `cargo test`.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Files longer than this tell two stories; split them by responsibility.
const MAX_LINES: usize = 500;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_source_file_starts_with_its_purpose_and_stays_short() {
    let mut files = Vec::new();
    sources(&workspace(), &mut files);
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        if !text.starts_with("//!") {
            wrong.push(format!("{}: no `//!` line that says what the file is for", file.display()));
        }
        let lines = text.lines().count();
        if lines > MAX_LINES {
            wrong.push(format!(
                "{}: {lines} lines, more than {MAX_LINES}; split it by responsibility",
                file.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files.len() > 20, "the walk found only {} files", files.len());
}

/// Which rooms a room may name in `[dependencies]`; the list is the building's floor plan.
const ALLOWED: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("market", &["model"]),
    ("sizing", &["model"]),
    ("plan", &["model", "market", "sizing"]),
    ("review", &["model", "market", "sizing", "plan"]),
    ("formats", &["model", "market", "sizing", "plan"]),
    ("report", &["model", "market", "sizing", "plan", "review", "formats"]),
    ("probe", &["model", "formats"]),
    ("testkit", &[]),
    ("ledger", &["model"]),
    (
        "web",
        &["model", "market", "sizing", "plan", "review", "formats", "report", "probe", "ledger"],
    ),
    (
        "cli",
        &[
            "model", "market", "sizing", "plan", "formats", "report", "probe", "ledger", "review",
            "web",
        ],
    ),
];

#[test]
fn rooms_depend_only_downwards() {
    let crates = workspace().join("crates");
    for entry in fs::read_dir(&crates).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(
            ALLOWED.iter().any(|(room, _)| *room == name),
            "room `{name}` stands in crates/ but not in the floor plan of xtask/src/tidy.rs"
        );
    }
    for (room, allowed) in ALLOWED {
        let manifest = fs::read_to_string(crates.join(room).join("Cargo.toml")).unwrap();
        let dependencies =
            manifest.split("[dependencies]").nth(1).unwrap_or("").split("\n[").next().unwrap();
        for (other, _) in ALLOWED {
            let named =
                dependencies.lines().any(|line| line.starts_with(&format!("kasuan-{other}.")));
            assert!(!named || allowed.contains(other), "{room} must not depend on {other}");
        }
    }
}
