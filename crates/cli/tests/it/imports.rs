//! Imports that the bills of the big clouds are not: any table by a map, trackers, logs in pieces, and
//! what is refused.

use crate::{kasuan, ledger::on_ledger};
use kasuan_ledger::Ledger;
use std::{fs, path::Path};

const MAP: &str = "[[layout]]
id = \"autodl\"
title = \"AutoDL\"
provider = \"autodl\"
zone = \"+08:00\"
currency_default = \"CNY\"
required = [\"billed\", \"charge_start\"]
columns = {billed = [\"金额\"], charge_start = [\"开始\"], charge_end = [\"结束\"], spec = [\"显卡\"], resource = [\"实例\"]}
";

fn hours(folder: &Path) -> Vec<kasuan_model::UsageHour> {
    let mut ledger = Ledger::open_file(&folder.join("ledger.db")).unwrap();
    ledger.usage_hours(jiff::Timestamp::UNIX_EPOCH, jiff::Timestamp::MAX).unwrap()
}

#[test]
fn any_table_of_charges_is_read_by_a_map_of_the_users_own() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let rows = "开始,结束,实例,显卡,金额\n\
        2025-11-03 08:00:00,2025-11-03 10:00:00,box-1,RTX 4090,4.00\n\
        2025-11-03 10:00:00,2025-11-03 11:30:00,box-1,RTX 4090,3.00\n";
    write("bill.csv", rows);
    write("map.toml", MAP);
    let import = |more: &[&str]| {
        on_ledger(folder.path(), &[&["import", "bill", "bill.csv", "--map"], more].concat())
    };
    let mut told = import(&["map.toml", "--dry-run", "--lang", "zh"]);
    assert!(!folder.path().join("ledger.db").exists(), "a rehearsal makes no ledger");
    told.push_str(&import(&["map.toml", "--lang", "zh"]));
    told.push_str(&import(&["map.toml", "--lang", "en"]));
    // A row whose columns are swapped, a map without what is needed, and a column that is not there.
    write("bill.csv", &rows.replace("08:00:00,2025-11-03 10", "10:00:00,2025-11-03 08"));
    told.push_str(&import(&["map.toml", "--lang", "zh"]));
    write("bill.csv", &rows.replace("金额", "总价"));
    told.push_str(&import(&["map.toml", "--lang", "en"]));
    write("map.toml", &MAP.replace("required", "needed"));
    told.push_str(&import(&["map.toml", "--lang", "zh"]));
    insta::assert_snapshot!("import_map", told);
}

#[test]
fn a_frame_of_mlflow_becomes_runs_with_their_work() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("runs.csv"),
        "run_id,status,start_time,end_time,tags.mlflow.user,tags.mlflow.runName,params.gpu_type,metrics.samples
a1,FINISHED,2025-11-03 08:00:00+08:00,2025-11-03 10:00:00+08:00,lin,sdxl-lora,NVIDIA A10,5000
a2,FAILED,2025-11-03 11:00:00+08:00,2025-11-03 11:10:00+08:00,lin,sdxl-lora,NVIDIA A10,
a3,RUNNING,2025-11-03 12:00:00+08:00,,wang,eval,NVIDIA A10,
",
    )
    .unwrap();
    let import =
        ["import", "runs", "runs.csv", "--work", "metrics.samples", "--work-unit", "samples"];
    let told = on_ledger(folder.path(), &[&import[..], &["--lang", "zh"]].concat());
    insta::assert_snapshot!("import_mlflow", told);
    let mut ledger = Ledger::open_file(&folder.path().join("ledger.db")).unwrap();
    let runs = ledger.runs(jiff::Timestamp::UNIX_EPOCH, jiff::Timestamp::MAX).unwrap();
    let first = runs.iter().find(|run| run.id.ends_with("a1")).unwrap();
    assert_eq!((first.work, first.work_unit.as_deref()), (Some(5000.0), Some("samples")));
    assert_eq!((first.person.as_deref(), first.exit_code), (Some("lin"), Some(0)));
    assert_eq!(first.card.as_ref().unwrap().as_str(), "a10");
}

#[test]
fn a_log_that_was_cut_within_an_hour_or_has_grown_counts_every_minute_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = |minutes: std::ops::Range<u32>| {
        let mut text = "timestamp, name, uuid, utilization.gpu [%]\n".to_owned();
        for minute in minutes {
            let (hour, minute) = (8 + minute / 60, minute % 60);
            text.push_str(&format!(
                "2025/11/02 {hour:02}:{minute:02}:00.000, NVIDIA GeForce RTX 4090, GPU-1, 50 %\n"
            ));
        }
        text
    };
    let import = |name: &str, minutes| {
        fs::write(folder.path().join(name), log(minutes)).unwrap();
        let said = on_ledger(
            folder.path(),
            &["import", "usage", name, "--host", "box-1", "--zone", "UTC", "--lang", "zh"],
        );
        assert!(said.ends_with("[0]\n"), "{said}");
        let all = hours(folder.path());
        (
            all.iter().map(|hour| hour.seen).sum::<f64>() / 60.0,
            all.iter().map(|hour| hour.busy).sum::<f64>() / 30.0,
        )
    };
    assert_eq!(import("morning.csv", 0..30), (30.0, 30.0));
    assert_eq!(import("noon.csv", 30..90), (90.0, 90.0), "the second half of an hour");
    assert_eq!(import("grown.csv", 0..100), (100.0, 100.0), "the same log, ten minutes later");
    assert_eq!(import("again.csv", 20..80), (100.0, 100.0), "nothing that was not there");
}

#[test]
fn a_scan_of_a_file_or_of_a_bucket_is_a_question_for_the_user() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("one.bin"), "x").unwrap();
    let mut told = kasuan(folder.path(), &["storage", "scan", "one.bin", "--lang", "zh"]);
    told.push_str(&kasuan(folder.path(), &["storage", "scan", "s3://bucket/x", "--lang", "en"]));
    told.push_str(&kasuan(folder.path(), &["storage", "scan", "nothing", "--lang", "zh"]));
    assert_eq!(told.matches("[2]\n").count(), 3, "{told}");
    insta::assert_snapshot!("storage_no_folder", told);
}

#[test]
fn what_cleaning_leaves_alone_is_said_in_the_readers_words() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("disk");
    for step in 1..=4 {
        let checkpoint = root.join(format!("out/checkpoint-{step}"));
        fs::create_dir_all(&checkpoint).unwrap();
        let file = checkpoint.join("model.safetensors");
        fs::write(&file, "weights").unwrap();
        let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap();
        let old = std::time::Duration::from_secs(now - 90 * 86_400);
        let old = std::time::UNIX_EPOCH + old;
        let times = fs::FileTimes::new().set_accessed(old).set_modified(old);
        fs::File::options().write(true).open(file).unwrap().set_times(times).unwrap();
    }
    let run = |arguments: &[&str]| kasuan(folder.path(), arguments);
    run(&["storage", "scan", "disk", "--plan", "plan.json"]);
    // One was written since, one is a link now.
    fs::write(root.join("out/checkpoint-1/model.safetensors"), "newer").unwrap();
    fs::remove_dir_all(root.join("out/checkpoint-2")).unwrap();
    std::os::unix::fs::symlink("checkpoint-4", root.join("out/checkpoint-2")).unwrap();
    let told = run(&["storage", "clean", "--plan", "plan.json", "--yes", "--lang", "zh"]);
    assert!(told.ends_with("[1]\n"), "{told}");
    assert!(told.contains("计划写出之后又被写过") && told.contains("现在是链接"), "{told}");
}
