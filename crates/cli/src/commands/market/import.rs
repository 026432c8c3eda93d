//! `kasuan market import`: reads a price list of others into the user's own price card.

use super::doctor::findings_table;
use crate::{
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
    market, price_store,
    settings::Format,
};
use jiff::civil::Date;
use kasuan_formats::market::{Import as Imported, Report, Stated, import, price_card};
use kasuan_market::{Catalogue, PriceCard};
use kasuan_model::{Currency, Phrase};
use kasuan_report::{Cell, Column, Table, Tone};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(long, value_name = "FILE", default_value = price_store::USUAL_CARD)]
    to: PathBuf,
    #[arg(long, value_name = "PROVIDER")]
    provider: Option<String>,
    #[arg(long, value_name = "CARD")]
    card: Option<String>,
    #[arg(long, value_name = "CODE")]
    currency: Option<Currency>,
    #[arg(long, value_name = "DATE")]
    observed: Option<Date>,
    #[arg(long, value_name = "PLACE")]
    store: Option<String>,
    #[arg(long)]
    dry_run: bool,
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
}

/// Runs the command; nothing is written when no row could be taken.
pub(super) fn run(arguments: &Import, context: &Context) -> Result<Exit, CommandError> {
    let catalogue = Catalogue::shipped()?;
    let bytes = files::read_bytes(&arguments.file)?;
    let name = arguments.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stated = Stated {
        name,
        provider: arguments.provider.clone(),
        card: arguments.card.clone(),
        currency: arguments.currency,
        observed: arguments.observed,
    };
    let Imported { card, report } = import(&bytes, &stated, &catalogue, context.settings.today)?;
    show(&report, arguments.limit, context)?;
    if card.offers.is_empty() && card.terms.is_empty() {
        context.warn(&Phrase::new("import-nothing"));
        return Ok(Exit::AnswerIsNo);
    }
    if arguments.dry_run {
        return Ok(Exit::Done);
    }
    let mut laid = if arguments.to.exists() {
        market::read_price_card(&arguments.to, &catalogue)?.card
    } else {
        PriceCard::default()
    };
    let today = arguments.observed.unwrap_or(context.settings.today);
    let seen = price_store::observations(&card.offers, &catalogue, today);
    laid.lay(card);
    let text = price_card::write(&laid);
    let store = arguments.store.clone().unwrap_or_else(|| price_store::beside(&arguments.to));
    // Both or neither: the price card is replaced inside the transaction of the store.
    price_store::record(&store, &seen, || {
        files::write(&arguments.to, text.as_bytes(), Existing::Replace)
    })?;
    let undated = seen.iter().filter(|one| !one.dated).count();
    if undated > 0 {
        context.warn(&Phrase::new("import-undated").with("count", undated).with("day", today));
    }
    if context.settings.format == Format::Table {
        let count = seen.len();
        context.print_line(
            &Phrase::new("import-remembered").with("place", &store).with("count", count),
        )?;
        let path = arguments.to.display();
        let count = laid.offers.len();
        context
            .print_line(&Phrase::new("import-written").with("path", path).with("count", count))?;
    }
    Ok(Exit::Done)
}

fn show(report: &Report, limit: usize, context: &Context) -> Result<(), CommandError> {
    let limit = if limit == 0 { usize::MAX } else { limit };
    let rows = rows_table(report, limit, context);
    if context.settings.format == Format::Json {
        let all = rows_table(report, usize::MAX, context).to_json();
        return context.print_json(&serde_json::json!({
            "format": report.format,
            "rows": report.rows,
            "taken": report.taken,
            "merged": report.merged,
            "no_card": report.no_card,
            "terms": report.terms,
            "refused": report.refused.len(),
            "lines": all,
            "doubts": findings_table(&report.doubts, usize::MAX, context).to_json(),
        }));
    }
    if context.settings.format != Format::Table {
        return context.print_table(&rows_table(report, usize::MAX, context));
    }
    context.print_line(&report.summary())?;
    for table in [rows, findings_table(&report.doubts, limit, context)] {
        if !table.rows.is_empty() {
            context.print("\n")?;
            context.print_table(&table)?;
        }
    }
    context.print("\n")
}

/// Lists refused rows first, then what was noted of taken ones.
fn rows_table(report: &Report, limit: usize, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::figures("line", word("import-line-heading")),
        Column::words("result", word("import-result")),
        Column::words("row", word("import-row")),
        Column::words("what", word("market-what")),
    ]);
    let refused = report.refused.iter().map(|row| (row.line, true, row.what.as_str(), &row.why));
    let noted = report.noted.iter().map(|row| (row.line, false, "", &row.what));
    let total = report.refused.len() + report.noted.len();
    for (line, is_refused, row, why) in refused.chain(noted).take(limit) {
        let result = if is_refused {
            Cell::with_raw(word("import-refused"), "refused").toned(Tone::Bad)
        } else {
            Cell::with_raw(word("import-noted"), "noted").toned(Tone::Warn)
        };
        table.push(vec![
            Cell::new(line.to_string()),
            result,
            Cell::new(row).toned(Tone::Name),
            Cell::new(context.say(why)),
        ]);
    }
    if total > limit {
        let more = context.say(&Phrase::new("market-more").with("count", total - limit));
        table.push(vec![
            Cell::new(""),
            Cell::new(""),
            Cell::new(""),
            Cell::new(more).toned(Tone::Faint),
        ]);
    }
    table
}
