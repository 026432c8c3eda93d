//! `kasuan agent`: samples for ever and serves `/metrics` and `/healthz`.

use super::{
    ledger_writer::{LedgerWriter, host_name},
    on_box::{Price, Source},
};
use crate::{
    context::Context,
    error::{CommandError, Exit},
    store::Store,
};
use kasuan_model::Phrase;
use kasuan_probe::{
    agent::{Board, answer},
    rollup::Owner,
    run::tally::Tally,
    sample::Sampler,
};
use kasuan_report::Words;
use std::{
    net::TcpListener,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Agent {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    price: Price,
    #[arg(long, default_value = "127.0.0.1:9470", value_name = "ADDRESS")]
    listen: String,
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    interval: f64,
    #[arg(long, value_name = "N")]
    requests: Option<u64>,
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    #[arg(long, value_name = "NAME", default_value = "")]
    person: String,
    #[command(flatten)]
    store: Store,
}

/// Runs the command.
pub(crate) fn run(arguments: &Agent, context: &Context) -> Result<Exit, CommandError> {
    let mut sampler = arguments.source.open()?;
    let hourly = arguments.price.hourly()?;
    let interval = Duration::try_from_secs_f64(arguments.interval)
        .ok()
        .filter(|interval| *interval >= Duration::from_millis(100))
        .ok_or_else(|| {
            CommandError::user(Phrase::new("box-error-interval").with("text", arguments.interval))
        })?;
    let listener = TcpListener::bind(&arguments.listen).map_err(|error| {
        CommandError::surroundings(
            Phrase::new("agent-error-listen")
                .with("address", &arguments.listen)
                .with_io("reason", &error),
        )
    })?;
    let address =
        listener.local_addr().map_or_else(|_| arguments.listen.clone(), |a| a.to_string());
    let board = Arc::new(Mutex::new(Board { hourly, ..Board::default() }));
    // The first sample comes before the address is told: nobody is ever served an empty page.
    let mut clock = Clock::start();
    take_sample(sampler.as_mut(), &board, &mut clock);
    let behind = Arc::clone(&board);
    let mut writer = match arguments.store.is_named(context) {
        false => None,
        true => {
            let host = arguments.host.clone().unwrap_or_else(host_name);
            let owner = Owner { host, job: String::new(), person: arguments.person.clone() };
            Some(LedgerWriter::open(&arguments.store, owner, hourly, "agent", context)?)
        }
    };
    if let Some(writer) = &mut writer {
        note(writer, &board);
        writer.write(context);
    }
    let told = Context::new(context.settings.clone(), Words::new(context.words.language()));
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(interval);
            take_sample(sampler.as_mut(), &behind, &mut clock);
            if let Some(writer) = &mut writer {
                note(writer, &behind);
                writer.tick(&told);
            }
        }
    });
    context.print_line(&Phrase::new("agent-listening").with("address", address))?;
    let mut served = 0;
    while arguments.requests.is_none_or(|requests| served < requests) {
        let Ok((stream, _)) = listener.accept() else { continue };
        // A client that goes away in the middle is none of our business.
        let _ = answer(&stream, &board);
        served += 1;
    }
    Ok(Exit::Done)
}

/// Gives the last sample to the ledger.
fn note(writer: &mut LedgerWriter, board: &Mutex<Board>) {
    let board = board.lock().unwrap_or_else(PoisonError::into_inner);
    let snapshot = board.snapshot.as_ref();
    writer.sample(snapshot, snapshot.and_then(Tally::idle));
}

/// When sampling began and when the last sample was taken.
struct Clock {
    start: Instant,
    last: Instant,
}

impl Clock {
    fn start() -> Self {
        let now = Instant::now();
        Self { start: now, last: now }
    }
}

fn take_sample(sampler: &mut dyn Sampler, board: &Mutex<Board>, clock: &mut Clock) {
    let result = sampler.sample();
    let now = Instant::now();
    let mut board = board.lock().unwrap_or_else(PoisonError::into_inner);
    board.seconds = now.duration_since(clock.start).as_secs_f64();
    match result {
        Ok(snapshot) => {
            // The time since the last sample counts as idle when both ends were.
            let idle = Tally::idle(&snapshot) == Some(true);
            let before = board.snapshot.as_ref().and_then(Tally::idle) == Some(true);
            if idle && before {
                board.idle_seconds += now.duration_since(clock.last).as_secs_f64();
            }
            board.samples += 1;
            board.failure = None;
            board.snapshot = Some(snapshot);
        }
        Err(error) => {
            board.failures += 1;
            board.failure = Some(error.to_string());
            board.snapshot = None;
        }
    }
    clock.last = now;
}
