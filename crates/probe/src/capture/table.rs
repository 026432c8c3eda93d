//! Tables for people: what plain `nvidia-smi` and plain `gpustat` print.

use super::{
    Capture, CaptureError, CaptureKind, GpuSample, ProcessSample, Snapshot,
    cell::{celsius, known, memory, percent, watts},
};

/// Says whether this is nvidia-smi's table.
pub(super) fn is_smi(text: &str) -> bool {
    text.lines().take(12).any(|line| line.contains("| NVIDIA-SMI"))
}

/// Says whether this is gpustat's text.
pub(super) fn is_gpustat(text: &str) -> bool {
    text.lines()
        .take(3)
        .any(|line| line.starts_with('[') && line.contains('|') && line.contains('%'))
}

/// Reads nvidia-smi's table.
pub(super) fn smi(text: &str) -> Result<Capture, CaptureError> {
    let mut snapshot = Snapshot::default();
    let mut part = Part::Cards;
    for line in text.lines() {
        if line.contains("NVIDIA-SMI") {
            snapshot.driver = after(line, "Driver Version:");
            snapshot.driver_cuda = after(line, "CUDA Version:");
        } else if line.contains("MIG devices:") {
            part = Part::Slices;
        } else if line.contains("Processes:") {
            part = Part::Processes;
        } else if line.starts_with('|') {
            let inner = line.trim_matches('|');
            match part {
                Part::Cards => card_line(inner, &mut snapshot),
                Part::Slices => slice_line(inner, &mut snapshot),
                Part::Processes => process_line(inner, &mut snapshot),
            }
        } else if snapshot.at.is_none() && line.contains(':') && !line.contains('+') {
            snapshot.at = Some(line.trim().to_owned());
        }
    }
    if snapshot.gpus.is_empty() {
        return Err(CaptureError::Truncated("nvidia-smi"));
    }
    Ok(Capture::of(CaptureKind::SmiTable, vec![snapshot]))
}

#[derive(Clone, Copy)]
enum Part {
    Cards,
    Slices,
    Processes,
}

fn after(line: &str, word: &str) -> Option<String> {
    known(line.split_once(word)?.1.split_whitespace().next()?).map(str::to_owned)
}

/// A card takes three lines: name and address, figures, MIG mode.
fn card_line(inner: &str, snapshot: &mut Snapshot) {
    let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
    let [first, second, third] = cells.as_slice() else { return };
    let mut words = first.split_whitespace();
    let index = words.next().and_then(|word| word.parse::<u32>().ok());
    if let Some(index) = index
        && second.contains(':')
    {
        // The last word of the first cell is the persistence mode or the driver model.
        let name: Vec<&str> = words.collect();
        let name = name.split_last().map_or(String::new(), |(_, name)| name.join(" "));
        snapshot.gpus.push(GpuSample {
            index: Some(index),
            bus: second.split_whitespace().next().map(str::to_owned),
            name: known(name.trim_end_matches("...").trim()).map(str::to_owned),
            ..GpuSample::default()
        });
    } else if let Some(gpu) = snapshot.gpus.last_mut() {
        if second.contains("MiB") {
            figures(first, second, third, gpu);
        } else if first.is_empty() && second.is_empty() && *third == "Enabled" {
            gpu.mig_parent = true;
            gpu.busy = None;
        }
    }
}

/// `38%   45C    P2    97W /  250W |  1296MiB /  8192MiB |   7%      Default`
fn figures(first: &str, second: &str, third: &str, gpu: &mut GpuSample) {
    let words: Vec<&str> = first.split_whitespace().collect();
    gpu.celsius = words.get(1).and_then(|word| celsius(word));
    let power: Vec<&str> =
        words.iter().copied().filter(|w| w.ends_with('W') || *w == "N/A").collect();
    if let Some((before, limit)) = first
        .split_once('/')
        .filter(|(_, limit)| limit.trim() != "A")
        .or_else(|| first.rsplit_once('/'))
    {
        gpu.power_limit_watts = watts(limit.trim());
        gpu.power_watts = before.split_whitespace().last().and_then(watts);
    }
    // With a fan of `N/A` the first slash is not the one between power and limit.
    if gpu.power_limit_watts.is_none()
        && let [draw, limit] =
            power.iter().filter(|w| w.ends_with('W')).copied().collect::<Vec<_>>()[..]
    {
        gpu.power_watts = watts(draw);
        gpu.power_limit_watts = watts(limit);
    }
    if let Some((used, total)) = second.split_once('/') {
        gpu.memory_used = memory(used, "MiB");
        gpu.memory_total = memory(total, "MiB");
    }
    gpu.busy = third.split_whitespace().next().and_then(percent);
}

