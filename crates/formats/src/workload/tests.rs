//! The workload file as a whole: what is read, what is written back, what is refused.

use super::*;
use jiff::civil::date;
use kasuan_model::{Currency, Phrase};
use kasuan_plan::workload::{Amount, Job, Load, Margin, Model, Runs, Task};
use kasuan_sizing::Catalogue;

/// Knows one model and the cards that are written in lower case.
struct OneModel;

impl Names for OneModel {
    fn model(&self, text: &str) -> Result<Architecture, Trouble> {
        if text != "tiny" {
            return Err(Trouble::new(Phrase::new("workload-empty")));
        }
        Ok(Architecture { id: text.to_owned(), ..Catalogue::shipped().entries()[0].clone() })
    }

    fn configuration(&self, path: &str) -> Result<Architecture, Trouble> {
        self.model("tiny").map(|model| Architecture { id: path.to_owned(), ..model })
    }

    fn card(&self, text: &str) -> Result<CardId, Trouble> {
        Ok(CardId::new(&text.to_lowercase()))
    }

    fn task_file(&self, path: &str) -> Result<String, Trouble> {
        match path {
            "train.dstack.yml" => {
                Ok("type: task\nresources: {gpu: 'L4:2'}\nmax_duration: 3h\n".to_owned())
            }
            "sky.yaml" => Ok("resources: {accelerators: A100:8, use_spot: true}\n".to_owned()),
            _ => Ok("a: [\n".to_owned()),
        }
    }
}

fn document(text: &str) -> Document {
    read(text, Notation::Yaml, date(2026, 12, 1), &OneModel).unwrap()
}

fn one_job(fields: &str) -> Job {
    let text = format!("jobs: [{{name: a, {fields}}}]");
    document(&text).workload.jobs.remove(0)
}

/// Returns the key of what is wrong, its line, and its first hint's key.
fn refused(text: &str) -> (String, usize, &'static str) {
    let error = read(text, Notation::Yaml, date(2026, 12, 1), &OneModel).unwrap_err();
    let hint = error.trouble.hints.first().map_or("", Phrase::key);
    (error.trouble.phrase.key().to_owned(), error.place.map_or(0, |place| place.line), hint)
}

#[test]
fn small_things_stay_small_and_every_default_is_explicit() {
    let document = document("jobs: [{name: a, task: lora, model: tiny, hours: 8}]");
    let workload = &document.workload;
    assert_eq!((workload.currency, workload.month), (Currency::CNY, date(2026, 12, 1)));
    assert_eq!(workload.policy.margin, Margin::P80);
    let job = &workload.jobs[0];
    assert_eq!(job.runs, Runs::PerMonth(1));
    assert_eq!(job.training.as_ref().unwrap().sequence, 2048);
    let shown = document.to_yaml();
    for line in ["margin: p80", "spot_mtbf: 4h", "seq: 2048", "interruptible: false"] {
        assert!(shown.contains(line), "{line} is not in\n{shown}");
    }
}

#[test]
fn what_show_defaults_writes_reads_back_as_the_same_workload() {
    let text = "
currency: USD
month: 2027-02
days: 7
rates: {CNY: 0.14 @ 2026-12-01, EUR: 1.1}
prices: mine.csv
jobs:
  - {name: 'a: b', task: qlora, model: tiny, data: {samples: 1.5k, mean_tokens: 300, epochs: 2.5},
     targets: [q_proj, v], rank: 8, batch: 4, interruptible: {checkpoint: 90s, every: 30 min},
     days: 5-20, modes: [spot, reserved_12m], weights: q4_k_m, sharding: zero3, cards: 4}
  - {name: 服务, task: 推理, model: ./m/config.json, daily: '22:30-06:00', weekdays: [mon-fri, sun],
     rate: 300/min, context: 4096, latency: {ttft: 500ms, tpot: 60ms}, replicas: 2, after: 'a: b'}
  - {name: c, task: batch, model: {params: 7.5B}, requests: 2万, runs: 3/week, may_wait: 36h,
     card: [RTX 4090, H20], deadline: 2027-02-28, priority: 3, share_card: yes}
  - {name: d, task: full, hours: 6-8-12, hours_measured_on: 2x A100 80G, memory: 7.5GiB}
storage: [{size: 200GB, price: 0.5 CNY/GB}, {name: b, size: 3 MiB}]
transfer: {egress: 50GB, line: 100 Mbps}
team: {engineer: 120 CNY/h, ops_hours: 6.5, people: 10}
policy: {margin: 25%, cap: 3000, providers: [x], regions: [cn, us-east-1], trial: 300, tax: 6%,
         headroom: 5%, trust_hours: true, share_machines: false, price_age: 90 days, spot_mtbf: 2h, exclude_providers: [y]}
held: [{card: H100, count: 8, until: 2027-02-10}]
";
    let first = document(text);
    let shown = first.to_yaml();
    assert_eq!(document(&shown), first, "{shown}");
    assert_eq!(document(&shown).to_yaml(), shown);
}

