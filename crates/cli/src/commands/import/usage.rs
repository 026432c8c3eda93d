//! `kasuan import usage`: logs of nvidia-smi and its like, and raw samples kept before, summed into
//! hours.

use super::Cards;
use crate::{
    context::Context,
    error::{CommandError, Exit},
    files,
    month::Zone,
    samples,
    store::{self, Store},
};
use jiff::Timestamp;
use kasuan_formats::{
    bill::moment,
    columnar::{Sample, read_samples},
};
use kasuan_ledger::LoggedHour;
use kasuan_model::Phrase;
use kasuan_probe::{
    capture::{self, Snapshot},
    rollup::{self, Owner, Rollup},
};
use kasuan_report::{Cell, Column, Table};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A sample stands for the time until the next one, but for no longer than this many usual gaps:
/// while the logger was off nothing is known.
const LONGEST_GAP: i64 = 3;

#[derive(Debug, clap::Args)]
pub(crate) struct UsageImport {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    zone: Option<Zone>,
    #[arg(long, value_name = "NAME", default_value = "")]
    job: String,
    #[arg(long, value_name = "NAME", default_value = "")]
    person: String,
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    #[command(flatten)]
    store: Store,
}

/// What a file holds.
struct Read {
    /// How many samples.
    samples: usize,
    hours: Vec<LoggedHour>,
    /// The samples as they can be kept; nothing of a file of kept samples.
    raw: Vec<Sample>,
    skipped: usize,
}

/// Runs the command.
pub(crate) fn run(arguments: &UsageImport, context: &Context) -> Result<Exit, CommandError> {
    let cards = Cards::shipped()?;
    let mut table = Table::new(vec![
        Column::words("file", context.words.word("import-column-file")),
        Column::figures("samples", context.words.word("import-column-samples")),
        Column::figures("hours", context.words.word("import-column-hours")),
        Column::figures("card_hours", context.words.word("import-column-card-hours")),
        Column::figures("skipped", context.words.word("import-column-skipped")),
    ]);
    let mut hours: Vec<LoggedHour> = Vec::new();
    let mut kept: Vec<(String, Vec<Sample>)> = Vec::new();
    for path in &arguments.files {
        let read = one(arguments, path, &cards).map_err(|error| error.in_file(path))?;
        let seen: f64 = read.hours.iter().map(|logged| logged.hour.seen / 3600.0).sum();
        table.push(vec![
            Cell::new(path.display().to_string()),
            Cell::new(read.samples.to_string()),
            Cell::new(read.hours.len().to_string()),
            Cell::new(format!("{seen:.2}")),
            Cell::new(read.skipped.to_string()),
        ]);
        hours.extend(read.hours);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let host = arguments.host.as_deref().unwrap_or_default();
        kept.push((format!("{}-{}", samples::plain(host), samples::plain(&stem)), read.raw));
    }
    let (mut ledger, place) = arguments.store.open(context)?;
    let all = hours.len() as u64;
    let new = ledger.import_logs(hours).map_err(|error| store::failed(&error))?;
    context.print_table(&table)?;
    if let Some(folder) = &arguments.samples {
        let mut files = 0;
        for (name, raw) in kept {
            files += samples::write(folder, &name, raw)?;
        }
        context
            .tell(&Phrase::new("usage-kept").with("files", files).with("folder", folder.display()));
    }
    context.tell(
        &Phrase::new("usage-done").with("new", new).with("merged", all - new).with("place", place),
    );
    Ok(Exit::Done)
}

fn one(arguments: &UsageImport, path: &Path, cards: &Cards) -> Result<Read, CommandError> {
    let is_kept = path.extension().is_some_and(|ending| ending == "parquet");
    if is_kept {
        let samples = read_samples(files::read_bytes(path)?).map_err(|error| {
            CommandError::user(Phrase::new("usage-error-samples").with("reason", error))
                .hint(Phrase::new("usage-hint-samples"))
        })?;
        return Ok(again(&samples, cards));
    }
    let Some(host) = arguments.host.clone() else {
        return Err(CommandError::user(Phrase::new("usage-error-host"))
            .hint(Phrase::new("usage-hint-host")));
    };
    let capture = capture::read(&files::read_text(path)?, None)?;
    let (hours, raw) = sum(arguments, host, &capture.snapshots, cards)?;
    Ok(Read { samples: capture.snapshots.len(), hours, raw, skipped: capture.skipped })
}

