//! `kasuan review`: what was used and paid in a month, against the budget, and where money was lost.

pub(crate) mod gather;

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
    market,
    month::{Month, Zone},
    settings::Format,
    store::Store,
};
use kasuan_model::{Currency, Phrase};
use kasuan_report::ReviewReport;
use rust_decimal::Decimal;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Review {
    #[arg(long, value_name = "MONTH")]
    month: Option<Month>,
    #[arg(long, value_name = "FILE")]
    budget: Option<PathBuf>,
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true, default_value = "+08:00")]
    zone: Zone,
    #[arg(long, value_name = "CODE")]
    currency: Option<Currency>,
    #[arg(long, value_name = "CODE=RATE")]
    rate: Vec<String>,
    #[arg(long, value_name = "PRICE")]
    gb_month: Option<Decimal>,
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    store: Store,
}

/// Runs the command.
pub(crate) fn run(arguments: &Review, context: &Context) -> Result<Exit, CommandError> {
    let month = arguments.month.unwrap_or_else(|| Month::before(context.settings.today));
    let mut ledger = arguments.store.open_existing(context)?;
    let currency = arguments.currency;
    let rates = market::rates(&arguments.rate, currency.or(Some(Currency::CNY)))?;
    let asked = gather::Asked {
        month,
        zone: arguments.zone,
        currency,
        rates: &rates,
        budget: arguments.budget.as_deref(),
        gb_month: arguments.gb_month,
    };
    let gathered = gather::gather(&mut ledger, &asked, context)?;
    let review = kasuan_review::review(&gathered.input)?;
    let report = ReviewReport {
        review: &review,
        month: month.to_string(),
        zone: arguments.zone.to_string(),
        notes: &gathered.notes,
    };
    if let Some(path) = &arguments.output {
        let bytes = match path.extension().and_then(|e| e.to_str()) {
            Some("xlsx") => report.workbook(&context.words)?,
            Some("md") => report.document(&context.words).to_markdown().into_bytes(),
            Some("json") => format!("{:#}\n", report.json(&context.words)).into_bytes(),
            Some("csv") => report.table(&context.words).to_csv().into_bytes(),
            _ => {
                let phrase = Phrase::new("plan-output-unknown").with("path", path.display());
                return Err(CommandError::user(phrase).hint(Phrase::new("review-hint-output")));
            }
        };
        files::write(path, &bytes, Existing::Replace)?;
        context.tell(&Phrase::new("plan-output-written").with("path", path.display()));
    }
    match context.settings.format {
        Format::Json => context.print_json(&report.json(&context.words))?,
        Format::Csv => context.print(&report.table(&context.words).to_csv())?,
        Format::Markdown => context.print(&report.document(&context.words).to_markdown())?,
        Format::Table => {
            let document = report.document(&context.words);
            context.print(&document.to_text(context.paint(), context.settings.width))?;
        }
    }
    Ok(if gathered.over_budget(&review) { Exit::AnswerIsNo } else { Exit::Done })
}
