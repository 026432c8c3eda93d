//! `nvidia-smi --query-gpu` and `--query-compute-apps` as CSV, with and without header and units,
//! and job traces.

use super::{
    Capture, CaptureError, CaptureKind, GpuSample, JobRecord, ProcessSample, Snapshot,
    cell::{celsius, known, memory, number, percent, watts, whole},
};

/// Column names that show that a first line is a header.
const HEADER_WORDS: &[&str] = &[
    "utilization",
    "memory",
    "pid",
    "uuid",
    "temperature",
    "power",
    "gpu_num",
    "job_id",
    "driver_version",
];

/// Whole names of columns that stand in a header and never in a row.
const HEADER_NAMES: &[&str] = &["index", "name", "timestamp"];

/// The order in which gpustat asked nvidia-smi up to 2016; such logs have no header.
const GPUSTAT_2016: &[&str] =
    &["index", "uuid", "name", "temperature.gpu", "utilization.gpu", "memory.used", "memory.total"];

/// Says whether the first line names columns.
pub(super) fn has_header(text: &str) -> bool {
    let line = text.lines().next().unwrap_or("").to_ascii_lowercase();
    line.contains(',')
        && !line.contains('{')
        && line
            .split(',')
            .filter(|cell| {
                let cell = cell.trim();
                HEADER_NAMES.contains(&cell)
                    || HEADER_WORDS.iter().any(|word| cell.contains(word)) && !cell.contains("gpu-")
            })
            .count()
            >= 2
}

/// Reads a file with a header.
pub(super) fn with_header(text: &str) -> Result<Capture, CaptureError> {
    let header = text.lines().next().unwrap_or("");
    let columns: Vec<String> =
        cells(header).into_iter().map(|cell| cell.to_ascii_lowercase()).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    // The header may come again where several captures were joined.
    let rows = text.lines().skip(1).filter(|line| *line != header);
    if columns.contains(&"gpu_num") || columns.contains(&"job_id") {
        return Ok(trace(&columns, rows));
    }
    Ok(by_columns(&columns, rows))
}

/// Reads a file without header whose columns are named by the caller.
pub(super) fn with_columns(text: &str, columns: &[&str]) -> Result<Capture, CaptureError> {
    Ok(by_columns(columns, text.lines()))
}

/// Reads a file without header: a known order, or only what a cell says by its own unit.
pub(super) fn without_header(text: &str) -> Result<Capture, CaptureError> {
    let first = cells(text.lines().next().unwrap_or(""));
    if first.len() < 3 {
        return Err(CaptureError::unrecognised(text));
    }
    if first.len() == GPUSTAT_2016.len()
        && first.get(1).is_some_and(|cell| cell.starts_with("GPU-"))
    {
        return Ok(by_columns(GPUSTAT_2016, text.lines()));
    }
    let looks_like_cells = first.iter().any(|cell| number(cell).is_some() || known(cell).is_none());
    if !looks_like_cells {
        return Err(CaptureError::unrecognised(text));
    }
    let mut capture = Capture::new(CaptureKind::SmiCsv);
    let mut snapshot = Snapshot::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        capture.unlabelled += 1;
        let mut sample = GpuSample::default();
        for cell in cells(line) {
            if cell.starts_with("GPU-") {
                sample.uuid = Some(cell.clone());
            } else if ["NVIDIA ", "GeForce ", "Tesla ", "Quadro "]
                .iter()
                .any(|b| cell.starts_with(b))
            {
                sample.name = Some(cell.clone());
            } else if let Some((_, "W")) = number(&cell) {
                sample.power_watts = watts(&cell);
            }
        }
        if sample != GpuSample::default() {
            snapshot.gpus.push(sample);
        }
    }
    if !snapshot.gpus.is_empty() {
        capture.snapshots.push(snapshot);
    }
    Ok(capture)
}

/// Splits a line; nvidia-smi writes no quotes, but spreadsheets that re-save it do.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(other);
                }
            }
        }
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Splits `memory.used [MiB]` into the name and the unit.
fn name_and_unit(column: &str) -> (&str, &str) {
    match column.split_once('[') {
        Some((name, unit)) => (name.trim(), unit.trim_end_matches(']').trim()),
        None => (column.trim(), ""),
    }
}

