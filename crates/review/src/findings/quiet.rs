//! What looks well and is not: busy cards without work, runs rounded up, hosts that fell silent.

use super::{Finding, FindingKind, cost, hours, percent};
use crate::input::Input;
use kasuan_model::{CardId, Confidence, Phrase, Run};
use std::collections::BTreeMap;

pub(super) fn find(input: &Input) -> Vec<Finding> {
    let mut found = busy_without_work(input);
    found.extend(short_runs(input));
    found.extend(silent_hosts(input));
    found
}

/// Hours of one job that spins, summed.
#[derive(Default)]
struct Spinning<'a> {
    card_hours: f64,
    power_shares: f64,
    rows: f64,
    card: Option<&'a CardId>,
}

/// Finds hours of full business at little power: a hung collective spins at 100 %, and so may a
/// tiny kernel. Only a hint: nothing should be stopped by it.
fn busy_without_work(input: &Input) -> Vec<Finding> {
    let limits = &input.thresholds;
    let mut jobs: BTreeMap<(&str, &str), Spinning<'_>> = BTreeMap::new();
    for hour in input.usage.iter().filter(|hour| hour.hour >= input.from && hour.hour < input.to) {
        let Some(watts) = hour.card.as_ref().and_then(|card| input.card_watts.get(card)) else {
            continue;
        };
        let measured = hour.busy_known / 3600.0 >= limits.least_seen
            && hour.power_known / 3600.0 >= limits.least_seen;
        if !measured || hour.busy / hour.busy_known < limits.hung_busy {
            continue;
        }
        let share = hour.energy / hour.power_known / watts;
        let active = hour.sm_known > 0.0 && hour.sm / hour.sm_known >= 0.30;
        if share < limits.hung_power && !active {
            let row = jobs.entry((&hour.host, &hour.job)).or_default();
            row.card_hours += hour.seen / 3600.0;
            row.power_shares += share;
            row.rows += 1.0;
            row.card = hour.card.as_ref();
        }
    }
    let long = jobs.into_iter().filter(|(_, row)| row.card_hours >= f64::from(limits.idle_hours));
    long.map(|((host, job), row)| Finding {
        kind: FindingKind::BusyWithoutWork,
        subject: if job.is_empty() { host.to_owned() } else { job.to_owned() },
        evidence: Phrase::new("review-evidence-hung")
            .with("hours", hours(row.card_hours))
            .with("power", percent(row.power_shares / row.rows)),
        money: cost(input.price(host, row.card), row.card_hours),
        confidence: Confidence::Low,
        remedy: Phrase::new("review-remedy-hung"),
        command: String::new(),
    })
    .collect()
}

/// Finds jobs whose runs are shorter than half the step that their host's provider rounds up to.
fn short_runs(input: &Input) -> Vec<Finding> {
    let mut jobs: BTreeMap<(&str, u64), Vec<(&Run, f64)>> = BTreeMap::new();
    for run in &input.runs {
        let rented = input.rented.iter().find(|rented| rented.host == run.host && !rented.prepaid);
        let step = rented.and_then(|rented| rented.granularity).filter(|step| *step >= 600);
        let (Some(step), Some(end)) = (step, run.end) else { continue };
        let lasted = (end.as_second() - run.start.as_second()).max(0) as f64;
        if lasted > 0.0 && lasted * 2.0 < step as f64 {
            let lost = f64::from(run.cards) * (step as f64 - lasted) / 3600.0;
            jobs.entry((&run.job, step)).or_default().push((run, lost));
        }
    }
    let many =
        jobs.into_iter().filter(|(_, runs)| runs.len() >= input.thresholds.short_runs as usize);
    many.map(|((job, step), runs)| {
        let lost: f64 = runs.iter().map(|(_, lost)| lost).sum();
        let price = runs.first().and_then(|(run, _)| input.price(&run.host, run.card.as_ref()));
        Finding {
            kind: FindingKind::ShortRuns,
            subject: job.to_owned(),
            evidence: Phrase::new("review-evidence-short")
                .with("runs", runs.len())
                .with("minutes", step / 60)
                .with("hours", hours(lost)),
            money: cost(price, lost),
            // Runs that shared one rental were rounded once, which is not seen here.
            confidence: Confidence::Medium,
            remedy: Phrase::new("review-remedy-short"),
            command: String::new(),
        }
    })
    .collect()
}

/// Finds hosts that were measured, then not any more, while they were paid for on demand.
fn silent_hosts(input: &Input) -> Vec<Finding> {
    let mut last: BTreeMap<&str, i64> = BTreeMap::new();
    for hour in &input.usage {
        let seen = last.entry(&hour.host).or_insert(i64::MIN);
        *seen = (*seen).max(hour.hour.as_second() + 3600);
    }
    let mut hosts: BTreeMap<&str, (f64, Option<kasuan_model::Money>)> = BTreeMap::new();
    for rented in input.rented.iter().filter(|rented| !rented.prepaid) {
        let Some(seen) = last.get(rented.host.as_str()) else { continue };
        let (from, to) = (rented.from.as_second().max(*seen), rented.to.min(input.to).as_second());
        let ran_later = input
            .runs
            .iter()
            .any(|run| run.host == rented.host && run.end.is_none_or(|end| end.as_second() > from));
        let whole = (rented.to.as_second() - rented.from.as_second()).max(1) as f64;
        if to > from && !ran_later {
            let card_hours = rented
                .card_hours
                .map_or(f64::from(rented.cards) * (to - from) as f64 / 3600.0, |hours| {
                    hours * (to - from) as f64 / whole
                });
            let host = hosts.entry(&rented.host).or_default();
            *host = (host.0 + card_hours, Some(rented.card_hour));
        }
    }
    let long =
        hosts.into_iter().filter(|(_, row)| row.0 >= f64::from(input.thresholds.silent_hours));
    long.map(|(host, (card_hours, price))| Finding {
        kind: FindingKind::SilentHost,
        subject: host.to_owned(),
        evidence: Phrase::new("review-evidence-silent").with("hours", hours(card_hours)),
        money: cost(price, card_hours),
        confidence: Confidence::Low,
        remedy: Phrase::new("review-remedy-silent"),
        command: String::new(),
    })
    .collect()
}
