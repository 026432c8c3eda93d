//! The first sheet: what someone reads who opens the workbook for one minute.

use super::{
    cost::AMOUNT,
    layout::Layout,
    page::{Page, Style, Value, reference},
};
use crate::{PlanReport, Words};
use kasuan_formats::plan_json::v1::{baseline_word, cost_word};
use kasuan_model::{Money, Phrase};
use kasuan_plan::outcome::CostKind;
use rust_xlsxwriter::{Color, ConditionalFormatDataBar, Worksheet, XlsxError};

/// Writes the sheet.
pub(super) fn summary(
    sheet: &mut Worksheet,
    layout: &Layout,
    report: &PlanReport<'_>,
    words: &Words,
) -> Result<(), XlsxError> {
    let plan = report.plan;
    let month = report.workload.month;
    let mut page = Page::new(sheet, &layout.names.summary)?;
    page.sheet.set_screen_gridlines(false);
    let title = Phrase::new("report-title")
        .with("year", month.year().to_string())
        .with("month", month.month());
    page.line(words.say(&title), Style::Title)?;
    let made =
        Phrase::new("sheet-made").with("day", report.today).with("currency", plan.total.currency());
    page.line(words.say(&made), Style::Faint)?;
    page.gap();
    let headings = ["report-line", "report-amount", "report-share"];
    page.headings(&headings, words, false)?;
    let first = page.next_row();
    for (index, (line, _)) in layout.lines.iter().enumerate() {
        let name = words.word(&format!("cost-{}", cost_word(line.kind)));
        let row = page.next_row();
        let at = reference(&layout.names.cost, AMOUNT, layout.line_row(index));
        let Some(amount) = line.amount.map(Money::amount) else {
            page.row(vec![
                (Value::text(name), Style::Words),
                (Value::text(words.word("report-unknown")), Style::Faint),
            ])?;
            continue;
        };
        let mut cells = vec![
            (Value::text(name), Style::Words),
            (Value::formula(format!("={at}"), amount), Style::Money),
        ];
        if line.kind != CostKind::Margin {
            let before = layout.before_margin();
            let margin = layout.row_of(CostKind::Margin);
            let margin = margin
                .map_or_else(|| "0".to_owned(), |row| reference(&layout.names.cost, AMOUNT, row));
            let total = reference(&layout.names.cost, AMOUNT, layout.total_row());
            let share = amount.checked_div(before).unwrap_or_default().round_dp(12);
            let formula = format!("=IF({total}-{margin}=0,0,B{row}/({total}-{margin}))");
            cells.push((Value::formula(formula, share), Style::Share));
        }
        page.row(cells)?;
    }
    let last = page.next_row() - 1;
    if last >= first {
        let bar = ConditionalFormatDataBar::new().set_fill_color(Color::RGB(0x9F_C5_E8));
        page.sheet.add_conditional_format(first - 1, 2, last - 1, 2, &bar)?;
    }
    let total = reference(&layout.names.cost, AMOUNT, layout.total_row());
    page.row(vec![
        (Value::text(words.word("report-sum")), Style::Total),
        (Value::formula(format!("={total}"), plan.total.amount()), Style::Total),
    ])?;
    page.gap();
    let headings = [
        "report-job",
        "report-rent",
        "report-where",
        "report-used",
        "report-hourly",
        "report-cost",
    ];
    page.headings(&headings, words, false)?;
    for job in &plan.jobs {
        let mut cells = vec![(Value::text(&job.name), Style::Words)];
        match &job.choice {
            Some(choice) => cells.extend([
                (
                    Value::text(format!(
                        "{} × {}",
                        choice.cards.saturating_mul(choice.replicas.max(1)),
                        choice.card_name
                    )),
                    Style::Words,
                ),
                (
                    Value::text(format!("{} · {}", choice.provider, words.mode(choice.mode))),
                    Style::Words,
                ),
                (Value::decimal(choice.used.decimal_hours().round_dp(2)), Style::Number),
                (Value::money(choice.hourly), Style::Price),
                (Value::money(choice.cost.likely.rounded()), Style::Money),
            ]),
            None => cells.push((Value::text(words.word("report-nothing-fits")), Style::Words)),
        }
        page.row(cells)?;
    }
    page.gap();
    page.headings(&["report-naive", "report-amount", "sheet-plan-saves"], words, false)?;
    for baseline in &plan.baselines {
        let Some(other) = baseline.total else { continue };
        let name = words.word(&format!("baseline-{}", baseline_word(baseline.kind)));
        let row = page.next_row();
        let saving = other.amount() - plan.total.amount();
        page.row(vec![
            (Value::text(name), Style::Words),
            (Value::money(other), Style::Money),
            (Value::formula(format!("=B{row}-{total}"), saving), Style::Money),
        ])?;
    }
    if !plan.unknowns.is_empty() {
        page.gap();
        page.headings(&["report-unknowns"], words, false)?;
        for unknown in &plan.unknowns {
            page.line(words.say(unknown), Style::Faint)?;
        }
    }
    page.gap();
    for key in ["sheet-how-to", "sheet-follows", "sheet-stays", "sheet-exactly"] {
        page.line(words.word(key), Style::Faint)?;
    }
    page.finish()
}
