//! `kasuan run --task NAME -- COMMAND`: the command untouched, measured, its checkpoints kept.

mod account;
mod guards;
mod keeper;
mod kept_at;
mod notice;
mod output;
mod signals;
mod status;

use self::{keeper::Keeper, output::Started, signals::Signals, status::Screen};
use super::{
    ledger_writer::{LedgerWriter, host_name},
    on_box::{Price, Source, cost},
};
use crate::{
    context::Context,
    error::{CommandError, Exit},
    store::Store,
};
use kasuan_model::{Money, Phrase, Phrased as _, Seconds};
use kasuan_probe::{
    rollup::Owner,
    run::{
        checkpoints::{Checkpoints, Synced},
        log::LogReader,
        record::{Folder, RecordError},
        tally::{Signs, Tally},
        tree::{self, Totals},
    },
    sample::Sampler,
};
use rust_decimal::Decimal;
use std::{
    collections::BTreeMap,
    io,
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, ExitStatus},
    sync::Arc,
    time::{Duration, Instant},
};

/// How often checkpoints are looked at, where they do not settle faster.
const SYNC_EVERY: Duration = Duration::from_secs(30);
/// How long after the command its descendants may still write to its output.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How often the last row of a terminal is drawn.
const LINE_EVERY: Duration = Duration::from_millis(250);

#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    #[arg(long, value_name = "NAME")]
    task: String,
    #[arg(long, value_name = "NAME")]
    person: Option<String>,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    price: Price,
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    interval: f64,
    #[arg(long, value_name = "REGEX")]
    metric: Option<String>,
    #[arg(long, value_name = "AMOUNT")]
    max_cost: Option<Decimal>,
    #[arg(long, value_name = "TIME")]
    idle_stop: Option<Seconds>,
    #[arg(long, default_value = "10min", value_name = "TIME")]
    stall_after: Seconds,
    #[arg(long)]
    enforce: bool,
    #[arg(long, value_name = "DIR", requires = "keep_at")]
    checkpoints: Option<PathBuf>,
    #[arg(long, value_name = "DIR", requires = "checkpoints")]
    keep_at: Option<String>,
    #[arg(long, default_value_t = 2, value_name = "N")]
    keep: usize,
    #[arg(long, default_value = "20s", value_name = "TIME")]
    settle: Seconds,
    #[arg(long, default_value = "2min", value_name = "TIME")]
    notice: Seconds,
    #[arg(long, value_name = "WHERE")]
    spot_notice: Option<String>,
    #[arg(long, default_value = "10min", value_name = "TIME")]
    say_every: Seconds,
    #[arg(long, default_value = ".kasuan/runs", value_name = "DIR")]
    records: PathBuf,
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    #[command(flatten)]
    store: Store,
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Run, context: &Context) -> Result<Exit, CommandError> {
    let reader = LogReader::new(arguments.metric.as_deref()).map_err(|_| {
        // What the library says of a pattern is English, over several lines.
        CommandError::user(Phrase::new("run-error-metric").with_word("reason", "syntax-pattern"))
    })?;
    let hourly = arguments.price.hourly()?;
    if arguments.max_cost.is_some() && hourly.is_none() {
        return Err(CommandError::user(Phrase::new("run-error-max-cost")));
    }
    try_records(arguments, context)?;
    let interval = Duration::try_from_secs_f64(arguments.interval)
        .ok()
        .filter(|interval| *interval >= Duration::from_millis(50))
        .ok_or_else(|| {
            CommandError::user(Phrase::new("box-error-interval").with("text", arguments.interval))
        })?;
    let checkpoints = match arguments.checkpoints.as_ref().zip(arguments.keep_at.as_ref()) {
        None => None,
        Some((local, kept)) => Some(Checkpoints {
            local: local.clone(),
            kept: kept_at::open(kept, context)?,
            most: arguments.keep,
            settled: Duration::from_secs(arguments.settle.get()),
        }),
    };
    let listener = match &arguments.spot_notice {
        None => None,
        Some(place) => Some(notice::Listener::start(place, context)?),
    };
    restore(checkpoints.as_ref(), context);
    let sampler = arguments.source.open();
    if sampler.is_err() {
        // The job matters more than its figures.
        context.warn(&Phrase::new("run-no-sampler"));
    }
    let writer = match arguments.store.is_named(context) {
        false => None,
        true => {
            let owner = Owner {
                host: arguments.host.clone().unwrap_or_else(host_name),
                job: arguments.task.clone(),
                person: arguments.person.clone().unwrap_or_default(),
            };
            match LedgerWriter::open(&arguments.store, owner, hourly, "run", context) {
                Ok(writer) => Some(writer),
                // The job matters more than its figures; its record file is kept all the same.
                Err(error) => {
                    let reason = context.say(&error.into_trouble().phrase);
                    context.warn(&Phrase::new("run-no-ledger").with("reason", reason));
                    None
                }
            }
        }
    };
    let mut job = Job {
        arguments,
        context,
        hourly,
        sampler: sampler.ok(),
        keeper: checkpoints.map(Keeper::start),
        reader,
        tally: Tally::default(),
        totals: Totals::default(),
        idle_since: None,
        last_step: None,
        signs: Signs::default(),
        ending_since: None,
        notice: Duration::from_secs(arguments.notice.get()),
        listener,
        taken_back: None,
        told: BTreeMap::new(),
        writer,
    };
    job.say_guards();
    job.execute(interval)
}

