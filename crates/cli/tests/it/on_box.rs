//! The commands on the box: watch, agent, run, baseline, on captures and a stand-in library.

use crate::kasuan;
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
};

const CARD: &str = "index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]\n0, NVIDIA GeForce RTX 4090, 0 %, 17166 MiB, 24564 MiB, 32.00 W\n1, NVIDIA A100-SXM4-80GB, [N/A], 68664 MiB, 81920 MiB, 214.00 W\n";

#[test]
fn a_capture_is_watched_with_its_price_and_unknown_is_not_zero() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cards.csv"), CARD).unwrap();
    let said = kasuan(folder.path(), &["watch", "--from", "cards.csv", "--price", "12.5"]);
    insta::assert_snapshot!(said);
}

#[test]
fn a_machine_without_cards_has_nothing_to_watch() {
    let folder = tempfile::tempdir().unwrap();
    let said = kasuan(folder.path(), &["watch", "--count", "1"]);
    assert!(said.contains("no NVIDIA driver"), "{said}");
}

fn shell(folder: &Path, script: &str) -> String {
    kasuan(
        folder,
        &[
            "run",
            "--task",
            "训练",
            "--price",
            "3600",
            "--interval",
            "0.1",
            "--",
            "/bin/sh",
            "-c",
            script,
        ],
    )
}

#[test]
fn a_command_keeps_its_output_and_its_exit_code_and_leaves_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let said = shell(
        folder.path(),
        "for i in 1 2 3 4; do echo \" $i/4 [00:01<00:03,  2.00s/it]\"; done; exit 7",
    );
    assert!(said.contains(" 4/4 [00:01<00:03,  2.00s/it]"), "{said}");
    assert!(said.ends_with("[7]\n"), "{said}");
    let records = folder.path().join(".kasuan/runs");
    let path = fs::read_dir(records).unwrap().next().unwrap().unwrap().path();
    let record: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(record["version"], 1);
    assert_eq!(record["task"], "训练");
    assert_eq!(record["exit_code"], 7);
    assert_eq!(record["log"]["steps"], 4);
    assert_eq!(record["log"]["step_seconds_median"], 2.0);
    assert!(record["cost"].as_str().unwrap().parse::<f64>().unwrap() > 0.0);
}

#[test]
fn a_command_that_does_not_exist_is_the_users_to_mend() {
    let folder = tempfile::tempdir().unwrap();
    let said = kasuan(folder.path(), &["run", "--task", "x", "--", "no-such-command"]);
    assert!(said.contains("cannot run `no-such-command`"), "{said}");
    assert!(said.ends_with("[2]\n"), "{said}");
}

#[test]
fn a_limit_only_warns_unless_it_is_enforced() {
    let folder = tempfile::tempdir().unwrap();
    let limited = |enforce: &[&str]| {
        let mut arguments =
            vec!["run", "--task", "x", "--price", "3600", "--interval", "0.1", "--max-cost", "0.1"];
        arguments.extend(enforce);
        arguments.extend(["--", "/bin/sh", "-c", "sleep 1 & wait; exit 5"]);
        kasuan(folder.path(), &arguments)
    };
    let dry = limited(&[]);
    assert!(dry.contains("has reached ¥0.10") && dry.ends_with("[5]\n"), "{dry}");
    let ended = limited(&["--enforce"]);
    assert!(ended.ends_with("[143]\n"), "{ended}");
}

#[test]
fn checkpoints_are_kept_and_brought_back_on_a_new_machine() {
    let folder = tempfile::tempdir().unwrap();
    let kept =
        ["run", "--task", "x", "--checkpoints", "out", "--keep-at", "kept", "--", "/bin/sh", "-c"];
    let mut first = kept.to_vec();
    first.push("mkdir -p out/checkpoint-10; echo weights > out/checkpoint-10/model.bin");
    kasuan(folder.path(), &first);
    assert!(folder.path().join("kept/checkpoint-10/model.bin").is_file());
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    let mut second = kept.to_vec();
    second.push("cat out/checkpoint-10/model.bin");
    let said = kasuan(folder.path(), &second);
    assert!(said.contains("weights\n"), "{said}");
}

#[test]
fn the_first_good_run_becomes_the_baseline_and_a_slower_one_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let bars = |seconds: &str| {
        shell(
            folder.path(),
            &format!("for i in 1 2 3 4; do echo \" $i/4 [00:01<00:03,  {seconds}s/it]\"; done"),
        )
    };
    let first = bars("2.00");
    assert!(first.contains("later ones are compared with it"), "{first}");
    let same = bars("2.01");
    assert!(!same.contains("worse than its baseline"), "{same}");
    let slow = bars("2.60");
    assert!(slow.contains("worse than its baseline: seconds for a step +30%"), "{slow}");
}

/// Runs at a terminal of 24 rows, which `script` makes.
fn at_a_terminal(folder: &Path, arguments: &str) -> String {
    let kasuan = env!("CARGO_BIN_EXE_kasuan");
    let output = Command::new("script")
        .args(["-qec", &format!("stty rows 24 cols 100; {kasuan} {arguments}"), "/dev/null"])
        .current_dir(folder)
        .env_clear()
        .env("TERM", "xterm")
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &format!("[{:?}]", output.status.code())
}

