//! Workloads that come as a workbook or from another tool's task file, and what else plans them.

use crate::{kasuan, repository};
use std::{fs, io::Read as _, io::Write as _, path::Path};

fn json(said: &str) -> serde_json::Value {
    let (start, end) = (said.find('{').unwrap(), said.rfind('}').unwrap());
    serde_json::from_str(&said[start..=end]).unwrap()
}

/// Writes a copy of a workbook in which one text is another.
fn with_text(from: &Path, to: &Path, old: &str, new: &str) {
    let mut archive = zip::ZipArchive::new(fs::File::open(from).unwrap()).unwrap();
    let mut writer = zip::ZipWriter::new(fs::File::create(to).unwrap());
    let mut changed = 0;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        if name == "xl/sharedStrings.xml" {
            let text = String::from_utf8(content).unwrap();
            changed += text.matches(old).count();
            content = text.replacen(old, new, 1).into_bytes();
        }
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&content).unwrap();
    }
    writer.finish().unwrap();
    assert!(changed > 0, "no {old}");
}

#[test]
fn the_workbook_that_init_writes_is_planned_and_a_wrong_cell_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (language, job, sheet) in [("zh", "数据预处理", "任务"), ("en", "data preparation", "Jobs")]
    {
        let file = format!("{language}.xlsx");
        let written = kasuan(folder.path(), &["init", &file, "--lang", language]);
        assert!(written.ends_with("[0]\n"), "{written}");
        let said = kasuan(folder.path(), &["plan", &file, "--format", "json"]);
        assert!(said.ends_with("[0]\n"), "{said}");
        let plan = json(&said);
        assert_eq!(plan["jobs"].as_array().unwrap().len(), 3);
        assert_eq!(plan["jobs"][2]["name"], job);
        assert_eq!(plan["jobs"][2]["mode"], "spot", "the job may be interrupted");
        let wrong = format!("wrong-{language}.xlsx");
        with_text(&path(&file), &path(&wrong), ">2/month<", ">2/fortnight<");
        let said = kasuan(folder.path(), &["plan", &wrong, "--lang", language]);
        assert!(said.contains(sheet) && said.contains("D2"), "{said}");
        assert!(said.contains("`2/fortnight`") && said.ends_with("[2]\n"), "{said}");
    }
}

#[test]
fn a_file_that_is_no_workbook_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("jobs.xlsx"), b"PK not an archive").unwrap();
    let said = kasuan(folder.path(), &["plan", "jobs.xlsx", "--lang", "zh"]);
    assert!(said.contains("打不开") && said.ends_with("[2]\n"), "{said}");
}

#[test]
fn a_job_is_taken_from_a_task_file_beside_the_workload() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "train.yaml",
        "name: train\nresources:\n  accelerators: L4:1\n  cloud: gcp\nrun: python train.py\n",
    );
    write("jobs.yaml", "currency: USD\njobs: [{from: train.yaml, hours: 6, runs: 2/week}]\n");
    let said = kasuan(folder.path(), &["plan", "jobs.yaml", "--format", "json", "--lang", "en"]);
    assert!(said.contains("cloud of the task file were not used"), "{said}");
    let job = &json(&said)["jobs"][0];
    assert_eq!((job["name"].as_str(), job["card"].as_str()), (Some("train"), Some("l4")));
    // Alone the file does not say how long it runs.
    let alone = kasuan(folder.path(), &["plan", "train.yaml", "--lang", "zh"]);
    assert!(alone.contains("SkyPilot 的任务文件不写要跑多久"), "{alone}");
    assert!(alone.ends_with("[2]\n"), "{alone}");
}

#[test]
fn caps_on_an_hour_and_on_cards_at_once_are_answered_with_no() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |policy: &str| {
        let text = format!(
            "jobs:\n  - {{name: a, task: batch, memory: 8GiB, hours: 4, card: RTX 4090, cards: 1}}\n\
             policy: {{regions: [CN], {policy}}}\n"
        );
        fs::write(folder.path().join("jobs.yaml"), text).unwrap();
        kasuan(folder.path(), &["plan", "jobs.yaml", "--lang", "en"])
    };
    assert!(plan("cards_cap: 1").ends_with("[0]\n"));
    let said = plan("hourly_cap: 0.5 CNY/h");
    assert!(said.contains("above the cap of ¥0.50 an hour") && said.ends_with("[1]\n"), "{said}");
}

/// The same workload has one total, whichever command plans it.
#[test]
fn a_budget_that_is_set_from_a_workload_is_the_total_of_its_plan() {
    let root = repository();
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger.db");
    let ledger = ledger.to_str().unwrap();
    let file = "examples/qa-team.yaml";
    let plan = json(&kasuan(&root, &["plan", file, "--format", "json"]));
    let month = ["--month", "2026-12", "--ledger", ledger];
    let set = kasuan(&root, &[&["budget", "set", "--from", file][..], &month].concat());
    assert!(set.ends_with("[0]\n"), "{set}");
    let show = kasuan(&root, &[&["budget", "show", "--format", "csv"][..], &month].concat());
    let total = plan["total"].as_str().unwrap();
    assert!(show.contains(total), "{total} is not in\n{show}");
}
