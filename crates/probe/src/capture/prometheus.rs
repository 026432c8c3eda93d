//! Prometheus text and API answers: DCGM, nvidia_gpu_exporter, nvitop-exporter, the older
//! nvidia_gpu_prometheus_exporter, Telegraf, and our own agent.

use super::{
    Capture, CaptureError, CaptureKind, GpuSample, ProcessSample, Snapshot,
    cell::{bytes, metric},
};
use crate::fleet::Gauge;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a metric tells about a card.
#[derive(Clone, Copy)]
enum Field {
    Busy,
    MemoryBusy,
    MemoryUsed(&'static str),
    MemoryTotal(&'static str),
    MemoryFree(&'static str),
    Power(f64),
    PowerLimit(f64),
    Celsius,
    SmActive,
    TensorActive,
    DramActive,
    Energy(f64),
    Xid,
    ClockReasons,
    MigMode,
    PcieWidth,
    PcieWidthMax,
    Info,
}

/// Metric names, with the scale or unit that each tool uses. DCGM renamed fields in 2026 and keeps
/// the old names as aliases (observed in its master branch @72fa3fea).
const NAMES: &[(&str, Field)] = &[
    ("DCGM_FI_DEV_GPU_UTIL", Field::Busy),
    ("DCGM_FI_DEV_MEM_COPY_UTIL", Field::MemoryBusy),
    ("DCGM_FI_DEV_FB_USED", Field::MemoryUsed("MiB")),
    ("DCGM_FI_DEV_FB_TOTAL", Field::MemoryTotal("MiB")),
    ("DCGM_FI_DEV_FB_FREE", Field::MemoryFree("MiB")),
    ("DCGM_FI_DEV_POWER_USAGE", Field::Power(1.0)),
    ("DCGM_FI_DEV_BOARD_POWER_WATTS", Field::Power(1.0)),
    ("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", Field::PowerLimit(1.0)),
    ("DCGM_FI_DEV_POWER_MGMT_LIMIT", Field::PowerLimit(1.0)),
    ("DCGM_FI_DEV_GPU_TEMP", Field::Celsius),
    ("DCGM_FI_PROF_SM_ACTIVE", Field::SmActive),
    ("DCGM_FI_PROF_SM_UTIL_RATIO", Field::SmActive),
    ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", Field::TensorActive),
    ("DCGM_FI_PROF_DRAM_ACTIVE", Field::DramActive),
    ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", Field::Energy(0.001)),
    ("DCGM_FI_DEV_XID_ERRORS", Field::Xid),
    ("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", Field::ClockReasons),
    ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", Field::ClockReasons),
    ("nvidia_smi_memory_used_bytes", Field::MemoryUsed("B")),
    ("nvidia_smi_memory_total_bytes", Field::MemoryTotal("B")),
    ("nvidia_smi_memory_free_bytes", Field::MemoryFree("B")),
    ("nvidia_smi_power_draw_watts", Field::Power(1.0)),
    ("nvidia_smi_enforced_power_limit_watts", Field::PowerLimit(1.0)),
    ("nvidia_smi_power_limit_watts", Field::PowerLimit(1.0)),
    ("nvidia_smi_temperature_gpu", Field::Celsius),
    ("nvidia_smi_mig_mode_current", Field::MigMode),
    ("nvidia_smi_pcie_link_width_current", Field::PcieWidth),
    ("nvidia_smi_pcie_link_width_max", Field::PcieWidthMax),
    ("nvidia_smi_gpu_info", Field::Info),
    ("gpu_utilization_Percentage", Field::Busy),
    ("gpu_memory_utilization_Percentage", Field::MemoryBusy),
    ("gpu_memory_used_MiB", Field::MemoryUsed("MiB")),
    ("gpu_memory_total_MiB", Field::MemoryTotal("MiB")),
    ("gpu_memory_free_MiB", Field::MemoryFree("MiB")),
    ("gpu_power_usage_W", Field::Power(1.0)),
    ("gpu_power_limit_W", Field::PowerLimit(1.0)),
    ("gpu_temperature_C", Field::Celsius),
    // The exporter of 2017 (mindprince/nvidia_gpu_prometheus_exporter), still on many clusters.
    ("nvidia_gpu_duty_cycle", Field::Busy),
    ("nvidia_gpu_memory_used_bytes", Field::MemoryUsed("B")),
    ("nvidia_gpu_memory_total_bytes", Field::MemoryTotal("B")),
    ("nvidia_gpu_power_usage_milliwatts", Field::Power(0.001)),
    ("nvidia_gpu_temperature_celsius", Field::Celsius),
    // Telegraf's nvidia_smi input, written by its Prometheus output.
    ("nvidia_smi_utilization_gpu", Field::Busy),
    ("nvidia_smi_utilization_memory", Field::MemoryBusy),
    ("nvidia_smi_memory_used", Field::MemoryUsed("MiB")),
    ("nvidia_smi_memory_total", Field::MemoryTotal("MiB")),
    ("nvidia_smi_memory_free", Field::MemoryFree("MiB")),
    ("nvidia_smi_power_draw", Field::Power(1.0)),
    ("nvidia_smi_power_limit", Field::PowerLimit(1.0)),
    ("kasuan_gpu_sm_active_ratio", Field::SmActive),
    ("kasuan_gpu_memory_used_bytes", Field::MemoryUsed("B")),
    ("kasuan_gpu_memory_total_bytes", Field::MemoryTotal("B")),
    ("kasuan_gpu_power_watts", Field::Power(1.0)),
    ("kasuan_gpu_power_limit_watts", Field::PowerLimit(1.0)),
    ("kasuan_gpu_temperature_celsius", Field::Celsius),
    ("kasuan_gpu_sm_active_ratio", Field::SmActive),
];

/// Busy shares given as a ratio of 1 rather than in percent.
const RATIOS: &[(&str, Field)] = &[
    ("DCGM_FI_DEV_GPU_UTIL_RATIO", Field::Busy),
    ("DCGM_FI_DEV_MEM_COPY_UTIL_RATIO", Field::MemoryBusy),
    ("nvidia_smi_utilization_gpu_ratio", Field::Busy),
    ("nvidia_smi_utilization_memory_ratio", Field::MemoryBusy),
    ("kasuan_gpu_busy_ratio", Field::Busy),
    ("kasuan_gpu_memory_busy_ratio", Field::MemoryBusy),
];

/// Returns the metrics that a card's use is summed from: the name, what it tells, and what a value is
/// multiplied with to be a ratio, watts or bytes.
pub(crate) fn gauges() -> impl Iterator<Item = (&'static str, Gauge, f64)> {
    let unit = |unit: &str| if unit == "MiB" { 1_048_576.0 } else { 1.0 };
    let of = move |field: Field, busy: f64| match field {
        Field::Busy => Some((Gauge::Busy, busy)),
        Field::SmActive => Some((Gauge::Sm, 1.0)),
        Field::Power(factor) => Some((Gauge::Power, factor)),
        Field::MemoryUsed(name) => Some((Gauge::MemoryUsed, unit(name))),
        Field::MemoryFree(name) => Some((Gauge::MemoryFree, unit(name))),
        Field::MemoryTotal(name) => Some((Gauge::MemoryTotal, unit(name))),
        _ => None,
    };
    let percent = NAMES.iter().filter_map(move |(name, field)| Some((*name, of(*field, 0.01)?)));
    let ratios = RATIOS.iter().filter_map(move |(name, field)| Some((*name, of(*field, 1.0)?)));
    percent.chain(ratios).map(|(name, (gauge, factor))| (name, gauge, factor))
}

type Labels = BTreeMap<String, String>;

/// Says whether this is Prometheus text.
pub(super) fn is(text: &str) -> bool {
    text.lines().filter(|line| !line.trim().is_empty()).take(40).any(|line| {
        line.starts_with("# TYPE ") || line.starts_with("# HELP ") || series(line).is_some()
    })
}

/// Reads a scrape.
pub(super) fn text(text: &str) -> Result<Capture, CaptureError> {
    let mut capture = Capture::new(CaptureKind::Prometheus);
    let mut fold = Fold::default();
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match series(line) {
            Some((name, labels, value)) => fold.add(&name, &labels, value),
            None => capture.skipped += 1,
        }
    }
    capture.snapshots.push(fold.finish(None));
    Ok(capture)
}

/// Reads `name{label="value",...} number [time]`.
fn series(line: &str) -> Option<(String, Labels, f64)> {
    let name_end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'))?;
    let (name, rest) = line.split_at(name_end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut labels = Labels::new();
    let mut rest = rest;
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        loop {
            rest = rest.trim_start_matches([' ', ',']);
            if let Some(behind) = rest.strip_prefix('}') {
                rest = behind;
                break;
            }
            let (label, quoted) = rest.split_once("=\"")?;
            let (value, behind) = quoted_text(quoted)?;
            labels.insert(label.trim().to_owned(), value);
            rest = behind;
        }
    }
    let value = rest.split_whitespace().next()?;
    let value = match value {
        "+Inf" | "Inf" | "-Inf" | "NaN" => f64::NAN,
        other => other.parse().ok()?,
    };
    Some((name.to_owned(), labels, value))
}

/// Reads up to the closing quote, resolving escapes; returns the text and the rest.
fn quoted_text(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            'n' if escaped => value.push('\n'),
            other if escaped => value.push(other),
            '\\' => {
                escaped = true;
                continue;
            }
            '"' => return Some((value, text.get(at + 1..)?)),
            other => value.push(other),
        }
        escaped = false;
    }
    None
}

