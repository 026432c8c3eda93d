//! `kasuan bill`: what a usage of an offer is charged, line by line.

mod usage;

use crate::{
    context::Context,
    error::{CommandError, Exit},
    market,
    settings::Format,
};
use kasuan_market::{BillError, Buyer, Freshness, Taxed, Terms, bill, taxed};
use kasuan_model::{Bytes, Estimate, Money, Phrase, Source};
use kasuan_report::market::{self as tables, range};
use rust_decimal::Decimal;
use std::path::PathBuf;

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
    #[command(flatten)]
    ages: market::Ages,
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
    let bands = arguments.ages.bands()?;
    let usage = usage::usage(arguments, offer)?;
    let day = usage.runs.first().map_or(context.settings.today, |run| run.from.date());
    let terms = catalogue.terms(&offer.provider, Some(day));
    let invoice = bill(&usage, offer, terms)?;
    let tax = match arguments.tax {
        None => None,
        Some(choice) => {
            let seen = taxed(invoice.total, terms, choice.buyer()).map_err(BillError::from)?;
            let seen = seen.map(Taxed::rounded).transpose().map_err(BillError::from)?;
            Some((choice, seen))
        }
    };
    if context.settings.format == Format::Json {
        let mut document = tables::bill_json(&invoice, offer, &terms.source.text, &context.words);
        if let Some(fields) = document.as_object_mut() {
            let seen = |source| tables::age_json(source, bands, context.settings.today);
            let seen = serde_json::json!({
                "price": seen(&offer.source), "terms": seen(&terms.source),
            });
            fields.insert("seen".to_owned(), seen);
            if let Some(tax) = tax {
                fields.insert("tax".to_owned(), tax_json(tax, &terms.source.text));
            }
        }
        context.print_json(&document)?;
        return Ok(Exit::Done);
    }
    context.print_table(&tables::bill(&invoice, &context.words))?;
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
    let age = |source: &Source| market::age(source, bands, context).shown;
    context.print_line(
        &Phrase::new("bill-seen")
            .with("price", age(&offer.source))
            .with("terms", age(&terms.source)),
    )?;
    let band = bands.of(&offer.source, context.settings.today);
    if matches!(band, Freshness::Stale | Freshness::Undated) {
        context.warn(&Phrase::new("bill-seen-old"));
    }
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
