//! `kasuan bill`: what a usage of an offer is charged, line by line.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    market,
    settings::Format,
};
use jiff::civil::{Date, DateTime};
use kasuan_market::{
    Bill as Invoice, BillError, Buyer, Taxed, Terms, Usage, bill,
    bill::{BillLine, Keep, Run},
    taxed,
};
use kasuan_model::{Bytes, Estimate, Money, Offer, Phrase};
use kasuan_report::{Cell, Column, Table, Tone};
use rust_decimal::Decimal;
use std::{path::PathBuf, str::FromStr};

#[derive(Debug, clap::Args)]
pub(crate) struct Bill {
    #[arg(long, value_name = "ID")]
    offer: String,
    #[arg(long, value_name = "TIME")]
    from: String,
    #[arg(long, value_name = "TIME")]
    to: String,
    #[arg(long, value_name = "TIME..TIME")]
    stop: Vec<String>,
    #[arg(long, value_name = "TIME..TIME")]
    no_card: Vec<String>,
    #[arg(long, value_name = "TIME")]
    given_back: Option<String>,
    #[arg(long)]
    reclaimed: bool,
    #[arg(long, value_name = "[KIND=]SIZE")]
    storage: Vec<String>,
    #[arg(long, value_name = "SIZE")]
    egress: Option<Bytes>,
    #[arg(long, value_enum)]
    tax: Option<BuyerChoice>,
    #[arg(long, value_name = "FILE")]
    prices: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum BuyerChoice {
    General,
    Small,
}

impl BuyerChoice {
    const fn buyer(self) -> Buyer {
        match self {
            Self::General => Buyer::General,
            Self::Small => Buyer::Small,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Small => "small",
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Bill, context: &Context) -> Result<Exit, CommandError> {
    let catalogue = market::catalogue(&arguments.prices, context)?;
    let Some(offer) = catalogue.offer(&arguments.offer) else {
        return Err(market::unknown_offer(&arguments.offer, &catalogue));
    };
    let usage = usage(arguments)?;
    let day = usage.runs.first().map_or(context.settings.today, |run| run.from.date());
    let terms = catalogue.terms(&offer.provider, Some(day));
    let invoice = bill(&usage, offer, terms)?;
    let tax = match arguments.tax {
        None => None,
        Some(choice) => {
            Some((choice, taxed(invoice.total, terms, choice.buyer()).map_err(BillError::from)?))
        }
    };
    if context.settings.format == Format::Json {
        let mut document = json(&invoice, offer, &terms.source.text, context);
        if let (Some(tax), Some(fields)) = (tax, document.as_object_mut()) {
            fields.insert("tax".to_owned(), tax_json(tax, &terms.source.text));
        }
        context.print_json(&document)?;
        return Ok(Exit::Done);
    }
    context.print_table(&table(&invoice, context))?;
    if context.settings.format != Format::Table {
        return Ok(Exit::Done);
    }
    context.print("\n")?;
    context.print_line(&Phrase::new("bill-total").with("total", range(invoice.total)))?;
    if let Some(effective) = invoice.effective_hourly() {
        context.print_line(
            &Phrase::new("bill-effective")
                .with("effective", market::small(effective))
                .with("listed", market::small(offer.hourly())),
        )?;
    }
    show_tax(tax, terms, context)?;
    for warning in &invoice.warnings {
        context.warn(warning);
    }
    for unknown in &invoice.unknown {
        context.print_line(&Phrase::new("bill-unknown").with("what", context.say(unknown)))?;
    }
    if context.settings.explain {
        let source = &offer.source;
        let date = source.date.map_or_else(|| "?".to_owned(), |date| date.to_string());
        context.print_line(
            &Phrase::new("bill-source-price")
                .with("source", &source.text)
                .with("date", date)
                .with("grade", source.grade),
        )?;
        let date = terms.source.date.map_or_else(|| "?".to_owned(), |date| date.to_string());
        context.print_line(
            &Phrase::new("bill-source-terms")
                .with("source", &terms.source.text)
                .with("date", date)
                .with("grade", terms.source.grade),
        )?;
    }
    Ok(Exit::Done)
}

type Tax = (BuyerChoice, Option<Taxed>);

/// Says what tax does to the total, and what the provider states of it.
fn show_tax(tax: Option<Tax>, terms: &Terms, context: &Context) -> Result<(), CommandError> {
    let Some((choice, seen)) = tax else {
        // Only where it would change the amount is it worth a line.
        let open = terms.country == "CN" && terms.tax.included.is_none();
        return if open { context.print_line(&Phrase::new("bill-tax-open")) } else { Ok(()) };
    };
    let Some(seen) = seen else {
        return context.print_line(&Phrase::new("bill-tax-abroad"));
    };
    let rate = (seen.rate * Decimal::ONE_HUNDRED).normalize();
    context.print_line(
        &Phrase::new("bill-tax")
            .with("buyer", choice.word())
            .with("paid", range(seen.paid))
            .with("tax", range(seen.tax))
            .with("cost", range(seen.cost))
            .with("rate", rate),
    )?;
    let included = match seen.included {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    let invoice = match terms.tax.vat_invoice {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    context.print_line(
        &Phrase::new("bill-tax-basis")
            .with("included", included)
            .with("invoice", invoice)
            .with("stated", if seen.rate_stated { "yes" } else { "no" })
            .with("rate", rate)
            .with("source", &terms.source.text),
    )
}

fn tax_json((choice, seen): Tax, source: &str) -> serde_json::Value {
    let estimate = |of: Estimate<Money>| {
        let amount = |money: Money| money.amount().round_dp(8).normalize().to_string();
        serde_json::json!({
            "low": amount(of.low), "likely": amount(of.likely), "high": amount(of.high),
        })
    };
    match seen {
        None => serde_json::json!({ "buyer": choice.word(), "vat_invoice": false }),
        Some(seen) => serde_json::json!({
            "buyer": choice.word(),
            "rate": seen.rate.normalize().to_string(),
            "rate_stated": seen.rate_stated,
            "included": seen.included,
            "paid": estimate(seen.paid),
            "tax": estimate(seen.tax),
            "cost": estimate(seen.cost),
            "source": source,
        }),
    }
}

fn usage(arguments: &Bill) -> Result<Usage, CommandError> {
    let from = moment(&arguments.from)?;
    let to = moment(&arguments.to)?;
    let mut pauses = intervals(&arguments.stop)?;
    pauses.sort();
    let mut runs = Vec::new();
    let mut at = from;
    for (stop, start) in pauses {
        if stop > at {
            runs.push(Run::new(at, stop.min(to)));
        }
        at = at.max(start);
    }
    if at < to || runs.is_empty() {
        runs.push(Run::new(at, to));
    }
    for (from, to) in intervals(&arguments.no_card)? {
        runs.push(Run { without_card: true, ..Run::new(from, to) });
    }
    runs.sort_by_key(|run| run.from);
    if let Some(last) = runs.last_mut() {
        last.reclaimed = arguments.reclaimed;
    }
    let mut storage = Vec::new();
    for text in &arguments.storage {
        let (kind, size) = match text.split_once('=') {
            Some((kind, size)) => (Some(kind.trim().to_owned()), size),
            None => (None, text.as_str()),
        };
        let size = Bytes::from_str(size)
            .map_err(|_| CommandError::user(Phrase::new("error-size").with("text", size)))?;
        storage.push(Keep { kind, size, from, to });
    }
    Ok(Usage {
        runs,
        released: Some(to),
        given_back: arguments.given_back.as_deref().map(moment).transpose()?,
        storage,
        egress: arguments.egress.unwrap_or_default(),
    })
}

/// Reads `2026-12-01T09:00`, with a blank in the middle, or a bare date, which is its midnight.
fn moment(text: &str) -> Result<DateTime, CommandError> {
    let text = text.trim();
    text.parse::<DateTime>()
        .or_else(|_| text.replacen(' ', "T", 1).parse())
        .or_else(|_| text.parse::<Date>().map(|date| date.at(0, 0, 0, 0)))
        .map_err(|_| {
            CommandError::user(Phrase::new("error-moment").with("text", text))
                .hint(Phrase::new("hint-moment"))
        })
}

fn intervals(texts: &[String]) -> Result<Vec<(DateTime, DateTime)>, CommandError> {
    let mut found = Vec::new();
    for text in texts {
        let (from, to) = text.split_once("..").ok_or_else(|| {
            CommandError::user(Phrase::new("error-interval").with("text", text))
                .hint(Phrase::new("hint-interval"))
        })?;
        found.push((moment(from)?, moment(to)?));
    }
    Ok(found)
}

fn range(amount: Estimate<Money>) -> String {
    if amount.low.rounded() == amount.high.rounded() {
        amount.likely.to_string()
    } else {
        format!("{} ({} – {})", amount.likely, amount.low, amount.high)
    }
}

fn table(invoice: &Invoice, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        market::id_column("kind", word("bill-kind")),
        market::id_column("from", word("bill-from")),
        market::id_column("to", word("bill-to")),
        Column::figures("quantity", word("bill-quantity")),
        market::id_column("unit", word("bill-unit")),
        Column::figures("unit_price", word("bill-unit-price")),
        Column::figures("amount", word("bill-amount")),
        Column::words("how", word("bill-how")),
    ]);
    for line in &invoice.lines {
        table.push(vec![
            Cell::with_raw(context.say(&market::line_kind(line.kind)), line.kind.word()),
            when(line.from),
            when(line.to),
            quantity(line),
            Cell::with_raw(context.say(&market::unit(line.unit)), line.unit.word()),
            market::money(line.unit_price),
            Cell::with_raw(range(line.amount), line.amount.likely.amount().normalize().to_string())
                .toned(Tone::Strong),
            Cell::new(market::join(&line.how, context)),
        ]);
    }
    table
}

fn when(moment: Option<DateTime>) -> Cell {
    match moment {
        None => Cell::new(""),
        Some(moment) => {
            let shown = moment.strftime("%m-%d %H:%M").to_string();
            Cell::with_raw(shown, moment.to_string())
        }
    }
}

fn quantity(line: &BillLine) -> Cell {
    let text = |quantity: Decimal| quantity.round_dp(4).normalize().to_string();
    let Estimate { low, likely, high } = line.quantity;
    let shown =
        if low == high { text(likely) } else { format!("{} – {}", text(low), text(high)) };
    Cell::with_raw(shown, likely.normalize().to_string())
}

fn json(
    invoice: &Invoice,
    offer: &Offer,
    terms_source: &str,
    context: &Context,
) -> serde_json::Value {
    // Eight decimals are what providers keep in their own bill rows.
    let amount = |money: Money| money.amount().round_dp(8).normalize().to_string();
    let estimate = |of: Estimate<Money>| {
        serde_json::json!({
            "low": amount(of.low), "likely": amount(of.likely), "high": amount(of.high),
        })
    };
    let say = |phrases: &[Phrase]| -> Vec<String> {
        phrases.iter().map(|phrase| context.say(phrase)).collect()
    };
    let lines: Vec<serde_json::Value> = invoice
        .lines
        .iter()
        .map(|line| {
            serde_json::json!({
                "kind": line.kind.word(),
                "from": line.from.map(|moment| moment.to_string()),
                "to": line.to.map(|moment| moment.to_string()),
                "quantity": line.quantity.likely.normalize().to_string(),
                "unit": line.unit.word(),
                "unit_price": amount(line.unit_price),
                "currency": line.unit_price.currency().code(),
                "amount": estimate(line.amount),
                "how": say(&line.how),
            })
        })
        .collect();
    serde_json::json!({
        "offer": offer.id,
        "currency": offer.price.currency().code(),
        "lines": lines,
        "total": estimate(invoice.total),
        "used_hours": invoice.used.decimal_hours().normalize().to_string(),
        "effective_hourly": invoice.effective_hourly().map(amount),
        "listed_hourly": amount(offer.hourly()),
        "warnings": say(&invoice.warnings),
        "unknown": say(&invoice.unknown),
        "sources": { "price": offer.source.text, "terms": terms_source },
    })
}
