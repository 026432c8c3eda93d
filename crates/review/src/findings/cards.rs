//! Cards that are too large or too fast for their jobs, and jobs that hardly use them.

use super::{Finding, FindingKind, cost, hours, percent};
use crate::input::Input;
use kasuan_model::{CardId, Confidence, Money, Phrase};
use std::collections::BTreeMap;

/// A job's time on one card model.
#[derive(Default)]
struct JobOnCard<'a> {
    host: Option<&'a str>,
    seen: f64,
    busy: f64,
    busy_known: f64,
    /// As `busy_known`, of the hours in which the card did anything: idle hours are told elsewhere.
    awake_known: f64,
    memory: f64,
    memory_known: f64,
    memory_peak: f64,
    memory_total: f64,
}

impl JobOnCard<'_> {
    /// Says whether memory use is flat and high, as pre-allocating servers (vLLM, SGLang) keep it:
    /// then it is a setting and says nothing about need.
    fn preallocates(&self) -> bool {
        let mean = self.memory / self.memory_known;
        self.memory_peak > 0.0
            && mean / self.memory_peak > 0.9
            && self.memory_peak / self.memory_total > 0.75
    }
}

pub(super) fn find(input: &Input) -> Vec<Finding> {
    let mut jobs: BTreeMap<(&str, Option<&CardId>), JobOnCard<'_>> = BTreeMap::new();
    for hour in input.usage.iter().filter(|hour| !hour.job.is_empty()) {
        if hour.hour < input.from || hour.hour >= input.to {
            continue;
        }
        let job = jobs.entry((&hour.job, hour.card.as_ref())).or_default();
        job.host = Some(&hour.host);
        job.seen += hour.seen;
        job.busy += hour.busy;
        job.busy_known += hour.busy_known;
        if hour.busy_known > 0.0 && hour.busy / hour.busy_known >= input.thresholds.idle_busy {
            job.awake_known += hour.busy_known;
        }
        job.memory += hour.memory;
        job.memory_known += hour.memory_known;
        job.memory_peak = job.memory_peak.max(hour.memory_peak);
        job.memory_total = job.memory_total.max(hour.memory_total);
    }
    let judged = jobs.iter().filter_map(|((name, card), job)| judge(input, name, *card, job));
    judged.collect()
}

fn judge(input: &Input, name: &str, card: Option<&CardId>, job: &JobOnCard<'_>) -> Option<Finding> {
    let limits = &input.thresholds;
    let card_hours = job.seen / 3600.0;
    if card_hours < limits.least_card_hours || job.busy_known < job.seen * limits.least_seen {
        return None;
    }
    let busy = job.busy / job.busy_known;
    let price = input.price(job.host.unwrap_or_default(), card);
    let memory_known = job.memory_known > 0.0 && job.memory_total > 0.0;
    let small = memory_known
        && job.memory_peak / job.memory_total < limits.small_memory
        && !job.preallocates();
    if small && busy <= limits.powerful_busy {
        return Some(Finding {
            kind: FindingKind::OversizedCard,
            subject: name.to_owned(),
            evidence: Phrase::new("review-evidence-oversized")
                .with("peak", percent(job.memory_peak / job.memory_total))
                .with("busy", percent(busy))
                .with("hours", hours(card_hours)),
            // At least the unused half of the rent; the re-plan says what a smaller card costs.
            money: cost(price, card_hours * 0.5),
            confidence: Confidence::Medium,
            remedy: Phrase::new("review-remedy-oversized"),
            command: String::new(),
        });
    }
    if busy <= limits.low_busy {
        return Some(low_use(input, name, card_hours, busy, price));
    }
    let awake = job.busy / job.awake_known;
    let awake_hours = job.awake_known / 3600.0;
    let waits = awake < limits.waiting_busy && awake_hours >= limits.least_card_hours;
    // A server waits for requests, not for data.
    (waits && !(memory_known && job.preallocates())).then(|| Finding {
        kind: FindingKind::WaitingCards,
        subject: name.to_owned(),
        evidence: Phrase::new("review-evidence-waiting")
            .with("busy", percent(awake))
            .with("hours", hours(awake_hours)),
        money: cost(price, awake_hours * (1.0 - awake / limits.waiting_busy)),
        // The cause is not measured: data loading is only the most frequent one.
        confidence: Confidence::Low,
        remedy: Phrase::new("review-remedy-waiting"),
        command: String::new(),
    })
}

fn low_use(input: &Input, name: &str, card_hours: f64, busy: f64, price: Option<Money>) -> Finding {
    Finding {
        kind: FindingKind::LowUse,
        subject: name.to_owned(),
        evidence: Phrase::new("review-evidence-low-use")
            .with("busy", percent(busy))
            .with("hours", hours(card_hours)),
        money: cost(price, card_hours * (1.0 - busy / input.thresholds.waiting_busy)),
        confidence: Confidence::Medium,
        remedy: Phrase::new("review-remedy-low-use"),
        command: String::new(),
    }
}
