//! A SkyPilot task as a job.

use super::{File, ForeignJob, cards, text};
use crate::workload::{Node, Value};
use kasuan_model::Phrase;

/// Reads a task.
pub(super) fn job(file: File<'_>) -> ForeignJob {
    let mut job = ForeignJob::new();
    let place = file.0.place;
    if let Some(name) = file.get("name") {
        job.put("name", name.place, name.value.clone());
    }
    let task = if file.get("service").is_some() { "inference" } else { "batch" };
    job.put("task", place, Value::Text(task.to_owned()));
    if let Some(resources) = file.get("resources") {
        self::resources(resources, file, &mut job);
    }
    if let Some(service) = file.get("service").map(File) {
        let policy = service.get("replica_policy").map(File);
        let replicas = service
            .text("replicas")
            .or_else(|| policy.and_then(|policy| policy.text("min_replicas")));
        if let Some(replicas) = replicas.and_then(|text| text.parse().ok()).filter(|n| *n > 0) {
            job.put_number("replicas", place, replicas);
        }
    }
    if task == "batch" {
        job.notes.push(Phrase::new("workload-foreign-no-hours").with("tool", "SkyPilot"));
    }
    job
}

fn resources(node: &Node, file: File<'_>, job: &mut ForeignJob) {
    let asked = File(node);
    // `any_of` and `ordered` name alternatives that each add to the fields beside them.
    let alternatives: Vec<File<'_>> = ["any_of", "ordered"]
        .iter()
        .filter_map(|name| match &asked.get(name)?.value {
            Value::List(list) => Some(list.iter().map(File).collect::<Vec<_>>()),
            _ => None,
        })
        .flatten()
        .chain([asked])
        .collect();
    let mut names = Vec::new();
    let mut count = None;
    for one in &alternatives {
        for (name, number) in one.get("accelerators").map(accelerators).unwrap_or_default() {
            match (count, number) {
                (None, number) => count = number,
                (Some(known), Some(number)) if known != number => {
                    job.notes.push(
                        Phrase::new("workload-foreign-counts")
                            .with("card", &name)
                            .with("found", number)
                            .with("used", known),
                    );
                    continue;
                }
                _ => {}
            }
            names.push(name);
        }
    }
    let machines = file.text("num_nodes").and_then(|text| text.parse().ok());
    job.put_cards(node.place, names);
    if let Some(cards) = cards(count, machines) {
        job.put_number("cards", node.place, cards);
    }
    let on_spot = |one: &File<'_>| one.text("use_spot").is_some_and(|flag| flag == "true");
    let off_spot = |one: &File<'_>| one.text("use_spot").is_some_and(|flag| flag == "false");
    let recovers = alternatives
        .iter()
        .any(|one| one.get("job_recovery").is_some() || one.get("spot_recovery").is_some());
    if alternatives.iter().any(on_spot) || recovers {
        job.put("interruptible", node.place, Value::Flag(true));
        if !alternatives.iter().any(off_spot) && alternatives.iter().any(on_spot) {
            job.put("modes", node.place, Value::Text("spot".to_owned()));
        }
    }
    let places = ["cloud", "infra", "region", "zone", "instance_type"];
    let mut left_out: Vec<String> =
        alternatives.iter().flat_map(|one| one.named(&places)).collect();
    left_out.sort();
    left_out.dedup();
    job.left_out(&left_out);
}

/// Reads `A100:8`, `{A100: 8, V100: 8}` or `[A100:8, H100:8]`.
fn accelerators(node: &Node) -> Vec<(String, Option<u32>)> {
    let count = |text: &str| {
        // A fraction of a card is a share of one.
        text.trim().parse::<f64>().ok().filter(|n| *n > 0.0 && *n < 1e6).map(|n| n.ceil() as u32)
    };
    match &node.value {
        Value::Fields(fields) => fields
            .iter()
            .map(|(name, _, number)| (name.clone(), text(number).and_then(|text| count(&text))))
            .collect(),
        Value::List(list) => list.iter().flat_map(accelerators).collect(),
        _ => text(node)
            .map(|text| match text.split_once(':') {
                Some((name, number)) => (name.trim().to_owned(), count(number)),
                None => (text, Some(1)),
            })
            .into_iter()
            .collect(),
    }
}
