//! `kasuan baseline record|show|compare`: is a run as good as the one that was recorded?

pub(crate) mod kept;
mod show;

use crate::{
    context::Context,
    error::{CommandError, Exit},
    store::{self, Store},
};
use kasuan_model::{Bytes, Phrase, Phrased as _};
use kasuan_probe::run::{
    baseline::{Change, Measure, Scaling, causes, compare, scaling},
    record::{self, Folder, RecordError, RunRecord},
};
use kasuan_report::{Cell, Column, Table, Tone};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Baseline {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Record(Which),
    Show(Of),
    Compare(Which),
}

#[derive(Debug, clap::Args)]
struct Of {
    #[arg(value_name = "TASK")]
    task: String,
    #[arg(long, default_value = ".kasuan/runs", value_name = "DIR")]
    records: PathBuf,
    #[command(flatten)]
    store: Store,
}

#[derive(Debug, clap::Args)]
struct Which {
    #[command(flatten)]
    of: Of,
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Baseline, context: &Context) -> Result<Exit, CommandError> {
    match &arguments.action {
        Action::Record(which) => which.record(context),
        Action::Show(of) => {
            show::show(&of.baseline(context)?, context)?;
            Ok(Exit::Done)
        }
        Action::Compare(which) => which.compare(context),
    }
}

/// Turns a record's error into the command's.
fn told(error: &RecordError) -> CommandError {
    let told = if error.is_of_the_surroundings() {
        CommandError::surroundings(error.phrase())
    } else {
        CommandError::user(error.phrase())
    };
    error.hints().into_iter().fold(told, CommandError::hint)
}

/// Says how a run ended, as a shell would.
fn ending(record: &RunRecord) -> String {
    match (record.exit_code, record.signal) {
        (Some(code), _) => code.to_string(),
        (None, Some(signal)) => format!("128 + {signal}"),
        (None, None) => "?".to_owned(),
    }
}

impl Of {
    /// Returns the task's baseline: the one beside the records, else the newest in the ledger.
    fn baseline(&self, context: &Context) -> Result<RunRecord, CommandError> {
        let path = Folder::new(&self.records).baseline(&self.task);
        if path.exists() {
            return record::read(&path).map_err(|error| told(&error));
        }
        let kept = if self.store.is_named(context) {
            let mut ledger = self.store.open_existing(context)?;
            kept::newest(&mut ledger, &self.task).map_err(|error| store::failed(&error))?
        } else {
            None
        };
        kept.ok_or_else(|| {
            CommandError::user(Phrase::new("baseline-none").with("task", &self.task))
                .hint(Phrase::new("baseline-hint-record").with("task", &self.task))
        })
    }
}

impl Which {
    /// Returns the run that is named, else the last one of the task that ended well.
    fn run(&self, context: &Context) -> Result<RunRecord, CommandError> {
        let task = &self.of.task;
        if let Some(path) = &self.run {
            let record = record::read(path).map_err(|error| told(&error))?;
            if !record.ended_well() {
                let phrase = Phrase::new("baseline-error-failed")
                    .with("path", path.display())
                    .with("ending", ending(&record));
                return Err(CommandError::user(phrase).hint(Phrase::new("baseline-hint-failed")));
            }
            if record.task != *task {
                context.warn(
                    &Phrase::new("baseline-other-task")
                        .with("task", &record.task)
                        .with("path", path.display()),
                );
            }
            return Ok(record);
        }
        let listed = Folder::new(&self.of.records).of_task(task).map_err(|error| told(&error))?;
        for error in &listed.broken {
            let reason = context.say(&error.phrase());
            context.warn(&Phrase::new("record-passed-over").with("reason", reason));
        }
        let failed = listed.records.iter().rev().take_while(|run| !run.ended_well()).count();
        let last = listed.records.last().map(ending);
        if let Some(found) = listed.records.into_iter().rfind(RunRecord::ended_well) {
            if failed > 0 {
                context.warn(&Phrase::new("baseline-newer-failed").with("count", failed));
            }
            return Ok(found);
        }
        Err(match last {
            Some(ending) => CommandError::user(
                Phrase::new("baseline-only-failed").with("task", task).with("ending", ending),
            )
            .hint(Phrase::new("baseline-hint-failed")),
            None => CommandError::user(Phrase::new("baseline-no-run").with("task", task))
                .hint(Phrase::new("baseline-hint-run").with("task", task)),
        })
    }

