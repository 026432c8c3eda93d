//! The first validation: by a real torch on the processor, and by the words of boxes with cards.

use crate::kasuan;
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

/// A stand-in for a box's Python: says what torch would say there.
fn python(folder: &Path, says: &str) {
    let path = folder.join("python");
    fs::write(&path, format!("#!/bin/sh\ncat <<'END'\n{says}\nEND\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// What was said, without the line that names the report by the time of day.
fn verify(folder: &Path, arguments: &[&str]) -> String {
    let mut all = vec!["verify", "--python", "./python"];
    all.extend(arguments);
    let said = kasuan(folder, &all);
    said.lines().filter(|line| !line.contains(".kasuan/verify/")).collect::<Vec<_>>().join("\n")
}

/// Rates that an RTX 3090 gives: 57 of 71 TFLOPS, 838 of 936 GB/s.
const GOOD: &str = r#"{"step": "import", "outcome": "pass", "torch": "2.8.0+cu128", "cuda": "12.8"}
{"step": "device", "outcome": "pass", "card": 0, "name": "NVIDIA GeForce RTX 3090", "memory_bytes": 25294995456, "capability": "8.6"}
{"step": "matmul", "outcome": "pass", "card": 0, "relative_error": 0.0003}
{"step": "rate", "outcome": "pass", "card": 0, "kind": "float16", "flops": 57e12}
{"step": "rate", "outcome": "pass", "card": 0, "kind": "bfloat16", "flops": 56e12}
{"step": "bandwidth", "outcome": "pass", "card": 0, "bytes_per_second": 838e9}
{"step": "upload", "outcome": "pass", "card": 0, "bytes_per_second": 24.6e9}
{"step": "memory", "outcome": "pass", "card": 0, "free_bytes": 25000000000, "total_bytes": 25294995456, "filled_bytes": 22280142848}"#;

#[test]
fn a_good_box_passes() {
    let folder = tempfile::tempdir().unwrap();
    python(folder.path(), GOOD);
    insta::assert_snapshot!(verify(folder.path(), &["--card", "3090", "--lang", "zh"]));
}

#[test]
fn a_cheaper_card_than_the_one_paid_for_is_found() {
    let folder = tempfile::tempdir().unwrap();
    python(folder.path(), GOOD);
    let said = verify(folder.path(), &["--card", "4090", "--count", "2"]);
    insta::assert_snapshot!(said);
}

#[test]
fn a_card_without_code_in_this_torch_fails_with_torchs_words_and_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let says = GOOD.lines().take(2).collect::<Vec<_>>().join("\n")
        + "\n{\"step\": \"matmul\", \"outcome\": \"fail\", \"card\": 0, \"reason\": \"RuntimeError: CUDA error: no kernel image is available for execution on the device\"}";
    python(folder.path(), &says);
    insta::assert_snapshot!(verify(folder.path(), &[]));
}

#[test]
fn a_box_that_is_slower_than_others_with_its_card_is_told_by_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let named = ["--ledger", "ledger.db", "--lang", "en"];
    python(folder.path(), GOOD);
    let first = verify(folder.path(), &named);
    assert!(first.contains("kept in the ledger") && !first.contains("HISTORY"), "{first}");
    python(folder.path(), &GOOD.replace("57e12", "42e12"));
    let slower = verify(folder.path(), &named);
    let told = "NVIDIA GeForce RTX 3090: compute is 74% of what such cards gave before (one box";
    assert!(slower.contains(told) && slower.ends_with("[0]"), "{slower}");
    let nowhere = verify(folder.path(), &["--ledger", "python/ledger.db"]);
    assert!(nowhere.ends_with("[3]") && !nowhere.contains("Measuring"), "{nowhere}");
}

#[test]
fn a_slow_machine_without_cards_is_not_said_to_have_a_hanging_driver() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("python");
    let says = r#"{"step": "import", "outcome": "pass", "torch": "2.8.0", "cuda": null}
{"step": "device", "outcome": "fail", "reason": "torch.cuda.is_available() is False"}"#;
    fs::write(&path, format!("#!/bin/sh\ncat <<'END'\n{says}\nEND\nsleep 60\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let said = verify(folder.path(), &["--limit", "1"]);
    assert!(said.contains("the processor alone was measured"), "{said}");
    assert!(!said.contains("hang"), "{said}");
}

#[test]
fn a_box_that_hangs_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("python");
    fs::write(&path, "#!/bin/sh\nexec sleep 600\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let said = verify(folder.path(), &["--limit", "1"]);
    assert!(said.contains("not finished after 1 seconds") && said.ends_with("[1]"), "{said}");
}

#[test]
fn a_real_torch_computes_reads_and_stores_and_the_report_is_kept() {
    let program = "/usr/bin/python3";
    let has_torch = std::process::Command::new(program)
        .args(["-c", "import torch"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_torch {
        let missing = "torch is missing: apt-get install --no-install-recommends python3-torch";
        assert!(std::env::var_os("KASUAN_REQUIRE_TOOLS").is_none(), "{missing}");
        eprintln!("SKIPPED: {missing}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("data/a")).unwrap();
    for name in ["data/1", "data/a/2"] {
        fs::write(folder.path().join(name), vec![1; 2 << 20]).unwrap();
    }
    let said = kasuan(
        folder.path(),
        &[
            "verify",
            "--python",
            program,
            "--size",
            "128",
            "--seconds",
            "0.05",
            "--data",
            "data",
            "--keep-at",
            ".",
            "--format",
            "json",
        ],
    );
    let from = said.find('{').unwrap();
    let report = first(&said[from..]);
    let outcome = |part: &str| {
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|check| check["part"] == part).map(|check| check["outcome"].clone())
    };
    for part in ["TORCH", "KERNEL", "COMPUTE", "BANDWIDTH", "FILES", "STORE"] {
        assert_eq!(outcome(part).unwrap(), "pass", "{part}: {said}");
    }
    assert_eq!(report["data"]["files"], 2);
    let rate = report["steps"].as_array().unwrap().iter().find(|step| step["step"] == "rate");
    assert!(rate.unwrap()["flops"].as_f64().unwrap() > 1e6, "{said}");
    let kept = fs::read_dir(folder.path().join(".kasuan/verify")).unwrap().next().unwrap().unwrap();
    let kept: Value = serde_json::from_slice(&fs::read(kept.path()).unwrap()).unwrap();
    assert_eq!(kept["verdict"], report["verdict"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "the trial file was left behind");
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    python(folder.path(), GOOD);
    for (arguments, word) in [
        (vec!["--data", "not-there"], "not-there"),
        (vec!["--seconds", "NaN"], "between 0.01 and 60"),
        (vec!["--card", "RTX 9999"], "9999"),
        (vec!["--offer", "none"], "none"),
    ] {
        let said = verify(folder.path(), &arguments);
        assert!(said.contains(word) && said.ends_with("[2]"), "{said}");
    }
    let said = kasuan(folder.path(), &["verify", "--python", "./not-there"]);
    assert!(said.contains("cannot be run") && said.ends_with("[1]\n"), "{said}");
}

/// Reads the document at the start of a text that goes on.
fn first(text: &str) -> Value {
    serde_json::Deserializer::from_str(text).into_iter().next().unwrap().unwrap()
}