/// Reads an answer of the Prometheus API: a vector is one moment, a matrix is many.
pub(super) fn api(answer: &Value) -> Result<Capture, CaptureError> {
    if answer["status"] == "error" {
        let reason = answer["error"].as_str().unwrap_or("?").to_owned();
        return Err(CaptureError::Reported(reason));
    }
    let results = answer["data"]["result"].as_array().cloned().unwrap_or_default();
    let mut moments: BTreeMap<u64, Fold> = BTreeMap::new();
    let mut capture = Capture::new(CaptureKind::PrometheusApi);
    for result in &results {
        let labels: Labels = result["metric"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        let name = labels.get("__name__").cloned().unwrap_or_default();
        let one = [result["value"].clone()];
        let points = result["values"].as_array().map_or(&one[..], Vec::as_slice);
        for point in points {
            let at = point[0].as_f64().filter(|at| (0.0..4e12).contains(at));
            let value = point[1].as_str().and_then(|text| text.parse::<f64>().ok());
            let (Some(at), Some(value)) = (at, value) else {
                capture.skipped += 1;
                continue;
            };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
            let milliseconds = (at * 1000.0).round() as u64;
            moments.entry(milliseconds).or_default().add(&name, &labels, value);
        }
    }
    for (milliseconds, fold) in moments {
        let (whole, part) = (milliseconds / 1000, milliseconds % 1000);
        let at = if part == 0 { whole.to_string() } else { format!("{whole}.{part:03}") };
        capture.snapshots.push(fold.finish(Some(at)));
    }
    Ok(capture)
}

/// Collects series into cards.
#[derive(Default)]
struct Fold {
    order: Vec<(String, Option<String>)>,
    cards: BTreeMap<(String, Option<String>), (GpuSample, Option<f64>)>,
    processes: BTreeMap<(String, u32), ProcessSample>,
    driver: Option<String>,
    driver_cuda: Option<String>,
}

impl Fold {
    fn add(&mut self, name: &str, labels: &Labels, value: f64) {
        if name == "nvitop_info" || name == "nvidia_smi_gpu_info" {
            let of = |label: &str| labels.get(label).cloned();
            self.driver = of("driver_version").or_else(|| self.driver.take());
            self.driver_cuda = of("cuda_driver_version")
                .or_else(|| of("cuda_version"))
                .or_else(|| self.driver_cuda.take());
        }
        if let Some(driver) = labels.get("DCGM_FI_DRIVER_VERSION") {
            self.driver.get_or_insert_with(|| driver.clone());
        }
        if name.starts_with("nvidia_smi_compute_app") || name.starts_with("process_gpu_") {
            self.add_process(name, labels, value);
            return;
        }
        let plain = NAMES.iter().find(|(known, _)| *known == name).map(|(_, field)| (*field, 1.0));
        let ratio =
            RATIOS.iter().find(|(known, _)| *known == name).map(|(_, field)| (*field, 100.0));
        let Some((field, scale)) = plain.or(ratio) else { return };
        let Some(key) = card_key(labels) else { return };
        if !self.cards.contains_key(&key) {
            self.order.push(key.clone());
        }
        let (sample, free) = self.cards.entry(key).or_insert_with(|| (card_from(labels), None));
        set(sample, free, field, value, scale);
        if matches!(field, Field::Info) {
            let described = card_from(labels);
            sample.name = described.name.or_else(|| sample.name.take());
            sample.index = described.index.or(sample.index);
            sample.bus = described.bus.or_else(|| sample.bus.take());
        }
    }

    fn add_process(&mut self, name: &str, labels: &Labels, value: f64) {
        let (Some(gpu), Some(pid)) =
            (labels.get("uuid"), labels.get("pid").and_then(|pid| pid.parse().ok()))
        else {
            return;
        };
        let process = self.processes.entry((gpu.clone(), pid)).or_insert_with(|| ProcessSample {
            gpu: Some(gpu.clone()),
            pid,
            name: labels.get("process_name").cloned(),
            user: labels.get("username").cloned(),
            ..ProcessSample::default()
        });
        match name {
            "nvidia_smi_compute_app_used_memory_bytes" => {
                process.memory = metric(value).and_then(|value| bytes(value, "B"));
            }
            "process_gpu_memory_MiB" => {
                process.memory = metric(value).and_then(|value| bytes(value, "MiB"));
            }
            "process_gpu_sm_utilization_Percentage" => {
                process.busy = metric(value).filter(|share| (0.0..=100.0).contains(share));
            }
            _ => {}
        }
    }

    fn finish(mut self, at: Option<String>) -> Snapshot {
        let sliced: Vec<String> = self
            .order
            .iter()
            .filter(|(_, slice)| slice.is_some())
            .map(|(card, _)| card.clone())
            .collect();
        let mut gpus = Vec::new();
        for key in &self.order {
            let Some((mut sample, free)) = self.cards.remove(key) else { continue };
            if sample.memory_total.is_none()
                && let (Some(used), Some(free)) = (sample.memory_used, free)
            {
                // DCGM has no total of its own in its default set; what it reserves is left out.
                #[expect(clippy::cast_precision_loss, reason = "card memory is far below 2^53")]
                let total = used.get() as f64 + free;
                sample.memory_total = bytes(total, "B");
            }
            if key.1.is_none() && sliced.contains(&key.0) {
                sample.mig_parent = true;
            }
            if sample.mig_parent {
                sample.busy = None;
            }
            gpus.push(sample);
        }
        Snapshot {
            at,
            driver: self.driver,
            driver_cuda: self.driver_cuda,
            gpus,
            processes: self.processes.into_values().collect(),
        }
    }
}

fn label<'a>(labels: &'a Labels, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| labels.get(*name)).map(String::as_str).filter(|t| !t.is_empty())
}

