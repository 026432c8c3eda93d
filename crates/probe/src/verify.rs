//! The first validation of a rented box: does a kernel run and how fast, is the data near, is the
//! result store safe, is it the card that was paid for?

mod data;
mod judge;
mod promise;
mod store;

pub use data::{DataPath, look as look_at_data};
pub use judge::{judge_data, judge_steps, judge_store};
pub use promise::{Broken, Promise, compare, judge as judge_promise};
pub use store::{Stored, try_store};

use serde_json::Value;
use std::{
    io::{self, BufRead as _, BufReader, Read},
    process::{Command, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

/// How long a killed script's pipe may stay silent before it is given up.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The script that the box's own Python runs.
const SCRIPT: &str = include_str!("verify/verify.py");

/// One step of the script.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which: `import`, `device`, `matmul`, `rate`, `bandwidth`, `upload`, `memory`, `peer`, or
    /// `card` for a card on which something unforeseen happened.
    pub step: String,
    /// Whether it went as it should.
    pub passed: bool,
    /// The card, by ordinal.
    pub card: Option<u64>,
    /// Everything that it said.
    pub figures: Value,
}

impl Step {
    /// Returns a figure.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures[name].as_f64()
    }

    /// Returns a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.figures[name].as_str()
    }
}

/// What running the script came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The steps that were reached.
    pub steps: Vec<Step>,
    /// Why there are no more: the last line of the error output, or that time ran out.
    pub broke: Option<Broke>,
}

/// Why the script ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broke {
    /// It was still running after the limit; a driver that hangs does that.
    TimedOut(Duration),
    /// It ended in error; the last line that it wrote to stderr.
    Failed(String),
}

/// How the script is to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Side of the square matrices.
    pub size: u32,
    /// Seconds that each measurement lasts.
    pub seconds: f64,
    /// When the whole script is given up.
    pub limit: Duration,
}

/// Runs the script with a Python.
///
/// # Errors
///
/// When the program cannot be started.
pub fn run(python: &str, effort: Effort) -> io::Result<Outcome> {
    let mut child = Command::new(python)
        .args(["-c", SCRIPT, &effort.size.to_string(), &effort.seconds.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let said = child.stdout.take().map(collect);
    let complained = child.stderr.take().map(collect);
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > effort.limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let text = |said: Option<mpsc::Receiver<String>>| {
        said.map(|said| until_closed(&said, status.is_none())).unwrap_or_default()
    };
    let steps = read(&text(said));
    let complaint = text(complained);
    let broke = match status {
        None => Some(Broke::TimedOut(effort.limit)),
        Some(status) if status.success() => None,
        Some(_) => Some(Broke::Failed(
            complaint.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned(),
        )),
    };
    Ok(Outcome { steps, broke })
}

/// Reads a pipe by a thread of its own, line by line.
fn collect(pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        // What came before the pipe broke is still worth reading.
        while pipe.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                break;
            }
            line.clear();
        }
    });
    lines
}

/// Gathers what a pipe says until it is closed. After a kill, a child of the killed program may
/// hold the pipe open for ever: then what has come is all.
fn until_closed(lines: &mpsc::Receiver<String>, killed: bool) -> String {
    if !killed {
        return lines.iter().collect();
    }
    let mut text = String::new();
    while let Ok(line) = lines.recv_timeout(LAST_WORDS) {
        text.push_str(&line);
    }
    text
}

/// Reads what the script printed; lines that are not its own (warnings) are passed over.
pub fn read(output: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for line in output.lines() {
        let Ok(figures) = serde_json::from_str::<Value>(line) else { continue };
        let Some(step) = figures["step"].as_str() else { continue };
        let passed = figures["outcome"] == "pass";
        steps.push(Step { step: step.to_owned(), passed, card: figures["card"].as_u64(), figures });
    }
    steps
}
