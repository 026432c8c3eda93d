//! `nvidia-smi -q -x`: a reader for its plain XML, and what it says.

use super::{
    GpuSample, ProcessSample, Snapshot,
    cell::{celsius, known, memory, percent, watts},
};

/// An element: its name, attributes as text, own text and children.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: String,
    text: String,
    children: Vec<Self>,
}

impl Element {
    /// Returns the first child of a name.
    fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the text at a path of names.
    fn at(&self, path: &[&str]) -> Option<&str> {
        let mut element = self;
        for name in path {
            element = element.child(name)?;
        }
        known(&element.text)
    }

    /// Returns the first text found at one of several paths, newest schema first.
    fn first(&self, paths: &[&[&str]]) -> Option<&str> {
        paths.iter().find_map(|path| self.at(path))
    }
}

/// Reads a log; `None` where it is not complete.
pub(super) fn read(text: &str) -> Option<Snapshot> {
    let root = parse(text)?;
    let log = root.child("nvidia_smi_log")?;
    let mut snapshot = Snapshot {
        at: log.at(&["timestamp"]).map(str::to_owned),
        driver: log.at(&["driver_version"]).map(str::to_owned),
        driver_cuda: log.at(&["cuda_version"]).map(str::to_owned),
        ..Snapshot::default()
    };
    let gpus = log.children.iter().filter(|child| child.name == "gpu");
    for (index, gpu) in gpus.enumerate() {
        one_gpu(index, gpu, &mut snapshot);
    }
    Some(snapshot)
}

fn one_gpu(index: usize, gpu: &Element, snapshot: &mut Snapshot) {
    let index = u32::try_from(index).ok();
    let mut sample = GpuSample {
        index,
        uuid: gpu.at(&["uuid"]).map(str::to_owned),
        bus: attribute(&gpu.attributes, "id")
            .or_else(|| gpu.at(&["pci", "pci_bus_id"]))
            .map(str::to_owned),
        name: gpu.at(&["product_name"]).map(str::to_owned),
        busy: gpu.at(&["utilization", "gpu_util"]).and_then(percent),
        memory_busy: gpu.at(&["utilization", "memory_util"]).and_then(percent),
        memory_used: gpu.at(&["fb_memory_usage", "used"]).and_then(|t| memory(t, "MiB")),
        memory_total: gpu.at(&["fb_memory_usage", "total"]).and_then(|t| memory(t, "MiB")),
        power_watts: gpu
            .first(&[
                &["gpu_power_readings", "power_draw"],
                &["gpu_power_readings", "average_power_draw"],
                &["gpu_power_readings", "instant_power_draw"],
                &["power_readings", "power_draw"],
            ])
            .and_then(watts),
        power_limit_watts: gpu
            .first(&[
                &["gpu_power_readings", "current_power_limit"],
                &["gpu_power_readings", "enforced_power_limit"],
                &["power_readings", "enforced_power_limit"],
                &["power_readings", "power_limit"],
            ])
            .and_then(watts),
        celsius: gpu.at(&["temperature", "gpu_temp"]).and_then(celsius),
        mig_parent: gpu.at(&["mig_mode", "current_mig"]).is_some_and(|mode| mode == "Enabled"),
        pcie_width: width(gpu.at(&[
            "pci",
            "pci_gpu_link_info",
            "link_widths",
            "current_link_width",
        ])),
        pcie_width_max: width(gpu.at(&[
            "pci",
            "pci_gpu_link_info",
            "link_widths",
            "max_link_width",
        ])),
        ..GpuSample::default()
    };
    let uuid = sample.uuid.clone();
    let slices = gpu.child("mig_devices").map_or(&[][..], |devices| &devices.children);
    let slices: Vec<GpuSample> = slices
        .iter()
        .filter(|slice| slice.name == "mig_device")
        .map(|slice| GpuSample {
            index,
            uuid: uuid.clone(),
            name: sample.name.clone(),
            slice: slice.at(&["gpu_instance_id"]).map(str::to_owned),
            memory_used: slice.at(&["fb_memory_usage", "used"]).and_then(|t| memory(t, "MiB")),
            memory_total: slice.at(&["fb_memory_usage", "total"]).and_then(|t| memory(t, "MiB")),
            ..GpuSample::default()
        })
        .collect();
    if sample.mig_parent {
        // A parent in MIG mode reports nothing of its own; a figure here would be of one slice.
        sample.busy = None;
    }
    snapshot.gpus.push(sample);
    snapshot.gpus.extend(slices);
    let processes = gpu.child("processes").map_or(&[][..], |list| &list.children);
    for process in processes.iter().filter(|process| process.name == "process_info") {
        let Some(pid) = process.at(&["pid"]).and_then(|pid| pid.parse().ok()) else { continue };
        snapshot.processes.push(ProcessSample {
            gpu: uuid.clone().or_else(|| index.map(|index| index.to_string())),
            pid,
            name: process.at(&["process_name"]).map(str::to_owned),
            memory: process.at(&["used_memory"]).and_then(|text| memory(text, "MiB")),
            ..ProcessSample::default()
        });
    }
}

fn width(text: Option<&str>) -> Option<u32> {
    text?.trim_end_matches('x').parse().ok()
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = attributes.split_once(&format!("{name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// Parses elements, attributes and text; declarations and comments are passed over. Returns a
/// nameless root, or `None` where a tag is left open.
fn parse(text: &str) -> Option<Element> {
    let mut open = vec![Element::default()];
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag_on) = rest.split_at(at);
        if let Some(current) = open.last_mut() {
            current.text.push_str(&plain(before.trim()));
        }
        if let Some(comment) = tag_on.strip_prefix("<!--") {
            rest = comment.split_once("-->")?.1;
            continue;
        }
        let (tag, behind) = tag_on.get(1..)?.split_once('>')?;
        rest = behind;
        if tag.starts_with('?') || tag.starts_with('!') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            let element = open.pop()?;
            if element.name != name.trim() {
                return None;
            }
            open.last_mut()?.children.push(element);
            continue;
        }
        let (tag, closed) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let element = Element {
            name: name.to_owned(),
            attributes: attributes.to_owned(),
            ..Element::default()
        };
        if closed {
            open.last_mut()?.children.push(element);
        } else if open.len() < 64 {
            open.push(element);
        } else {
            return None;
        }
    }
    if open.len() == 1 { open.pop() } else { None }
}

fn plain(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::{parse, read};

    #[test]
    fn a_log_that_ends_in_the_middle_is_refused() {
        assert!(read("<nvidia_smi_log><gpu id=\"0\"><uuid>GPU-1</uuid>").is_none());
        assert!(parse("<a><b></a></b>").is_none());
        assert!(read("<?xml version=\"1.0\"?><nvidia_smi_log></nvidia_smi_log>").is_some());
    }
}
