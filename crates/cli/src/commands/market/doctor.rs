//! `kasuan market doctor`: what is doubtful in the prices.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    market,
    settings::Format,
};
use kasuan_market::{Doubt, Finding, validate};
use kasuan_model::Phrase;
use kasuan_report::{Cell, Column, Table, Tone};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    #[arg(long, value_name = "FILE")]
    prices: Vec<PathBuf>,
    #[arg(long, value_name = "N", default_value_t = 3)]
    limit: usize,
    #[command(flatten)]
    ages: market::Ages,
}

/// Runs the command; a row that is wrong for sure makes the answer no.
pub(super) fn run(arguments: &Doctor, context: &Context) -> Result<Exit, CommandError> {
    let catalogue = market::catalogue(&arguments.prices, context)?;
    let findings = validate(&catalogue, arguments.ages.bands()?, context.settings.today);
    let limit = if arguments.limit == 0 { usize::MAX } else { arguments.limit };
    let table = findings_table(&findings, limit, context);
    if context.settings.format == Format::Json {
        let counts: serde_json::Map<String, serde_json::Value> = Doubt::ALL
            .iter()
            .map(|doubt| (doubt.word().to_owned(), number(&findings, *doubt).into()))
            .collect();
        context.print_json(&serde_json::json!({
            "offers": catalogue.offers().len(),
            "counts": counts,
            "findings": findings_table(&findings, usize::MAX, context).to_json(),
        }))?;
    } else {
        context.print_table(&table)?;
        if context.settings.format == Format::Table {
            context.print("\n")?;
            let summary = Phrase::new("doctor-market-summary")
                .with("offers", catalogue.offers().len())
                .with("doubts", findings.len());
            context.print_line(&summary)?;
        }
    }
    let wrong = findings.iter().any(|finding| finding.doubt.is_wrong());
    Ok(if wrong { Exit::AnswerIsNo } else { Exit::Done })
}

fn number(findings: &[Finding], doubt: Doubt) -> usize {
    findings.iter().filter(|finding| finding.doubt == doubt).count()
}

/// Shows up to `limit` rows of each doubt, with how many there are.
pub(super) fn findings_table(findings: &[Finding], limit: usize, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("doubt", word("market-doubt")),
        market::id_column("offer", word("offers-offer")),
        Column::words("what", word("market-what")),
    ]);
    for doubt in Doubt::ALL {
        let of: Vec<&Finding> = findings.iter().filter(|found| found.doubt == doubt).collect();
        let name = context.say(&market::doubt(doubt));
        let tone = if doubt.is_wrong() { Tone::Bad } else { Tone::Warn };
        for finding in of.iter().take(limit) {
            table.push(vec![
                Cell::with_raw(&name, doubt.word()).toned(tone),
                Cell::new(&finding.offer).toned(Tone::Name),
                Cell::new(context.say(&finding.phrase)),
            ]);
        }
        let more = of.len().saturating_sub(limit);
        if more > 0 {
            let more = context.say(&Phrase::new("market-more").with("count", more));
            table.push(vec![
                Cell::with_raw(&name, doubt.word()).toned(Tone::Faint),
                Cell::new(""),
                Cell::new(more).toned(Tone::Faint),
            ]);
        }
    }
    table
}
