//! Every capture of the sample collection is read, and what is read is held in one snapshot.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use expect_test::expect_file;
use kasuan_model::Bytes;
use kasuan_probe::capture::{Capture, CaptureError, CaptureKind, read};
use proptest::prelude::*;
use std::{fmt::Write as _, fs, path::Path};

fn samples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/samples");
    let mut found: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().is_some_and(|name| name != "SOURCES.md"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    found.sort();
    found
}

fn sample(start: &str) -> Capture {
    let (_, text) = samples().into_iter().find(|(name, _)| name.starts_with(start)).unwrap();
    read(&text, None).unwrap()
}

fn mib(bytes: Option<Bytes>) -> String {
    bytes.map_or_else(|| "?".to_owned(), |bytes| format!("{}MiB", bytes.get() / 1024 / 1024))
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(
        || "?".to_owned(),
        |value| format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    )
}

fn text(value: Option<&str>) -> &str {
    value.unwrap_or("?")
}

fn summary(capture: &Capture) -> String {
    let mut out = String::new();
    for snapshot in &capture.snapshots {
        writeln!(
            out,
            "  at {} driver {} cuda {}",
            text(snapshot.at.as_deref()),
            text(snapshot.driver.as_deref()),
            text(snapshot.driver_cuda.as_deref())
        )
        .unwrap();
        for gpu in &snapshot.gpus {
            writeln!(
                out,
                "    gpu {} slice {} parent {} {} | busy {} mem-busy {} used {} of {} | {} of {} W {} C | sm {} tensor {} dram {} | pcie {:?}/{:?} reasons {:?} xid {:?} owner {}",
                gpu.index.map_or_else(|| "?".to_owned(), |index| index.to_string()),
                text(gpu.slice.as_deref()),
                gpu.mig_parent,
                text(gpu.name.as_deref()),
                figure(gpu.busy),
                figure(gpu.memory_busy),
                mib(gpu.memory_used),
                mib(gpu.memory_total),
                figure(gpu.power_watts),
                figure(gpu.power_limit_watts),
                figure(gpu.celsius),
                figure(gpu.sm_active),
                figure(gpu.tensor_active),
                figure(gpu.dram_active),
                gpu.pcie_width,
                gpu.pcie_width_max,
                gpu.clock_reasons,
                gpu.xid,
                text(gpu.owner.as_deref()),
            )
            .unwrap();
        }
        for process in &snapshot.processes {
            writeln!(
                out,
                "    pid {} on {} {} by {} mem {} busy {}",
                process.pid,
                text(process.gpu.as_deref()),
                text(process.name.as_deref()),
                text(process.user.as_deref()),
                mib(process.memory),
                figure(process.busy)
            )
            .unwrap();
        }
    }
    for job in &capture.jobs {
        writeln!(
            out,
            "  job {} {} by {} of {} gpus {:?} {} {} from {} to {} for {:?} s busy {} peak {}",
            job.id,
            text(job.name.as_deref()),
            text(job.user.as_deref()),
            text(job.account.as_deref()),
            job.gpus,
            text(job.gpu_model.as_deref()),
            text(job.state.as_deref()),
            text(job.start.as_deref()),
            text(job.end.as_deref()),
            job.elapsed_seconds,
            figure(job.busy),
            mib(job.memory_peak)
        )
        .unwrap();
    }
    for owner in &capture.owners {
        writeln!(out, "  card {} job {} uid {:?}", owner.gpu, owner.job, owner.uid).unwrap();
    }
    for pod in &capture.pods {
        writeln!(out, "  pod {}/{}/{} {:?}", pod.namespace, pod.pod, pod.container, pod.devices)
            .unwrap();
    }
    out
}

#[test]
fn every_sample_capture_says_what_it_said_before() {
    let mut out = String::new();
    for (name, content) in samples() {
        match read(&content, None) {
            Ok(capture) => {
                writeln!(
                    out,
                    "{name}: {:?} skipped {} unlabelled {}",
                    capture.kind, capture.skipped, capture.unlabelled
                )
                .unwrap();
                out.push_str(&summary(&capture));
            }
            Err(error) => writeln!(out, "{name}: {error}").unwrap(),
        }
    }
    expect_file!["data/captures.txt"].assert_eq(&out);
}

#[test]
fn a_mig_parent_that_draws_433_watts_is_unknown_and_not_idle() {
    let capture = sample("02_");
    let under_load = &capture.snapshots[1].gpus[0];
    assert_eq!(under_load.busy, None);
    assert!(under_load.mig_parent);
    assert_eq!(under_load.power_watts, Some(433.78));
}

#[test]
fn unified_memory_has_no_card_memory_figures() {
    let capture = sample("37_");
    for gpu in &capture.snapshots[0].gpus {
        assert_eq!((gpu.memory_used, gpu.memory_total), (None, None));
    }
    let columns =
        ["name", "utilization.gpu", "memory.used", "memory.total", "power.draw", "temperature.gpu"];
    let (_, text) = samples().into_iter().find(|(name, _)| name.starts_with("37_")).unwrap();
    let line = text.lines().nth(1).unwrap();
    let named = read(line, Some(&columns)).unwrap();
    let gpu = &named.snapshots[0].gpus[0];
    assert_eq!((gpu.busy, gpu.memory_used, gpu.power_watts), (Some(96.0), None, Some(60.77)));
}

#[test]
fn wddm_processes_have_unknown_memory() {
    let capture = sample("16_");
    assert!(!capture.snapshots[0].processes.is_empty());
    assert!(capture.snapshots.iter().flat_map(|s| &s.processes).all(|p| p.memory.is_none()));
}

