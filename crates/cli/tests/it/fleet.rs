//! `kasuan import prometheus` against a real Prometheus, which scrapes a real `kasuan agent`, and
//! against a real VictoriaMetrics.

use crate::{kasuan, ledger::on_ledger};
use kasuan_ledger::Ledger;
use kasuan_model::UsageHour;
use std::{
    fmt::Write as _,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A program that ends with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn http(port: u16, request: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

fn get(port: u16, path: &str) -> Option<String> {
    http(port, &format!("GET {path} HTTP/1.0\r\n\r\n"))
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn missing(program: &str, package: &str) -> String {
    format!("{program} is missing; install it with: apt-get install {package}")
}

/// Starts Prometheus on the data of a folder; `scrape` is scraped every second.
fn prometheus(folder: &Path, port: u16, scrape: Option<u16>) -> Running {
    let mut config = "global: {scrape_interval: 1s}\n".to_owned();
    if let Some(target) = scrape {
        write!(
            config,
            "scrape_configs:\n  - job_name: gpu\n    static_configs: [{{targets: ['127.0.0.1:{target}']}}]\n"
        )
        .unwrap();
    }
    let file = folder.join("prometheus.yml");
    fs::write(&file, config).unwrap();
    let child = Command::new("prometheus")
        .arg(format!("--config.file={}", file.display()))
        .arg(format!("--storage.tsdb.path={}", folder.join("tsdb").display()))
        .arg("--storage.tsdb.retention.time=100y")
        .arg(format!("--web.listen-address=127.0.0.1:{port}"))
        .arg("--log.level=error")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|_| panic!("{}", missing("prometheus", "prometheus")));
    let running = Running(child);
    until("Prometheus", || get(port, "/-/ready").is_some_and(|answer| answer.contains("200 OK")));
    running
}

/// The first second of the history: 2025-11-10T00:00:00Z.
const START: i64 = 1_762_732_800;
const CARD: &str = "GPU-0000000a-0000-0000-0000-000000000000";

/// Three hours of a fleet, a sample every 30 seconds, in the text format; `scale` is what a second of
/// its time stamps is.
fn history(scale: i64, blank: f64) -> String {
    let mut series: Vec<(String, &str, Vec<f64>)> = Vec::new();
    // A card that DCGM sees, in a pod: blank at first where profiling was off, and with its new
    // names from the third hour on.
    let dcgm = format!(
        "{{gpu=\"0\",UUID=\"{CARD}\",modelName=\"NVIDIA A100-SXM4-80GB\",Hostname=\"node-1\",\
         namespace=\"monitoring\",pod=\"dcgm-exporter-x\",exported_namespace=\"team-a\",\
         exported_pod=\"train-1\",instance=\"10.0.0.1:9400\"}}"
    );
    let new = dcgm.replace("Hostname", "hostname");
    series.push((dcgm.clone(), "DCGM_FI_DEV_GPU_UTIL", vec![90.0, 50.0, f64::NAN]));
    series.push((new.clone(), "DCGM_FI_DEV_GPU_UTIL_RATIO", vec![f64::NAN, f64::NAN, 0.25]));
    series.push((dcgm.clone(), "DCGM_FI_PROF_SM_ACTIVE", vec![blank, 0.5, f64::NAN]));
    series.push((dcgm.clone(), "DCGM_FI_DEV_FB_USED", vec![1024.0, 40960.0, 2048.0]));
    series.push((dcgm.clone(), "DCGM_FI_DEV_FB_FREE", vec![80_896.0, 40960.0, 79_872.0]));
    series.push((dcgm, "DCGM_FI_DEV_POWER_USAGE", vec![300.0, 200.0, f64::NAN]));
    series.push((new, "DCGM_FI_DEV_BOARD_POWER_WATTS", vec![f64::NAN, f64::NAN, 100.0]));
    // nvidia_gpu_exporter sees the same card, and one that DCGM does not; its names stand apart.
    for (uuid, busy) in [(&CARD[4..], 0.1), ("0000000b-0000-0000-0000-000000000000", 0.75)] {
        let host = "instance=\"10.0.0.2:9835\"";
        let bare = format!("{{{host},uuid=\"{uuid}\"}}");
        let named =
            format!("{{{host},uuid=\"{uuid}\",name=\"NVIDIA GeForce RTX 4090\",index=\"0\"}}");
        series.push((bare.clone(), "nvidia_smi_utilization_gpu_ratio", vec![busy; 3]));
        series.push((bare.clone(), "nvidia_smi_memory_used_bytes", vec![2e9; 3]));
        series.push((bare, "nvidia_smi_memory_total_bytes", vec![24e9; 3]));
        series.push((named, "nvidia_smi_gpu_info", vec![1.0; 3]));
    }
    let nvitop = "{devicename=\"NVIDIA H100 80GB HBM3\",hostname=\"node-3\",index=\"2\",\
                  uuid=\"GPU-0000000c-0000-0000-0000-000000000000\",instance=\"x:1\"}";
    series.push((nvitop.to_owned(), "gpu_utilization_Percentage", vec![100.0, f64::NAN, 0.0]));
    let mut names: Vec<&str> = series.iter().map(|(_, name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let mut text = String::new();
    for name in names {
        writeln!(text, "# TYPE {name} gauge").unwrap();
        for (labels, _, hours) in series.iter().filter(|(_, own, _)| *own == name) {
            for (hour, value) in hours.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
                for sample in 0..120 {
                    let at = START + hour as i64 * 3600 + (sample + 1) * 30;
                    writeln!(text, "{name}{labels} {value} {}", at * scale).unwrap();
                }
            }
        }
    }
    text
}

fn hours(folder: &Path) -> Vec<UsageHour> {
    let mut ledger = Ledger::open_file(&folder.join("ledger.db")).unwrap();
    ledger.usage_hours(jiff::Timestamp::UNIX_EPOCH, jiff::Timestamp::MAX).unwrap()
}

/// What the three hours are, whichever server summed them.
fn check(hours: &[UsageHour]) {
    let of = |device: &str, hour: i64| {
        let at = jiff::Timestamp::from_second(START + hour * 3600).unwrap();
        let found: Vec<_> =
            hours.iter().filter(|row| row.hour == at && row.device.contains(device)).collect();
        assert!(found.len() <= 1, "one row an hour and card, whatever exporters saw it: {found:?}");
        found.first().copied().cloned()
    };
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1.0);
    let mib = 1_048_576.0;
    for (hour, busy, sm, used, watts) in [
        (0, 0.9, None, 1024.0, 300.0),
        (1, 0.5, Some(0.5), 40960.0, 200.0),
        (2, 0.25, None, 2048.0, 100.0),
    ] {
        let row = of("0000000a", hour).unwrap();
        assert_eq!((&*row.host, &*row.job), ("node-1", "team-a/train-1"));
        assert_eq!(row.card.as_ref().unwrap().as_str(), "a100-sxm4-80");
        assert!(close(row.seen, 3600.0) && close(row.busy_known, 3600.0), "{row:?}");
        assert!(close(row.busy, busy * 3600.0), "{row:?}");
        assert!(close(row.energy, watts * 3600.0), "{row:?}");
        assert!(close(row.memory_peak, used * mib) || hour == 2, "{row:?}");
        assert!(close(row.memory_total, 81_920.0 * mib) || hour > 0, "{row:?}");
        match sm {
            Some(sm) => assert!(close(row.sm / row.sm_known, sm), "{row:?}"),
            None => assert!(row.sm_known <= 300.0, "blank is unknown: {row:?}"),
        }
        let second = of("0000000b", hour).unwrap();
        assert_eq!(second.card.as_ref().unwrap().as_str(), "rtx-4090");
        assert_eq!((&*second.host, &*second.job), ("10.0.0.2", ""));
        assert!(close(second.busy, 0.75 * 3600.0) && close(second.memory_total, 24e9));
    }
    assert!(close(of("0000000c", 0).unwrap().busy, 3600.0));
    assert!(of("0000000c", 1).is_none_or(|row| row.seen <= 300.0), "an hour without samples");
    let third = of("0000000c", 2).unwrap();
    assert!(close(third.busy_known, 3600.0) && third.busy < 301.0, "idle, and known to be");
}

#[test]
fn a_month_of_prometheus_is_summed_by_it_and_an_interrupted_import_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("history.txt"),
        history(1, 9_223_372_036_854_775_807.0) + "# EOF\n",
    )
    .unwrap();
    let made = Command::new("promtool")
        .args(["tsdb", "create-blocks-from", "openmetrics", "history.txt", "tsdb"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .status()
        .unwrap_or_else(|_| panic!("{}", missing("promtool", "prometheus")));
    assert!(made.success());
    let port = free_port();
    let server = prometheus(folder.path(), port, None);
    let url = format!("http://127.0.0.1:{port}");
    let import = |more: &[&str]| {
        let fixed = ["import", "prometheus", "--url", &url, "--from", "2025-11-10T00:00:00Z"];
        let said = on_ledger(folder.path(), &[&fixed[..], more].concat());
        said.replace(&port.to_string(), "9090")
    };
    let mut told = import(&["--to", "2025-11-10T02:00:00Z", "--page", "1", "--lang", "zh"]);
    // The server goes away; what it told stays, and the same command goes on from there.
    drop(server);
    let end = ["--to", "2025-11-10T03:00:00Z", "--lang"];
    told.push_str(&import(&[&end[..], &["zh"]].concat()));
    let _server = prometheus(folder.path(), port, None);
    told.push_str(&import(&[&end[..], &["en"]].concat()));
    check(&hours(folder.path()));
    let before = hours(folder.path());
    told.push_str(&import(&[&end[..], &["zh", "--again", "--page", "2"]].concat()));
    assert_eq!(before, hours(folder.path()), "read again, nothing is counted twice");
    for more in [
        ["--match", "host==1", "--lang", "en"],
        ["--match", "cluster=\"none\"", "--lang", "zh"],
        ["--job-label", "a-b", "--lang", "zh"],
        ["--to", "2024-01-01", "--lang", "zh"],
        ["--to", "yesterday", "--lang", "en"],
        ["--resolution", "7", "--lang", "en"],
        ["--token-env", "KASUAN_SECRET_X", "--lang", "zh"],
    ] {
        told.push_str(&import(&more));
    }
    insta::assert_snapshot!("prometheus", told);
}

#[test]
fn the_same_history_in_victoria_metrics_has_the_same_hours() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let child = Command::new("victoria-metrics")
        .arg(format!("-storageDataPath={}", folder.path().join("vm").display()))
        .arg(format!("-httpListenAddr=127.0.0.1:{port}"))
        .args(["-retentionPeriod=100y", "-search.latencyOffset=0s"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|_| panic!("{}", missing("victoria-metrics", "victoria-metrics")));
    let _server = Running(child);
    until("VictoriaMetrics", || get(port, "/health").is_some_and(|answer| answer.contains("OK")));
    // VictoriaMetrics keeps a block of values with one exponent: beside a blank near 2^63 a share of one
    // half would be stored as zero already, so its history has no blanks.
    let text = history(1000, f64::NAN);
    let request = format!(
        "POST /api/v1/import/prometheus HTTP/1.0\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    );
    assert!(http(port, &request).unwrap().contains("204"));
    get(port, "/internal/force_flush").unwrap();
    let url = format!("http://127.0.0.1:{port}");
    let span = ["--from", "2025-11-10T00:00:00Z", "--to", "2025-11-10T03:00:00Z"];
    let said =
        on_ledger(folder.path(), &[&["import", "prometheus", "--url", &url][..], &span].concat());
    assert!(said.ends_with("[0]\n"), "{said}");
    check(&hours(folder.path()));
}

#[test]
fn a_real_agent_scraped_by_a_real_prometheus_arrives_in_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = "driver 550.54.15\ncuda 12040\n\
        card NVIDIA GeForce RTX 4090 | GPU-0000000d-0000-0000-0000-000000000000 | 24564\n\
        card NVIDIA A100-SXM4-80GB | GPU-0000000e-0000-0000-0000-000000000000 | 81920\n\
        0 busy 80\n0 used 17000\n0 power 400000\n1 busy -\n1 used 512\n1 power 61000\n";
    kasuan_testkit::install(folder.path(), scenario).unwrap();
    let mut agent = Command::new(env!("CARGO_BIN_EXE_kasuan"))
        .args(["agent", "--listen", "127.0.0.1:0", "--interval", "0.2", "--host", "box-7"])
        .current_dir(folder.path())
        .env_clear()
        .env("LD_LIBRARY_PATH", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(agent.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let _agent = Running(agent);
    let port = line.trim().rsplit_once(':').unwrap().1;
    let port: u16 =
        port.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap();
    let server = free_port();
    let _server = prometheus(folder.path(), server, Some(port));
    let count = "/api/v1/query?query=count_over_time(kasuan_gpu_busy_ratio[1m])";
    until("four scrapes", || {
        let answer = get(server, count).unwrap_or_default();
        ["4", "5", "6", "7", "8"].iter().any(|n| answer.contains(&format!(",\"{n}\"]")))
    });
    let from = jiff::Timestamp::from_second(jiff::Timestamp::now().as_second() - 3600).unwrap();
    let url = format!("http://127.0.0.1:{server}");
    let import = ["import", "prometheus", "--url", &url, "--from", &from.to_string()];
    let said = on_ledger(folder.path(), &[&import[..], &["--resolution", "1"]].concat());
    assert!(said.ends_with("[0]\n"), "{said}");
    let all = hours(folder.path());
    let sum = |device: &str, of: fn(&UsageHour) -> f64| -> f64 {
        all.iter().filter(|row| row.device.contains(device)).map(of).sum()
    };
    let known = sum("0000000d", |row| row.busy_known);
    assert!((3.0..60.0).contains(&known), "{all:?}");
    assert!((sum("0000000d", |row| row.busy) / known - 0.8).abs() < 1e-9, "{all:?}");
    let watts = sum("0000000d", |row| row.energy) / sum("0000000d", |row| row.power_known);
    assert!((watts - 400.0).abs() < 1e-9, "{all:?}");
    assert!(
        all.iter().all(|row| &*row.host == "box-7"),
        "hosts are named as the ledger names them"
    );
    let second = all.iter().find(|row| row.device.contains("0000000e")).unwrap();
    assert_eq!((second.busy_known, second.card.as_ref().unwrap().as_str()), (0.0, "a100-sxm4-80"));
    // The hour still runs: later it is read again and what is longer takes its place.
    std::thread::sleep(Duration::from_secs(2));
    on_ledger(folder.path(), &[&import[..], &["--resolution", "1"]].concat());
    let later: f64 = hours(folder.path())
        .iter()
        .filter(|row| row.device.contains("0000000d"))
        .map(|row| row.busy_known)
        .sum();
    assert!(later > known, "{known} {later}");
    let said = kasuan(
        folder.path(),
        &[
            "import",
            "prometheus",
            "--url",
            &format!("http://127.0.0.1:{port}"),
            "--from",
            "2026-11-01",
            "--lang",
            "zh",
        ],
    );
    assert!(said.contains("[2]") || said.contains("[3]"), "an agent is no Prometheus: {said}");
}
