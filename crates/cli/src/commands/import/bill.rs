//! `kasuan import bill`: every file or none, and what became of every row.

use super::Cards;
use crate::{
    context::Context,
    error::{CommandError, Exit},
    files,
    month::Zone,
    settings::Format,
    store::{self, Store},
};
use kasuan_formats::bill::{self, BillOptions};
use kasuan_ledger::{BillFile, FileImport, Mode, Refusal};
use kasuan_model::{Charge, Currency, Money, MoneyError, Payment, Phrase};
use kasuan_report::{Cell, Column, Table, Tone};
use serde_json::json;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// No month of any account is larger; a year of a large one is to be imported by the month.
const LARGEST_BILL: u64 = 2 << 30;

#[derive(Debug, clap::Args)]
pub(crate) struct BillImport {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    #[arg(long, value_name = "TOML", conflicts_with = "provider")]
    map: Option<PathBuf>,
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    zone: Option<Zone>,
    #[arg(long, value_name = "CODE")]
    currency: Option<Currency>,
    #[arg(long, conflicts_with = "dry_run")]
    replace: bool,
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    store: Store,
}

/// A bill as read, beside what the report says of it.
struct Read {
    layout: &'static str,
    file: BillFile,
    warnings: Vec<Phrase>,
    totals: Vec<Money>,
    /// Rows that look like cards, and how many of them have their card named.
    cards: (usize, usize),
}