/// Returns the card and the slice that a series is about.
fn card_key(labels: &Labels) -> Option<(String, Option<String>)> {
    let host = label(labels, &["hostname", "Hostname", "instance"]).unwrap_or("");
    let card =
        label(labels, &["UUID", "uuid", "gpu_uuid", "gpu", "index", "minor_number", "device"])?;
    let slice = label(labels, &["GPU_I_ID", "gpu_instance_id"]).map(str::to_owned);
    // Some exporters leave the host out of some series; a UUID needs none.
    let unique = card.len() > 6;
    Some((if unique { card.to_owned() } else { format!("{host}/{card}") }, slice))
}

fn card_from(labels: &Labels) -> GpuSample {
    let of = |names: &[&str]| label(labels, names).map(str::to_owned);
    let owner = match (of(&["exported_namespace", "namespace"]), of(&["exported_pod", "pod"])) {
        (Some(namespace), Some(pod)) => Some(format!("{namespace}/{pod}")),
        (_, pod) => pod.or_else(|| of(&["hpc_job", "job_id", "user"])),
    };
    GpuSample {
        index: label(labels, &["gpu", "index"]).and_then(|text| text.parse().ok()),
        uuid: of(&["UUID", "uuid", "gpu_uuid"]),
        bus: of(&["pci_bus_id"]),
        name: of(&["modelName", "devicename", "name"]),
        host: of(&["hostname", "Hostname"]),
        slice: of(&["GPU_I_PROFILE", "GPU_I_ID", "gpu_instance_id"]),
        owner,
        ..GpuSample::default()
    }
}

