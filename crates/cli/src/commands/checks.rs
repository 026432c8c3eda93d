//! How the checks of a machine are shown: one line each, with what to do below.

use crate::{context::Context, error::CommandError};
use kasuan_model::Phrase;
use kasuan_probe::machine::{Health, MachineCheck};
use kasuan_report::{Cell, Column, Table, Tone};
use serde_json::{Value, json};

/// Prints one check.
pub(crate) fn print_line(
    context: &Context,
    (word, tone): (&str, Tone),
    rule: &str,
    evidence: &Phrase,
    fix: Option<&Phrase>,
) -> Result<(), CommandError> {
    let mark = kasuan_report::pad_end(&context.words.word(word), 8);
    let mark = context.paint().paint(tone, &mark);
    let mut text =
        format!("{mark}{} {}\n", kasuan_report::pad_end(rule, 12), context.say(evidence));
    if let Some(fix) = fix {
        text.push_str(&format!("{}-> {}\n", " ".repeat(21), context.say(fix)));
    }
    context.print(&text)
}

/// Prints the checks of a machine.
pub(crate) fn print(context: &Context, checks: &[MachineCheck]) -> Result<(), CommandError> {
    checks.iter().try_for_each(|check| {
        let word = health_word(check.health);
        print_line(context, word, check.part, &check.evidence, check.fix.as_ref())
    })
}

/// Returns the empty table of checks.
pub(crate) fn table(context: &Context) -> Table {
    let words = &context.words;
    Table::new(vec![
        Column::words("outcome", words.word("doctor-column-outcome")),
        Column::words("rule", words.word("doctor-column-rule")),
        Column::words("evidence", words.word("doctor-column-evidence")),
        Column::words("fix", words.word("doctor-column-fix")),
        Column::words("source", words.word("doctor-column-source")),
    ])
}

/// Adds a check of the machine to the table.
pub(crate) fn push(context: &Context, table: &mut Table, check: &MachineCheck) {
    let (word, tone) = health_word(check.health);
    let fix = check.fix.as_ref();
    table.push(vec![
        Cell::with_raw(context.words.word(word), check.health.as_str()).toned(tone),
        Cell::new(check.part),
        Cell::new(context.say(&check.evidence)),
        fix.map_or_else(|| Cell::unknown(""), |fix| Cell::new(context.say(fix))),
        Cell::unknown(""),
    ]);
}

/// Returns a check of the machine as JSON.
pub(crate) fn to_json(context: &Context, check: &MachineCheck) -> Value {
    json!({
        "part": check.part,
        "outcome": check.health.as_str(),
        "evidence": context.say(&check.evidence),
        "fix": check.fix.as_ref().map(|fix| context.say(fix)),
    })
}

/// Returns the word and the tone of a health.
pub(crate) const fn health_word(health: Health) -> (&'static str, Tone) {
    match health {
        Health::Good => ("doctor-pass", Tone::Good),
        Health::Watch => ("doctor-watch", Tone::Warn),
        Health::Bad => ("doctor-fail", Tone::Bad),
        Health::Unknown => ("doctor-unknown", Tone::Warn),
    }
}