#[test]
fn amounts_are_read_as_people_write_them() {
    let tokens = |fields: &str| one_job(fields).amount;
    assert!(matches!(
        tokens("task: full, data: {tokens: 20M}"),
        Amount::Tokens { tokens: 20_000_000, .. }
    ));
    assert!(matches!(
        tokens("task: batch, requests: 1.5亿"),
        Amount::Requests { requests: 150_000_000 }
    ));
    assert_eq!(tokens("task: inference"), Amount::Service);
    assert_eq!(tokens("task: lora"), Amount::Unknown);
    assert_eq!(one_job("task: inference, rate: 300/min").load, Some(Load::PerSecond(5.0)));
    assert_eq!(one_job("task: SFT").task, Task::Full);
    assert_eq!(
        one_job("task: batch, model: {params: 7B}").model,
        Some(Model::Counted { parameters: 7_000_000_000 })
    );
}

#[test]
fn each_mistake_is_told_once_with_its_line_and_a_hint() {
    let with = |job: &str| format!("jobs:\n  - name: a\n    task: lora\n    {job}\n");
    let cases = [
        (with("houres: 8"), "workload-field-unknown", 4, "hint-did-you-mean"),
        (with("hours: -8"), "workload-negative", 4, ""),
        (with("hours: 0"), "workload-zero", 4, ""),
        (with("hours: 1e30"), "workload-absurd", 4, "workload-hint-absurd"),
        (with("hours: eight"), "workload-wrong-value", 4, "workload-hint-forms"),
        (with("memory: 24"), "workload-wrong-value", 4, "workload-hint-forms"),
        (with("memory: 999999 PB"), "workload-absurd", 4, "workload-hint-absurd"),
        (with("runs: 9999999/day"), "workload-absurd", 4, "workload-hint-absurd"),
        (
            with("days: 20-31\nmonth: 2026-11"),
            "workload-no-such-day",
            4,
            "workload-hint-days-in-month",
        ),
        (with("deadline: 2026-11-31"), "workload-no-such-day", 4, "workload-hint-days-in-month"),
        (with("hours: 8\n    data: {tokens: 1M}"), "workload-either-or", 5, ""),
        (with("after: b"), "workload-after", 2, ""),
        (with("model: {parms: 7B}"), "workload-field-unknown", 4, "hint-did-you-mean"),
        (with("optimizer: adamw8bit"), "workload-wrong-value", 4, "hint-did-you-mean"),
        (with("latency: 3"), "workload-not-fields", 4, "workload-hint-fields"),
        ("jobs: []".to_owned(), "workload-no-jobs", 1, "workload-hint-init"),
        ("month: 2026-12".to_owned(), "workload-field-missing", 1, ""),
        (String::new(), "workload-empty", 0, "workload-hint-init"),
        ("- a".to_owned(), "workload-not-fields", 1, "workload-hint-fields"),
        (
            "jobs:\n  - {name: a, task: lora}\n  - {name: a, task: full}".to_owned(),
            "workload-name-twice",
            3,
            "",
        ),
        ("jobs: [{name: a, task: lora}]\njobs: []".to_owned(), "workload-field-twice", 2, ""),
        (
            "currency: RNB\njobs: []".to_owned(),
            "workload-currency-unknown",
            1,
            "workload-hint-currency",
        ),
        (
            "jobs: [{name: a, task: lora}]\nteam: {engineer: 10 USD/h}".to_owned(),
            "workload-no-rate",
            2,
            "workload-hint-rate",
        ),
        ("jobs：\n  - a".to_owned(), "workload-not-fields", 1, "workload-hint-full-width"),
        ("jobs: [\n  {name： a}".to_owned(), "workload-syntax", 1, "workload-hint-full-width"),
        ("jobs:\n\t- name: a".to_owned(), "workload-syntax", 2, "workload-hint-tab"),
    ];
    for (text, key, line, hint) in cases {
        assert_eq!(refused(&text), (key.to_owned(), line, hint), "{text}");
    }
}

#[test]
fn more_jobs_than_a_plan_can_hold_are_refused_before_any_is_planned() {
    let mut text = "jobs:\n".to_owned();
    for number in 0..10_000 {
        text.push_str(&format!("  - {{name: j{number}, task: batch, hours: 1, memory: 8GiB}}\n"));
    }
    assert_eq!(refused(&text).0, "workload-too-many-jobs");
}

#[test]
fn a_job_may_be_taken_from_a_task_file_and_says_the_rest_itself() {
    let taken = document("jobs: [{name: a, from: train.dstack.yml, runs: 2/week}]");
    let job = &taken.workload.jobs[0];
    assert_eq!((job.task, job.cards, job.runs), (Task::Batch, Some(2), Runs::PerWeek(2)));
    assert_eq!(job.only_cards, [CardId::new("l4")]);
    assert!(matches!(&job.amount, Amount::Hours { hours, .. } if hours.likely == 3.into()));
    assert_eq!(taken.notes[0].key(), "workload-foreign-longest");
    let own = document("jobs: [{from: sky.yaml, hours: 5, cards: 4}]");
    let job = &own.workload.jobs[0];
    assert_eq!((job.name.as_str(), job.cards), ("sky", Some(4)));
    assert!(job.interruptible.is_some() && own.notes.is_empty());
    assert_eq!(
        refused("jobs:\n  - {name: a, from: broken.yaml}\n"),
        ("workload-from-broken".to_owned(), 2, "workload-hint-yaml")
    );
}

#[test]
fn a_task_file_alone_is_a_workload_of_one_job() {
    let document = document("name: train\nresources: {accelerators: L4:2}\nrun: python train.py\n");
    assert_eq!(document.workload.jobs[0].name, "train");
    assert_eq!(document.notes[0].key(), "workload-foreign-no-hours");
}