#[test]
fn blank_values_of_dcgm_stay_unknown_after_the_float_round_trip() {
    let capture = sample("27_");
    let temperatures: Vec<_> =
        capture.snapshots.iter().flat_map(|s| &s.gpus).filter_map(|gpu| gpu.celsius).collect();
    assert!(temperatures.iter().all(|celsius| *celsius < 200.0), "{temperatures:?}");
}

#[test]
fn typed_and_plain_gres_are_the_same_cards() {
    let capture = sample("38_");
    let jobs: Vec<_> = capture.jobs.iter().map(|job| (job.id.as_str(), job.gpus)).collect();
    assert_eq!(jobs, [("8000001", Some(1)), ("8000002", Some(1))]);
}

#[test]
fn an_error_of_prometheus_is_reported_as_one() {
    let (_, text) = samples().into_iter().find(|(name, _)| name.starts_with("29_")).unwrap();
    assert!(matches!(read(&text, None), Err(CaptureError::Reported(_))));
}

#[test]
fn a_cut_off_last_row_is_counted_and_not_read() {
    let text = "index, utilization.gpu [%], memory.used [MiB]\n0, 97 %, 100 MiB\n0, 9";
    let capture = read(text, None).unwrap();
    assert_eq!((capture.kind, capture.skipped), (CaptureKind::SmiCsv, 1));
    assert_eq!(capture.snapshots.len(), 1);
}

#[test]
fn other_shapes_of_the_same_tools_are_read_too() {
    let dmon = "#Date       Time        gpu   pwr gtemp mtemp    sm   mem\n#YYYYMMDD   HH:MM:SS    Idx     W     C     C     %     %\n 20261201   10:00:00      0   300    60     -    99    40\n 20261201   10:00:00      1     -    60     -     -     -\n 20261201   10:00:01      0   310    60     -    98    40\n";
    let capture = read(dmon, None).unwrap();
    assert_eq!(capture.snapshots.len(), 2);
    assert_eq!(capture.snapshots[0].gpus[1].busy, None);
    assert_eq!(capture.snapshots[1].at.as_deref(), Some("20261201 10:00:01"));

    let nvtop = r#"[{"device_name":"NVIDIA GeForce RTX 3090","gpu_clock":"210MHz","mem_clock":"405MHz","temp":"34C","fan_speed":"0%","power_draw":"21W","gpu_util":"0%","mem_util":"3%","mem_total":"25769803776","mem_used":null}]"#;
    let capture = read(nvtop, None).unwrap();
    let gpu = &capture.snapshots[0].gpus[0];
    assert_eq!((gpu.busy, gpu.power_watts, gpu.memory_used), (Some(0.0), Some(21.0), None));
    assert_eq!(gpu.memory_total, Some(Bytes::new(25_769_803_776)));

    let sinfo =
        "NODELIST    GRES    GRES_USED\nnode1       gpu:titanx:4(S:0-1)   gpu:titanx:2(IDX:0-1)\n";
    let capture = read(sinfo, None).unwrap();
    assert_eq!(capture.jobs[0].gpus, Some(2));

    let renamed = "DCGM_FI_DEV_GPU_UTIL_RATIO{gpu=\"0\",UUID=\"GPU-aaaaaaaa\",hostname=\"h\"} 0.97\nDCGM_FI_DEV_BOARD_POWER_WATTS{gpu=\"0\",UUID=\"GPU-aaaaaaaa\"} 412.5\n";
    let capture = read(renamed, None).unwrap();
    let gpu = &capture.snapshots[0].gpus[0];
    assert_eq!((gpu.busy, gpu.power_watts), (Some(97.0), Some(412.5)));

    let old = "# gpu   pwr  temp    sm   mem   enc   dec  mclk  pclk pviol tviol    fb  bar1\n# Idx     W     C     %     %     %     %   MHz   MHz     %  bool    MB    MB\n    0   112    87    19     7     0     0  5005  1480     0     0  7000     5\n";
    let capture = read(old, None).unwrap();
    assert_eq!(capture.snapshots[0].gpus[0].memory_used, Some(Bytes::new(7000 * 1024 * 1024)));

    let headed = "index, name, utilization.gpu [%], power.draw [W]\n0, GeForce GTX 770, [Not Supported], [Not Supported]\n";
    let capture = read(headed, None).unwrap();
    assert_eq!(capture.snapshots[0].gpus[0].busy, None);
}

#[test]
fn what_is_no_telemetry_is_refused() {
    assert_eq!(read("", None), Err(CaptureError::Empty));
    for text in
        ["hello world", "{\"a\": 1}", "<html></html><", "name: x\njobs: []\n", "{\"gpus\": ["]
    {
        assert!(read(text, None).is_err(), "{text}");
    }
}

proptest! {
    /// A file may be cut off anywhere, and whatever is left must be read or refused, never panic,
    /// and never show a busy share outside of 0 to 100.
    #[test]
    fn a_capture_cut_anywhere_never_panics(pick in 0..36_usize, cut in 0.0..1.0_f64) {
        let samples = samples();
        let (_, text) = &samples[pick % samples.len()];
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a file")]
        let mut at = (text.len() as f64 * cut) as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        if let Ok(capture) = read(&text[..at], None) {
            for gpu in capture.snapshots.iter().flat_map(|snapshot| &snapshot.gpus) {
                prop_assert!(gpu.busy.is_none_or(|busy| (0.0..=100.0).contains(&busy)));
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = read(&text, None);
    }
}
