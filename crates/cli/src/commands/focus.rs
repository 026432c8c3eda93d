//! `kasuan focus validate FILE`: a file against the rules of FOCUS 1.2.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files,
    settings::Format,
};
use kasuan_formats::focus::{self, FocusTable, Level, Verdict};
use kasuan_model::Phrase;
use kasuan_report::{Cell, Column, Table, Tone};
use serde_json::json;
use std::path::PathBuf;

/// No file of a month is larger.
const LARGEST: u64 = 1 << 30;

#[derive(Debug, clap::Args)]
pub(crate) struct Focus {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Validate(Validate),
}

#[derive(Debug, clap::Args)]
struct Validate {
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(long, value_name = "CRITERION")]
    supports: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Focus, context: &Context) -> Result<Exit, CommandError> {
    let Action::Validate(validate) = &arguments.action;
    let bytes = files::read_up_to(&validate.file, LARGEST)?;
    let table = FocusTable::read_csv(&bytes)
        .map_err(|error| CommandError::from(error).in_file(&validate.file))?;
    let supports = validate.supports.iter().cloned().collect();
    let verdict = focus::validate(&table, &supports).map_err(|error| {
        CommandError::surroundings(Phrase::new("focus-error-model").with("reason", error))
    })?;
    print(&verdict, table.rows.len(), context)?;
    Ok(if verdict.conforms() { Exit::Done } else { Exit::AnswerIsNo })
}

fn word(level: Level) -> (&'static str, Phrase, Tone) {
    match level {
        Level::Error => ("error", Phrase::new("focus-level-error"), Tone::Bad),
        Level::Warning => ("warning", Phrase::new("focus-level-warning"), Tone::Warn),
    }
}

fn print(verdict: &Verdict, rows: usize, context: &Context) -> Result<(), CommandError> {
    if context.settings.format == Format::Json {
        let violations = verdict.violations.iter().map(|one| {
            json!({
                "rule": one.rule,
                "level": word(one.level).0,
                "column": one.column,
                "rows": one.rows,
                "line": one.line,
                "found": one.found,
                "text": one.told,
            })
        });
        return context.print_json(&json!({
            "version": 1,
            "focus": "1.2",
            "rows": rows,
            "rules_checked": verdict.checked,
            "rules_not_applicable": verdict.skipped,
            "conforms": verdict.conforms(),
            "violations": violations.collect::<Vec<_>>(),
        }));
    }
    if !verdict.violations.is_empty() {
        let heading = |key: &str| context.words.word(key);
        let mut table = Table::new(vec![
            Column::words("level", heading("focus-column-level")),
            Column { wraps: false, ..Column::words("rule", heading("focus-column-rule")) },
            Column::figures("rows", heading("focus-column-rows")),
            Column::figures("line", heading("focus-column-line")),
            Column::words("found", heading("focus-column-found")),
            Column::words("text", heading("focus-column-text")),
        ]);
        for one in &verdict.violations {
            let (raw, phrase, tone) = word(one.level);
            let line = one.line.map(|line| line.to_string());
            table.push(vec![
                Cell::with_raw(context.say(&phrase), raw).toned(tone),
                Cell::new(&one.rule),
                Cell::new(one.rows.to_string()),
                line.map_or_else(|| Cell::unknown("—"), Cell::new),
                one.found.as_ref().map_or_else(|| Cell::unknown("—"), Cell::new),
                Cell::new(&one.told),
            ]);
        }
        context.print_table(&table)?;
    }
    let phrase = if verdict.conforms() {
        Phrase::new("focus-conforms")
            .with("rows", rows)
            .with("checked", verdict.checked)
            .with("skipped", verdict.skipped)
    } else {
        Phrase::new("focus-breaks")
            .with("rows", rows)
            .with("checked", verdict.checked)
            .with("skipped", verdict.skipped)
    };
    context.tell(&phrase);
    Ok(())
}