fn by_columns<'a>(columns: &[&str], rows: impl Iterator<Item = &'a str>) -> Capture {
    let apps = columns.iter().any(|column| name_and_unit(column).0 == "pid");
    let mut capture = Capture::new(if apps { CaptureKind::SmiApps } else { CaptureKind::SmiCsv });
    for line in rows.filter(|line| !line.trim().is_empty()) {
        let cells = cells(line);
        // A row that is too short was cut off; its last cell may be half a number.
        if cells.len() != columns.len() {
            capture.skipped += 1;
            continue;
        }
        let row: Vec<(&str, &str, &str)> = columns
            .iter()
            .zip(&cells)
            .map(|(column, cell)| {
                let (name, unit) = name_and_unit(column);
                (name, unit, cell.as_str())
            })
            .collect();
        let get = |wanted: &str| {
            row.iter().find(|(name, _, _)| *name == wanted).and_then(|(_, _, cell)| known(cell))
        };
        let at = get("timestamp").map(str::to_owned);
        let snapshot = snapshot_at(&mut capture.snapshots, at, &get);
        if apps {
            let Some(pid) = get("pid").and_then(|pid| pid.parse().ok()) else {
                capture.skipped += 1;
                continue;
            };
            snapshot.processes.push(ProcessSample {
                gpu: get("gpu_uuid").or_else(|| get("gpu_bus_id")).map(str::to_owned),
                pid,
                name: get("process_name").or_else(|| get("name")).map(str::to_owned),
                memory: get("used_gpu_memory")
                    .or_else(|| get("used_memory"))
                    .and_then(|text| memory(text, "MiB")),
                ..ProcessSample::default()
            });
        } else {
            snapshot.gpus.push(sample(&get));
        }
    }
    capture
        .snapshots
        .retain(|snapshot| !snapshot.gpus.is_empty() || !snapshot.processes.is_empty());
    capture
}

/// Returns the snapshot that a row belongs to. Rows of one call have time stamps within the same
/// second but not the same one, so a new snapshot begins where a card comes again.
fn snapshot_at<'a, 'b>(
    snapshots: &'a mut Vec<Snapshot>,
    at: Option<String>,
    get: &impl Fn(&str) -> Option<&'b str>,
) -> &'a mut Snapshot {
    let same_card = |sample: &GpuSample| match (get("uuid"), &sample.uuid) {
        (Some(uuid), Some(seen)) => uuid == seen,
        _ => get("index")
            .and_then(|index| index.parse().ok())
            .is_some_and(|i| sample.index == Some(i)),
    };
    let begins = snapshots.last().is_none_or(|last| last.gpus.iter().any(same_card));
    if begins {
        snapshots.push(Snapshot {
            at,
            driver: get("driver_version").map(str::to_owned),
            ..Snapshot::default()
        });
    }
    let last = snapshots.len() - 1;
    &mut snapshots[last]
}

fn sample<'b>(get: &impl Fn(&str) -> Option<&'b str>) -> GpuSample {
    let either = |first: &str, second: &str| get(first).or_else(|| get(second));
    let mig_parent = get("mig.mode.current") == Some("Enabled");
    GpuSample {
        index: get("index").and_then(|text| text.parse().ok()),
        uuid: either("uuid", "gpu_uuid").map(str::to_owned),
        bus: either("pci.bus_id", "gpu_bus_id").map(str::to_owned),
        name: either("name", "gpu_name").map(str::to_owned),
        mig_parent,
        busy: get("utilization.gpu").and_then(percent).filter(|_| !mig_parent),
        memory_busy: get("utilization.memory").and_then(percent),
        memory_used: get("memory.used").and_then(|text| memory(text, "MiB")),
        memory_total: get("memory.total").and_then(|text| memory(text, "MiB")),
        power_watts: either("power.draw", "power.draw.instant")
            .or_else(|| get("power.draw.average"))
            .and_then(watts),
        power_limit_watts: either("enforced.power.limit", "power.limit").and_then(watts),
        celsius: get("temperature.gpu").and_then(celsius),
        pcie_width: get("pcie.link.width.current").and_then(|text| text.parse().ok()),
        pcie_width_max: get("pcie.link.width.max").and_then(|text| text.parse().ok()),
        clock_reasons: either("clocks_event_reasons.active", "clocks_throttle_reasons.active")
            .and_then(whole),
        ..GpuSample::default()
    }
}

/// Reads a job trace (`job_id,user,gpu_num,...,duration`).
fn trace<'a>(columns: &[&str], rows: impl Iterator<Item = &'a str>) -> Capture {
    let mut capture = Capture::new(CaptureKind::JobTrace);
    for line in rows.filter(|line| !line.trim().is_empty()) {
        let cells = cells(line);
        if cells.len() != columns.len() {
            capture.skipped += 1;
            continue;
        }
        let get = |names: &[&str]| {
            names.iter().find_map(|name| {
                let place = columns.iter().position(|column| column == name)?;
                known(cells.get(place)?).map(str::to_owned)
            })
        };
        let Some(id) = get(&["job_id", "jobid", "id"]) else {
            capture.skipped += 1;
            continue;
        };
        capture.jobs.push(JobRecord {
            id,
            name: get(&["name", "job_name", "type"]),
            user: get(&["user", "user_id"]),
            account: get(&["account", "team"]),
            gpus: get(&["gpu_num", "gpus", "gpu_count"]).and_then(|text| text.parse().ok()),
            gpu_model: get(&["gpu_type", "gpu_model"]),
            state: get(&["state", "status"]),
            start: get(&["start_time", "start"]),
            end: get(&["end_time", "end"]),
            elapsed_seconds: get(&["duration", "elapsed"])
                .and_then(|text| text.split('.').next()?.parse().ok()),
            ..JobRecord::default()
        });
    }
    capture
}
