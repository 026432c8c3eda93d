//! A script that hands every run to Slurm with `sbatch --begin`, those that wait for others after
//! them.

use super::{Agenda, Say, comments, one_line, quoted};
use jiff::civil::DateTime;
use kasuan_model::{Phrase, Seconds};
use kasuan_plan::outcome::CalendarEntry;
use std::collections::{BTreeMap, BTreeSet};

/// Writes the runs of a plan as a shell script of `sbatch` calls.
///
/// The time limit of a run is the high end of its estimate, since Slurm ends what takes longer.
pub fn submissions(agenda: &Agenda<'_>, say: Say<'_>) -> String {
    let mut text = String::from("#!/bin/sh\n");
    text.push_str(&comments(&say(&Phrase::new("calendar-slurm-head"))));
    text.push_str("set -eu\nJOBS=${JOBS:-.}\n");
    let cards: BTreeSet<&str> =
        agenda.plan.calendar.iter().map(|entry| entry.card.as_str()).collect();
    for card in cards {
        text.push_str(&format!("{}={}\n", variable("GPU", card), quoted(card)));
    }
    if agenda.zone.is_some() {
        text.push_str("at() { date -d \"@$1\" +%Y-%m-%dT%H:%M:%S; }\n");
    }
    // The last run of each job that was handed in, by number, so that others can wait for it.
    let mut known: BTreeMap<(usize, u32), String> = BTreeMap::new();
    for (part, entry) in agenda.parts() {
        let jobs = &agenda.workload.jobs;
        let Some(job) = jobs.iter().position(|job| job.name == entry.job) else { continue };
        let waits_for = if part > 1 {
            // The rest of a run that was interrupted goes on from its checkpoint.
            known.get(&(job, entry.run)).map(|id| format!("afterany:${id}"))
        } else {
            let before = jobs[job].window.after.as_ref();
            let before = before.and_then(|name| jobs.iter().position(|job| job.name == *name));
            before.and_then(|before| {
                let runs = (before, 0)..=(before, entry.run);
                known.range(runs).next_back().map(|(_, id)| format!("afterok:${id}"))
            })
        };
        let id = format!("run_{}_{}", job + 1, entry.run);
        let dependency = waits_for.map(|on| format!(" --dependency={on}")).unwrap_or_default();
        text.push_str(&format!(
            "{id}=$(sbatch --parsable --job-name={} --begin={} --time={} --gpus=\"${}:{}\"{dependency} \
             \"$JOBS\"/{})\n",
            quoted(&entry.job),
            begin(agenda, entry.start),
            limit(agenda, entry),
            variable("GPU", entry.card.as_str()),
            entry.cards,
            quoted(&format!("{}.sh", entry.job.replace('/', "-"))),
        ));
        known.insert((job, entry.run), id);
    }
    text
}

/// Returns a shell variable for a card.
fn variable(prefix: &str, name: &str) -> String {
    let sign =
        |sign: char| if sign.is_ascii_alphanumeric() { sign.to_ascii_uppercase() } else { '_' };
    format!("{prefix}_{}", one_line(name).chars().map(sign).collect::<String>())
}

fn begin(agenda: &Agenda<'_>, moment: DateTime) -> String {
    let zone = agenda.zone.as_ref();
    match zone.and_then(|zone| agenda.seconds(zone, moment)) {
        // Slurm reads times by the controller's clock, wherever that is.
        Some(at) => format!("\"$(at {})\"", at.as_second()),
        None => moment.strftime("%Y-%m-%dT%H:%M:%S").to_string(),
    }
}

/// Returns the time limit as `days-hours:minutes:seconds`.
fn limit(agenda: &Agenda<'_>, entry: &CalendarEntry) -> String {
    let planned = entry.end.duration_since(entry.start).as_secs();
    let planned = u64::try_from(planned).unwrap_or(0);
    let job = agenda.plan.jobs.iter().find(|job| job.name == entry.job);
    let time = job.and_then(|job| job.choice.as_ref()).map(|choice| choice.time);
    // What lasts as long as its estimate may last as long as the estimate's high end.
    let high = time.filter(|time| time.likely.get() <= planned).map_or(0, |time| time.high.get());
    let most = Seconds::new(planned.max(high).max(60)).get();
    let (days, rest) = (most / 86_400, most % 86_400);
    format!("{days}-{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}