/// Runs the command.
pub(crate) fn run(arguments: &BillImport, context: &Context) -> Result<Exit, CommandError> {
    let own = match &arguments.map {
        None => None,
        Some(path) => Some(bill::own_layout(&name(path), &files::read_text(path)?)?),
    };
    let options = BillOptions {
        layout: arguments.provider.clone(),
        own,
        zone: arguments.zone.map(|zone| zone.0),
        currency: arguments.currency,
    };
    let cards = Cards::shipped()?;
    let read: Result<Vec<Read>, CommandError> =
        arguments.files.iter().map(|path| read(path, &options, &cards)).collect();
    let mut read = read?;
    let mode = match (arguments.replace, arguments.dry_run) {
        (true, _) => Mode::Replace,
        (_, true) => Mode::Rehearse,
        _ => Mode::Merge,
    };
    let (mut ledger, place) = match mode {
        Mode::Rehearse => arguments.store.open_for_rehearsal(context)?,
        Mode::Merge | Mode::Replace => arguments.store.open(context)?,
    };
    let bills: Vec<BillFile> = read
        .iter_mut()
        .map(|read| BillFile {
            charges: std::mem::take(&mut read.file.charges),
            ..read.file.clone()
        })
        .collect();
    let done = ledger
        .import_bills(&bills, jiff::Timestamp::now(), mode)
        .map_err(|error| store::failed(&error))?;
    let stays = done.refusals == 0 && mode != Mode::Rehearse;
    if context.settings.format == Format::Json {
        context.print_json(&to_json(&read, &done, &place, stays, context))?;
    } else {
        let table = table(&read, &done.files, context);
        context.print_table(&table)?;
    }
    if context.settings.format == Format::Table {
        for read in &read {
            for warning in &read.warnings {
                let line = Phrase::new("import-file-warning")
                    .with("file", &read.file.name)
                    .with("message", context.say(warning));
                context.warn(&line);
            }
            if read.cards.0 > read.cards.1 {
                context.warn(
                    &Phrase::new("import-cards-unknown")
                        .with("file", &read.file.name)
                        .with("rows", read.cards.0 - read.cards.1),
                );
            }
        }
    }
    if done.refusals > 0 {
        let mut error =
            CommandError::user(Phrase::new("import-stopped").with("rows", done.refusals));
        for refusal in &done.refused {
            error = error.hint(told(refusal));
        }
        return Err(error.hint(Phrase::new("import-hint-replace")));
    }
    let phrase = if stays {
        Phrase::new("import-done").with("place", place)
    } else {
        Phrase::new("import-rehearsed").with("place", place)
    };
    context.tell(&phrase);
    if done.replaced > 0 {
        context.tell(&Phrase::new("import-replaced").with("rows", done.replaced));
    }
    if done.others > 0 {
        context.warn(&Phrase::new("import-others").with("rows", done.others));
    }
    Ok(Exit::Done)
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn read(path: &Path, options: &BillOptions, cards: &Cards) -> Result<Read, CommandError> {
    let bytes = files::read_up_to(path, LARGEST_BILL)?;
    let mut bill = bill::read(&name(path), &bytes, options)?;
    let mut rows = (0, 0);
    for charge in &mut bill.charges {
        let named = charge
            .tags
            .get("spec")
            .and_then(|spec| cards.find(spec))
            .or_else(|| cards.find(&charge.description))
            .or_else(|| cards.find(&charge.service));
        if let Some((card, count)) = named {
            charge.card = Some(card);
            charge.cards = charge.cards.or(count);
        }
        let looks_like_cards = charge.card.is_some()
            || charge.cards.is_some()
            || charge.service.to_lowercase().contains("gpu");
        rows.0 += usize::from(looks_like_cards);
        rows.1 += usize::from(charge.card.is_some());
    }
    let totals = totals(&bill.charges)?;
    let file = BillFile {
        fingerprint: bill.fingerprint,
        name: name(path),
        charges: bill.charges,
        strict_invoices: bill.strict_invoices,
    };
    Ok(Read { layout: bill.layout, file, warnings: bill.warnings, totals, cards: rows })
}

/// Sums what was paid, each currency by itself.
fn totals(charges: &[Charge]) -> Result<Vec<Money>, CommandError> {
    let mut sums: BTreeMap<Currency, Money> = BTreeMap::new();
    for charge in charges.iter().filter(|charge| charge.payment != Payment::Unpaid) {
        let currency = charge.billed.currency();
        let sum = sums.entry(currency).or_insert(Money::zero(currency));
        *sum = sum
            .checked_add(charge.billed)
            .map_err(|_: MoneyError| CommandError::user(Phrase::new("review-error-overflow")))?;
    }
    Ok(sums.into_values().collect())
}

fn told(refusal: &Refusal) -> Phrase {
    match refusal {
        Refusal::Differs { file, key, before, now } => Phrase::new("import-refused-differs")
            .with("file", file)
            .with("key", key)
            .with("before", before)
            .with("now", now.amount()),
        Refusal::Invoice { file, invoice } => {
            Phrase::new("import-refused-invoice").with("file", file).with("invoice", invoice)
        }
    }
}

fn table(read: &[Read], done: &[FileImport], context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("file", word("import-column-file")),
        Column::words("layout", word("import-column-layout")),
        Column::figures("rows", word("import-column-rows")),
        Column::figures("new", word("import-column-new")),
        Column::figures("merged", word("import-column-merged")),
        Column::figures("total", word("import-column-total")),
        Column::words("state", word("import-column-state")),
    ]);
    for (read, file) in read.iter().zip(done) {
        let totals: Vec<String> = read.totals.iter().map(Money::to_string).collect();
        let exact: Vec<String> = read
            .totals
            .iter()
            .map(|money| format!("{} {}", money.amount().normalize(), money.currency()))
            .collect();
        let state = if file.seen_before {
            Cell::with_raw(word("import-state-seen"), "seen_before").toned(Tone::Faint)
        } else {
            Cell::with_raw(word("import-state-read"), "read")
        };
        table.push(vec![
            Cell::new(&file.name),
            Cell::new(read.layout),
            Cell::new(file.rows.to_string()),
            Cell::new(file.new.to_string()),
            Cell::new(file.merged.to_string()),
            Cell::with_raw(totals.join(" + "), exact.join(" + ")),
            state,
        ]);
    }
    table
}

fn to_json(
    read: &[Read],
    done: &kasuan_ledger::BillImport,
    place: &str,
    stays: bool,
    context: &Context,
) -> serde_json::Value {
    let files = read.iter().zip(&done.files).map(|(read, file)| {
        let totals: serde_json::Map<String, serde_json::Value> = read
            .totals
            .iter()
            .map(|sum| (sum.currency().to_string(), sum.amount().normalize().to_string().into()))
            .collect();
        let warnings: Vec<String> = read.warnings.iter().map(|said| context.say(said)).collect();
        json!({
            "file": file.name,
            "layout": read.layout,
            "rows": file.rows,
            "new": file.new,
            "merged": file.merged,
            "seen_before": file.seen_before,
            "totals": totals,
            "card_rows": read.cards.0,
            "card_rows_named": read.cards.1,
            "warnings": warnings,
        })
    });
    let refused: Vec<String> = done.refused.iter().map(|said| context.say(&told(said))).collect();
    json!({
        "version": 1,
        "ledger": place,
        "imported": stays,
        "files": files.collect::<Vec<_>>(),
        "replaced": done.replaced,
        "rows_of_these_bills_from_earlier_files": done.others,
        "refusals": done.refusals,
        "refused": refused,
    })
}
