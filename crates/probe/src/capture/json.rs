//! JSON captures: gpustat, nvtop, jobstats, kubelet's PodResources, and the Prometheus API.

use super::{
    Capture, CaptureError, CaptureKind, GpuSample, JobRecord, PodGpus, ProcessSample, Snapshot,
    cell::{bytes, celsius, memory, metric, percent, watts},
    prometheus,
};
use serde_json::Value;

pub(super) fn read(text: &str) -> Result<Capture, CaptureError> {
    // nvtop -s in a loop writes one document after the other.
    let mut documents = Vec::new();
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        match document {
            Ok(document) => documents.push(document),
            Err(error) if error.is_eof() && documents.is_empty() => {
                return Err(CaptureError::Truncated("JSON"));
            }
            Err(error) if error.is_eof() => break,
            Err(_) if documents.is_empty() => return Err(CaptureError::unrecognised(text)),
            Err(_) => break,
        }
    }
    let mut whole: Option<Capture> = None;
    for document in &documents {
        let one = one(document, text)?;
        match &mut whole {
            None => whole = Some(one),
            Some(whole) => {
                whole.snapshots.extend(one.snapshots);
                whole.jobs.extend(one.jobs);
                whole.pods.extend(one.pods);
                whole.skipped += one.skipped;
            }
        }
    }
    whole.ok_or(CaptureError::Empty)
}

fn one(document: &Value, text: &str) -> Result<Capture, CaptureError> {
    if document["status"].is_string() {
        return prometheus::api(document);
    }
    if document["gpus"].is_array() {
        return Ok(gpustat(document));
    }
    if document["nodes"].is_object() {
        return Ok(jobstats(document));
    }
    if let Some(pods) =
        document["podResources"].as_array().or_else(|| document["pod_resources"].as_array())
    {
        return Ok(pod_resources(pods));
    }
    if let Some(devices) = document.as_array()
        && devices.iter().any(|device| !device["device_name"].is_null())
    {
        return Ok(nvtop(devices));
    }
    Err(CaptureError::unrecognised(text))
}

