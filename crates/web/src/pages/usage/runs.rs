//! Runs of the last weeks, each beside what the same job took before.

use crate::{charts::escape, numbers, pages::html, problem::Problem};
use jiff::{Timestamp, tz::Offset};
use kasuan_ledger::Ledger;
use kasuan_model::{Run, Seconds};
use kasuan_report::{Cell, Column, Table, Tone, Words};
use std::collections::BTreeMap;

/// Runs that are shown; older ones are in `kasuan review`.
const MOST: usize = 50;
/// Slower than before by more than this is worth a look; runs of one job differ by less.
const SLOWER: f64 = 0.10;

/// Writes the table; nothing when there were no runs.
pub(super) fn table(
    ledger: &mut Ledger,
    from: Timestamp,
    until: Timestamp,
    zone: Offset,
    words: &Words,
) -> Result<String, Problem> {
    let runs = ledger.runs(from, until).map_err(|error| Problem::of(&error))?;
    if runs.is_empty() {
        return Ok(String::new());
    }
    let word = |key: &str| words.word(key);
    let mut table = Table::new(vec![
        Column::words("job", word("review-scope-job")),
        Column::words("start", word("web-run-start")),
        Column::words("where", word("web-host")),
        Column::figures("hours", word("web-run-hours")),
        Column::words("end", word("web-run-end")),
        Column::figures("pace", word("web-run-pace")),
        Column::figures("usual", word("web-run-usual")),
        Column::figures("change", word("web-run-change")),
    ]);
    let mut rows = Vec::new();
    let mut before: BTreeMap<Key<'_>, Vec<f64>> = BTreeMap::new();
    for run in &runs {
        let earlier = before.entry(key(run)).or_default();
        let pace = pace(run);
        rows.push(row(run, pace, middle(earlier), zone, words));
        // What failed says nothing of how long the job takes.
        if let (Some(pace), Some(0)) = (pace, run.exit_code) {
            earlier.push(pace);
        }
    }
    rows.reverse();
    for row in rows.into_iter().take(MOST) {
        table.push(row);
    }
    let title = word("web-runs");
    Ok(format!(
        "<h3>{}</h3><p class=\"faint\">{}</p>{}",
        escape(&title),
        escape(&word("web-runs-help")),
        html::table(&table, &title)
    ))
}

/// What must be the same for two runs to be compared.
type Key<'a> = (&'a str, Option<&'a str>, u32, Option<&'a str>);

fn key(run: &Run) -> Key<'_> {
    let card = run.card.as_ref().map(kasuan_model::CardId::as_str);
    (&run.job, card, run.cards, run.work_unit.as_deref().filter(|_| run.work.is_some()))
}

/// Returns the seconds of a unit of work, else of the whole run.
fn pace(run: &Run) -> Option<f64> {
    let seconds = run.end?.duration_since(run.start).as_secs_f64();
    let work = run.work.filter(|work| *work > 0.0).unwrap_or(1.0);
    (seconds > 0.0).then(|| seconds / work)
}

fn middle(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

fn row(run: &Run, pace: Option<f64>, usual: Option<f64>, zone: Offset, words: &Words) -> Vec<Cell> {
    let unknown = || Cell::unknown(words.word("report-unknown")).toned(Tone::Faint);
    let unit = match (&run.work_unit, run.work) {
        (Some(unit), Some(_)) => format!("s/{unit}"),
        _ => "s".to_owned(),
    };
    let shown = |pace: f64| Cell::new(format!("{} {unit}", numbers::short(pace)));
    let length = run.end.map(|end| end.duration_since(run.start).as_secs());
    let length = length.and_then(|seconds| u64::try_from(seconds).ok());
    let end = match (run.exit_code, run.end) {
        (Some(0), _) => Cell::new(words.word("web-run-good")).toned(Tone::Good),
        (Some(code), _) => Cell::new(code.to_string()).toned(Tone::Bad),
        (None, _) => unknown(),
    };
    let change = pace.zip(usual).map(|(pace, usual)| pace / usual - 1.0).map(|change| {
        let cell = Cell::new(format!("{:+.0}%", change * 100.0));
        if change > SLOWER { cell.toned(Tone::Bad) } else { cell }
    });
    let card = run.card.as_ref().map_or_else(String::new, |card| format!(" · {card}"));
    vec![
        Cell::new(&run.job),
        Cell::new(zone.to_datetime(run.start).strftime("%m-%d %H:%M").to_string()),
        Cell::new(format!("{} · {}{card}", run.host, run.cards)),
        length.map_or_else(unknown, |s| Cell::new(numbers::hours(Seconds::new(s)))),
        end,
        pace.map_or_else(unknown, shown),
        usual.map_or_else(|| Cell::new("—").toned(Tone::Faint), shown),
        change.unwrap_or_else(|| Cell::new("—").toned(Tone::Faint)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_what_was_is_what_a_run_is_compared_with() {
        assert_eq!(middle(&[]), None);
        assert_eq!(middle(&[3.0]), Some(3.0));
        assert_eq!(middle(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(middle(&[4.0, 1.0, 2.0, 3.0]), Some(2.0));
    }
}
