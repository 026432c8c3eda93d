//! Slurm: `sacct --parsable`, `squeue`, `sinfo`, and the maps of cards to jobs.

use super::{Capture, CaptureError, CaptureKind, GpuOwner, JobRecord, cell::known};

/// Words of headers, lower case.
const HEADERS: &[&str] = &["jobid", "alloctres", "tres-alloc", "reqtres", "gres", "tresalloc"];

/// Says whether this is a table of Slurm's, with bars between cells.
pub(super) fn is(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else { return false };
    let lower = first.to_ascii_lowercase();
    let header = lower.contains('|') && lower.split('|').any(|cell| HEADERS.contains(&cell.trim()));
    header
        || lower.starts_with("# squeue")
        || lower.starts_with("# sinfo")
        || lower.contains("gres/gpu")
        || lower.contains("gpu:") && (lower.contains("nodelist") || lower.contains("gres"))
        || lower.contains("nodelist") && lower.contains("gres")
}

pub(super) fn read(text: &str) -> Result<Capture, CaptureError> {
    let mut capture = Capture::new(CaptureKind::Slurm);
    let mut columns: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(command) = line.strip_prefix('#') {
            // A comment that names the command tells the columns of what follows.
            columns = columns_of_command(command);
            continue;
        }
        let cells = split(line);
        let lower: Vec<String> = cells.iter().map(|cell| cell.to_ascii_lowercase()).collect();
        let is_header = lower
            .iter()
            .filter(|cell| {
                HEADERS.contains(&cell.as_str())
                    || ["state", "user", "account", "nodelist", "gres_used", "node_list"]
                        .contains(&cell.as_str())
            })
            .count()
            >= 2
            || lower.first().is_some_and(|cell| cell == "jobid");
        if is_header {
            columns = lower;
            continue;
        }
        if columns.is_empty() {
            columns = guess(&cells);
        }
        job(&columns, &cells, &mut capture);
    }
    if capture.jobs.is_empty() && capture.owners.is_empty() && capture.skipped == 0 {
        return Err(CaptureError::unrecognised(text));
    }
    Ok(capture)
}

fn split(line: &str) -> Vec<String> {
    if line.contains('|') {
        let cells = line.trim_end().trim_end_matches('|').split('|');
        return cells.map(|cell| cell.trim().to_owned()).collect();
    }
    line.split_whitespace().map(str::to_owned).collect()
}

/// Reads the columns out of `squeue -o '%A|%a|%T|%D|%C|%b'` or `squeue -O jobid,account,...`.
fn columns_of_command(command: &str) -> Vec<String> {
    let Some(at) = command.find(" -O ").or_else(|| command.find(" -o ")) else { return Vec::new() };
    let long = command.get(at..).is_some_and(|rest| rest.starts_with(" -O"));
    let list = command.get(at + 4..).unwrap_or("").trim_start();
    let list = match list.strip_prefix('\'') {
        Some(quoted) => quoted.split('\'').next().unwrap_or(""),
        None => list.split_whitespace().next().unwrap_or(""),
    };
    if long {
        return list.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
    }
    list.split('|')
        .map(|code| {
            match code.trim_start_matches(|c: char| c == '%' || c == '.' || c.is_ascii_digit()) {
                "A" | "i" => "jobid",
                "a" => "account",
                "u" => "user",
                "j" => "jobname",
                "T" | "t" => "state",
                "b" => "gres",
                "M" => "elapsed",
                "N" => "nodelist",
                "G" => "gres",
                _ => "",
            }
            .to_owned()
        })
        .collect()
}

/// Without any header: the first cell is the id, and the cell that names cards is the allocation.
fn guess(cells: &[String]) -> Vec<String> {
    cells
        .iter()
        .enumerate()
        .map(|(place, cell)| {
            let name = if cell.contains("gpu") {
                "alloctres"
            } else if place == 0 {
                "jobid"
            } else {
                ""
            };
            name.to_owned()
        })
        .collect()
}