/// Returns a number, or a text as a tool prints it.
fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn ordinal(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

fn gpustat(document: &Value) -> Capture {
    let mut snapshot = Snapshot {
        at: text(&document["query_time"]),
        driver: text(&document["driver_version"]),
        ..Snapshot::default()
    };
    for gpu in document["gpus"].as_array().into_iter().flatten() {
        let of = |name: &str| cell(&gpu[name]);
        let uuid = text(&gpu["uuid"]);
        let index = ordinal(&gpu["index"]);
        snapshot.gpus.push(GpuSample {
            index,
            uuid: uuid.clone(),
            name: text(&gpu["name"]),
            host: text(&document["hostname"]),
            busy: of("utilization.gpu").and_then(|t| percent(&t)),
            memory_used: of("memory.used").and_then(|t| memory(&t, "MiB")),
            memory_total: of("memory.total").and_then(|t| memory(&t, "MiB")),
            power_watts: of("power.draw").and_then(|t| watts(&t)),
            power_limit_watts: of("enforced.power.limit").and_then(|t| watts(&t)),
            celsius: of("temperature.gpu").and_then(|t| celsius(&t)),
            ..GpuSample::default()
        });
        for process in gpu["processes"].as_array().into_iter().flatten() {
            let Some(pid) = ordinal(&process["pid"]) else { continue };
            snapshot.processes.push(ProcessSample {
                gpu: uuid.clone().or_else(|| index.map(|index| index.to_string())),
                pid,
                name: text(&process["command"]),
                user: text(&process["username"]),
                memory: cell(&process["gpu_memory_usage"]).and_then(|t| memory(&t, "MiB")),
                busy: None,
            });
        }
    }
    Capture::of(CaptureKind::Gpustat, vec![snapshot])
}

/// nvtop prints every value as a text with its unit (`"45%"`, `"112W"`, `"63C"`), or null.
fn nvtop(devices: &[Value]) -> Capture {
    let mut snapshot = Snapshot::default();
    for (place, device) in devices.iter().enumerate() {
        let of = |names: &[&str]| names.iter().find_map(|name| cell(&device[*name]));
        let index = u32::try_from(place).ok();
        let total = of(&["mem_total"]);
        snapshot.gpus.push(GpuSample {
            index,
            uuid: of(&["uuid", "gpu_uuid"]),
            bus: of(&["pdev", "pci_id"]),
            name: text(&device["device_name"]),
            busy: of(&["gpu_util"]).and_then(|t| percent(&t)),
            // `mem_util` is the share of memory in use, not of its bandwidth.
            memory_busy: None,
            memory_used: of(&["mem_used"]).and_then(|t| memory(&t, "B")),
            memory_total: total.and_then(|t| memory(&t, "B")),
            power_watts: of(&["power_draw"]).and_then(|t| watts(&t)),
            power_limit_watts: of(&["power_limit", "power_draw_max"]).and_then(|t| watts(&t)),
            celsius: of(&["temp"]).and_then(|t| celsius(&t)),
            ..GpuSample::default()
        });
        for process in device["processes"].as_array().into_iter().flatten() {
            let Some(pid) = cell(&process["pid"]).and_then(|pid| pid.parse().ok()) else {
                continue;
            };
            snapshot.processes.push(ProcessSample {
                gpu: index.map(|index| index.to_string()),
                pid,
                name: text(&process["cmdline"]).or_else(|| text(&process["command"])),
                user: text(&process["user"]),
                memory: ["gpu_mem_bytes_alloc", "gpu_mem", "mem_used"]
                    .iter()
                    .find_map(|name| cell(&process[*name]))
                    .and_then(|t| memory(&t, "B")),
                busy: ["gpu_usage", "gpu_util"]
                    .iter()
                    .find_map(|name| cell(&process[*name]))
                    .and_then(|t| percent(&t)),
            });
        }
    }
    Capture::of(CaptureKind::Nvtop, vec![snapshot])
}

/// jobstats: means per card over the whole job; the job's id is not inside.
fn jobstats(document: &Value) -> Capture {
    let mut capture = Capture::new(CaptureKind::Jobstats);
    let mut shares = Vec::new();
    let mut peak: Option<f64> = None;
    for node in document["nodes"].as_object().into_iter().flat_map(|nodes| nodes.values()) {
        let values = |name: &str| {
            node[name]
                .as_object()
                .into_iter()
                .flat_map(|map| map.values().filter_map(Value::as_f64))
                .collect::<Vec<_>>()
        };
        shares.extend(values("gpu_utilization").into_iter().filter(|s| (0.0..=100.0).contains(s)));
        for used in values("gpu_used_memory").into_iter().filter_map(metric) {
            peak = Some(peak.map_or(used, |peak| peak.max(used)));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a job has few cards")]
    let mean = (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "range checked")]
    let elapsed =
        document["total_time"].as_f64().filter(|s| (0.0..1e12).contains(s)).map(|s| s as u64);
    capture.jobs.push(JobRecord {
        gpus: document["gpus"].as_u64(),
        elapsed_seconds: elapsed,
        busy: mean,
        memory_peak: peak.and_then(|peak| bytes(peak, "B")),
        ..JobRecord::default()
    });
    capture
}

fn pod_resources(pods: &[Value]) -> Capture {
    let mut capture = Capture::new(CaptureKind::PodResources);
    for pod in pods {
        for container in pod["containers"].as_array().into_iter().flatten() {
            for device in container["devices"].as_array().into_iter().flatten() {
                let resource =
                    device["resourceName"].as_str().or_else(|| device["resource_name"].as_str());
                if !resource.is_some_and(|resource| resource.starts_with("nvidia.com/")) {
                    continue;
                }
                let ids =
                    device["deviceIds"].as_array().or_else(|| device["device_ids"].as_array());
                capture.pods.push(PodGpus {
                    namespace: text(&pod["namespace"]).unwrap_or_default(),
                    pod: text(&pod["name"]).unwrap_or_default(),
                    container: text(&container["name"]).unwrap_or_default(),
                    devices: ids.into_iter().flatten().filter_map(text).collect(),
                });
            }
        }
    }
    capture
}
