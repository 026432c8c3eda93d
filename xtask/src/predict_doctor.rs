//! `cargo xtask predict doctor CASES.csv`: a verdict for every environment of a case file.

use kasuan_probe::doctor::{Diagnosis, Tables, diagnose, environment_from_row};
use std::io::Write as _;

/// Columns that tell how it went; they are dropped on load, before anything is looked at.
const MEASURED: &[&str] = &["error", "rule", "resolution", "expected", "inferred_by_me", "url"];

/// Prints `id,verdict,reason` for every row of `path`.
pub(crate) fn run(path: &str) -> Result<(), String> {
    let tables = Tables::embedded().map_err(|error| error.to_string())?;
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_path(path)
        .map_err(|error| format!("{path}: {error}"))?;
    let header: Vec<String> = reader
        .headers()
        .map_err(|error| format!("{path}: {error}"))?
        .iter()
        .map(|name| name.trim_start_matches('\u{feff}').trim().to_owned())
        .collect();
    let mut writer = csv::Writer::from_writer(std::io::stdout());
    let failed = |error: csv::Error| format!("standard output: {error}");
    writer.write_record(["id", "verdict", "reason"]).map_err(failed)?;
    for record in reader.records() {
        let record = record.map_err(|error| format!("{path}: {error}"))?;
        let row: Vec<(&str, &str)> = header
            .iter()
            .map(String::as_str)
            .zip(record.iter())
            .filter(|(column, _)| !MEASURED.contains(column))
            .collect();
        let cell =
            |wanted: &str| row.iter().find(|(column, _)| *column == wanted).map(|(_, cell)| *cell);
        let diagnosis = diagnose(&environment_from_row(cell), &tables);
        let id = cell("id").unwrap_or("");
        writer
            .write_record([id, diagnosis.verdict.as_str(), &reason(&diagnosis)])
            .map_err(failed)?;
    }
    writer.flush().map_err(|error| format!("standard output: {error}"))?;
    std::io::stdout().flush().map_err(|error| format!("standard output: {error}"))
}

/// Writes the deciding check as `RULE phrase-key name=value ...`.
fn reason(diagnosis: &Diagnosis) -> String {
    let Some(check) = diagnosis.deciding() else { return String::new() };
    let mut text = format!("{} {}", check.rule, check.evidence.key());
    for (name, value) in check.evidence.args() {
        text.push_str(&format!(" {name}={value}"));
    }
    text
}
