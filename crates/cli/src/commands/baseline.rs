//! `kasuan baseline record|show|compare`: is a run as good as the one that was recorded?

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files,
};
use kasuan_model::{Bytes, Phrase};
use kasuan_probe::run::{
    baseline::{Change, Measure, causes, compare},
    record::{self, Folder, RecordStore as _, RunRecord},
};
use kasuan_report::{Cell, Column, Table, Tone};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Baseline {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Record(Which),
    Show(Which),
    Compare(Which),
}

#[derive(Debug, clap::Args)]
struct Which {
    #[arg(value_name = "TASK")]
    task: String,
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    #[arg(long, default_value = ".kasuan/runs", value_name = "DIR")]
    records: PathBuf,
}

/// Runs the command.
pub(crate) fn run(arguments: &Baseline, context: &Context) -> Result<Exit, CommandError> {
    match &arguments.action {
        Action::Record(which) => {
            let record = which.run()?;
            let path = Folder::new(&which.records).baseline(&which.task);
            record::write(&path, &record).map_err(|error| surroundings(&path, &error))?;
            let said = Phrase::new("baseline-recorded")
                .with("task", &which.task)
                .with("path", path.display());
            context.print_line(&said)?;
            Ok(Exit::Done)
        }
        Action::Show(which) => {
            let text = files::read_text(&Folder::new(&which.records).baseline(&which.task))?;
            context.print(&text)?;
            context.print("\n")?;
            Ok(Exit::Done)
        }
        Action::Compare(which) => which.compare(context),
    }
}

fn surroundings(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::surroundings(
        Phrase::new("baseline-error-file").with("path", path.display()).with("reason", error),
    )
}

impl Which {
    /// Returns the run that is named, else the last one of the task.
    fn run(&self) -> Result<RunRecord, CommandError> {
        if let Some(path) = &self.run {
            return record::read(path).map_err(|error| surroundings(path, &error));
        }
        let runs = Folder::new(&self.records)
            .of_task(&self.task)
            .map_err(|error| surroundings(&self.records, &error))?;
        runs.into_iter().next_back().ok_or_else(|| {
            CommandError::user(Phrase::new("baseline-no-run").with("task", &self.task))
                .hint(Phrase::new("baseline-hint-run").with("task", &self.task))
        })
    }

    fn compare(&self, context: &Context) -> Result<Exit, CommandError> {
        let path = Folder::new(&self.records).baseline(&self.task);
        if !path.exists() {
            return Err(CommandError::user(Phrase::new("baseline-none").with("task", &self.task))
                .hint(Phrase::new("baseline-hint-record").with("task", &self.task)));
        }
        let before = record::read(&path).map_err(|error| surroundings(&path, &error))?;
        let now = self.run()?;
        let changes = compare(&before, &now);
        if changes.is_empty() {
            return Err(CommandError::user(Phrase::new("baseline-nothing-common")));
        }
        context.print_table(&table(&changes, context))?;
        let worse = changes.iter().any(|change| change.beyond_noise && change.worse);
        if context.settings.format == crate::settings::Format::Table {
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
        let name = match &change.what {
            Measure::StepSeconds => word("baseline-step-seconds"),
            Measure::Rate(unit) => context.say(&Phrase::new("baseline-rate").with("unit", unit)),
            Measure::Busy => word("baseline-busy"),
            Measure::MemoryPeak => word("baseline-memory"),
            Measure::CostPerStep => word("baseline-cost"),
        };
        let shown = |value: f64| match change.what {
            Measure::MemoryPeak => Bytes::from_estimate(value).to_string(),
            _ => format!("{value:.4}"),
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
            Cell::new(name),
            Cell::with_raw(shown(change.before), change.before.to_string()),
            Cell::with_raw(shown(change.now), change.now.to_string()),
            share,
            Cell::with_raw(word(judgement), raw).toned(tone),
        ]);
    }
    table
}
