//! `kasuan import runs`: sacct, job traces, W&B and MLflow tables, and records of `kasuan run`.

use super::Cards;
use crate::{
    context::Context,
    error::{CommandError, Exit},
    files,
    month::Zone,
    store::{self, Store},
};
use jiff::Timestamp;
use kasuan_formats::{
    bill::{moment, states_zone},
    run_table,
};
use kasuan_model::{Phrase, Run};
use kasuan_probe::{
    capture::{self, CaptureKind, JobRecord},
    run::record::RunRecord,
};
use kasuan_report::{Cell, Column, Table};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct RunImport {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    zone: Option<Zone>,
    #[arg(long, value_name = "COLUMN")]
    work: Option<String>,
    #[arg(long, value_name = "UNIT", requires = "work")]
    work_unit: Option<String>,
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    #[arg(long, value_name = "CARD")]
    card: Option<String>,
    #[command(flatten)]
    store: Store,
}

/// Runs of one file.
struct Read {
    origin: &'static str,
    runs: Vec<Run>,
    skipped: usize,
}

/// Runs the command.
pub(crate) fn run(arguments: &RunImport, context: &Context) -> Result<Exit, CommandError> {
    let cards = Cards::shipped()?;
    let now = Timestamp::now();
    let mut read = Vec::new();
    for path in &arguments.files {
        let text = files::read_text(path)?;
        let found = one(arguments, &text, &cards).map_err(|error| error.in_file(path))?;
        let late = found.runs.iter().find(|run| run.start.max(run.end.unwrap_or(run.start)) > now);
        if let Some(run) = late {
            let phrase = Phrase::new("runs-error-future")
                .with("run", &run.id)
                .with("time", run.end.unwrap_or(run.start));
            let error = CommandError::user(phrase).hint(Phrase::new("runs-hint-future"));
            return Err(error.in_file(path));
        }
        read.push(found);
    }
    let (mut ledger, place) = arguments.store.open(context)?;
    let all: Vec<Run> = read.iter().flat_map(|read| read.runs.iter().cloned()).collect();
    let known = ledger.known_runs(&all).map_err(|error| store::failed(&error))?;
    let new = ledger.import_runs(all).map_err(|error| store::failed(&error))?;
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("file", word("import-column-file")),
        Column::words("origin", word("import-column-origin")),
        Column::figures("runs", word("import-column-runs")),
        Column::figures("new", word("import-column-new")),
        Column::figures("merged", word("import-column-merged")),
        Column::figures("skipped", word("import-column-skipped")),
    ]);
    for (path, read) in arguments.files.iter().zip(&read) {
        let merged = read.runs.iter().filter(|run| known.contains(&run.id)).count();
        table.push(vec![
            Cell::new(path.display().to_string()),
            Cell::new(read.origin),
            Cell::new(read.runs.len().to_string()),
            Cell::new((read.runs.len() - merged).to_string()),
            Cell::new(merged.to_string()),
            Cell::new(read.skipped.to_string()),
        ]);
    }
    context.print_table(&table)?;
    if read.iter().any(|read| read.skipped > 0) {
        context.warn(&Phrase::new("runs-skipped"));
    }
    context.tell(&Phrase::new("runs-done").with("runs", new).with("place", place));
    Ok(Exit::Done)
}

fn one(arguments: &RunImport, text: &str, cards: &Cards) -> Result<Read, CommandError> {
    let fixed = match &arguments.card {
        None => None,
        Some(name) => Some(cards.card(name).ok_or_else(|| {
            CommandError::user(Phrase::new("market-card-unknown").with("text", name))
        })?),
    };
    let host = |own: Option<String>, origin: &str| {
        own.or_else(|| arguments.host.clone()).unwrap_or_else(|| origin.to_owned())
    };
    if let Ok(record) = serde_json::from_str::<RunRecord>(text)
        && record.version == 1
    {
        let run = from_record(&record, &host(None, "kasuan"), cards)?;
        return Ok(Read { origin: "kasuan", runs: vec![run], skipped: 0 });
    }
    if run_table::is(text) {
        let table =
            run_table::read(text, arguments.zone.map(|zone| zone.0), arguments.work.as_deref())?;
        let origin = table.origin;
        let runs = table.runs.into_iter().map(|run| {
            let named = run.card.as_deref().and_then(|name| cards.find(name));
            Run {
                id: format!("{origin}:{}", run.id),
                job: run.job,
                person: run.person,
                host: host(run.host, origin),
                cards: run.cards.or(named.as_ref().and_then(|(_, count)| *count)).unwrap_or(1),
                card: named.map(|(card, _)| card).or_else(|| fixed.clone()),
                start: run.start,
                end: run.end,
                exit_code: run.exit_code,
                work: run.work,
                work_unit: run.work.and(arguments.work_unit.clone().or(arguments.work.clone())),
                peak_memory: None,
                origin: origin.to_owned(),
            }
        });
        return Ok(Read { origin, runs: runs.collect(), skipped: table.skipped });
    }
    let capture = capture::read(text, None)?;
    let origin = match capture.kind {
        CaptureKind::Slurm => "sacct",
        CaptureKind::JobTrace => "trace",
        _ => {
            return Err(CommandError::user(Phrase::new("runs-error-kind"))
                .hint(Phrase::new("runs-hint-kind")));
        }
    };
    let mut read = Read { origin, runs: Vec::new(), skipped: capture.skipped };
    for job in capture.jobs {
        match from_job(&job, arguments.zone, origin)? {
            Some((start, end, cards_held)) => {
                let named = job.gpu_model.as_deref().and_then(|name| cards.card(name));
                read.runs.push(Run {
                    id: format!("{origin}:{}:{}", job.id, start.as_second()),
                    job: job.name.or(job.account).unwrap_or_default(),
                    person: job.user,
                    host: host(None, origin),
                    card: named.or_else(|| fixed.clone()),
                    cards: cards_held,
                    start,
                    end,
                    exit_code: exit_code(job.state.as_deref()),
                    work: None,
                    work_unit: None,
                    peak_memory: job.memory_peak.map(kasuan_model::Bytes::get),
                    origin: origin.to_owned(),
                });
            }
            None => read.skipped += 1,
        }
    }
    Ok(read)
}

