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
    run::tally::Tally,
    sample::SampleError,
};
use kasuan_report::{Cell, Column, Table, Tone};
use std::{io::IsTerminal as _, time::Duration};

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
    let mut sampler = arguments.source.open()?;
    let hourly = arguments.price.hourly()?;
    let interval = Duration::try_from_secs_f64(arguments.interval)
        .ok()
        .filter(|interval| *interval >= Duration::from_millis(100))
        .ok_or_else(|| {
            CommandError::user(Phrase::new("box-error-interval").with("text", arguments.interval))
        })?;
    let live = std::io::stdout().is_terminal() && context.settings.format == Format::Table;
    // A file is shown as fast as it is read.
    let waits = sampler.name() != "file";
    let mut shown = 0;
    while arguments.count.is_none_or(|count| shown < count) {
        if shown > 0 && waits {
            std::thread::sleep(interval);
        }
        let snapshot = match sampler.sample() {
            Ok(snapshot) => snapshot,
            Err(SampleError::End) if shown > 0 => break,
            Err(error) => return Err(error.into()),
        };
        shown += 1;
        if live {
            // Home and clear; a terminal that is not one gets no codes.
            context.print("\u{1b}[H\u{1b}[2J")?;
        }
        context.print_table(&table(&snapshot, context))?;
        if context.settings.format == Format::Table {
            foot(&snapshot, hourly, sampler.name(), context)?;
        }
    }
    Ok(Exit::Done)
}

fn table(snapshot: &Snapshot, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::figures("gpu", word("watch-column-gpu")),
        Column::words("name", word("watch-column-name")),
        Column::figures("busy_percent", word("watch-column-busy")),
        Column::figures("memory_used_bytes", word("watch-column-used")),
        Column::figures("memory_total_bytes", word("watch-column-total")),
        Column::figures("watts", word("watch-column-watts")),
        Column::figures("celsius", word("watch-column-celsius")),
        Column::words("processes", word("watch-column-processes")),
    ]);
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
        table.push(vec![
            Cell::new(place),
            gpu.name.clone().map_or_else(unknown, Cell::new),
            busy,
            memory(gpu.memory_used),
            memory(gpu.memory_total),
            figure(gpu.power_watts),
            figure(gpu.celsius),
            Cell::new(processes(snapshot, gpu)),
        ]);
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
    match &snapshot.at {
        Some(at) => {
            context.print_line(&Phrase::new("watch-foot").with("sampler", sampler).with("at", at))
        }
        None => context.print_line(&Phrase::new("watch-foot-now").with("sampler", sampler)),
    }
}
