//! `kasuan run --task NAME -- COMMAND`: the command untouched, measured, its checkpoints kept.

use super::on_box::{Price, Source, cost};
use crate::{
    context::Context,
    error::{CommandError, Exit},
};
use kasuan_model::{Money, Phrase, Seconds};
use kasuan_probe::{
    machine::{self, Installed},
    run::{
        checkpoints::Checkpoints,
        log::LogReader,
        record::{Folder, RecordStore as _, RunRecord},
        tally::Tally,
        tree,
    },
    sample::Sampler,
};
use rust_decimal::Decimal;
use std::{
    collections::BTreeMap,
    io::{IsTerminal as _, Read, Write},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

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
    #[arg(long)]
    enforce: bool,
    #[arg(long, value_name = "DIR", requires = "keep_at")]
    checkpoints: Option<PathBuf>,
    #[arg(long, value_name = "DIR", requires = "checkpoints")]
    keep_at: Option<PathBuf>,
    #[arg(long, default_value_t = 2, value_name = "N")]
    keep: usize,
    #[arg(long, default_value = ".kasuan/runs", value_name = "DIR")]
    records: PathBuf,
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Run, context: &Context) -> Result<Exit, CommandError> {
    let reader = LogReader::new(arguments.metric.as_deref()).map_err(|error| {
        CommandError::user(Phrase::new("run-error-metric").with("reason", error))
    })?;
    let hourly = arguments.price.hourly()?;
    if arguments.max_cost.is_some() && hourly.is_none() {
        return Err(CommandError::user(Phrase::new("run-error-max-cost")));
    }
    let interval = Duration::try_from_secs_f64(arguments.interval)
        .ok()
        .filter(|interval| *interval >= Duration::from_millis(50))
        .ok_or_else(|| {
            CommandError::user(Phrase::new("box-error-interval").with("text", arguments.interval))
        })?;
    let checkpoints =
        arguments.checkpoints.as_ref().zip(arguments.keep_at.as_ref()).map(|(local, kept)| {
            Checkpoints {
                local: local.clone(),
                kept: kept.clone(),
                most: arguments.keep,
                settled: Duration::from_secs(20),
            }
        });
    restore(checkpoints.as_ref(), context);
    let sampler = arguments.source.open();
    if sampler.is_err() {
        // The job matters more than its figures.
        context.warn(&Phrase::new("run-no-sampler"));
    }
    let mut job = Job {
        arguments,
        context,
        hourly,
        sampler: sampler.ok(),
        checkpoints,
        reader,
        tally: Tally::default(),
        idle_since: None,
        told: BTreeMap::new(),
        cpu_ticks: 0,
        resident: 0,
    };
    job.execute(interval)
}

/// Brings the newest kept checkpoint back before the job starts.
fn restore(checkpoints: Option<&Checkpoints>, context: &Context) {
    let Some(checkpoints) = checkpoints else { return };
    match checkpoints.restore() {
        Ok(Some(name)) => context.warn(&Phrase::new("run-restored").with("name", name)),
        Ok(None) => {}
        Err(error) => context.warn(&Phrase::new("run-restore-failed").with("reason", error)),
    }
}

struct Job<'a> {
    arguments: &'a Run,
    context: &'a Context,
    hourly: Option<Money>,
    sampler: Option<Box<dyn Sampler + Send>>,
    checkpoints: Option<Checkpoints>,
    reader: LogReader,
    tally: Tally,
    idle_since: Option<Instant>,
    /// What was warned of already, by key.
    told: BTreeMap<&'static str, String>,
    cpu_ticks: u64,
    resident: u64,
}