/// A folder of records that cannot be written is told while somebody looks. A full disk is no
/// reason to refuse the job, which may need none of it: that is said, and said again at the end.
fn try_records(arguments: &Run, context: &Context) -> Result<(), CommandError> {
    let Err(error) = Folder::new(&arguments.records).try_out() else { return Ok(()) };
    match &error {
        RecordError::File { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
            let reason = context.say(&error.phrase());
            context.warn(&Phrase::new("run-records-full").with("reason", reason));
            Ok(())
        }
        _ => Err(CommandError::surroundings(error.phrase()).hint(Phrase::new("run-hint-records"))),
    }
}

/// Brings the newest kept checkpoint back before the job starts.
fn restore(checkpoints: Option<&Checkpoints>, context: &Context) {
    let Some(checkpoints) = checkpoints else { return };
    match checkpoints.restore() {
        Ok(restored) => {
            for name in restored.damaged {
                context.warn(&Phrase::new("run-damaged").with("name", name));
            }
            if let Some(name) = restored.name {
                context.tell(&Phrase::new("run-restored").with("name", name));
            }
        }
        Err(error) => context.warn(&Phrase::new("run-restore-failed").with("reason", error)),
    }
}

struct Job<'a> {
    arguments: &'a Run,
    context: &'a Context,
    hourly: Option<Money>,
    sampler: Option<Box<dyn Sampler + Send>>,
    keeper: Option<Keeper>,
    reader: LogReader,
    tally: Tally,
    totals: Totals,
    idle_since: Option<Instant>,
    /// The last step that the log told of, and when.
    last_step: Option<(u64, Instant)>,
    /// What the cards last looked like.
    signs: Signs,
    /// Since when the command has been asked to end.
    ending_since: Option<Instant>,
    /// How long after that the machine is there.
    notice: Duration,
    /// Who listens for the provider's word that the machine is taken back.
    listener: Option<notice::Listener>,
    /// When the provider said so.
    taken_back: Option<jiff::Timestamp>,
    /// What was warned of already, by key.
    told: BTreeMap<&'static str, String>,
    /// The ledger, when one is named.
    writer: Option<LedgerWriter>,
}

