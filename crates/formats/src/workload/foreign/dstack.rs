//! A dstack run configuration as a job.

use super::{File, ForeignJob, cards, least, text};
use crate::workload::{Node, Value};
use kasuan_model::Phrase;

/// Reads a configuration of a type.
pub(super) fn job(file: File<'_>, kind: Option<&str>) -> ForeignJob {
    let mut job = ForeignJob::new();
    let place = file.0.place;
    if let Some(name) = file.get("name") {
        job.put("name", name.place, name.value.clone());
    }
    let is_service = kind == Some("service");
    let task = if is_service { "inference" } else { "batch" };
    job.put("task", place, Value::Text(task.to_owned()));
    let machines = file.text("nodes").and_then(|text| text.parse().ok());
    let gpu = file.get("resources").and_then(|resources| File(resources).get("gpu"));
    let asked = gpu.map(self::gpu).unwrap_or_default();
    let at = gpu.map_or(place, |gpu| gpu.place);
    // A size alone asks for any card with it; with a name it tells two cards of that name apart.
    let with_memory = |name: &String| match &asked.memory {
        Some(memory) => format!("{name} {memory}"),
        None => name.clone(),
    };
    job.put_cards(at, asked.names.iter().map(with_memory).collect());
    if let (Some(memory), true) = (&asked.memory, asked.names.is_empty()) {
        job.put("memory", at, Value::Text(memory.clone()));
    }
    if let Some(cards) = cards(asked.count, machines) {
        job.put_number("cards", at, cards);
    }
    if let Some(replicas) = file.text("replicas").and_then(|text| least(&text)).filter(|n| *n > 0) {
        job.put_number("replicas", place, replicas);
    }
    let goes_on = file.get("retry").is_some_and(survives);
    match file.text("spot_policy").as_deref() {
        Some("spot") => {
            job.put("modes", place, Value::Text("spot".to_owned()));
            job.put("interruptible", place, Value::Flag(true));
        }
        _ if goes_on => job.put("interruptible", place, Value::Flag(true)),
        _ => {}
    }
    if !is_service {
        match file.get("max_duration").and_then(|node| Some((node, hours(&text(node)?)?))) {
            Some((node, hours)) => {
                job.put("hours", node.place, Value::Text(hours.clone()));
                job.notes.push(Phrase::new("workload-foreign-longest").with("hours", hours));
            }
            None => job.notes.push(Phrase::new("workload-foreign-no-hours").with("tool", "dstack")),
        }
    }
    let left_out = file.named(&["backends", "regions", "instance_types", "fleets", "max_price"]);
    job.left_out(&left_out);
    job
}

/// Says whether a run is started again after an interruption.
fn survives(retry: &Node) -> bool {
    match &retry.value {
        Value::Flag(flag) => *flag,
        _ => match File(retry).get("on_events").map(|events| &events.value) {
            Some(Value::List(events)) => {
                events.iter().filter_map(text).any(|event| event == "interruption")
            }
            _ => false,
        },
    }
}

/// What is asked of cards.
#[derive(Debug, Default)]
struct Gpu {
    names: Vec<String>,
    memory: Option<String>,
    count: Option<u32>,
}

/// Reads `A100`, `A100:80GB:2`, `24GB..`, `nvidia:A10,L4:1..2`, a count, or the fields `name`,
/// `memory` and `count`.
fn gpu(node: &Node) -> Gpu {
    let mut asked = Gpu::default();
    if let Value::Fields(_) = &node.value {
        let file = File(node);
        asked.names = match file.get("name").map(|name| &name.value) {
            Some(Value::List(names)) => names.iter().filter_map(text).collect(),
            Some(_) => file.text("name").map(|text| names(&text)).unwrap_or_default(),
            None => Vec::new(),
        };
        asked.memory = file.text("memory").and_then(|text| memory(&text));
        asked.count = file.text("count").and_then(|text| least(&text));
        return asked;
    }
    for part in text(node).unwrap_or_default().split(':').map(str::trim) {
        if ["nvidia", "amd", "google", "intel", "tenstorrent", ""].contains(&part) {
            continue;
        }
        if let Some(memory) = memory(part) {
            asked.memory = Some(memory);
        } else if let Some(count) = least(part) {
            asked.count = Some(count);
        } else {
            asked.names.extend(names(part));
        }
    }
    asked
}

fn names(text: &str) -> Vec<String> {
    text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Reads the lower end of `24GB`, `24GB..` or `16GB..24GB`.
fn memory(text: &str) -> Option<String> {
    let text = text.split("..").find(|part| !part.trim().is_empty())?.trim();
    let upper = text.to_ascii_uppercase();
    let digits = upper.strip_suffix("GB")?.trim();
    digits.parse::<f64>().is_ok().then(|| format!("{digits}GB"))
}

/// Reads `90m`, `8h`, `2d`, `1w` or seconds, in hours; `off` is no bound.
fn hours(text: &str) -> Option<String> {
    let (digits, seconds) = match text.char_indices().next_back()? {
        (at, 's') => (&text[..at], 1.0),
        (at, 'm') => (&text[..at], 60.0),
        (at, 'h') => (&text[..at], 3_600.0),
        (at, 'd') => (&text[..at], 86_400.0),
        (at, 'w') => (&text[..at], 604_800.0),
        _ => (text, 1.0),
    };
    let number: f64 = digits.trim().parse().ok()?;
    let hours = number * seconds / 3_600.0;
    (hours > 0.0 && hours < 1e6).then(|| format!("{}", (hours * 1e4).round() / 1e4))
}
