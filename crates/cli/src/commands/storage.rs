//! `kasuan storage scan|clean|undo|purge`: what lies on a disk, and a trash that gives back.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
    settings::Format,
    store::{self, Store},
};
use jiff::Timestamp;
use kasuan_ledger::StorageItem;
use kasuan_model::{Bytes, Currency, Money, Phrase, Phrased as _, Seconds};
use kasuan_probe::{
    run::record,
    storage::{self, Asked, CleanPlan, Duplicates, Item, PlannedItem, Scan, Verdict, Why},
};
use kasuan_report::{Cell, Column, Document, Line, Part, Table, Tone};
use rust_decimal::Decimal;
use serde_json::json;
use std::{
    io,
    path::{Path, PathBuf},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Storage {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Scan(ScanArguments),
    Clean(Clean),
    Undo(Undo),
    Purge(Purge),
}

#[derive(Debug, clap::Args)]
struct ScanArguments {
    #[arg(value_name = "PATH")]
    path: PathBuf,
    #[arg(long, default_value_t = 2, value_name = "N")]
    keep: usize,
    #[arg(long, default_value_t = 30, value_name = "DAYS")]
    old_days: i64,
    #[arg(long, value_name = "PRICE")]
    gb_month: Option<Decimal>,
    #[arg(long, value_name = "CODE", default_value = "CNY")]
    currency: Currency,
    #[arg(long, default_value = ".kasuan/runs", value_name = "DIR")]
    records: PathBuf,
    #[arg(long)]
    no_duplicates: bool,
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    store: Store,
}

#[derive(Debug, clap::Args)]
struct Clean {
    #[arg(long, value_name = "FILE")]
    plan: PathBuf,
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, clap::Args)]
struct Undo {
    #[arg(value_name = "PATH")]
    path: PathBuf,
    #[arg(long, value_name = "BATCH")]
    batch: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Purge {
    #[arg(value_name = "PATH")]
    path: PathBuf,
    #[arg(long, value_name = "TIME", default_value = "7d")]
    older_than: Seconds,
    #[arg(long)]
    yes: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Storage, context: &Context) -> Result<Exit, CommandError> {
    match &arguments.action {
        Action::Scan(arguments) => scan(arguments, context),
        Action::Clean(arguments) => clean(arguments, context),
        Action::Undo(arguments) => undo(arguments, context),
        Action::Purge(arguments) => purge(arguments, context),
    }
}

fn failed(path: &Path, error: &io::Error) -> CommandError {
    if error.kind() == io::ErrorKind::NotFound {
        return files::missing(path);
    }
    if error.kind() == io::ErrorKind::NotADirectory {
        return CommandError::user(
            Phrase::new("storage-error-no-folder").with("path", path.display()),
        );
    }
    files::of_io(
        Phrase::new("error-file-read").with("path", path.display()).with_io("reason", error),
        error,
    )
}

fn scan(arguments: &ScanArguments, context: &Context) -> Result<Exit, CommandError> {
    if arguments.path.to_string_lossy().contains("://") {
        let phrase = Phrase::new("storage-error-remote").with("path", arguments.path.display());
        return Err(CommandError::user(phrase).hint(Phrase::new("storage-hint-remote")));
    }
    let asked = Asked {
        keep: arguments.keep,
        old_days: arguments.old_days,
        now: Timestamp::now(),
        commands: commands(&arguments.records),
    };
    let found =
        storage::scan(&arguments.path, &asked).map_err(|error| failed(&arguments.path, &error))?;
    let root = arguments.path.canonicalize().map_err(|error| failed(&arguments.path, &error))?;
    let (twice, uncompared) = match arguments.no_duplicates {
        true => (Vec::new(), 0),
        false => storage::duplicates(&root, &found),
    };
    let price = arguments.gb_month.map(|price| Money::new(price, arguments.currency));
    if arguments.store.is_named(context) {
        record(&arguments.store, &root, &found, &asked, context)?;
    }
    if let Some(path) = &arguments.plan {
        let plan = CleanPlan {
            version: 1,
            root: root.clone(),
            made: asked.now.to_string(),
            items: dropped(&found).map(|(item, why)| PlannedItem::of(item, why.word())).collect(),
        };
        let text = serde_json::to_vec_pretty(&plan).unwrap_or_default();
        let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
        files::write(path, &text, existing)?;
    }
    show(&found, &twice, price, &root, context)?;
    if uncompared > 0 {
        context.tell(&Phrase::new("storage-uncompared").with("files", uncompared));
    }
    if let Some(path) = &arguments.plan {
        context.tell(&Phrase::new("storage-plan-written").with("path", path.display()));
    }
    Ok(Exit::Done)
}

fn dropped(scan: &Scan) -> impl Iterator<Item = (&Item, Why)> {
    scan.items.iter().filter_map(|item| match item.verdict {
        Verdict::Drop(why) => Some((item, why)),
        Verdict::Keep(_) => None,
    })
}

/// Commands of the runs that are recorded beside this folder.
fn commands(records: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(records).into_iter().flatten().flatten();
    let read = entries.filter_map(|entry| record::read(&entry.path()).ok());
    read.map(|record| record.command.join(" ")).collect()
}

fn record(
    store: &Store,
    root: &Path,
    found: &Scan,
    asked: &Asked,
    context: &Context,
) -> Result<(), CommandError> {
    let (mut ledger, _) = store.open(context)?;
    let place = root.display().to_string();
    let items = found.items.iter().map(|item| StorageItem {
        id: root.join(&item.path).display().to_string(),
        place: place.clone(),
        kind: item.kind.word().to_owned(),
        bytes: item.bytes,
        last_used: item.last_used,
        seen: asked.now,
        used_by: match item.verdict {
            Verdict::Keep(why) => Some(why.word().to_owned()),
            Verdict::Drop(_) => None,
        },
    });
    let items: Vec<StorageItem> = items.collect();
    ledger.record_scan(&place, &items).map_err(|error| store::failed(&error))
}

fn monthly(price: Option<Money>, bytes: Bytes) -> Option<Money> {
    price?.times(bytes.gb()).ok()
}

fn money(amount: Option<Money>) -> Cell {
    match amount {
        Some(amount) => {
            let exact = amount.amount().round_dp(6).normalize().to_string();
            Cell::with_raw(amount.to_string(), exact)
        }
        None => Cell::unknown("—"),
    }
}

fn why_phrase(why: Why) -> Phrase {
    match why {
        Why::Newest => Phrase::new("storage-why-newest"),
        Why::Best => Phrase::new("storage-why-best"),
        Why::Referenced => Phrase::new("storage-why-referenced"),
        Why::Recent => Phrase::new("storage-why-recent"),
        Why::Precious => Phrase::new("storage-why-precious"),
        Why::Superseded => Phrase::new("storage-why-superseded"),
        Why::Refetchable => Phrase::new("storage-why-refetchable"),
    }
}

fn table(found: &Scan, price: Option<Money>, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("path", word("storage-column-path")),
        Column::words("kind", word("storage-column-kind")),
        Column::figures("bytes", word("storage-column-size")),
        Column::words("last_used", word("storage-column-used")),
        Column::figures("monthly", word("review-column-money")),
        Column::words("verdict", word("storage-column-verdict")),
        Column::words("why", word("storage-column-why")),
    ]);
    for item in &found.items {
        let (verdict, why, tone) = match item.verdict {
            Verdict::Keep(why) => ("keep", why, Tone::Plain),
            Verdict::Drop(why) => ("drop", why, Tone::Warn),
        };
        let shown = if verdict == "keep" {
            word("storage-verdict-keep")
        } else {
            word("storage-verdict-drop")
        };
        let used = item.last_used.map(|used| used.strftime("%Y-%m-%d").to_string());
        table.push(vec![
            Cell::new(item.path.display().to_string()),
            Cell::with_raw(word(&format!("storage-kind-{}", item.kind.word())), item.kind.word()),
            Cell::with_raw(item.bytes.to_string(), item.bytes.get().to_string()),
            used.map_or_else(|| Cell::unknown("—"), Cell::new),
            money(monthly(price, item.bytes)),
            Cell::with_raw(shown, verdict).toned(tone),
            Cell::with_raw(context.say(&why_phrase(why)), why.word()),
        ]);
    }
    table
}

