//! The workload file as a workbook to fill in: jobs, stored data and settings, with an example.

use super::{
    WorkbookError,
    page::{Page, Style, Value},
};
use crate::{Language, Words};
use kasuan_formats::workload::{fields::TASKS, sheets::HEADINGS};
use rust_xlsxwriter::{DataValidation, Workbook, XlsxError};

/// The columns of the sheet of jobs, by field.
const JOBS: &[&str] = &[
    "name",
    "task",
    "model",
    "runs",
    "hours",
    "hours_measured_on",
    "data.tokens",
    "data.epochs",
    "daily",
    "weekdays",
    "concurrency",
    "context",
    "memory",
    "card",
    "cards",
    "interruptible",
    "may_wait",
    "deadline",
    "modes",
];

/// The columns of the sheet of stored data.
const STORAGE: &[&str] = &["name", "size", "price"];

/// Settings with their example; each is explained by `field-SECTION-NAME`.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("currency", "CNY", "field-file-currency"),
    ("month", "", "field-file-month"),
    ("transfer.egress", "50GB", "field-transfer-egress"),
    ("team.engineer", "120 CNY/h", "field-team-engineer"),
    ("team.ops_hours", "6", "field-team-ops_hours"),
    ("team.people", "10", "field-team-people"),
    ("policy.regions", "CN", "field-policy-regions"),
    ("policy.margin", "p80", "field-policy-margin"),
    ("policy.cap", "", "field-policy-cap"),
    ("policy.tax", "", "field-policy-tax"),
    ("rates.USD", "", "field-file-rates"),
];

/// Rows of jobs that the list of tasks is offered in.
const ROWS: u32 = 500;

/// Writes the workbook in the reader's language.
///
/// # Errors
///
/// When it cannot be written.
pub fn workload_template(words: &Words) -> Result<Vec<u8>, WorkbookError> {
    let mut book = Workbook::new();
    jobs(&mut book, words)?;
    storage(&mut book, words)?;
    settings(&mut book, words)?;
    Ok(book.save_to_buffer()?)
}

/// Returns a column's heading: what a Chinese reader calls it, or the field.
fn heading(field: &str, words: &Words) -> String {
    let called = HEADINGS
        .iter()
        .find(|(name, _)| *name == field)
        .and_then(|(_, called)| called.first().filter(|_| words.language() == Language::Chinese));
    called.map_or_else(|| field.to_owned(), |&called| called.to_owned())
}

fn headings(page: &mut Page<'_>, fields: &[&str], words: &Words) -> Result<(), XlsxError> {
    let cells = fields.iter().map(|field| (Value::text(heading(field, words)), Style::Heading));
    page.row(cells.collect())?;
    page.freeze()
}

fn jobs(book: &mut Workbook, words: &Words) -> Result<(), XlsxError> {
    let sheet = book.add_worksheet();
    let rows = DataValidation::new().allow_list_strings(TASKS)?;
    sheet.add_data_validation(1, 1, ROWS, 1, &rows)?;
    let mut page = Page::new(sheet, &words.word("sheet-jobs"))?;
    headings(&mut page, JOBS, words)?;
    let model = "Qwen/Qwen2.5-7B-Instruct";
    let yes = if words.language() == Language::Chinese { "是" } else { "yes" };
    let example: [&[(&str, &str)]; 3] = [
        &[
            ("task", "lora"),
            ("model", model),
            ("runs", "2/month"),
            ("hours", "8"),
            ("hours_measured_on", "RTX 4090"),
        ],
        &[
            ("task", "inference"),
            ("model", model),
            ("daily", "08:00-18:00"),
            ("concurrency", "8"),
            ("context", "2048"),
        ],
        &[
            ("task", "batch"),
            ("runs", "1/week"),
            ("hours", "4"),
            ("hours_measured_on", "RTX 4090"),
            ("memory", "8GiB"),
            ("interruptible", yes),
        ],
    ];
    let names = ["template-tune", "template-serve", "template-data"];
    for (name, fields) in names.into_iter().zip(example) {
        let cells = JOBS.iter().map(|column| match *column {
            "name" => Value::text(words.word(name)),
            other => fields
                .iter()
                .find(|(field, _)| *field == other)
                .map_or(Value::Blank, |(_, text)| Value::text(*text)),
        });
        page.row(cells.map(|value| (value, Style::Words)).collect())?;
    }
    page.finish()
}

fn storage(book: &mut Workbook, words: &Words) -> Result<(), XlsxError> {
    let mut page = Page::new(book.add_worksheet(), &words.word("template-storage"))?;
    headings(&mut page, STORAGE, words)?;
    let cells = [words.word("template-weights"), "200GB".to_owned()];
    page.row(cells.map(|text| (Value::text(text), Style::Words)).to_vec())?;
    page.finish()
}

fn settings(book: &mut Workbook, words: &Words) -> Result<(), XlsxError> {
    let mut page = Page::new(book.add_worksheet(), &words.word("template-settings"))?;
    let heads = ["template-setting", "template-value", "template-meaning"];
    page.headings(&heads, words, true)?;
    for (name, example, meaning) in SETTINGS {
        page.row(vec![
            (Value::text(*name), Style::Words),
            (if example.is_empty() { Value::Blank } else { Value::text(*example) }, Style::Words),
            (Value::text(words.word(meaning)), Style::Words),
        ])?;
    }
    page.finish()
}