fn set(sample: &mut GpuSample, free: &mut Option<f64>, field: Field, value: f64, scale: f64) {
    let Some(value) = metric(value) else { return };
    let percent = Some(value * scale).filter(|share| (0.0..=100.0).contains(share));
    let ratio = Some(value).filter(|share| (0.0..=1.0).contains(share));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "range checked")]
    let whole = (0.0..9e15).contains(&value).then_some(value as u64);
    match field {
        Field::Busy => sample.busy = percent,
        Field::MemoryBusy => sample.memory_busy = percent,
        Field::MemoryUsed(unit) => sample.memory_used = bytes(value, unit),
        Field::MemoryTotal(unit) => sample.memory_total = bytes(value, unit),
        #[expect(clippy::cast_precision_loss, reason = "card memory is far below 2^53")]
        Field::MemoryFree(unit) => *free = bytes(value, unit).map(|bytes| bytes.get() as f64),
        Field::Power(factor) => sample.power_watts = Some(value * factor),
        Field::PowerLimit(factor) => sample.power_limit_watts = Some(value * factor),
        Field::Celsius => sample.celsius = Some(value),
        Field::SmActive => sample.sm_active = ratio,
        Field::TensorActive => sample.tensor_active = ratio,
        Field::DramActive => sample.dram_active = ratio,
        Field::Energy(factor) => sample.energy_joules = Some(value * factor),
        Field::Xid => sample.xid = whole,
        Field::ClockReasons => sample.clock_reasons = whole,
        Field::MigMode => sample.mig_parent = value > 0.5,
        Field::PcieWidth => sample.pcie_width = whole.and_then(|w| u32::try_from(w).ok()),
        Field::PcieWidthMax => sample.pcie_width_max = whole.and_then(|w| u32::try_from(w).ok()),
        Field::Info => {}
    }
}