fn show(
    found: &Scan,
    twice: &[Duplicates],
    price: Option<Money>,
    root: &Path,
    context: &Context,
) -> Result<(), CommandError> {
    let droppable: Bytes = dropped(found).map(|(item, _)| item.bytes).sum();
    let saving = monthly(price, droppable);
    match context.settings.format {
        Format::Csv => return context.print(&table(found, price, context).to_csv()),
        Format::Json => {
            let duplicates = twice.iter().map(|same| {
                let paths: Vec<String> =
                    same.paths.iter().map(|path| path.display().to_string()).collect();
                json!({"bytes": same.bytes.get(), "wasted": same.wasted().get(), "paths": paths})
            });
            return context.print_json(&json!({
                "version": 1,
                "root": root.display().to_string(),
                "total_bytes": found.total,
                "droppable_bytes": droppable.get(),
                "droppable_monthly": saving.map(|money| money.amount().normalize().to_string()),
                "currency": price.map(|price| price.currency().to_string()),
                "links_not_followed": found.links,
                "unreadable": found.unreadable.len(),
                "items": table(found, price, context).to_json(),
                "duplicates": duplicates.collect::<Vec<_>>(),
            }));
        }
        Format::Table | Format::Markdown => {}
    }
    let summary = Phrase::new("storage-summary")
        .with("total", Bytes::new(found.total))
        .with("droppable", droppable)
        .with("saving", saving.map_or_else(|| "—".to_owned(), |money| money.to_string()));
    let mut document = Document {
        title: root.display().to_string(),
        headline: Bytes::new(found.total).to_string(),
        summary: vec![Line::plain(context.say(&summary))],
        sections: Vec::new(),
    };
    let items = vec![Part::Table(table(found, price, context))];
    document.push(context.words.word("storage-section-items"), items);
    let mut lines = Vec::new();
    for same in twice {
        let paths: Vec<String> = same.paths.iter().map(|path| path.display().to_string()).collect();
        let line = Phrase::new("storage-duplicate")
            .with("wasted", same.wasted())
            .with("paths", paths.join(" = "));
        lines.push(Line::item(context.say(&line)));
    }
    document.push(context.words.word("storage-section-duplicates"), vec![Part::Lines(lines)]);
    let text = if context.settings.format == Format::Markdown {
        document.to_markdown()
    } else {
        document.to_text(context.paint(), context.settings.width)
    };
    context.print(&text)?;
    if found.links > 0 || !found.unreadable.is_empty() {
        context.tell(
            &Phrase::new("storage-not-followed")
                .with("links", found.links)
                .with("unreadable", found.unreadable.len()),
        );
    }
    Ok(())
}

