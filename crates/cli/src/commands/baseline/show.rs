//! A baseline as a table: what was measured, what it cost, on what.

use super::{figure, name};
use crate::{context::Context, error::CommandError, settings::Format};
use kasuan_model::{Bytes, Phrase};
use kasuan_probe::run::{
    baseline::{Measure, busy, cards, cost_per_step, costs_per_thousand, peak},
    record::RunRecord,
};
use kasuan_report::{Cell, Column, Table};

/// Prints a baseline; as JSON it is the record itself.
pub(super) fn show(run: &RunRecord, context: &Context) -> Result<(), CommandError> {
    if context.settings.format == Format::Json {
        let document = serde_json::to_value(run)
            .map_err(|error| CommandError::output(&std::io::Error::from(error)))?;
        return context.print_json(&document);
    }
    context.print_table(&table(run, context))
}

fn table(run: &RunRecord, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("measure", word("baseline-column-measure")),
        Column::words("value", word("baseline-column-value")),
    ]);
    let mut put = |name: String, shown: Option<String>, raw: Option<String>| {
        // What was not measured is said to be unknown, and is not left out.
        let cell = match (shown, raw) {
            (Some(shown), Some(raw)) => Cell::with_raw(shown, raw),
            (Some(shown), None) => Cell::new(shown),
            (None, _) => Cell::unknown("-"),
        };
        table.push(vec![Cell::new(name), cell]);
    };
    put(word("baseline-task"), Some(run.task.clone()), None);
    put(word("baseline-started"), Some(run.started.clone()), None);
    let cards = Some(cards(run)).filter(|cards| !cards.is_empty());
    put(word("baseline-cards"), cards, None);
    let command = run.command.join(" ");
    put(word("baseline-command"), (!command.is_empty()).then_some(command), None);
    let mut measured = |what: &Measure, value: Option<f64>, currency: bool| {
        let shown = value.map(|value| match (what, currency, &run.currency) {
            (Measure::MemoryPeak, ..) => Bytes::from_estimate(value).to_string(),
            (_, true, Some(currency)) => format!("{} {currency}", figure(value)),
            _ => figure(value),
        });
        put(name(what, context), shown, value.map(|value| value.to_string()));
    };
    measured(&Measure::StepSeconds, run.log.step_seconds_median, false);
    for (unit, rate) in &run.log.rates {
        measured(&Measure::Rate(unit.clone()), Some(*rate), false);
    }
    measured(&Measure::Busy, busy(run), false);
    measured(&Measure::MemoryPeak, peak(run), false);
    measured(&Measure::CostPerStep, cost_per_step(run), true);
    for (unit, cost) in costs_per_thousand(run) {
        measured(&Measure::CostPerThousand(unit), Some(cost), true);
    }
    for (name, version) in &run.environment {
        let name = context.say(&Phrase::new("baseline-environment").with("name", name));
        table.push(vec![Cell::new(name), Cell::new(version.clone())]);
    }
    table
}