impl Job<'_> {
    fn execute(&mut self, interval: Duration) -> Result<Exit, CommandError> {
        let signals = Signals::listen()?;
        let started = jiff::Timestamp::now();
        let start = Instant::now();
        let (mut child, lines) = self.spawn()?;
        let mut next_sample = start;
        let mut next_sync = start + Duration::from_secs(30);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|error| self.lost_child(&error))? {
                break status;
            }
            signals.pass_on(&child);
            for line in lines.try_iter() {
                self.read(&line);
            }
            let now = Instant::now();
            if now >= next_sample {
                next_sample = now + interval;
                self.sample(&child);
                self.guard(&child, start);
            }
            if now >= next_sync {
                next_sync = now + Duration::from_secs(30);
                self.sync(false);
            }
            std::thread::sleep(Duration::from_millis(50).min(interval));
        };
        // The pipes close after the last descendant has let go of them.
        let deadline = Instant::now() + Duration::from_secs(2);
        while let Ok(line) = lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            self.read(&line);
        }
        self.sync(true);
        let seconds = start.elapsed().as_secs_f64();
        self.keep(started, seconds, status);
        Ok(Exit::Of(exit_byte(status)))
    }

    fn lost_child(&self, error: &std::io::Error) -> CommandError {
        let command = self.arguments.command.join(" ");
        CommandError::surroundings(
            Phrase::new("run-error-start").with("command", command).with("reason", error),
        )
    }

    /// Starts the command. On a terminal it keeps the terminal; else its output is read on the way.
    fn spawn(&self) -> Result<(Child, mpsc::Receiver<String>), CommandError> {
        let (sender, lines) = mpsc::channel();
        let Some((program, rest)) = self.arguments.command.split_first() else {
            return Err(CommandError::user(Phrase::new("error-command-missing")));
        };
        let piped = !std::io::stdout().is_terminal();
        let mut command = Command::new(program);
        command.args(rest);
        if piped {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        let mut child = command.spawn().map_err(|error| {
            let phrase =
                Phrase::new("run-error-start").with("command", program).with("reason", &error);
            if error.kind() == std::io::ErrorKind::NotFound {
                CommandError::user(phrase).hint(Phrase::new("run-hint-start"))
            } else {
                CommandError::user(phrase)
            }
        })?;
        if let Some(output) = child.stdout.take() {
            let sender = sender.clone();
            std::thread::spawn(move || tee(output, std::io::stdout(), &sender));
        }
        if let Some(output) = child.stderr.take() {
            std::thread::spawn(move || tee(output, std::io::stderr(), &sender));
        }
        Ok((child, lines))
    }

    fn read(&mut self, line: &str) {
        for reading in self.reader.read(line) {
            self.tally.read(&reading);
        }
    }

    fn sample(&mut self, child: &Child) {
        let tree = tree::look(Path::new("/proc"), child.id());
        self.cpu_ticks = self.cpu_ticks.max(tree.cpu_ticks);
        self.resident = self.resident.max(tree.resident);
        let Some(sampler) = &mut self.sampler else { return };
        match sampler.sample() {
            Ok(snapshot) => {
                match Tally::idle(&snapshot) {
                    Some(true) => {
                        self.idle_since.get_or_insert_with(Instant::now);
                    }
                    _ => self.idle_since = None,
                }
                self.tally.add(&snapshot);
            }
            Err(_) => {
                self.idle_since = None;
                self.tally.miss();
            }
        }
    }

    /// Warns, or with `--enforce` asks the command to end, when a limit is reached.
    fn guard(&mut self, child: &Child, start: Instant) {
        let spent = self.hourly.and_then(|hourly| cost(hourly, start.elapsed().as_secs_f64()));
        if let (Some(spent), Some(most)) = (spent, self.arguments.max_cost)
            && spent.amount() >= most
        {
            let limit = Money::new(most, spent.currency());
            self.stop("cost", &Phrase::new("run-max-cost").with("limit", limit), child);
        }
        if let (Some(since), Some(limit)) = (self.idle_since, self.arguments.idle_stop)
            && since.elapsed().as_secs() >= limit.get()
        {
            let minutes = since.elapsed().as_secs() / 60;
            self.stop("idle", &Phrase::new("run-idle").with("minutes", minutes), child);
        }
    }

    fn stop(&mut self, key: &'static str, why: &Phrase, child: &Child) {
        if self.told.contains_key(key) {
            return;
        }
        self.told.insert(key, String::new());
        self.context.warn(why);
        if self.arguments.enforce {
            send(child, rustix::process::Signal::TERM);
        } else {
            self.context.warn(&Phrase::new("run-dry"));
        }
    }

    fn sync(&mut self, everything: bool) {
        let Some(checkpoints) = &self.checkpoints else { return };
        match checkpoints.sync(everything) {
            Ok(synced) => {
                self.told.remove("sync");
                for name in synced.copied {
                    self.context.warn(&Phrase::new("run-synced").with("name", name));
                }
            }
            // The job goes on; what is not safe yet is said once for each reason.
            Err(error) => {
                let reason = error.to_string();
                if self.told.get("sync") != Some(&reason) || everything {
                    self.context.warn(&Phrase::new("run-sync-failed").with("reason", &reason));
                    self.told.insert("sync", reason);
                }
            }
        }
    }

    fn keep(&self, started: jiff::Timestamp, seconds: f64, status: ExitStatus) {
        let spent = self.hourly.and_then(|hourly| cost(hourly, seconds));
        let (samples, samples_missed) = self.tally.counts();
        #[expect(clippy::cast_precision_loss, reason = "ticks of a job are far below 2^53")]
        let cpu = (self.cpu_ticks > 0).then(|| self.cpu_ticks as f64 / 100.0);
        let record = RunRecord {
            version: 1,
            task: self.arguments.task.clone(),
            person: self.arguments.person.clone(),
            command: self.arguments.command.clone(),
            started: started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            seconds,
            exit_code: status.code(),
            signal: status.signal(),
            sampler: self.sampler.as_ref().map(|sampler| sampler.name().to_owned()),
            samples,
            samples_missed,
            cards: self.tally.cards(),
            log: self.tally.steps(),
            cpu_seconds: cpu,
            resident_peak_bytes: (self.resident > 0).then_some(self.resident),
            cost: spent.map(|spent| spent.amount().round_dp(6).normalize().to_string()),
            currency: spent.map(|spent| spent.currency().code().to_owned()),
            environment: fingerprint(),
        };
        match Folder::new(&self.arguments.records).keep(&record) {
            Ok(name) => {
                let time = format!("{seconds:.1}");
                let spent = spent.map_or_else(|| "-".to_owned(), |spent| spent.to_string());
                self.context.warn(
                    &Phrase::new("run-kept")
                        .with("name", name)
                        .with("seconds", time)
                        .with("cost", spent),
                );
            }
            Err(error) => {
                self.context.warn(&Phrase::new("run-record-failed").with("reason", error));
            }
        }
    }
}

