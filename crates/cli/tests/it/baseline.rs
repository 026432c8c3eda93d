//! Records of runs and baselines: what counts as one, where it is kept, what a broken one does.

use crate::kasuan;
use std::{fs, path::Path, process::Command};

/// Runs a shell script as the task `lora`, with bars of so many seconds for a step.
fn run(folder: &Path, seconds: &str, more: &[&str], end: &str) -> String {
    let script = format!(
        "for i in 1 2 3 4; do echo \" $i/4 [00:01<00:03,  {seconds}s/it]\"; done; \
         echo \"'train_samples_per_second': 8.0\"; {end}"
    );
    let mut arguments = vec!["run", "--task", "lora", "--price", "3600", "--interval", "0.1"];
    arguments.extend(more);
    arguments.extend(["--", "/bin/sh", "-c", &script]);
    kasuan(folder, &arguments)
}

#[test]
fn a_run_that_failed_is_no_baseline_and_the_last_good_one_is_taken_instead() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "2.00", &[], "exit 7");
    let said = kasuan(folder.path(), &["baseline", "record", "lora"]);
    assert!(said.contains("no run of lora has ended well"), "{said}");
    assert!(said.contains("code 7") && said.ends_with("[2]\n"), "{said}");
    assert!(!folder.path().join(".kasuan/runs/baselines").exists());

    run(folder.path(), "2.00", &[], "exit 0");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    run(folder.path(), "9.00", &[], "kill -9 $$");
    let said = kasuan(folder.path(), &["baseline", "compare", "lora"]);
    assert!(said.contains("the last run failed") && said.ends_with("[0]\n"), "{said}");

    let failed = fs::read_dir(folder.path().join(".kasuan/runs")).unwrap();
    let mut files: Vec<_> = failed.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let last = files.iter().rfind(|path| path.is_file()).unwrap().display().to_string();
    let said = kasuan(folder.path(), &["baseline", "record", "lora", "--run", &last]);
    assert!(said.contains("did not end well (exit code 128 + 9)"), "{said}");
    assert!(said.ends_with("[2]\n"), "{said}");
}

#[test]
fn a_broken_record_is_named_with_its_place_and_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("broken.json"), "{\n  \"version\": oops\n}\n").unwrap();
    let named = ["baseline", "record", "lora", "--run", "broken.json"];
    insta::assert_snapshot!(kasuan(folder.path(), &named));
    let missing = ["baseline", "record", "lora", "--run", "none.json"];
    assert!(kasuan(folder.path(), &missing).ends_with("[2]\n"));

    run(folder.path(), "2.00", &[], "exit 0");
    fs::write(folder.path().join(".kasuan/runs/0.json"), "{}").unwrap();
    let said = kasuan(folder.path(), &["baseline", "record", "lora"]);
    assert!(said.contains("passed over: .kasuan/runs/0.json is no run record"), "{said}");
    assert!(said.ends_with("[0]\n"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written_is_told_before_the_command_starts() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let said = run(folder.path(), "2.00", &["--records", "file/below"], "touch started");
    assert!(said.contains("file/below") && said.contains("--records"), "{said}");
    assert!(said.ends_with("[3]\n"), "{said}");
    assert!(!folder.path().join("started").exists(), "the command was run all the same");
}

#[test]
fn a_folder_that_goes_away_while_the_job_runs_costs_neither_the_exit_code_nor_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("tmp");
    fs::create_dir(&other).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kasuan"))
        .args(["run", "--task", "lora", "--interval", "0.1", "--records", "kept", "--"])
        .args(["/bin/sh", "-c", "rm -rf kept; touch kept; exit 5"])
        .current_dir(folder.path())
        .env_clear()
        .env("TMPDIR", &other)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(5), "the exit code is the command's");
    let said = String::from_utf8(output.stderr).unwrap();
    let last = said.lines().last().unwrap();
    assert!(last.contains("is not where it belongs"), "{said}");
    let kept = fs::read_dir(other.join("kasuan-runs")).unwrap().next().unwrap().unwrap().path();
    assert!(last.contains(&kept.display().to_string()), "{said}");
    assert!(fs::read_to_string(kept).unwrap().contains("\"exit_code\": 5"));
}

#[test]
fn a_baseline_in_the_ledger_is_there_on_the_next_box() {
    let one = tempfile::tempdir().unwrap();
    let ledger = one.path().join("ledger.db").display().to_string();
    let named = ["--ledger", ledger.as_str()];
    let first = run(one.path(), "2.00", &named, "exit 0");
    assert!(first.contains("later ones are compared with it"), "{first}");

    let other = tempfile::tempdir().unwrap();
    let slow = run(other.path(), "2.60", &named, "exit 0");
    assert!(slow.contains("worse than its baseline: seconds for a step +30%"), "{slow}");
    assert!(slow.contains("the command is another one"), "{slow}");
    let compared = ["baseline", "compare", "lora", "--ledger", &ledger];
    let said = kasuan(other.path(), &compared);
    assert!(said.contains("worse") && said.ends_with("[1]\n"), "{said}");
    let none = kasuan(other.path(), &["baseline", "compare", "lora"]);
    assert!(none.contains("no baseline yet") && none.ends_with("[2]\n"), "{none}");

    let recorded = ["baseline", "record", "lora", "--ledger", &ledger];
    let said = kasuan(other.path(), &recorded);
    assert!(said.contains("in the ledger") && said.ends_with("[0]\n"), "{said}");
}

#[test]
fn a_baseline_is_shown_as_a_table_with_what_it_cost_and_as_json_whole() {
    let folder = tempfile::tempdir().unwrap();
    let record = r#"{"version":1,"task":"lora","person":null,"command":["python","train.py"],"started":"2026-12-01T00:00:00Z","seconds":600.0,"exit_code":0,"signal":null,"sampler":"nvml","samples":120,"samples_missed":0,"cards":[{"id":"GPU-1","name":"NVIDIA A100-SXM4-80GB","busy_mean":91.5,"busy_p95":99.0,"memory_peak_bytes":42949672960,"memory_total_bytes":85899345920,"watts_mean":310.0,"watts_limit":400.0,"throttled_samples":0,"lost":false}],"log":{"steps":500,"step_seconds_median":1.2,"step_seconds_spread":0.02,"rates":{"samples":8.0,"tokens":16000.0},"own":null},"cpu_seconds":900.0,"resident_peak_bytes":8589934592,"cost":"1.5","currency":"CNY","environment":{"driver":"550.54.15","torch":"2.5.1"}}"#;
    let folder_of = folder.path().join(".kasuan/runs/baselines");
    fs::create_dir_all(&folder_of).unwrap();
    fs::write(folder_of.join("lora.json"), record).unwrap();
    insta::assert_snapshot!(kasuan(folder.path(), &["baseline", "show", "lora", "--lang", "zh"]));
    insta::assert_snapshot!(
        "baseline_shown_as_csv",
        kasuan(folder.path(), &["baseline", "show", "lora", "--format", "csv"])
    );
    let said = kasuan(folder.path(), &["baseline", "show", "lora", "--format", "json"]);
    let document = &said[said.find('{').unwrap()..=said.rfind('}').unwrap()];
    let shown: serde_json::Value = serde_json::from_str(document).unwrap();
    assert_eq!(shown["log"]["rates"]["tokens"], 16000.0);
}
