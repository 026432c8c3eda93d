//! The sheet of the safety margin: its rate, the simulated range, the cap, what naive choices cost,
//! and what to give up.

use super::{
    cost::AMOUNT,
    layout::{Layout, Rule},
    page::{Page, Style, Value, reference},
};
use crate::{PlanReport, Words};
use kasuan_formats::plan_json::v1::baseline_word;
use kasuan_plan::workload::Margin;
use rust_decimal::Decimal;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The column of values.
pub(super) const VALUE: char = 'B';
/// The row of the margin's rate.
pub(super) const RATE_ROW: u32 = 3;

/// Writes the sheet.
pub(super) fn margin(
    sheet: &mut Worksheet,
    layout: &Layout,
    report: &PlanReport<'_>,
    words: &Words,
) -> Result<(), XlsxError> {
    let plan = report.plan;
    let budget = &plan.budget;
    let mut page = Page::new(sheet, &layout.names.margin)?;
    let label = |key: &str| (Value::text(words.word(key)), Style::Words);
    page.headings(&["report-line", "report-amount"], words, true)?;
    let total = plan.total.amount();
    let total_at = reference(&layout.names.cost, AMOUNT, layout.total_row());
    let margin_row = layout.row_of(kasuan_plan::outcome::CostKind::Margin);
    let margin = layout.lines.iter().find_map(|(line, rule)| match rule {
        Rule::Margin(share) => {
            Some((*share, line.amount.map_or(Decimal::ZERO, kasuan_model::Money::amount)))
        }
        _ => None,
    });
    let (rate, amount) = margin.unwrap_or_default();
    let before = layout.before_margin();
    let margin_at =
        margin_row.map_or_else(|| "0".to_owned(), |row| reference(&layout.names.cost, AMOUNT, row));
    page.row(vec![
        label("sheet-before-margin"),
        (Value::formula(format!("={total_at}-{margin_at}"), before), Style::Money),
    ])?;
    let simulated = matches!(report.workload.policy.margin, Margin::P80 | Margin::P90);
    let mut cells = vec![label("sheet-margin-rate"), (Value::decimal(rate), Style::ShareInput)];
    if simulated {
        cells.push((Value::text(words.word("sheet-fixed-rate")), Style::Faint));
    }
    page.row(cells)?;
    page.row(vec![
        label("cost-margin"),
        (Value::formula(format!("={margin_at}"), amount), Style::Money),
    ])?;
    page.row(vec![
        label("report-sum"),
        (Value::formula(format!("={total_at}"), total), Style::Total),
    ])?;
    page.gap();
    for (key, percentile) in
        [("sheet-p50", budget.p50), ("sheet-p80", budget.p80), ("sheet-p90", budget.p90)]
    {
        page.row(vec![
            label(key),
            (Value::money(percentile), Style::Money),
            (Value::text(words.word("sheet-fixed-simulated")), Style::Faint),
        ])?;
    }
    for (key, factor, flat) in
        [("sheet-flat-20", "1.2", budget.flat.0), ("sheet-flat-30", "1.3", budget.flat.1)]
    {
        let formula = format!("=ROUND({VALUE}2*{factor},2)");
        page.row(vec![label(key), (Value::formula(formula, flat.amount()), Style::Money)])?;
    }
    if let Some(cap) = report.workload.policy.cap {
        page.gap();
        let row = page.next_row();
        page.row(vec![label("sheet-cap"), (Value::money(cap), Style::NumberInput)])?;
        let (over, within) = (words.word("sheet-over"), words.word("sheet-within"));
        let now = if total > cap.amount() { over.clone() } else { within.clone() };
        let formula = format!("=IF({VALUE}5>{VALUE}{row},\"{over}\",\"{within}\")");
        page.row(vec![label("sheet-cap-state"), (Value::Formula(formula, now), Style::Words)])?;
    }
    page.gap();
    page.line(words.word("sheet-fixed-replanned"), Style::Faint)?;
    let headings = ["report-naive", "report-amount", "sheet-plan-saves", "report-note"];
    page.headings(&headings, words, false)?;
    for baseline in &plan.baselines {
        let name = words.word(&format!("baseline-{}", baseline_word(baseline.kind)));
        let notes: Vec<_> = baseline.note.iter().map(|note| words.say(note)).collect();
        let row = page.next_row();
        let (amount, saving) = match baseline.total {
            Some(other) => (
                Value::money(other),
                Value::formula(format!("={VALUE}{row}-{VALUE}$5"), other.amount() - total),
            ),
            None => (Value::text(words.word("report-impossible")), Value::Blank),
        };
        page.row(vec![
            (Value::text(name), Style::Words),
            (amount, Style::Money),
            (saving, Style::Money),
            (Value::text(notes.join(&words.word("report-comma"))), Style::Words),
        ])?;
    }
    page.gap();
    let headings = ["report-action", "report-saving", "report-total-then", "report-price-of-it"];
    page.headings(&headings, words, false)?;
    for action in &plan.fallback {
        page.row(vec![
            (Value::text(words.say(&action.action)), Style::Words),
            (Value::money(action.saving), Style::Money),
            (Value::money(action.total), Style::Money),
            (Value::text(words.say(&action.price)), Style::Words),
        ])?;
    }
    page.finish()
}