fn clean(arguments: &Clean, context: &Context) -> Result<Exit, CommandError> {
    let text = files::read_text(&arguments.plan)?;
    let plan: CleanPlan = serde_json::from_str(&text).map_err(|error| {
        CommandError::user(
            Phrase::new("storage-error-plan")
                .with("path", arguments.plan.display())
                .with_word("reason", kasuan_formats::syntax_cause(&error.to_string())),
        )
        .hint(Phrase::new("storage-hint-plan"))
    })?;
    if plan.version != 1 || !plan.root.is_absolute() {
        let phrase = Phrase::new("storage-error-plan")
            .with("path", arguments.plan.display())
            .with("reason", "version, root");
        return Err(CommandError::user(phrase).hint(Phrase::new("storage-hint-plan")));
    }
    let bytes: u64 = plan.items.iter().map(|item| item.bytes).fold(0, u64::saturating_add);
    if !arguments.yes {
        let phrase = Phrase::new("storage-error-yes")
            .with("items", plan.items.len())
            .with("size", Bytes::new(bytes));
        return Err(CommandError::user(phrase).hint(Phrase::new("storage-hint-yes")));
    }
    let done =
        storage::clean(&plan, Timestamp::now()).map_err(|error| failed(&plan.root, &error))?;
    for (path, reason) in &done.left {
        let left = Phrase::new("storage-left")
            .with("path", path.display())
            .with("reason", context.say(&reason.phrase()));
        context.warn(&left);
    }
    context.print_line(
        &Phrase::new("storage-moved")
            .with("items", done.moved.len())
            .with("size", Bytes::new(done.bytes))
            .with("batch", &done.batch),
    )?;
    context.print_line(&Phrase::new("storage-undo-how").with("root", plan.root.display()))?;
    Ok(if done.left.is_empty() { Exit::Done } else { Exit::AnswerIsNo })
}

fn undo(arguments: &Undo, context: &Context) -> Result<Exit, CommandError> {
    let root = arguments.path.canonicalize().map_err(|error| failed(&arguments.path, &error))?;
    let batches = storage::batches(&root).map_err(|error| failed(&root, &error))?;
    let wanted = match &arguments.batch {
        Some(name) => batches.iter().find(|batch| batch.name == *name),
        None => batches.last(),
    };
    let Some(batch) = wanted else {
        return Err(CommandError::user(Phrase::new("storage-error-no-batch")));
    };
    let done = storage::undo(&root, &batch.name).map_err(|error| failed(&root, &error))?;
    for (path, reason) in &done.left {
        let left = Phrase::new("storage-left")
            .with("path", path.display())
            .with("reason", context.say(&reason.phrase()));
        context.warn(&left);
    }
    let back =
        Phrase::new("storage-back").with("items", done.moved.len()).with("batch", &batch.name);
    context.print_line(&back)?;
    Ok(if done.left.is_empty() { Exit::Done } else { Exit::AnswerIsNo })
}

fn purge(arguments: &Purge, context: &Context) -> Result<Exit, CommandError> {
    let root = arguments.path.canonicalize().map_err(|error| failed(&arguments.path, &error))?;
    let now = Timestamp::now();
    let age = i64::try_from(arguments.older_than.get()).unwrap_or(i64::MAX);
    let batches = storage::batches(&root).map_err(|error| failed(&root, &error))?;
    let old: Vec<_> = batches
        .into_iter()
        .filter(|batch| now.as_second() - batch.made.as_second() >= age)
        .collect();
    if !arguments.yes && !old.is_empty() {
        let phrase = Phrase::new("storage-error-purge").with("batches", old.len());
        return Err(CommandError::user(phrase).hint(Phrase::new("storage-hint-yes")));
    }
    for batch in &old {
        storage::purge(&root, batch).map_err(|error| failed(&root, &error))?;
    }
    context.print_line(&Phrase::new("storage-purged").with("batches", old.len()))?;
    Ok(Exit::Done)
}