/// Sums kept samples again, each person's by itself.
fn again(samples: &[Sample], cards: &Cards) -> Read {
    let mut people: BTreeMap<&str, Rollup> = BTreeMap::new();
    let (mut taken, mut skipped) = (0, 0);
    let find = |name: &str| cards.card(name);
    for sample in samples {
        let Ok(at) = Timestamp::from_millisecond(sample.at) else {
            skipped += 1;
            continue;
        };
        let owner = Owner { person: sample.person.clone(), ..Owner::default() };
        let rollup = people.entry(&sample.person).or_insert_with(|| Rollup::new(owner));
        rollup.add(at, sample.seconds.min(86_400.0), &rollup::snapshot(sample), &find);
        taken += 1;
    }
    let hours = people.into_values().flat_map(|mut rollup| logged(&mut rollup)).collect();
    Read { samples: taken, hours, raw: Vec::new(), skipped }
}

fn logged(rollup: &mut Rollup) -> Vec<LoggedHour> {
    let hours = rollup.take_with_minutes().into_iter();
    hours.map(|(hour, minutes)| LoggedHour { hour, minutes }).collect()
}

fn sum(
    arguments: &UsageImport,
    host: String,
    snapshots: &[Snapshot],
    cards: &Cards,
) -> Result<(Vec<LoggedHour>, Vec<Sample>), CommandError> {
    let mut times = Vec::new();
    for (at, snapshot) in snapshots.iter().enumerate() {
        times.push(time(arguments, snapshot, at + 1)?);
    }
    if let Some(at) = times.windows(2).position(|pair| pair[1] < pair[0]) {
        let phrase = Phrase::new("usage-error-backwards")
            .with("sample", at + 2)
            .with("before", times[at])
            .with("now", times[at + 1]);
        return Err(CommandError::user(phrase).hint(Phrase::new("usage-hint-backwards")));
    }
    if let Some(late) = times.last().filter(|time| **time > Timestamp::now()) {
        let phrase = Phrase::new("usage-error-future").with("time", late);
        return Err(CommandError::user(phrase).hint(Phrase::new("runs-hint-future")));
    }
    let gaps: Vec<i64> =
        times.windows(2).map(|pair| pair[1].as_second() - pair[0].as_second()).collect();
    let mut sorted = gaps.clone();
    sorted.sort_unstable();
    let Some(usual) = sorted.get(sorted.len() / 2).copied() else {
        return Err(CommandError::user(Phrase::new("usage-error-single")));
    };
    let owner = Owner { host, job: arguments.job.clone(), person: arguments.person.clone() };
    let mut rollup = Rollup::new(owner);
    let mut raw = Vec::new();
    let find = |name: &str| cards.card(name);
    for (at, snapshot) in snapshots.iter().enumerate() {
        let stands = gaps.get(at).copied().unwrap_or(usual).min(usual.max(1) * LONGEST_GAP);
        #[expect(clippy::cast_precision_loss, reason = "seconds between samples are few")]
        let stands = stands as f64;
        rollup.add(times[at], stands, snapshot, &find);
        if arguments.samples.is_some() {
            raw.extend(rollup.raw(times[at], stands, snapshot));
        }
    }
    Ok((logged(&mut rollup), raw))
}
fn time(
    arguments: &UsageImport,
    snapshot: &Snapshot,
    sample: usize,
) -> Result<Timestamp, CommandError> {
    let Some(text) = &snapshot.at else {
        return Err(CommandError::user(Phrase::new("usage-error-no-time").with("sample", sample))
            .hint(Phrase::new("usage-hint-no-time")));
    };
    if let Ok(moment) = text.parse() {
        return Ok(moment);
    }
    let Some(zone) = arguments.zone else {
        let phrase = Phrase::new("usage-error-zone").with("sample", sample).with("text", text);
        return Err(CommandError::user(phrase).hint(Phrase::new("runs-hint-zone")));
    };
    // nvidia-smi writes `2026/07/14 08:12:38.696`.
    let plain = text.split('.').next().unwrap_or(text);
    moment(plain, zone.0).ok_or_else(|| {
        CommandError::user(
            Phrase::new("usage-error-time").with("sample", sample).with("text", text),
        )
    })
}