impl Job<'_> {
    fn execute(&mut self, interval: Duration) -> Result<Exit, CommandError> {
        let signals = Signals::listen()?;
        let screen = Arc::new(Screen::new());
        let rows = u16::from(Screen::can_keep_a_line());
        let began = account::Began::now();
        let start = Instant::now();
        if rows > 0 {
            screen.set_aside();
        }
        let mut started = self.spawn(&screen, rows)?;
        account::open(self, &began);
        let mut next_sample = start;
        let settle = Duration::from_secs(self.arguments.settle.get().max(1));
        let sync_every = SYNC_EVERY.min(settle);
        let mut next_sync = start + sync_every;
        let line_every = match rows {
            0 => Duration::from_secs(self.arguments.say_every.get()),
            _ => LINE_EVERY,
        };
        let mut next_line = start + line_every;
        let status = loop {
            if let Some(status) = started.child.try_wait().map_err(|error| self.lost(&error))? {
                break status;
            }
            if signals.pass_on(&started.child) {
                self.ending_since.get_or_insert_with(Instant::now);
            }
            if signals.resized() && rows > 0 {
                screen.set_aside();
                started.resize(rows);
            }
            self.listen(&started.child);
            self.hurry(&started.child);
            for line in started.lines.try_iter() {
                self.read(&line);
            }
            let now = Instant::now();
            if now >= next_sample {
                next_sample = now + interval;
                self.sample(&started.child);
                self.guard(&started.child, start);
            }
            if now >= next_sync {
                next_sync = now + sync_every;
                self.keeper.iter_mut().for_each(Keeper::pass);
            }
            let kept = self.keeper.as_mut().map(Keeper::look).unwrap_or_default();
            self.say_kept(kept, false);
            if now >= next_line && !line_every.is_zero() {
                next_line = now + line_every;
                let progress = self.progress(start);
                match rows {
                    0 => self.context.tell(&progress),
                    _ => screen.show(&self.context.say(&progress)),
                }
            }
            std::thread::sleep(Duration::from_millis(50).min(interval));
        };
        let seconds = start.elapsed().as_secs_f64();
        self.last_words(&started);
        screen.give_back();
        let kept = self.keeper.take().map(Keeper::finish).unwrap_or_default();
        self.say_kept(kept, true);
        account::close(self, &began, seconds, status);
        Ok(Exit::Of(exit_byte(status)))
    }

    fn lost(&self, error: &io::Error) -> CommandError {
        let command = self.arguments.command.join(" ");
        CommandError::surroundings(
            Phrase::new("run-error-start").with("command", command).with_io("reason", error),
        )
    }

    fn spawn(&self, screen: &Arc<Screen>, rows: u16) -> Result<Started, CommandError> {
        let Some((program, rest)) = self.arguments.command.split_first() else {
            return Err(CommandError::user(Phrase::new("error-command-missing")));
        };
        output::start(program, rest, screen, rows).map_err(|error| {
            screen.give_back();
            let phrase =
                Phrase::new("run-error-start").with("command", program).with_io("reason", &error);
            if error.kind() == io::ErrorKind::NotFound {
                CommandError::user(phrase).hint(Phrase::new("run-hint-start"))
            } else {
                CommandError::user(phrase)
            }
        })
    }

    /// The pipes close after the last descendant has let go of them.
    fn last_words(&mut self, started: &Started) {
        let deadline = Instant::now() + LAST_WORDS;
        let left = || deadline.saturating_duration_since(Instant::now());
        while let Ok(line) = started.lines.recv_timeout(left()) {
            self.read(&line);
        }
    }

    fn read(&mut self, line: &str) {
        for reading in self.reader.read(line) {
            self.tally.read(&reading);
        }
        if let Some((done, _)) = self.tally.progress()
            && self.last_step.is_none_or(|(before, _)| before != done)
        {
            self.last_step = Some((done, Instant::now()));
            self.told.remove("stall");
        }
    }

    fn sample(&mut self, child: &Child) {
        let tree = tree::look(Path::new("/proc"), child.id());
        self.totals.add(&tree);
        let Some(sampler) = &mut self.sampler else { return };
        match sampler.sample() {
            Ok(snapshot) => {
                let idle = Tally::idle(&snapshot);
                if let Some(writer) = &mut self.writer {
                    writer.sample(Some(&snapshot), idle);
                    writer.tick(self.context);
                }
                match idle {
                    Some(true) => {
                        self.idle_since.get_or_insert_with(Instant::now);
                    }
                    _ => self.idle_since = None,
                }
                self.signs = Signs::of(&snapshot);
                self.tally.add(&snapshot, &tree.pids);
            }
            Err(_) => {
                self.idle_since = None;
                self.signs = Signs::default();
                self.tally.miss();
                if let Some(writer) = &mut self.writer {
                    writer.sample(None, None);
                }
            }
        }
    }

    fn spent(&self, start: Instant) -> Option<Money> {
        self.hourly.and_then(|hourly| cost(hourly, start.elapsed().as_secs_f64()))
    }

    /// How far it is, what it has cost, and when it will end at this pace.
    fn progress(&self, start: Instant) -> Phrase {
        let elapsed = start.elapsed().as_secs();
        let unknown = || "-".to_owned();
        let left =
            self.tally.progress().zip(self.tally.last_step()).and_then(|((done, total), step)| {
                #[expect(clippy::cast_precision_loss, reason = "counts of steps are below 2^53")]
                let seconds = total.saturating_sub(done) as f64 * step;
                Duration::try_from_secs_f64(seconds).ok()
            });
        let whole = left.map(|left| start.elapsed() + left);
        let money =
            |time: Duration| self.hourly.and_then(|hourly| cost(hourly, time.as_secs_f64()));
        let text = |money: Option<Money>| money.map_or_else(unknown, |money| money.to_string());
        Phrase::new("run-line")
            .with("task", &self.arguments.task)
            .with("elapsed", clock(elapsed))
            .with("cost", text(self.spent(start)))
            .with(
                "steps",
                self.tally
                    .progress()
                    .map_or_else(unknown, |(done, total)| format!("{done}/{total}")),
            )
            .with("left", left.map_or_else(unknown, |left| clock(left.as_secs())))
            .with("whole", text(whole.and_then(money)))
    }

    /// Says what is safe; what is not safe yet is said once for each reason, and at the end.
    fn say_kept(&mut self, passes: Vec<io::Result<Synced>>, ended: bool) {
        for pass in passes {
            match pass {
                Ok(synced) => {
                    self.told.remove("sync");
                    for name in synced.copied {
                        self.context.tell(&Phrase::new("run-synced").with("name", name));
                    }
                }
                Err(error) => {
                    let reason = error.to_string();
                    if self.told.get("sync") != Some(&reason) || ended {
                        let key = if ended { "run-sync-lost" } else { "run-sync-failed" };
                        self.context.warn(&Phrase::new(key).with("reason", &reason));
                        self.told.insert("sync", reason);
                    }
                }
            }
        }
    }
}

/// Writes hours, minutes and seconds.
fn clock(seconds: u64) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A code of a shell: the command's own, or 128 and the signal that ended it.
fn exit_byte(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}
