//! Exported files, loaded by the real SkyPilot and dstack.

use crate::{
    kasuan,
    python::{python, run},
    repository,
};
use serde_json::Value;
use std::{fs, path::Path, process::Command};

/// The versions that are checked; the names in `formats` are those of these.
const PACKAGES: [&str; 3] = ["skypilot==0.14.1", "dstack==0.22.5", "gpuhunt==0.1.34"];

/// Offers of every provider and kind of name that differs, with what the tools must read.
const OFFERS: &[(&str, &str, &str, u64, bool)] = &[
    ("aws/us-east-1/p4de.24xlarge/on_demand", "A100-80GB", "A100", 8, false),
    ("aws/us-east-1/p5.48xlarge/on_demand", "H100", "H100", 8, false),
    ("aws/us-east-1/g6e.xlarge/on_demand", "L40S", "L40S", 1, false),
    ("gcp/asia-east1/a3-highgpu-8g/spot", "H100", "H100", 8, true),
    ("runpod/h100-sxm.secure/on_demand", "H100-SXM", "H100", 1, false),
    ("runpod/a100-sxm-80.secure/on_demand", "A100-80GB-SXM", "A100", 1, false),
    ("runpod/rtx-a6000.secure/on_demand", "RTXA6000", "A6000", 1, false),
    ("runpod/rtx-6000-ada.secure/on_demand", "RTX6000-Ada", "RTX6000Ada", 1, false),
    ("runpod/b200.secure/on_demand", "B200", "B200", 1, false),
];

/// A shipped offer of every card that these providers rent out.
fn one_of_each(folder: &Path) -> Vec<String> {
    let said = kasuan(
        folder,
        &[
            "offers",
            "--provider",
            "aws",
            "--provider",
            "gcp",
            "--provider",
            "azure",
            "--provider",
            "runpod",
            "--provider",
            "lambda",
            "--provider",
            "nebius",
            "--provider",
            "vast-ai",
            "--provider",
            "verda",
            "--provider",
            "digitalocean",
            "--limit",
            "0",
            "--mode",
            "on_demand",
            "--mode",
            "spot",
            "--format",
            "json",
        ],
    );
    let json = said.split_once('\n').unwrap().1;
    let json: Value = serde_json::from_str(&json[..=json.rfind('}').unwrap()]).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    let mut ids = Vec::new();
    for row in json["offers"].as_array().unwrap() {
        let id = row["offer"].as_str().unwrap();
        if seen.insert(row["card"].as_str().unwrap().to_owned()) {
            ids.push(id.to_owned());
        }
    }
    ids
}

#[test]
fn skypilot_and_dstack_load_what_is_exported_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut ids = one_of_each(folder.path());
    ids.extend(OFFERS.iter().map(|offer| offer.0.to_owned()));
    let mut written = 0;
    for id in &ids {
        for tool in ["skypilot", "dstack"] {
            let said = kasuan(folder.path(), &["market", "export", "--offer", id, "--as", tool]);
            let (_, text) = said.split_once('\n').unwrap();
            let Some(text) = text.strip_suffix("[0]\n") else {
                assert!(said.ends_with("[2]\n"), "{said}");
                continue;
            };
            let name = format!("{}.{tool}.yaml", id.replace('/', "_"));
            fs::write(folder.path().join(name), text).unwrap();
            written += 1;
        }
    }
    assert!(written > 40, "{written}");
    let Some(python) = python("exports", &PACKAGES) else { return };
    let script = repository().join("tools/check_exports.py");
    let read = run(Command::new(python).arg(script).arg(folder.path())).unwrap();
    let read: Vec<Value> = read.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read.len(), written, "every file was loaded");
    for (id, sky, dstack, count, spot) in OFFERS {
        for (tool, card) in [("skypilot", sky), ("dstack", dstack)] {
            let name = format!("{}.{tool}.yaml", id.replace('/', "_"));
            let line = read.iter().find(|line| line["file"] == name).unwrap();
            assert_eq!(line["card"], **card, "{line}");
            assert_eq!(line["count"], *count, "{line}");
            assert_eq!(line["spot"], *spot, "{line}");
            assert_eq!(line["known_card"], true, "{line}");
        }
    }
    // dstack finds a machine by the card's name and memory: it must know both.
    let unknown: Vec<String> = read
        .iter()
        .filter(|line| line["backend"].is_string() && line["known_card"] == false)
        .map(|line| format!("{} {}", line["file"], line["card"]))
        .collect();
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}
