//! `kasuan watch`: all cards, live, with what the hour costs.

use super::on_box::{Price, Source};
use crate::{
    context::Context,
    error::{CommandError, Exit},
    settings::Format,
};
use kasuan_model::{Bytes, Money, Phrase};
use kasuan_probe::{
    capture::{GpuSample, Snapshot},
    run::tally::{Signs, Tally},
    sample::{SampleError, who},
};
use kasuan_report::{Cell, Column, Table, Tone};
use rust_decimal::Decimal;
use std::{io::IsTerminal as _, path::Path, time::Duration};

/// Cards that look busy and draw no more than this share of their limit may only be waiting.
const BUSY: f64 = 0.9;
/// An idle card draws 10 to 20 % of its limit, one that computes 60 % and more.
const LITTLE_POWER: f64 = 0.35;

#[derive(Debug, clap::Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    price: Price,
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    interval: f64,
    #[arg(long, value_name = "N")]
    count: Option<u64>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Watch, context: &Context) -> Result<Exit, CommandError> {
    let hourly = arguments.price.hourly()?;
    let interval = Duration::try_from_secs_f64(arguments.interval)
        .ok()
        .filter(|interval| *interval >= Duration::from_millis(100))
        .ok_or_else(|| {
            CommandError::user(Phrase::new("box-error-interval").with("text", arguments.interval))
        })?;
    let mut sampler = arguments.source.open()?;
    let live = std::io::stdout().is_terminal() && context.settings.format == Format::Table;
    // A file is shown as fast as it is read.
    let waits = sampler.name() != "file";
    let mut shown = 0;
    while arguments.count.is_none_or(|count| shown < count) {
        if shown > 0 && waits {
            std::thread::sleep(interval);
        }
        let snapshot = match sampler.sample() {
            Ok(mut snapshot) => {
                if arguments.source.is_local() {
                    who::name(&mut snapshot.processes, Path::new("/"));
                }
                snapshot
            }
            Err(SampleError::End) if shown > 0 => break,
            Err(error) => return Err(error.into()),
        };
        shown += 1;
        if live {
            // Home and clear; a terminal that is not one gets no codes.
            context.print("\u{1b}[H\u{1b}[2J")?;
        }
        if snapshot.gpus.is_empty() && snapshot.processes.is_empty() {
            context.warn(&Phrase::new("watch-no-card"));
        }
        context.print_table(&table(&snapshot, hourly, context))?;
        if context.settings.format == Format::Table {
            foot(&snapshot, hourly, sampler.name(), context)?;
        }
    }
    Ok(Exit::Done)
}

/// What an hour of one card costs: the machine's price in equal parts.
fn each(snapshot: &Snapshot, hourly: Option<Money>) -> Option<Money> {
    let whole = snapshot.gpus.iter().filter(|gpu| gpu.slice.is_none()).count();
    hourly?.over(Decimal::from(whole)).ok()
}

