//! Task files as their tools' own documentation writes them.

use super::*;
use crate::workload::{Notation, parse};

/// Writes a job's fields on one line.
fn fields(text: &str) -> String {
    let job = job(&parse(text, Notation::Yaml).unwrap(), "file").unwrap();
    fn write(node: &Node) -> String {
        match &node.value {
            Value::List(list) => list.iter().map(write).collect::<Vec<_>>().join("|"),
            _ => super::text(node).unwrap_or_default(),
        }
    }
    let fields = job.fields.iter().map(|(name, _, node)| format!("{name}={}", write(node)));
    fields.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_skypilot_task_says_its_cards_machines_and_whether_it_may_be_interrupted() {
    let text = "name: train\nnum_nodes: 2\nresources:\n  accelerators: A100-80GB:8\n  use_spot: true\n\
                run: torchrun train.py\n";
    assert_eq!(
        fields(text),
        "name=train task=batch card=A100-80GB cards=16 interruptible=true modes=spot"
    );
    assert_eq!(
        fields("resources: {accelerators: {L4: 1, A10G: 1}}"),
        "task=batch card=L4|A10G cards=1 name=file"
    );
    let any = "resources:\n  any_of:\n    - {accelerators: H100:8, use_spot: true}\n    - {accelerators: A100:8, use_spot: false}\n";
    assert_eq!(fields(any), "task=batch card=H100|A100 cards=8 interruptible=true name=file");
    let service =
        "service: {replicas: 3, readiness_probe: /}\nresources: {accelerators: L4}\nrun: serve\n";
    assert_eq!(fields(service), "task=inference card=L4 cards=1 replicas=3 name=file");
}

#[test]
fn a_dstack_configuration_says_its_cards_and_how_long_it_may_take() {
    let text = "type: task\nname: train\nresources: {gpu: 'A100:80GB:2'}\nnodes: 2\nmax_duration: 90m\nretry: {on_events: [interruption], duration: 4h}\n";
    assert_eq!(
        fields(text),
        "name=train task=batch card=A100 80GB cards=4 interruptible=true hours=1.5"
    );
    let size = "type: dev-environment\nresources:\n  gpu: 24GB..\n";
    assert_eq!(fields(size), "task=batch memory=24GB name=file");
    let service = "type: service\nname: api\nresources: {gpu: {name: [H100, H200], count: 1..2}}\nreplicas: 1..4\nspot_policy: spot\n";
    assert_eq!(
        fields(service),
        "name=api task=inference card=H100|H200 cards=1 replicas=1 modes=spot interruptible=true"
    );
}

#[test]
fn what_is_no_task_file_is_left_alone() {
    for text in ["jobs: []\nrun: x\n", "type: gateway\n", "currency: CNY\n", "[]"] {
        assert_eq!(job(&parse(text, Notation::Yaml).unwrap(), "file"), None, "{text}");
    }
}