    fn record(&self, context: &Context) -> Result<Exit, CommandError> {
        let record = self.run(context)?;
        // A ledger that cannot be opened is told before anything is written.
        let ledger = match self.of.store.is_named(context) {
            true => Some(self.of.store.open(context)?),
            false => None,
        };
        let path = Folder::new(&self.of.records).baseline(&self.of.task);
        record::write(&path, &record).map_err(|error| told(&error))?;
        let said = Phrase::new("baseline-recorded")
            .with("task", &self.of.task)
            .with("path", path.display());
        context.print_line(&said)?;
        if let Some((mut ledger, place)) = ledger {
            kept::keep(&mut ledger, &self.of.task, &record)
                .map_err(|error| store::failed(&error))?;
            context.print_line(&Phrase::new("baseline-in-ledger").with("place", place))?;
        }
        Ok(Exit::Done)
    }

    fn compare(&self, context: &Context) -> Result<Exit, CommandError> {
        let before = self.of.baseline(context)?;
        let now = self.run(context)?;
        let changes = compare(&before, &now);
        if changes.is_empty() {
            return Err(CommandError::user(Phrase::new("baseline-nothing-common")));
        }
        context.print_table(&table(&changes, context))?;
        let worse = changes.iter().any(|change| change.beyond_noise && change.worse);
        if context.settings.format == crate::settings::Format::Table {
            if let Some(found) = scaling(&before, &now) {
                say_scaling(&found, context)?;
            }
            if changes.iter().any(|change| change.beyond_noise) {
                for cause in causes(&before, &now) {
                    let cause = Phrase::new("baseline-cause").with("cause", context.say(&cause));
                    context.print_line(&cause)?;
                }
            } else {
                context.print_line(&Phrase::new("baseline-same"))?;
            }
        }
        Ok(if worse { Exit::AnswerIsNo } else { Exit::Done })
    }
}

/// Says what more cards, or fewer, brought, and what the same work costs on them.
fn say_scaling(found: &Scaling, context: &Context) -> Result<(), CommandError> {
    let key = if found.cards.1 > found.cards.0 && found.cost > 1.05 {
        "baseline-scaling-dearer"
    } else {
        "baseline-scaling"
    };
    let said = Phrase::new(key)
        .with("before", found.cards.0)
        .with("now", found.cards.1)
        .with("throughput", format!("{:.2}", found.throughput))
        .with("efficiency", format!("{:.0}%", found.efficiency * 100.0))
        .with("cost", format!("{:.2}", found.cost));
    context.print_line(&said)?;
    if found.by_steps {
        context.print_line(&Phrase::new("baseline-scaling-by-steps"))?;
    }
    Ok(())
}

/// Returns the name of a measure; what a rate counts stands in it.
fn name(measure: &Measure, context: &Context) -> String {
    let counted = |key: &'static str, unit: &str| {
        let known = format!("{key}-{unit}");
        if context.words.has(&known) {
            context.words.word(&known)
        } else {
            context.say(&Phrase::new(key).with("unit", unit))
        }
    };
    match measure {
        Measure::Rate(unit) => counted("baseline-rate", unit),
        Measure::CostPerThousand(unit) => counted("baseline-cost-thousand", unit),
        plain => context.words.word(plain.key()),
    }
}

fn table(changes: &[Change], context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("measure", word("baseline-column-measure")),
        Column::figures("before", word("baseline-column-before")),
        Column::figures("now", word("baseline-column-now")),
        Column::figures("change_percent", word("baseline-column-change")),
        Column::words("judgement", word("baseline-column-judgement")),
    ]);
    for change in changes {
        let shown = |value: f64| match change.what {
            Measure::MemoryPeak => Bytes::from_estimate(value).to_string(),
            _ => figure(value),
        };
        let share = if change.before.abs() > f64::EPSILON {
            let percent = (change.now - change.before) / change.before * 100.0;
            Cell::new(format!("{percent:+.1}"))
        } else {
            Cell::unknown("-")
        };
        let (judgement, raw, tone) = match (change.beyond_noise, change.worse) {
            (false, _) => ("baseline-noise", "noise", Tone::Faint),
            (true, true) => ("baseline-worse", "worse", Tone::Bad),
            (true, false) => ("baseline-better", "better", Tone::Good),
        };
        table.push(vec![
            Cell::new(name(&change.what, context)),
            Cell::with_raw(shown(change.before), change.before.to_string()),
            Cell::with_raw(shown(change.now), change.now.to_string()),
            share,
            Cell::with_raw(word(judgement), raw).toned(tone),
        ]);
    }
    table
}

/// Writes a figure with four digits that say something: a step may take 0.0012 s or 31 s.
pub(super) fn figure(value: f64) -> String {
    let size = value.abs();
    if size >= 1000.0 {
        format!("{value:.0}")
    } else if size >= 1.0 || size == 0.0 {
        format!("{value:.2}")
    } else {
        #[expect(clippy::cast_possible_truncation, reason = "the exponent of a float")]
        let zeros = (-size.log10().floor()) as i32;
        format!("{value:.*}", usize::try_from(zeros + 3).unwrap_or(4).min(12))
    }
}
