//! `nvidia-smi dmon` and `pmon`: columns are found by the names in the header, which repeats and
//! differs between drivers.

use super::{
    Capture, CaptureError, CaptureKind, GpuSample, ProcessSample, Snapshot,
    cell::{celsius, known, memory, percent, watts},
};

/// Says whether this is output of dmon or pmon.
pub(super) fn is(text: &str) -> bool {
    text.lines().take(5).any(|line| header(line).is_some())
}

/// Returns the column names of a header line, which has the card's ordinal among them.
fn header(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.strip_prefix('#')?.split_whitespace().collect();
    let is_header = names.contains(&"gpu")
        && names.iter().any(|name| ["pwr", "sm", "pid", "mclk", "fb"].contains(name));
    is_header.then_some(names)
}

pub(super) fn read(text: &str) -> Result<Capture, CaptureError> {
    let mut columns: Vec<&str> = Vec::new();
    let mut capture = Capture::new(CaptureKind::Dmon);
    // What the current snapshot holds; a card, or a process of a card, that comes again begins the
    // next one.
    let mut seen: Vec<(u32, Option<u32>)> = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            continue;
        }
        if line.trim_start().starts_with('#') {
            // The second header line holds the units, which are the same for every driver.
            if let Some(names) = header(line.trim_start()) {
                columns = names;
                if columns.contains(&"pid") {
                    capture.kind = CaptureKind::Pmon;
                }
            }
            continue;
        }
        if columns.is_empty() {
            return Err(CaptureError::unrecognised(text));
        }
        if !one_line(line, &columns, &mut seen, &mut capture) {
            capture.skipped += 1;
        }
    }
    Ok(capture)
}

/// Reads one line; returns whether it could be used.
fn one_line(
    line: &str,
    columns: &[&str],
    seen: &mut Vec<(u32, Option<u32>)>,
    capture: &mut Capture,
) -> bool {
    let processes = columns.contains(&"pid");
    let cells: Vec<&str> = line.split_whitespace().collect();
    // The program's name may hold spaces; it is the last column.
    let complete =
        if processes { cells.len() + 1 >= columns.len() } else { cells.len() == columns.len() };
    if !complete {
        return false;
    }
    let get = |wanted: &str| {
        let place = columns.iter().position(|column| *column == wanted)?;
        known(cells.get(place)?)
    };
    let Some(index) = get("gpu").and_then(|text| text.parse::<u32>().ok()) else { return false };
    let at = match (get("Date"), get("Time")) {
        (Some(date), Some(time)) => Some(format!("{date} {time}")),
        (date, time) => date.or(time).map(str::to_owned),
    };
    let pid = if processes { get("pid").and_then(|pid| pid.parse().ok()) } else { None };
    let back = seen.last().is_some_and(|(last, _)| index < *last);
    if seen.is_empty() || back || seen.contains(&(index, pid)) {
        seen.clear();
        capture.snapshots.push(Snapshot { at, ..Snapshot::default() });
    }
    seen.push((index, pid));
    if processes {
        let Some(last) = capture.snapshots.last_mut() else { return false };
        // A card without processes has a line of dashes: it was seen, and nothing ran on it.
        if let Some(pid) = pid {
            let name = columns
                .iter()
                .position(|column| *column == "command" || *column == "name")
                .and_then(|place| cells.get(place..))
                .map(|words| words.join(" "))
                .filter(|name| !name.is_empty() && name != "-");
            last.processes.push(ProcessSample {
                gpu: Some(index.to_string()),
                pid,
                name,
                memory: get("fb").and_then(|text| memory(text, "MB")),
                busy: get("sm").and_then(percent),
                ..ProcessSample::default()
            });
        }
        return true;
    }
    let Some(last) = capture.snapshots.last_mut() else { return false };
    last.gpus.push(GpuSample {
        index: Some(index),
        busy: get("sm").and_then(percent),
        memory_busy: get("mem").and_then(percent),
        memory_used: get("fb").and_then(|text| memory(text, "MB")),
        power_watts: get("pwr").and_then(watts),
        celsius: get("gtemp").or_else(|| get("temp")).and_then(celsius),
        ..GpuSample::default()
    });
    true
}