fn job(columns: &[String], cells: &[String], capture: &mut Capture) {
    let get = |names: &[&str]| {
        let place = columns.iter().position(|column| names.contains(&column.as_str()))?;
        known(cells.get(place)?).map(str::to_owned)
    };
    // sinfo lists nodes, which are not jobs: how many cards of which kind, and how many in use.
    if let Some(node) = get(&["nodelist", "node_list", "hostnames", "nodehost"])
        && get(&["jobid", "id"]).is_none()
    {
        let total = get(&["gres"]).and_then(|text| cards(&text));
        let used = get(&["gres_used", "gresused"]).and_then(|text| cards(&text));
        match total.or(used) {
            Some((_, _)) => {
                let (count, model) = total_or_used(
                    get(&["gres_used", "gresused"]).as_deref(),
                    get(&["gres"]).as_deref(),
                );
                capture.jobs.push(JobRecord {
                    id: String::new(),
                    name: Some(node),
                    gpus: count,
                    gpu_model: model,
                    state: get(&["state"]),
                    ..JobRecord::default()
                });
            }
            None => capture.skipped += 1,
        }
        return;
    }
    let Some(id) = get(&["jobid", "id", "jobidraw"]) else {
        capture.skipped += 1;
        return;
    };
    // Steps repeat the allocation of their job.
    if id.contains('.') {
        return;
    }
    let allocation = get(&["alloctres", "tres-alloc", "tresalloc", "gres", "reqtres"]);
    let (gpus, gpu_model) = match allocation.as_deref().and_then(cards) {
        Some((count, model)) => (Some(count), model),
        None => (None, None),
    };
    // `0` cards is only known where the field lists what was allocated.
    let lists_all =
        get(&["alloctres", "tres-alloc", "tresalloc"]).is_some_and(|text| text.contains('='));
    let end = get(&["end"]).filter(|end| end != "Unknown" && end != "NONE");
    capture.jobs.push(JobRecord {
        id,
        name: get(&["jobname", "name"]),
        user: get(&["user"]),
        account: get(&["account"]),
        gpus: gpus.or_else(|| lists_all.then_some(0)),
        gpu_model,
        state: get(&["state"]).map(|state| state.split(' ').next().unwrap_or("").to_owned()),
        start: get(&["start"]).filter(|start| start != "Unknown"),
        end,
        elapsed_seconds: get(&["elapsedraw"])
            .and_then(|text| text.parse().ok())
            .or_else(|| get(&["elapsed", "time"]).as_deref().and_then(duration)),
        ..JobRecord::default()
    });
}

fn total_or_used(used: Option<&str>, total: Option<&str>) -> (Option<u64>, Option<String>) {
    let used = used.and_then(cards);
    let total = total.and_then(cards);
    let model = used
        .as_ref()
        .and_then(|(_, m)| m.clone())
        .or_else(|| total.as_ref().and_then(|(_, m)| m.clone()));
    (used.map(|(count, _)| count), model)
}

/// Counts cards in `gres/gpu:a100=1,gres/gpu=1` (the sum, not both), or `gpu:tesla:4(IDX:0-3)`.
fn cards(text: &str) -> Option<(u64, Option<String>)> {
    let (mut plain, mut typed, mut model) = (None, None::<u64>, None);
    for item in split_outside_brackets(text) {
        let item = item.trim().trim_start_matches("gres/").trim_start_matches("gres:");
        let Some(rest) = item.strip_prefix("gpu") else { continue };
        let rest = rest.split('(').next().unwrap_or("");
        let (kind, count) = match rest.split_once('=') {
            Some((kind, count)) => (kind.trim_start_matches(':'), count),
            None => match rest.trim_start_matches(':').rsplit_once(':') {
                Some((kind, count)) => (kind, count),
                None => ("", rest.trim_start_matches(':')),
            },
        };
        let Ok(count) = count.trim().parse::<u64>() else { continue };
        if kind.is_empty() {
            plain = Some(plain.unwrap_or(0_u64).saturating_add(count));
        } else {
            typed = Some(typed.unwrap_or(0).saturating_add(count));
            model = Some(kind.to_owned());
        }
    }
    Some((plain.or(typed)?, model))
}

fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..));
    parts
}

/// Reads `2-03:04:05`, `03:04:05` or `04:05` as seconds.
fn duration(text: &str) -> Option<u64> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (days.parse::<u64>().ok()?, clock),
        None => (0, text),
    };
    let mut seconds = 0_u64;
    for part in clock.split(':') {
        let part: u64 = part.split('.').next()?.parse().ok()?;
        seconds = seconds.checked_mul(60)?.checked_add(part)?;
    }
    days.checked_mul(86_400)?.checked_add(seconds)
}

/// Says whether this is a map of cards to jobs (`0: 247609 223456`).
pub(super) fn is_map(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.next().is_some_and(|line| owner(line).is_some())
}

fn owner(line: &str) -> Option<GpuOwner> {
    let (gpu, rest) = line.split_once(": ")?;
    let is_card = gpu.starts_with("GPU-")
        || gpu.starts_with("MIG-")
        || !gpu.is_empty() && gpu.chars().all(|c| c.is_ascii_digit() || c == '.');
    let mut words = rest.split_whitespace();
    let job = words.next()?;
    let uid = words.next().map(str::parse);
    let plausible =
        is_card && job.bytes().all(|b| b.is_ascii_digit() || b == b'_') && words.next().is_none();
    if !plausible || matches!(uid, Some(Err(_))) {
        return None;
    }
    Some(GpuOwner { gpu: gpu.to_owned(), job: job.to_owned(), uid: uid.and_then(Result::ok) })
}

/// Reads a map of cards to jobs.
pub(super) fn map(text: &str) -> Capture {
    let mut capture = Capture::new(CaptureKind::OwnerMap);
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        match owner(line) {
            Some(owner) => capture.owners.push(owner),
            None => capture.skipped += 1,
        }
    }
    capture
}