#[test]
fn at_a_terminal_the_command_has_one_too_and_the_last_row_tells_the_cost() {
    let folder = tempfile::tempdir().unwrap();
    let script = "test -t 1 && test -t 2 && echo both; stty size <&1; printf '\\r 1/4 [00:01<00:03,  2.00s/it]\\r 2/4 [00:01<00:03,  2.00s/it]\\n'; sleep 0.6; exit 3";
    fs::write(folder.path().join("job.sh"), script).unwrap();
    let said = at_a_terminal(
        folder.path(),
        "run --task train --price 3600 --interval 0.1 -- /bin/sh job.sh",
    );
    assert!(said.contains("both"), "{said:?}");
    assert!(said.contains("23 100"), "one row is the program's own: {said:?}");
    assert!(said.contains("steps 2/4 \u{b7} left 0:00:04"), "{said:?}");
    assert!(said.contains("\u{1b}[1;24r"), "the last row is given back: {said:?}");
    assert!(said.ends_with("[Some(3)]"), "{said:?}");
}

#[test]
fn a_machine_that_is_taken_away_ends_the_command_in_time_to_keep_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let script = "trap '' TERM; mkdir -p out/checkpoint-1; echo weights > out/checkpoint-1/model.bin; echo ready; while :; do sleep 0.1; done";
    let mut run = Command::new(env!("CARGO_BIN_EXE_kasuan"))
        .args(["run", "--task", "x", "--interval", "0.1", "--notice", "2s"])
        .args(["--checkpoints", "out", "--keep-at", "kept", "--", "/bin/sh", "-c", script])
        .current_dir(folder.path())
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(run.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let id = rustix::process::Pid::from_raw(i32::try_from(run.id()).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    let status = run.wait().unwrap();
    assert_eq!(status.code(), Some(137), "killed after half of the notice");
    let kept = fs::read_to_string(folder.path().join("kept/checkpoint-1/model.bin")).unwrap();
    assert_eq!(kept, "weights\n");
}

#[test]
fn a_slower_run_is_told_from_noise() {
    let folder = tempfile::tempdir().unwrap();
    let bars = |seconds: &str| {
        shell(
            folder.path(),
            &format!("for i in 1 2 3 4; do echo \" $i/4 [00:01<00:03,  {seconds}s/it]\"; done"),
        );
    };
    bars("2.00");
    let said = kasuan(folder.path(), &["baseline", "record", "训练"]);
    assert!(said.ends_with("[0]\n"), "{said}");
    let same = kasuan(folder.path(), &["baseline", "compare", "训练", "--format", "json"]);
    assert!(same.contains("\"judgement\": \"noise\"") && same.ends_with("[0]\n"), "{same}");
    let slow = "{\"version\":1,\"task\":\"训练\",\"person\":null,\"command\":[],\"started\":\"2026-12-02T00:00:00Z\",\"seconds\":1.0,\"exit_code\":0,\"signal\":null,\"sampler\":null,\"samples\":0,\"samples_missed\":0,\"cards\":[],\"log\":{\"steps\":4,\"step_seconds_median\":2.6,\"step_seconds_spread\":0.0,\"rates\":{},\"own\":null},\"cpu_seconds\":null,\"resident_peak_bytes\":null,\"cost\":null,\"currency\":null,\"environment\":{}}";
    fs::write(folder.path().join("slow.json"), slow).unwrap();
    let said = kasuan(folder.path(), &["baseline", "compare", "训练", "--run", "slow.json"]);
    assert!(said.contains("worse") && said.ends_with("[1]\n"), "{said}");
    let none = kasuan(folder.path(), &["baseline", "compare", "别的"]);
    assert!(none.ends_with("[2]\n"), "{none}");
}

/// A program that ends with its test.
struct Ends(std::process::Child);

impl Drop for Ends {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_agent_serves_what_it_samples_with_money() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cards.csv"), CARD).unwrap();
    let agent = Command::new(env!("CARGO_BIN_EXE_kasuan"))
        .args(["agent", "--from", "cards.csv", "--listen", "127.0.0.1:0", "--interval", "3600"])
        .args(["--price", "12.5", "--requests", "3", "--host", "box-1"])
        .current_dir(folder.path())
        .env_clear()
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // A check that fails must not leave it behind.
    let mut agent = Ends(agent);
    let mut line = String::new();
    BufReader::new(agent.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let get = |path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let page = get("/metrics");
    assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    assert!(page.contains("kasuan_up 1\n"), "the very first page has a sample: {page}");
    assert!(
        page.contains(
            "kasuan_gpu_busy_ratio{gpu=\"0\",name=\"NVIDIA GeForce RTX 4090\",hostname=\"box-1\"} 0\n"
        ),
        "{page}"
    );
    assert!(!page.contains("kasuan_gpu_busy_ratio{gpu=\"1\""), "unknown is not zero: {page}");
    assert!(page.contains("kasuan_price_per_hour{currency=\"CNY\"} 12.5\n"), "{page}");
    assert!(get("/nothing").starts_with("HTTP/1.1 404"));
    assert!(get("/healthz").starts_with("HTTP/1.1 200 OK"));
    assert!(agent.0.wait().unwrap().success());
}