/// `0    2   0   0  |   26MiB / 40448MiB | ...`: card, GPU instance, compute instance, device.
fn slice_line(inner: &str, snapshot: &mut Snapshot) {
    let mut cells = inner.split('|');
    let (Some(ids), Some(amounts)) = (cells.next(), cells.next()) else { return };
    let ids: Vec<u32> = ids.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let ([index, instance, ..], Some((used, total))) = (ids.as_slice(), amounts.split_once('/'))
    else {
        return;
    };
    snapshot.gpus.push(GpuSample {
        index: Some(*index),
        slice: Some(instance.to_string()),
        memory_used: memory(used, "MiB"),
        memory_total: memory(total, "MiB"),
        ..GpuSample::default()
    });
}

/// `0   N/A  N/A   2056    C+G   C:\Windows\System32\dwm.exe   N/A`; names may hold spaces. Before
/// R450 the columns of the instances are missing.
fn process_line(inner: &str, snapshot: &mut Snapshot) {
    let words: Vec<&str> = inner.split_whitespace().collect();
    let Some(kind) = words.iter().position(|word| matches!(*word, "C" | "G" | "C+G" | "M+C"))
    else {
        return;
    };
    let (Some(index), Some(pid)) = (
        words.first().and_then(|word| word.parse::<u32>().ok()),
        kind.checked_sub(1).and_then(|at| words.get(at)).and_then(|word| word.parse().ok()),
    ) else {
        return;
    };
    let name = words.get(kind + 1..words.len().saturating_sub(1)).map(|words| words.join(" "));
    snapshot.processes.push(ProcessSample {
        gpu: Some(index.to_string()),
        pid,
        name: name.filter(|name| !name.is_empty()),
        memory: words.last().and_then(|word| memory(word, "MiB")),
        ..ProcessSample::default()
    });
}

/// Reads gpustat's text:
/// `[0] NVIDIA GeForce RTX 4090 | 71°C,  97 % | 17166 / 24564 MB | python/12018(16975M)`
pub(super) fn gpustat(text: &str) -> Capture {
    let mut capture = Capture::new(CaptureKind::Gpustat);
    let mut snapshot = Snapshot::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Some(rest) = line.strip_prefix('[') else {
            let words: Vec<&str> = line.split_whitespace().collect();
            snapshot.driver = words.last().map(|word| (*word).to_owned());
            snapshot.at = words.get(1..words.len().saturating_sub(1)).map(|words| words.join(" "));
            continue;
        };
        let cells: Vec<&str> = rest.split('|').map(str::trim).collect();
        let Some((index, name)) = cells.first().and_then(|cell| cell.split_once(']')) else {
            capture.skipped += 1;
            continue;
        };
        let Ok(index) = index.trim().parse::<u32>() else {
            capture.skipped += 1;
            continue;
        };
        let mut sample = GpuSample {
            index: Some(index),
            name: known(name).map(str::to_owned),
            ..GpuSample::default()
        };
        let figures = cells.get(1).copied().unwrap_or("");
        for figure in figures.split(',').map(str::trim) {
            if figure.contains('C') {
                sample.celsius = celsius(&figure.replace(['\'', '°'], ""));
            } else if figure.ends_with('%') {
                sample.busy = percent(figure);
            } else if let Some((draw, limit)) = figure.split_once('/') {
                sample.power_watts = watts(draw);
                sample.power_limit_watts = watts(limit);
            }
        }
        if let Some((used, total)) = cells.get(2).and_then(|cell| cell.split_once('/')) {
            let unit = total.split_whitespace().last().unwrap_or("MB");
            sample.memory_used = memory(used, unit);
            sample.memory_total = memory(total, unit);
        }
        for process in cells.get(3).copied().unwrap_or("").split_whitespace() {
            snapshot.processes.extend(gpustat_process(process, index));
        }
        snapshot.gpus.push(sample);
    }
    capture.snapshots.push(snapshot);
    capture
}

/// `user:python/12018(16975M)`, with each part but the memory optional.
fn gpustat_process(text: &str, index: u32) -> Option<ProcessSample> {
    let (who, amount) = text.strip_suffix(')')?.split_once('(')?;
    let (who, pid) = who.split_once('/').unwrap_or((who, ""));
    let (user, name) = match who.split_once(':') {
        Some((user, name)) => (Some(user), name),
        None => (None, who),
    };
    Some(ProcessSample {
        gpu: Some(index.to_string()),
        pid: pid.parse().ok()?,
        name: known(name).map(str::to_owned),
        user: user.map(str::to_owned),
        memory: memory(amount, "M"),
        busy: None,
    })
}