fn table(snapshot: &Snapshot, hourly: Option<Money>, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let each = each(snapshot, hourly);
    let mut columns = vec![
        Column::figures("gpu", word("watch-column-gpu")),
        Column::words("name", word("watch-column-name")),
        Column::figures("busy_percent", word("watch-column-busy")),
        Column::figures("memory_used_bytes", word("watch-column-used")),
        Column::figures("memory_total_bytes", word("watch-column-total")),
        Column::figures("watts", word("watch-column-watts")),
        Column::figures("celsius", word("watch-column-celsius")),
    ];
    // Columns that nothing is known of would only be in the way.
    let has_sm = snapshot.gpus.iter().any(|gpu| gpu.sm_active.is_some());
    if has_sm {
        columns.insert(3, Column::figures("sm_percent", word("watch-column-sm")));
    }
    if each.is_some() {
        columns.push(Column::figures("cost_hour", word("watch-column-cost")));
    }
    columns.push(Column::words("processes", word("watch-column-processes")));
    let mut table = Table::new(columns);
    for gpu in &snapshot.gpus {
        let unknown = || Cell::unknown("-");
        let figure = |value: Option<f64>| {
            value.map_or_else(unknown, |value| Cell::new(format!("{value:.0}")))
        };
        let memory = |bytes: Option<Bytes>| {
            bytes.map_or_else(unknown, |bytes| {
                Cell::with_raw(bytes.to_string(), bytes.get().to_string())
            })
        };
        let mut place = gpu.index.map_or_else(|| "?".to_owned(), |index| index.to_string());
        if let Some(slice) = &gpu.slice {
            place = format!("{place}/{slice}");
        }
        let busy = match (gpu.lost, gpu.busy) {
            (true, _) => Cell::with_raw(context.words.word("watch-lost"), "lost").toned(Tone::Bad),
            (false, Some(busy)) if busy <= 0.0 => Cell::new("0").toned(Tone::Warn),
            (false, busy) => figure(busy),
        };
        let watts = match (gpu.power_watts, gpu.power_limit_watts) {
            (Some(watts), Some(limit)) => {
                Cell::with_raw(format!("{watts:.0}/{limit:.0}"), format!("{watts:.0}"))
            }
            (watts, _) => figure(watts),
        };
        let mut row =
            vec![Cell::new(place), gpu.name.clone().map_or_else(unknown, Cell::new), busy];
        if has_sm {
            row.push(figure(gpu.sm_active.map(|share| share * 100.0)));
        }
        row.extend([memory(gpu.memory_used), memory(gpu.memory_total), watts, figure(gpu.celsius)]);
        if let Some(each) = each {
            // A part of a card has no price of its own here.
            let cell = || Cell::with_raw(each.to_string(), each.amount().normalize().to_string());
            row.push(if gpu.slice.is_none() { cell() } else { unknown() });
        }
        row.push(Cell::new(processes(snapshot, gpu)));
        table.push(row);
    }
    table
}

/// Lists who is on a card: program, user where known, memory where known.
fn processes(snapshot: &Snapshot, gpu: &GpuSample) -> String {
    let index = gpu.index.map(|index| index.to_string());
    let here = snapshot.processes.iter().filter(|process| {
        gpu.slice.is_none()
            && process.gpu.is_some()
            && (process.gpu == gpu.uuid || process.gpu == index)
    });
    let mut listed: Vec<String> = here
        .map(|process| {
            let name =
                process.name.as_deref().unwrap_or("?").rsplit(['/', '\\']).next().unwrap_or("?");
            let who = process.user.as_ref().map_or(String::new(), |user| format!("{user}:"));
            let memory = process.memory.map_or(String::new(), |memory| format!(" {memory}"));
            format!("{who}{name}({}){memory}", process.pid)
        })
        .collect();
    if listed.len() > 3 {
        let more = listed.len() - 3;
        listed.truncate(3);
        listed.push(format!("+{more}"));
    }
    listed.join(", ")
}

fn foot(
    snapshot: &Snapshot,
    hourly: Option<Money>,
    sampler: &str,
    context: &Context,
) -> Result<(), CommandError> {
    let idle = Tally::idle(snapshot) == Some(true);
    match (hourly, idle) {
        (Some(hourly), true) => {
            context.print_line(&Phrase::new("watch-idle-cost").with("hourly", hourly))?;
        }
        (Some(hourly), false) => {
            context.print_line(&Phrase::new("watch-cost").with("hourly", hourly))?;
        }
        (None, _) => {}
    }
    let signs = Signs::of(snapshot);
    if let (Some(busy), None, Some(power)) = (signs.busy, signs.sm_active, signs.power)
        && busy >= BUSY
        && power <= LITTLE_POWER
    {
        let power = format!("{:.0}%", power * 100.0);
        context.print_line(&Phrase::new("watch-busy-without-work").with("power", power))?;
    }
    match &snapshot.at {
        Some(at) => {
            context.print_line(&Phrase::new("watch-foot").with("sampler", sampler).with("at", at))
        }
        None => context.print_line(&Phrase::new("watch-foot-now").with("sampler", sampler)),
    }
}