/// What the run ran on, to tell later why another one differs.
fn fingerprint() -> BTreeMap<String, String> {
    let machine = machine::inspect(Path::new("/"), &Installed);
    let mut found = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            found.insert(name.to_owned(), value);
        }
    };
    let nvidia = machine.nvidia.as_ref();
    put("driver", nvidia.and_then(|snapshot| snapshot.driver.clone()));
    put("image_cuda", machine.host.image_cuda.clone());
    put("processor", machine.host.processor.clone());
    if let Some(python) = &machine.python {
        put("python", Some(python.version.clone()));
        for package in &python.packages {
            put(&package.name, Some(package.version.clone()));
        }
    }
    found
}

/// Passes output through as it comes and sends each line, or redrawing of a bar, to the reader.
fn tee(mut from: impl Read, mut to: impl Write, lines: &mpsc::Sender<String>) {
    let mut buffer = [0_u8; 8192];
    let mut line = Vec::new();
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let chunk = buffer.get(..count).unwrap_or_default();
        // A reader that went away must not stop the job; its figures are still read.
        let _ = to.write_all(chunk).and_then(|()| to.flush());
        for byte in chunk {
            if matches!(byte, b'\n' | b'\r') {
                let _ = lines.send(String::from_utf8_lossy(&line).into_owned());
                line.clear();
            } else if line.len() < 1 << 16 {
                line.push(*byte);
            }
        }
    }
    if !line.is_empty() {
        let _ = lines.send(String::from_utf8_lossy(&line).into_owned());
    }
}

/// A code of a shell: the command's own, or 128 and the signal that ended it.
fn exit_byte(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}

fn send(child: &Child, signal: rustix::process::Signal) {
    let id = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        // A command that has just ended cannot be signalled, and need not be.
        let _ = rustix::process::kill_process(id, signal);
    }
}

/// Signals that are passed on to the command instead of ending this program.
struct Signals(Vec<(i32, rustix::process::Signal, Arc<AtomicBool>)>);

impl Signals {
    fn listen() -> Result<Self, CommandError> {
        use rustix::process::Signal;
        let mut flags = Vec::new();
        for (number, signal) in [
            (signal_hook::consts::SIGTERM, Signal::TERM),
            (signal_hook::consts::SIGINT, Signal::INT),
            (signal_hook::consts::SIGHUP, Signal::HUP),
            (signal_hook::consts::SIGUSR1, Signal::USR1),
            (signal_hook::consts::SIGUSR2, Signal::USR2),
        ] {
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(number, Arc::clone(&flag)).map_err(|error| {
                CommandError::surroundings(Phrase::new("run-error-signals").with("reason", error))
            })?;
            flags.push((number, signal, flag));
        }
        Ok(Self(flags))
    }

    /// Sends on what has come. The keyboard's interrupt reaches the command by itself, because it
    /// shares the terminal.
    fn pass_on(&self, child: &Child) {
        for (number, signal, flag) in &self.0 {
            let came = flag.swap(false, Ordering::SeqCst);
            let by_keyboard =
                *number == signal_hook::consts::SIGINT && std::io::stdin().is_terminal();
            if came && !by_keyboard {
                send(child, *signal);
            }
        }
    }
}
