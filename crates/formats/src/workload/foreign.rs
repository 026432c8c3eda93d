//! Task files of SkyPilot and dstack as jobs: what they say of cards, machines and interruption.
//!
//! SkyPilot: the task YAML of 0.14 (`resources`, `num_nodes`, `service`, `run`). dstack: the run
//! configurations of 0.22 (`type: task | service | dev-environment`). Neither says how much work a
//! run is; dstack may say how long it may take at most.

mod dstack;
mod skypilot;

use super::tree::{Node, Value};
use crate::workload::Place;
use kasuan_model::Phrase;

/// A job that a task file describes.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignJob {
    /// The fields of the job.
    pub fields: Vec<(String, Place, Node)>,
    /// What the reader should know: what was not carried over, what stands for something else.
    pub notes: Vec<Phrase>,
}

/// Reads a task file as a job; `None` where it is no task file of either tool. `name` is for a file
/// that names no task.
pub fn job(root: &Node, name: &str) -> Option<ForeignJob> {
    let file = File(root);
    if file.get("jobs").is_some() {
        return None;
    }
    let kind = file.text("type");
    let mut job = match kind.as_deref() {
        Some("task" | "service" | "dev-environment") => dstack::job(file, kind.as_deref()),
        None if ["resources", "run", "setup", "num_nodes"]
            .iter()
            .any(|f| file.get(f).is_some()) =>
        {
            skypilot::job(file)
        }
        _ => return None,
    };
    if !job.fields.iter().any(|(known, _, _)| known == "name") {
        job.put("name", root.place, Value::Text(name.to_owned()));
    }
    Some(job)
}

/// Looks into a node of a task file.
#[derive(Clone, Copy)]
struct File<'a>(&'a Node);

impl<'a> File<'a> {
    fn get(self, name: &str) -> Option<&'a Node> {
        let Value::Fields(fields) = &self.0.value else { return None };
        let (_, _, node) = fields.iter().find(|(known, _, _)| known == name)?;
        (node.value != Value::Null).then_some(node)
    }

    fn text(self, name: &str) -> Option<String> {
        self.get(name).and_then(text)
    }

    /// Returns the names of these that stand in it.
    fn named(self, names: &[&str]) -> Vec<String> {
        names.iter().filter(|name| self.get(name).is_some()).map(|&name| name.to_owned()).collect()
    }
}

/// Returns a scalar's text.
fn text(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) | Value::Number(text) => Some(text.trim().to_owned()),
        Value::Flag(flag) => Some(flag.to_string()),
        _ => None,
    }
}

impl ForeignJob {
    const fn new() -> Self {
        Self { fields: Vec::new(), notes: Vec::new() }
    }

    fn put(&mut self, name: &str, place: Place, value: Value) {
        if !self.fields.iter().any(|(known, _, _)| known == name) {
            self.fields.push((name.to_owned(), place, Node { place, value }));
        }
    }

    fn put_number(&mut self, name: &str, place: Place, number: u32) {
        self.put(name, place, Value::Number(number.to_string()));
    }

    /// Puts the cards that a run may use, each name once.
    fn put_cards(&mut self, place: Place, names: Vec<String>) {
        let mut cards: Vec<Node> = Vec::new();
        for name in names {
            let value = Value::Text(name);
            if !cards.iter().any(|known| known.value == value) {
                cards.push(Node { place, value });
            }
        }
        if !cards.is_empty() {
            self.put("card", place, Value::List(cards));
        }
    }

    /// Notes what says nothing of a job here.
    fn left_out(&mut self, fields: &[String]) {
        if !fields.is_empty() {
            let fields = fields.join(", ");
            self.notes.push(Phrase::new("workload-foreign-left-out").with("fields", fields));
        }
    }
}

/// Multiplies cards of a machine by machines; an absurd product is left for the reader of the job
/// to refuse.
fn cards(of_machine: Option<u32>, machines: Option<u32>) -> Option<u32> {
    match (of_machine, machines) {
        (None, None | Some(0 | 1)) => None,
        (of_machine, machines) => {
            Some(of_machine.unwrap_or(1).saturating_mul(machines.unwrap_or(1).max(1)))
        }
    }
}

/// Reads the lower end of `2`, `2..8` or `2..`.
fn least(text: &str) -> Option<u32> {
    text.split("..").next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests;
