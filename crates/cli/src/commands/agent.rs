//! `kasuan agent`: samples for ever and serves `/metrics` and `/healthz`.

use super::{
    ledger_writer::{LedgerWriter, host_name},
    on_box::{Price, Source},
};
use crate::{
    context::Context,
    error::{CommandError, Exit},
    samples::Keeper,
    store::Store,
};
use jiff::Timestamp;
use kasuan_model::Phrase;
use kasuan_probe::{
    agent::{Board, answer},
    capture::Snapshot,
    rollup::{Owner, Rollup},
    run::tally::Tally,
    sample::Sampler,
};
use kasuan_report::Words;
use std::{
    net::TcpListener,
    path::PathBuf,
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
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    #[command(flatten)]
    store: Store,
}

/// Runs the command.
pub(crate) fn run(arguments: &Agent, context: &Context) -> Result<Exit, CommandError> {
    let hourly = arguments.price.hourly()?;
    let interval = Duration::try_from_secs_f64(arguments.interval)
        .ok()
        .filter(|interval| *interval >= Duration::from_millis(100))
        .ok_or_else(|| {
            CommandError::user(Phrase::new("box-error-interval").with("text", arguments.interval))
        })?;
    let mut sampler = arguments.source.open()?;
    let listener = TcpListener::bind(&arguments.listen).map_err(|error| {
        CommandError::surroundings(
            Phrase::new("agent-error-listen")
                .with("address", &arguments.listen)
                .with_io("reason", &error),
        )
    })?;
    let address =
        listener.local_addr().map_or_else(|_| arguments.listen.clone(), |a| a.to_string());
    let host = arguments.host.clone().unwrap_or_else(host_name);
    let board = Board { hourly, host: host.clone(), ..Board::default() };
    let board = Arc::new(Mutex::new(board));
    // The first sample comes before the address is told: nobody is ever served an empty page.
    let mut clock = Clock::start();
    take_sample(sampler.as_mut(), &board, &mut clock);
    let behind = Arc::clone(&board);
    let owner = Owner { host: host.clone(), job: String::new(), person: arguments.person.clone() };
    let mut kept = arguments.samples.clone().map(|folder| Kept {
        keeper: Keeper::new(folder, host.clone()),
        rows: Rollup::new(owner.clone()),
        last: None,
    });
    let mut writer = match arguments.store.is_named(context) {
        false => None,
        true => Some(LedgerWriter::open(&arguments.store, owner, hourly, "agent", context)?),
    };
    if let Some(writer) = &mut writer {
        note(writer, &board);
        writer.write(context);
    }
    if let Some(kept) = &mut kept {
        kept.add(&board, context);
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
            if let Some(kept) = &mut kept {
                kept.add(&behind, &told);
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

/// Raw samples on their way to a folder; a sample stands for the time until the next.
struct Kept {
    keeper: Keeper,
    rows: Rollup,
    last: Option<(Timestamp, Snapshot)>,
}

impl Kept {
    fn add(&mut self, board: &Mutex<Board>, context: &Context) {
        let now = Timestamp::now();
        let snapshot = board.lock().unwrap_or_else(PoisonError::into_inner).snapshot.clone();
        if let Some((at, before)) = self.last.take() {
            let seconds = now.duration_since(at).as_secs_f64();
            // A clock that was set back, or a machine that slept, tells nothing about the time.
            if (0.0..600.0).contains(&seconds)
                && let Err(error) = self.keeper.add(self.rows.raw(at, seconds, &before))
            {
                context.warn(error.message());
            }
        }
        self.last = snapshot.map(|snapshot| (now, snapshot));
    }
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