/// Returns when a job ran and how many cards it held; `None` for one without cards or times.
fn from_job(
    job: &JobRecord,
    zone: Option<Zone>,
    origin: &str,
) -> Result<Option<(Timestamp, Option<Timestamp>, u32)>, CommandError> {
    let read = |text: &Option<String>| -> Result<Option<Timestamp>, CommandError> {
        let Some(text) = text else { return Ok(None) };
        let plain = text.replacen(' ', "T", 1);
        if let Ok(moment) = plain.parse() {
            return Ok(Some(moment));
        }
        // sacct writes `+0100` without a colon.
        let zoned = plain.split_at_checked(plain.len().saturating_sub(2));
        if let Some((head, tail)) = zoned
            && let Ok(moment) = format!("{head}:{tail}").parse()
        {
            return Ok(Some(moment));
        }
        let Some(zone) = zone else {
            if states_zone(text) {
                return Ok(None);
            }
            let phrase = Phrase::new("runs-error-zone").with("run", &job.id).with("text", text);
            return Err(CommandError::user(phrase).hint(Phrase::new("runs-hint-zone")));
        };
        Ok(moment(text, zone.0))
    };
    let cards = job.gpus.and_then(|gpus| u32::try_from(gpus).ok()).filter(|gpus| *gpus > 0);
    let (Some(start), Some(cards)) = (read(&job.start)?, cards) else { return Ok(None) };
    let end = match (read(&job.end)?, job.elapsed_seconds) {
        (Some(end), _) => Some(end),
        (None, Some(seconds)) if job.state.as_deref() != Some("RUNNING") => {
            let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
            Timestamp::from_second(start.as_second().saturating_add(seconds)).ok()
        }
        _ => None,
    };
    if end.is_some_and(|end| end < start) {
        let phrase = Phrase::new("runs-error-job-backwards").with("run", &job.id);
        return Err(CommandError::user(phrase).hint(Phrase::new("runs-hint-future")));
    }
    if end.is_none() && job.state.as_deref() != Some("RUNNING") {
        return Ok(None);
    }
    let _ = origin;
    Ok(Some((start, end, cards)))
}

fn exit_code(state: Option<&str>) -> Option<i32> {
    match state? {
        "COMPLETED" => Some(0),
        "FAILED" | "TIMEOUT" | "NODE_FAIL" | "OUT_OF_MEMORY" | "CANCELLED" | "BOOT_FAIL"
        | "PREEMPTED" | "DEADLINE" => Some(1),
        _ => None,
    }
}

/// Turns a record of `kasuan run` into a run of the ledger.
pub(crate) fn from_record(
    record: &RunRecord,
    host: &str,
    cards: &Cards,
) -> Result<Run, CommandError> {
    let wrong =
        || CommandError::user(Phrase::new("runs-error-record").with("text", &record.started));
    let start: Timestamp = record.started.parse().map_err(|_| wrong())?;
    #[expect(clippy::cast_possible_truncation, reason = "a run lasts fewer than 2^63 seconds")]
    let seconds = record.seconds.round() as i64;
    let end = Timestamp::from_second(start.as_second().saturating_add(seconds)).ok();
    let name = record.cards.iter().find_map(|card| card.name.clone());
    let (work, unit) = work(record);
    Ok(Run {
        id: format!("kasuan:{host}:{}:{}", record.started, record.task),
        job: record.task.clone(),
        person: record.person.clone(),
        host: host.to_owned(),
        card: name.and_then(|name| cards.card(&name)),
        cards: u32::try_from(record.cards.len()).unwrap_or(u32::MAX),
        start,
        end,
        exit_code: record.exit_code.or(record.signal.map(|signal| 128 + signal)),
        work,
        work_unit: unit,
        peak_memory: record.cards.iter().filter_map(|card| card.memory_peak_bytes).max(),
        origin: "run".to_owned(),
    })
}

/// Work that a record counts: tokens where the log told a rate of them, else samples, else steps.
fn work(record: &RunRecord) -> (Option<f64>, Option<String>) {
    for unit in ["tokens", "samples"] {
        if let Some(rate) = record.log.rates.get(unit) {
            return (Some(rate * record.seconds), Some(unit.to_owned()));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of steps are far below 2^53")]
    let steps = record.log.steps.map(|steps| steps as f64);
    (steps, steps.map(|_| "steps".to_owned()))
}

impl CommandError {
    /// Says in which file it was.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        self.hint_first(Phrase::new("import-hint-file").with("file", path.display()))
    }
}
