//! What is kept of a run: its record, its task's first baseline, and what changed since.

use super::{Job, cost};
use crate::commands::{baseline::kept, import::runs::from_record};
use kasuan_model::{Phrase, Phrased as _, Run};
use kasuan_probe::{
    machine::{self, Installed},
    run::{
        baseline::{self, causes, compare},
        record::{self, Folder, RecordError, RunRecord},
        tree,
    },
};
use std::{
    collections::BTreeMap, os::unix::process::ExitStatusExt as _, path::Path, process::ExitStatus,
};

/// What was there when the run began.
pub(super) struct Began {
    at: jiff::Timestamp,
    network: Option<(u64, u64)>,
}

impl Began {
    /// Looks at the clock and at the network's counts.
    pub(super) fn now() -> Self {
        Self { at: jiff::Timestamp::now(), network: tree::network(Path::new("/proc")) }
    }
}

/// Records in the ledger that the run has started: a machine that dies leaves at least that.
pub(super) fn open(job: &mut Job<'_>, began: &Began) {
    let Some(writer) = &mut job.writer else { return };
    let started = began.at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let run = Run {
        id: format!("kasuan:{}:{started}:{}", writer.host(), job.arguments.task),
        job: job.arguments.task.clone(),
        person: job.arguments.person.clone(),
        host: writer.host().to_owned(),
        card: None,
        cards: 0,
        start: began.at,
        end: None,
        exit_code: None,
        work: None,
        work_unit: None,
        peak_memory: None,
        origin: "run".to_owned(),
    };
    writer.run(&run, job.context);
}

/// Keeps the record and compares it with the baseline.
pub(super) fn close(job: &mut Job<'_>, began: &Began, seconds: f64, status: ExitStatus) {
    let spent = job.hourly.and_then(|hourly| cost(hourly, seconds));
    let (samples, samples_missed) = job.tally.counts();
    let traffic = began.network.zip(tree::network(Path::new("/proc")));
    let record = RunRecord {
        version: 1,
        task: job.arguments.task.clone(),
        person: job.arguments.person.clone(),
        command: job.arguments.command.clone(),
        started: began.at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        seconds,
        exit_code: status.code(),
        signal: status.signal(),
        sampler: job.sampler.as_ref().map(|sampler| sampler.name().to_owned()),
        samples,
        samples_missed,
        cards: job.tally.cards(),
        log: job.tally.steps(),
        cpu_seconds: job.totals.cpu_seconds(),
        resident_peak_bytes: job.totals.resident_peak(),
        disk_read_bytes: job.totals.disk_read(),
        disk_written_bytes: job.totals.disk_written(),
        network_received_bytes: traffic.map(|(before, now)| now.0.saturating_sub(before.0)),
        network_sent_bytes: traffic.map(|(before, now)| now.1.saturating_sub(before.1)),
        cost: spent.map(|spent| spent.amount().round_dp(6).normalize().to_string()),
        currency: spent.map(|spent| spent.currency().code().to_owned()),
        taken_back: job.taken_back.map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
        environment: fingerprint(),
    };
    if let Some(writer) = &mut job.writer {
        writer.sample(None, None);
        writer.write(job.context);
        if let Ok(run) = from_record(&record, writer.host(), writer.cards()) {
            writer.run(&run, job.context);
        }
    }
    let folder = Folder::new(&job.arguments.records);
    let kept = folder.keep(&record);
    if let Ok(path) = &kept {
        let spent = spent.map_or_else(|| "-".to_owned(), |spent| spent.to_string());
        job.context.tell(
            &Phrase::new("run-kept")
                .with("name", path.display())
                .with("cost", spent)
                .with("seconds", format!("{seconds:.1}")),
        );
    }
    // A run that failed is neither a measure for others nor worth comparing.
    if record.ended_well()
        && let Err(error) = against_baseline(job, &folder, &record)
    {
        let reason = job.context.say(&error.phrase());
        job.context.warn(&Phrase::new("run-baseline-failed").with("reason", reason));
    }
    // Last, so that it is the line that is read: the exit code is the command's and cannot say it.
    if let Err(error) = kept {
        let reason = job.context.say(&error.phrase());
        let elsewhere = Folder::new(std::env::temp_dir().join("kasuan-runs"));
        let said = match elsewhere.keep(&record) {
            Ok(path) => Phrase::new("run-record-elsewhere")
                .with("path", path.display())
                .with("reason", reason),
            Err(_) => Phrase::new("run-record-lost").with("reason", reason),
        };
        job.context.warn(&said);
    }
}

/// The first good run of a task becomes its baseline; later ones are compared with it. On a new
/// box the baseline is the ledger's, where one is named.
fn against_baseline(
    job: &mut Job<'_>,
    folder: &Folder,
    record: &RunRecord,
) -> Result<(), RecordError> {
    let path = folder.baseline(&record.task);
    let context = job.context;
    let in_ledger = |job: &mut Job<'_>| {
        let writer = job.writer.as_mut()?;
        writer.with(context, |ledger| kept::newest(ledger, &record.task))?
    };
    let before = match path.exists() {
        true => Some(record::read(&path)?),
        false => in_ledger(job),
    };
    let Some(before) = before else {
        // A run that told nothing about its work would say nothing about the next one either.
        let says = record.log.step_seconds_median.is_some() || !record.log.rates.is_empty();
        if says || record.cards.iter().any(|card| card.busy_mean.is_some()) {
            record::write(&path, record)?;
            if let Some(writer) = &mut job.writer {
                writer.with(context, |ledger| kept::keep(ledger, &record.task, record));
            }
            context.tell(
                &Phrase::new("run-baseline")
                    .with("task", &record.task)
                    .with("path", path.display()),
            );
        }
        return Ok(());
    };
    let changes = compare(&before, record);
    let worse: Vec<&baseline::Change> =
        changes.iter().filter(|change| change.beyond_noise && change.worse).collect();
    if worse.is_empty() {
        return Ok(());
    }
    for change in worse {
        let percent = if change.before.abs() > f64::EPSILON {
            format!("{:+.0}%", (change.now - change.before) / change.before * 100.0)
        } else {
            "-".to_owned()
        };
        job.context.warn(
            &Phrase::new("run-worse")
                .with("task", &record.task)
                .with("change", percent)
                .with_word("what", change.what.key()),
        );
    }
    for cause in causes(&before, record) {
        let cause = job.context.say(&cause);
        job.context.warn(&Phrase::new("baseline-cause").with("cause", cause));
    }
    Ok(())
}

/// What the run ran on, to tell later why another one differs.
fn fingerprint() -> BTreeMap<String, String> {
    let machine = machine::inspect(Path::new("/"), &Installed);
    let mut found = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            found.insert(name.to_owned(), value);
        }
    };
    let nvidia = machine.nvidia.as_ref();
    put("driver", nvidia.and_then(|snapshot| snapshot.driver.clone()));
    put("image_cuda", machine.host.image_cuda.clone());
    put("processor", machine.host.processor.clone());
    if let Some(python) = &machine.python {
        put("python", Some(python.version.clone()));
        for package in &python.packages {
            put(&package.name, Some(package.version.clone()));
        }
    }
    found
}
