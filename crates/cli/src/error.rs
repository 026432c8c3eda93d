//! The one error type of the command line: a kind, which picks the exit code, a message and hints.

use crate::settings::Environment;
use kasuan_model::{Phrase, Phrased};
use kasuan_report::{Paint, Tone, Words};
use std::{io::Write as _, process::ExitCode};

/// How a command ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done: exit code 0.
    Done,
    /// The answer is no (over budget, does not fit, check failed): exit code 1.
    AnswerIsNo,
}

impl Exit {
    /// Returns the exit code.
    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::AnswerIsNo => 1,
        })
    }
}

/// Who has to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The user must change something (arguments, file, units): exit code 2.
    User,
    /// The surroundings failed (disk, network, driver): exit code 3.
    Surroundings,
    /// Whoever read our output went away; that is no failure.
    ReaderGone,
}

/// Why a command could not do its work.
#[derive(Clone, Debug)]
pub(crate) struct CommandError {
    kind: Kind,
    phrase: Phrase,
    hints: Vec<Phrase>,
}

impl CommandError {
    /// Creates an error that the user can mend.
    pub(crate) const fn user(phrase: Phrase) -> Self {
        Self { kind: Kind::User, phrase, hints: Vec::new() }
    }

    /// Creates an error of the surroundings: disk, network, driver.
    pub(crate) const fn surroundings(phrase: Phrase) -> Self {
        Self { kind: Kind::Surroundings, phrase, hints: Vec::new() }
    }

    /// Adds something the reader can try.
    #[must_use]
    pub(crate) fn hint(mut self, hint: Phrase) -> Self {
        self.hints.push(hint);
        self
    }

    /// Creates an error for output that could not be written; a closed pipe is no failure.
    pub(crate) fn output(error: &std::io::Error) -> Self {
        let mut failed = Self::surroundings(Phrase::new("error-output").with("reason", error));
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            failed.kind = Kind::ReaderGone;
        }
        failed
    }

    /// Prints the message and the hints on stderr and returns the exit code.
    pub(crate) fn print(&self, words: &Words, environment: &Environment) -> ExitCode {
        if self.kind == Kind::ReaderGone {
            return ExitCode::SUCCESS;
        }
        let paint = Paint::new(environment.colour_on_stderr());
        let mut stderr = anstream::stderr().lock();
        let mut line = |tone, phrase: &Phrase| {
            // Nothing is left to tell when stderr itself is gone.
            let _ = writeln!(stderr, "{}", paint.paint(tone, &words.say(phrase)));
        };
        let message = words.say(&self.phrase);
        line(Tone::Bad, &Phrase::new("error-line").with("message", message));
        for hint in &self.hints {
            let message = words.say(hint);
            line(Tone::Plain, &Phrase::new("hint-line").with("message", message));
        }
        ExitCode::from(if self.kind == Kind::User { 2 } else { 3 })
    }
}

/// Errors of the rooms below are, unless a command says otherwise, the user's to mend.
impl<E: Phrased> From<E> for CommandError {
    fn from(error: E) -> Self {
        Self { kind: Kind::User, phrase: error.phrase(), hints: error.hints() }
    }
}

/// Why no command is run.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Help or the version was asked for; this is it.
    Asked(String),
    /// The arguments are wrong.
    Wrong(CommandError),
}

impl Refusal {
    /// Prints it and returns the exit code.
    pub(crate) fn print(&self, words: &Words, environment: &Environment) -> ExitCode {
        match self {
            Self::Asked(text) => match write!(anstream::stdout().lock(), "{text}") {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => CommandError::output(&error).print(words, environment),
            },
            Self::Wrong(error) => error.print(words, environment),
        }
    }
}
