//! Where the money goes: the lines of the budget with their shares.

use super::{PlanReport, lines};
use crate::{Cell, Column, Line, Part, Table, Tone, Words};
use kasuan_formats::plan_json::v1::{cost_word, driver_word};
use kasuan_model::Phrase;
use kasuan_plan::outcome::{BudgetLine, CostKind};

/// Causes that are named without `--explain`.
const MOVERS: usize = 3;

/// Columns of a full bar.
const BAR: usize = 20;

/// Writes the section.
pub(super) fn section(report: &PlanReport<'_>, words: &Words) -> Vec<Part> {
    let budget = &report.plan.budget;
    let mut table = Table::new(vec![
        Column::words("kind", words.word("report-line")),
        Column::words("bar", ""),
        Column::figures("share", words.word("report-share")),
        Column::figures("amount", words.word("report-amount")),
        Column::words("range", words.word("report-likely-range")),
    ]);
    for column in &mut table.columns {
        column.wraps = false;
    }
    let mut details = Vec::new();
    for line in &budget.lines {
        if is_nothing(line) && !report.explain {
            continue;
        }
        table.push(row(line, words));
        if line.kind == CostKind::Rent && !budget.idle.is_zero() {
            table.push(vec![
                Cell::new(words.word("report-idle")).toned(Tone::Faint),
                Cell::default(),
                Cell::default(),
                Cell::new(budget.idle.to_string()).toned(Tone::Faint),
                Cell::default(),
            ]);
        }
        if report.explain && !line.detail.is_empty() {
            details.push(Line::item(words.word(&format!("cost-{}", cost_word(line.kind)))));
            details.extend(line.detail.iter().map(|how| Line::plain(words.say(how)).deeper()));
        }
    }
    table.push(vec![
        Cell::new(words.word("report-sum")).toned(Tone::Strong),
        Cell::default(),
        Cell::default(),
        Cell::new(report.plan.total.to_string()).toned(Tone::Strong),
        Cell::default(),
    ]);
    let flat = Phrase::new("report-flat").with("low", budget.flat.0).with("high", budget.flat.1);
    let flat = Line::plain(words.say(&flat)).toned(Tone::Faint);
    let mut said = if report.any_choice() { vec![flat] } else { Vec::new() };
    said.extend(moved(report, words));
    vec![Part::Table(table), lines(said), lines(details)]
}

/// Says what moves the total most: each cause alone, from the 10th to the 90th percentile.
fn moved(report: &PlanReport<'_>, words: &Words) -> Option<Line> {
    let shown = if report.explain { usize::MAX } else { MOVERS };
    let movers = report.plan.budget.sensitivity.iter().take(shown).map(|one| {
        let mover = Phrase::new("report-mover")
            .with_word("driver", format!("driver-{}", driver_word(one.driver)))
            .with("low", signed(one.low))
            .with("high", signed(one.high));
        words.say(&mover)
    });
    let movers: Vec<_> = movers.collect();
    if movers.is_empty() {
        return None;
    }
    let list = movers.join(words.word("report-comma").as_str());
    let text = words.say(&Phrase::new("report-movers").with("list", list));
    Some(Line::plain(text).toned(Tone::Faint))
}

/// Writes a change of a sum with its sign.
fn signed(change: kasuan_model::Money) -> String {
    if change.amount().is_sign_negative() { change.to_string() } else { format!("+{change}") }
}

/// A line that is known to be nothing; an unknown line and the margin are always shown.
fn is_nothing(line: &BudgetLine) -> bool {
    line.kind != CostKind::Margin && line.amount.is_some_and(kasuan_model::Money::is_zero)
}

fn row(line: &BudgetLine, words: &Words) -> Vec<Cell> {
    let name = Cell::new(words.word(&format!("cost-{}", cost_word(line.kind))));
    let Some(amount) = line.amount else {
        return vec![
            name,
            Cell::default(),
            Cell::default(),
            Cell::unknown(words.word("report-unknown")).toned(Tone::Warn),
            Cell::new(words.word("report-not-counted")).toned(Tone::Faint),
        ];
    };
    let range = line.range.filter(|range| range.low != range.high);
    let mut range =
        range.map(|range| format!("{} – {}", range.low, range.high)).unwrap_or_default();
    if line.unknown {
        let part = words.word("report-partly-unknown");
        range = if range.is_empty() { part } else { format!("{range} {part}") };
    }
    // The margin stands on top of the whole, so it has no share of it.
    let (bar, share) = if line.kind == CostKind::Margin {
        (String::new(), String::new())
    } else {
        (bar(line.share.get()), line.share.to_string())
    };
    vec![
        name,
        Cell::new(bar).toned(Tone::Name),
        Cell::new(share),
        Cell::new(amount.to_string()),
        Cell::new(range).toned(Tone::Faint),
    ]
}

/// Draws a share as a bar in eighths of a column; a share that is not nothing shows something.
fn bar(share: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share_and_never_empty_for_something() {
        assert_eq!(bar(1.0).chars().count(), BAR);
        assert_eq!(bar(0.5), "█".repeat(10));
        assert_eq!(bar(0.0001), "▏");
        assert_eq!(bar(0.0), "");
    }
}
