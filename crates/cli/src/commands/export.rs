//! `kasuan export focus|xlsx|opencost`: the ledger in the formats of others.

use super::review::gather::{self, Asked};
use crate::{
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
    market,
    month::{Month, Zone},
    store::{self, Store},
};
use kasuan_formats::focus;
use kasuan_model::{Charge, Currency, Phrase};
use kasuan_report::{Cell, Column, Table, tables_workbook};
use kasuan_review::Scope;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Focus(Wanted),
    Xlsx(Wanted),
    Opencost(Wanted),
}

#[derive(Debug, clap::Args)]
struct Wanted {
    #[arg(long, value_name = "MONTH")]
    month: Option<Month>,
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true, default_value = "+08:00")]
    zone: Zone,
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[arg(long, value_name = "CODE=RATE")]
    rate: Vec<String>,
    #[command(flatten)]
    store: Store,
}

/// Runs the command.
pub(crate) fn run(arguments: &Export, context: &Context) -> Result<Exit, CommandError> {
    match &arguments.what {
        What::Focus(wanted) => {
            let charges = wanted.charges(context)?;
            wanted.give(focus::write(&charges).as_bytes(), context)
        }
        What::Xlsx(wanted) => {
            let table = sheet(&wanted.charges(context)?, context);
            let book = tables_workbook(&[(context.words.word("export-sheet"), table)])?;
            if wanted.output.is_none() {
                return Err(CommandError::user(Phrase::new("export-error-output"))
                    .hint(Phrase::new("export-hint-output")));
            }
            wanted.give(&book, context)
        }
        What::Opencost(wanted) => {
            let text = format!("{:#}\n", opencost(wanted, context)?);
            wanted.give(text.as_bytes(), context)
        }
    }
}

impl Wanted {
    fn month(&self, context: &Context) -> Month {
        self.month.unwrap_or_else(|| Month::before(context.settings.today))
    }

    fn charges(&self, context: &Context) -> Result<Vec<Charge>, CommandError> {
        let month = self.month(context);
        let (from, to) = month
            .span(self.zone)
            .ok_or_else(|| CommandError::user(Phrase::new("review-error-empty-span")))?;
        let mut ledger = self.store.open_existing(context)?;
        let charges = ledger.bill_charges(from, to).map_err(|error| store::failed(&error))?;
        if charges.is_empty() {
            let phrase = Phrase::new("export-error-nothing").with("month", month);
            return Err(CommandError::user(phrase).hint(Phrase::new("store-hint-missing")));
        }
        Ok(charges)
    }

    fn give(&self, bytes: &[u8], context: &Context) -> Result<Exit, CommandError> {
        match &self.output {
            None => context.print(&String::from_utf8_lossy(bytes))?,
            Some(path) => {
                files::write(path, bytes, Existing::Replace)?;
                context.tell(&Phrase::new("plan-output-written").with("path", path.display()));
            }
        }
        Ok(Exit::Done)
    }
}

fn sheet(charges: &[Charge], context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("start", word("export-column-start")),
        Column::words("end", word("export-column-end")),
        Column::words("provider", word("review-scope-provider")),
        Column::words("service", word("export-column-service")),
        Column::words("resource", word("export-column-resource")),
        Column::words("card", word("review-scope-card")),
        Column::figures("cards", word("export-column-cards")),
        Column::figures("quantity", word("export-column-quantity")),
        Column::words("unit", word("review-column-unit")),
        Column::words("currency", word("export-column-currency")),
        Column::figures("billed", word("review-column-billed")),
        Column::figures("effective", word("review-column-actual")),
        Column::words("invoice", word("export-column-invoice")),
    ]);
    let known = |text: Option<String>| text.map_or_else(|| Cell::unknown(""), Cell::new);
    for charge in charges {
        table.push(vec![
            Cell::new(charge.charge_period.0.to_string()),
            Cell::new(charge.charge_period.1.to_string()),
            Cell::new(&charge.provider),
            Cell::new(&charge.service),
            known(charge.resource.clone()),
            known(charge.card.as_ref().map(ToString::to_string)),
            known(charge.cards.map(|cards| cards.to_string())),
            known(charge.quantity.map(|quantity| quantity.normalize().to_string())),
            known(charge.unit.clone()),
            Cell::new(charge.billed.currency().code()),
            Cell::new(charge.billed.amount().normalize().to_string()),
            Cell::new(charge.effective.amount().normalize().to_string()),
            known(charge.invoice.clone()),
        ]);
    }
    table
}

/// Writes the month in the shape of OpenCost's allocation answer (`GET /allocation`, one window,
/// aggregated by job). OpenCost's amounts are JSON numbers and carry no currency; it stands beside.
fn opencost(wanted: &Wanted, context: &Context) -> Result<Value, CommandError> {
    let month = wanted.month(context);
    let mut ledger = wanted.store.open_existing(context)?;
    let rates = market::rates(&wanted.rate, Some(Currency::CNY))?;
    let asked = Asked {
        month,
        zone: wanted.zone,
        currency: None,
        rates: &rates,
        budget: None,
        gb_month: None,
    };
    let gathered = gather::gather(&mut ledger, &asked, context)?;
    let review = kasuan_review::review(&gathered.input)?;
    let (from, to) = (gathered.input.from, gathered.input.to);
    let window = json!({"start": from.to_string(), "end": to.to_string()});
    let minutes = (to.as_second() - from.as_second()) / 60;
    let number = |text: String| text.parse::<f64>().unwrap_or(0.0);
    let jobs = review.budget.get(&Scope::Job).into_iter().flatten();
    let allocations: serde_json::Map<String, Value> = jobs
        .filter_map(|line| {
            let name = if line.name.is_empty() { "__idle__" } else { line.name.as_str() };
            let seen = gathered.input.usage.iter().filter(|hour| *hour.job == *line.name);
            let hours: f64 = seen.map(|hour| hour.seen / 3600.0).sum();
            let cost = number(line.actual?.amount().to_string());
            let allocation = json!({
                "name": name,
                "properties": {"job": line.name, "currency": review.billed.currency().code()},
                "window": window,
                "start": from.to_string(),
                "end": to.to_string(),
                "minutes": minutes,
                "gpuHours": hours,
                "gpuCost": cost,
                "totalCost": cost,
            });
            Some((name.to_owned(), allocation))
        })
        .collect();
    Ok(json!({"code": 200, "status": "success", "data": [allocations]}))
}
