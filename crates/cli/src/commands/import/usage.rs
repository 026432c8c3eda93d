//! `kasuan import usage`: logs of nvidia-smi and its like, summed into hours.

use super::Cards;
use crate::{
    context::Context,
    error::{CommandError, Exit},
    files,
    month::Zone,
    store::{self, Store},
};
use jiff::Timestamp;
use kasuan_formats::bill::moment;
use kasuan_model::{Phrase, UsageHour};
use kasuan_probe::{
    capture::{self, Snapshot},
    rollup::{Owner, Rollup},
};
use kasuan_report::{Cell, Column, Table};
use std::path::PathBuf;

/// A sample stands for the time until the next one, but for no longer than this many usual gaps:
/// while the logger was off nothing is known.
const LONGEST_GAP: i64 = 3;

#[derive(Debug, clap::Args)]
pub(crate) struct UsageImport {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, value_name = "NAME")]
    host: String,
    #[arg(long, value_name = "ZONE")]
    zone: Option<Zone>,
    #[arg(long, value_name = "NAME", default_value = "")]
    job: String,
    #[arg(long, value_name = "NAME", default_value = "")]
    person: String,
    #[command(flatten)]
    store: Store,
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
    let mut hours: Vec<UsageHour> = Vec::new();
    for path in &arguments.files {
        let text = files::read_text(path)?;
        let capture =
            capture::read(&text, None).map_err(|error| CommandError::from(error).in_file(path))?;
        let read =
            rollup(arguments, &capture.snapshots, &cards).map_err(|error| error.in_file(path))?;
        let seen: f64 = read.iter().map(|hour| hour.seen / 3600.0).sum();
        table.push(vec![
            Cell::new(path.display().to_string()),
            Cell::new(capture.snapshots.len().to_string()),
            Cell::new(read.len().to_string()),
            Cell::new(format!("{seen:.2}")),
            Cell::new(capture.skipped.to_string()),
        ]);
        hours.extend(read);
    }
    let (mut ledger, place) = arguments.store.open(context)?;
    let all = hours.len() as u64;
    let new = ledger.import_usage(hours).map_err(|error| store::failed(&error))?;
    context.print_table(&table)?;
    context.tell(
        &Phrase::new("usage-done").with("new", new).with("merged", all - new).with("place", place),
    );
    Ok(Exit::Done)
}

fn rollup(
    arguments: &UsageImport,
    snapshots: &[Snapshot],
    cards: &Cards,
) -> Result<Vec<UsageHour>, CommandError> {
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
    let owner = Owner {
        host: arguments.host.clone(),
        job: arguments.job.clone(),
        person: arguments.person.clone(),
    };
    let mut rollup = Rollup::new(owner);
    let find = |name: &str| cards.card(name);
    for (at, snapshot) in snapshots.iter().enumerate() {
        let stands = gaps.get(at).copied().unwrap_or(usual).min(usual.max(1) * LONGEST_GAP);
        #[expect(clippy::cast_precision_loss, reason = "seconds between samples are few")]
        rollup.add(times[at], stands as f64, snapshot, &find);
    }
    Ok(rollup.take())
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
