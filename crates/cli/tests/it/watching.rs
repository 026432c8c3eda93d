//! What watches over cards and jobs: guards, stalls, who is on a card and what it costs.

use crate::kasuan;
use std::{fmt::Write as _, fs, path::Path};

const HEAD: &str = "index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], power.limit [W]\n";

/// Writes samples of one card, as many as it takes.
fn samples(folder: &Path, count: usize, busy: u32, watts: u32) {
    let mut text = HEAD.to_owned();
    for _ in 0..count {
        writeln!(
            text,
            "0, NVIDIA A100-SXM4-80GB, {busy} %, 40000 MiB, 81920 MiB, {watts}.00 W, 400.00 W"
        )
        .unwrap();
    }
    fs::write(folder.join("cards.csv"), text).unwrap();
}

fn run(folder: &Path, arguments: &[&str], script: &str) -> String {
    let mut all = vec!["run", "--task", "x", "--from", "cards.csv", "--interval", "0.1"];
    all.extend(arguments);
    all.extend(["--", "/bin/sh", "-c", script]);
    kasuan(folder, &all)
}

#[test]
fn fx_106_cards_that_are_busy_in_a_deadlock_are_told_by_steps_and_power() {
    let folder = tempfile::tempdir().unwrap();
    samples(folder.path(), 200, 100, 95);
    let steps = "for i in 1 2 3 4; do echo \" $i/9 [00:01<00:03,  0.05s/it]\"; sleep 0.05; done";
    let told = run(folder.path(), &["--stall-after", "1s"], &format!("{steps}; sleep 3"));
    assert!(told.contains("the cards show 100% busy at 24% of their power limit"), "{told}");
    assert_eq!(told.matches("the job may hang").count(), 1, "{told}");
    let quiet = run(folder.path(), &["--stall-after", "1s"], "echo loading; sleep 2");
    assert!(!quiet.contains("hang"), "a job that never told a step cannot miss one: {quiet}");
}

#[test]
fn fx_113_idle_cards_are_told_of_first_and_the_command_is_ended_later() {
    let folder = tempfile::tempdir().unwrap();
    samples(folder.path(), 400, 0, 60);
    let told = run(folder.path(), &["--idle-stop", "2s", "--enforce"], "exec sleep 20");
    let (first, then) =
        (told.find("the limit is 0:00:02"), told.find("no card has been busy for 0:00:02"));
    assert!(first.zip(then).is_some_and(|(first, then)| first < then), "{told}");
    assert!(told.ends_with("[143]\n"), "{told}");
    let dry = run(folder.path(), &["--idle-stop", "1s"], "sleep 2; exit 3");
    assert!(dry.contains("--enforce would have ended it") && dry.ends_with("[3]\n"), "{dry}");
}

#[test]
fn fx_110_the_limits_that_hold_are_said_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    samples(folder.path(), 5, 50, 300);
    let limits = ["--idle-stop", "1h", "--max-cost", "5", "--price", "2", "--lang", "en"];
    let told = run(folder.path(), &limits, "echo started");
    let line = "limits, only told of: ¥5.00 spent or no card busy for 1:00:00; --enforce would";
    assert!(told.contains(line), "{told}");
    let none = run(folder.path(), &[], "echo started");
    assert!(!none.contains("limits"), "{none}");
}

#[test]
fn fx_111_idle_cards_are_seen_without_any_help_from_notebooks() {
    let folder = tempfile::tempdir().unwrap();
    samples(folder.path(), 1, 0, 60);
    let told =
        kasuan(folder.path(), &["watch", "--from", "cards.csv", "--price", "8", "--lang", "zh"]);
    assert!(told.contains("¥8.00，现在没有一张卡在干活"), "{told}");
}

#[test]
fn a_card_that_is_busy_at_little_power_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    samples(folder.path(), 1, 99, 90);
    insta::assert_snapshot!(kasuan(
        folder.path(),
        &["watch", "--from", "cards.csv", "--price", "8", "--lang", "zh"]
    ));
}

