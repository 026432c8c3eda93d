//! The agent's page for Prometheus: conventional names, base units, and money.

use crate::capture::{GpuSample, Snapshot};
use kasuan_model::Money;
use std::{
    fmt::Write as _,
    io::{self, BufRead as _, BufReader, Write as _},
    net::TcpStream,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// What the page shows: the last sample, and sums since the start.
#[derive(Clone, Debug, Default)]
pub struct Board {
    /// The last sample.
    pub snapshot: Option<Snapshot>,
    /// Why the last attempt gave no sample.
    pub failure: Option<String>,
    /// Samples taken.
    pub samples: u64,
    /// Attempts that failed.
    pub failures: u64,
    /// Price of an hour of the whole machine.
    pub hourly: Option<Money>,
    /// Seconds since the start, which the price runs over.
    pub seconds: f64,
    /// Seconds in which every card was seen and none was busy.
    pub idle_seconds: f64,
    /// The host's name, a label of each card, so that a fleet's figures name hosts as the ledger does.
    pub host: String,
}

type Gauge = (&'static str, &'static str, fn(&GpuSample) -> Option<f64>);

#[expect(clippy::cast_precision_loss, reason = "card memory is far below 2^53")]
const GAUGES: &[Gauge] = &[
    ("kasuan_gpu_busy_ratio", "Share of time in which any kernel ran, 0 to 1.", |gpu| {
        gpu.busy.map(|busy| busy / 100.0)
    }),
    (
        "kasuan_gpu_memory_busy_ratio",
        "Share of time in which card memory was read or written, 0 to 1.",
        |gpu| gpu.memory_busy.map(|busy| busy / 100.0),
    ),
    ("kasuan_gpu_memory_used_bytes", "Card memory in use.", |gpu| {
        gpu.memory_used.map(|bytes| bytes.get() as f64)
    }),
    ("kasuan_gpu_memory_total_bytes", "Card memory in total.", |gpu| {
        gpu.memory_total.map(|bytes| bytes.get() as f64)
    }),
    ("kasuan_gpu_power_watts", "Power draw.", |gpu| gpu.power_watts),
    ("kasuan_gpu_power_limit_watts", "Power limit.", |gpu| gpu.power_limit_watts),
    ("kasuan_gpu_temperature_celsius", "Temperature of the chip.", |gpu| gpu.celsius),
    ("kasuan_gpu_sm_active_ratio", "Share of streaming multiprocessors at work, 0 to 1.", |gpu| {
        gpu.sm_active
    }),
    ("kasuan_gpu_lost", "1 when the driver has lost the card.", |gpu| {
        Some(if gpu.lost { 1.0 } else { 0.0 })
    }),
];

/// Writes the page in Prometheus' text format 0.0.4. What is unknown has no line.
pub fn page(board: &Board) -> String {
    let mut out = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, lines: &[(String, f64)]| {
        if lines.is_empty() {
            return;
        }
        // Writing into a text cannot fail.
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in lines {
            let _ = writeln!(out, "{name}{labels} {value}");
        }
    };
    let up = if board.failure.is_none() && board.snapshot.is_some() { 1.0 } else { 0.0 };
    metric("kasuan_up", "gauge", "1 when the last sample was taken.", &[(String::new(), up)]);
    #[expect(clippy::cast_precision_loss, reason = "counts of samples are far below 2^53")]
    let (taken, failed) = (board.samples as f64, board.failures as f64);
    metric("kasuan_samples_total", "counter", "Samples taken.", &[(String::new(), taken)]);
    metric(
        "kasuan_sample_failures_total",
        "counter",
        "Samples that could not be taken.",
        &[(String::new(), failed)],
    );
    if let (Some(snapshot), true) = (&board.snapshot, board.failure.is_none()) {
        for (name, help, value) in GAUGES {
            let lines: Vec<(String, f64)> = snapshot
                .gpus
                .iter()
                .filter_map(|gpu| Some((labels(gpu, &board.host), value(gpu)?)))
                .collect();
            metric(name, "gauge", help, &lines);
        }
    }
    if let Some(hourly) = board.hourly {
        let labels = format!("{{currency=\"{}\"}}", hourly.currency().code());
        // Money leaves as a float only here, where the format knows nothing else.
        let hour: f64 = hourly.amount().to_string().parse().unwrap_or(f64::NAN);
        let cost = |seconds: f64| hour * seconds / 3600.0;
        metric(
            "kasuan_price_per_hour",
            "gauge",
            "Price of an hour of the machine.",
            &[(labels.clone(), hour)],
        );
        metric(
            "kasuan_cost_total",
            "counter",
            "What the machine has cost since the agent started.",
            &[(labels.clone(), cost(board.seconds))],
        );
        metric(
            "kasuan_idle_cost_total",
            "counter",
            "The part of it in which no card was busy.",
            &[(labels, cost(board.idle_seconds))],
        );
    }
    metric(
        "kasuan_seconds_total",
        "counter",
        "Seconds since the agent started.",
        &[(String::new(), board.seconds)],
    );
    metric(
        "kasuan_idle_seconds_total",
        "counter",
        "Seconds in which every card was seen and none was busy.",
        &[(String::new(), board.idle_seconds)],
    );
    out
}

fn labels(gpu: &GpuSample, host: &str) -> String {
    let mut parts = Vec::new();
    let index = gpu.index.map(|index| index.to_string());
    for (name, value) in [
        ("gpu", index),
        ("uuid", gpu.uuid.clone()),
        ("name", gpu.name.clone()),
        ("slice", gpu.slice.clone()),
        ("hostname", Some(host.to_owned()).filter(|host| !host.is_empty())),
    ] {
        if let Some(value) = value {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            parts.push(format!("{name}=\"{escaped}\""));
        }
    }
    format!("{{{}}}", parts.join(","))
}

/// Answers one request: `/metrics`, `/healthz`, else 404.
pub fn answer(stream: &TcpStream, board: &Mutex<Board>) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let mut reader = BufReader::new(io::Read::take(stream, 8192));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = request.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let path = target.split('?').next().unwrap_or("");
    let board = board.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (status, kind, body) = match (method, path) {
        ("GET" | "HEAD", "/metrics") => {
            ("200 OK", "text/plain; version=0.0.4; charset=utf-8", page(&board))
        }
        ("GET" | "HEAD", "/healthz") => match (&board.failure, &board.snapshot) {
            (None, Some(_)) => ("200 OK", "text/plain; charset=utf-8", "ok\n".to_owned()),
            (Some(why), _) => {
                ("503 Service Unavailable", "text/plain; charset=utf-8", format!("{why}\n"))
            }
            (None, None) => (
                "503 Service Unavailable",
                "text/plain; charset=utf-8",
                "no sample yet\n".to_owned(),
            ),
        },
        ("GET" | "HEAD", _) => {
            ("404 Not Found", "text/plain; charset=utf-8", "/metrics /healthz\n".to_owned())
        }
        _ => ("405 Method Not Allowed", "text/plain; charset=utf-8", "GET only\n".to_owned()),
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture;

    #[test]
    fn the_page_reads_back_as_what_was_sampled_and_unknown_has_no_line() {
        let gpu = GpuSample {
            index: Some(0),
            uuid: Some("GPU-00000000".to_owned()),
            name: Some("NVIDIA \"A\"".to_owned()),
            busy: Some(97.0),
            power_watts: Some(412.5),
            ..GpuSample::default()
        };
        let snapshot = Snapshot { gpus: vec![gpu], ..Snapshot::default() };
        let text = page(&Board { snapshot: Some(snapshot), ..Board::default() });
        assert!(!text.contains("kasuan_gpu_memory_used_bytes"), "{text}");
        let read = capture::read(&text, None).unwrap();
        let back = &read.snapshots[0].gpus[0];
        assert_eq!(
            (back.busy, back.power_watts, back.memory_used),
            (Some(97.0), Some(412.5), None)
        );
        assert_eq!(back.name.as_deref(), Some("NVIDIA \"A\""));
    }
}