#[test]
fn more_cards_that_do_not_pay_are_named_when_runs_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let record = |cards: usize, step: f64, id: &str| {
        let card = "{\"id\":\"0\",\"name\":\"RTX 3090\",\"busy_mean\":95.0,\"busy_p95\":99.0,\"memory_peak_bytes\":null,\"memory_total_bytes\":null,\"watts_mean\":null,\"watts_limit\":null,\"throttled_samples\":0,\"lost\":false}";
        let list = vec![card; cards].join(",");
        let text = format!(
            "{{\"version\":1,\"task\":\"glm\",\"person\":null,\"command\":[],\"started\":\"2026-12-0{cards}T00:00:00Z\",\"seconds\":100.0,\"exit_code\":0,\"signal\":null,\"sampler\":null,\"samples\":9,\"samples_missed\":0,\"cards\":[{list}],\"log\":{{\"steps\":40,\"step_seconds_median\":{step},\"step_seconds_spread\":0.0,\"rates\":{{}},\"own\":null}},\"cpu_seconds\":null,\"resident_peak_bytes\":null,\"cost\":null,\"currency\":null,\"environment\":{{}}}}"
        );
        let path = folder.path().join(id);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    record(1, 51.82, ".kasuan/runs/baselines/glm.json");
    record(2, 124.55, ".kasuan/runs/two.json");
    insta::assert_snapshot!(kasuan(folder.path(), &["baseline", "compare", "glm", "--lang", "zh"]));
}

#[test]
fn a_list_of_jobs_is_no_sample_of_a_card() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = "JobID|JobName|User|Account|Partition|AllocTRES|ElapsedRaw|State|Start|End\n123|train|lin|ml|gpu|cpu=16,gres/gpu=2,mem=64G,node=1|3600|COMPLETED|2026-11-02T10:00:00|2026-11-02T11:00:00\n";
    fs::write(folder.path().join("jobs.txt"), jobs).unwrap();
    let told = kasuan(folder.path(), &["watch", "--from", "jobs.txt"]);
    assert!(told.contains("lists jobs") && told.contains("import runs"), "{told}");
    assert!(told.ends_with("[2]\n"), "{told}");
}

#[test]
fn fx_056_weights_are_fetched_without_a_card_for_a_fraction_of_the_price() {
    let folder = tempfile::tempdir().unwrap();
    let bill = |fetching: &[&str]| {
        let mut arguments =
            vec!["bill", "--offer", "autodl/rtx-4090/on_demand", "--format", "json"];
        arguments.extend(["--from", "2026-11-01T09:00", "--to", "2026-11-01T14:00"]);
        arguments.extend(fetching);
        let said = kasuan(folder.path(), &arguments);
        let document = &said[said.find('{').unwrap()..=said.rfind('}').unwrap()];
        let bill: serde_json::Value = serde_json::from_str(document).unwrap();
        bill["total"].as_str().map_or_else(|| bill["total"].to_string(), str::to_owned)
    };
    let three = "2026-11-01T09:00..2026-11-01T12:00";
    let (attached, apart) = (bill(&[]), bill(&["--stop", three, "--no-card", three]));
    // Three hours at 0.10 in place of three at 1.98.
    assert!(attached.contains("9.9") && apart.contains("4.26"), "{attached} {apart}");
}

#[test]
fn a_value_that_cannot_be_meant_is_told_with_what_could_be() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, hint) in [
        (vec!["run", "--task", "x", "--interval", "abc", "--", "true"], "一个数"),
        (vec!["run", "--task", "x", "--idle-stop", "soon", "--", "true"], "30m"),
        (vec!["run", "--task", "x", "--price", "1,5", "--", "true"], "一个数"),
        (vec!["run", "--task", "x", "--keep", "zero", "--", "true"], "整数"),
        (vec!["verify", "--size", "9"], "64 到 32768"),
        (vec!["watch", "--interval", "0"], "最短 0.1 秒"),
    ] {
        let all = [&["--lang", "zh"][..], &arguments[..]].concat();
        let told = kasuan(folder.path(), &all);
        assert!(told.contains(hint) && told.ends_with("[2]\n"), "{told}");
    }
}
