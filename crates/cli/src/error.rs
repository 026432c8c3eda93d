//! The one error type of the command line: a kind, which picks the exit code, a message and hints.

use crate::settings::Environment;
use kasuan_formats::workload::{Place, Trouble};
use kasuan_model::{Phrase, Phrased};
use kasuan_report::{Paint, Tone, Words, display_width};
use std::{io::Write as _, process::ExitCode};

/// How a command ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done: exit code 0.
    Done,
    /// The answer is no (over budget, does not fit, check failed): exit code 1.
    AnswerIsNo,
    /// A command that was run for the user ended with this code, which is passed on.
    Of(u8),
}

impl Exit {
    /// Returns the exit code.
    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::AnswerIsNo => 1,
            Self::Of(code) => code,
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

/// Characters of a line that are shown with an error.
const EXCERPT: usize = 100;

/// Why a command could not do its work.
#[derive(Clone, Debug)]
pub(crate) struct CommandError {
    kind: Kind,
    phrase: Phrase,
    hints: Vec<Phrase>,
    excerpt: Option<String>,
}

impl CommandError {
    /// Creates an error that the user can mend.
    pub(crate) const fn user(phrase: Phrase) -> Self {
        Self { kind: Kind::User, phrase, hints: Vec::new(), excerpt: None }
    }

    /// Creates an error of the surroundings: disk, network, driver.
    pub(crate) const fn surroundings(phrase: Phrase) -> Self {
        Self { kind: Kind::Surroundings, phrase, hints: Vec::new(), excerpt: None }
    }

    /// Returns what went wrong.
    pub(crate) const fn message(&self) -> &Phrase {
        &self.phrase
    }

    /// Says whether disk, network or driver failed.
    pub(crate) fn is_of_surroundings(&self) -> bool {
        self.kind == Kind::Surroundings
    }

    /// Says that not the user but disk, network or driver has to be mended.
    #[must_use]
    pub(crate) fn of_surroundings(self) -> Self {
        Self { kind: Kind::Surroundings, ..self }
    }

    /// Adds something the reader can try.
    #[must_use]
    pub(crate) fn hint(mut self, hint: Phrase) -> Self {
        self.hints.push(hint);
        self
    }

    /// Adds something the reader should know before everything else.
    #[must_use]
    pub(crate) fn hint_first(mut self, hint: Phrase) -> Self {
        self.hints.insert(0, hint);
        self
    }

    /// Shows the line of a text that the error is about, with a mark below the place.
    #[must_use]
    pub(crate) fn excerpt(mut self, text: &str, place: Place) -> Self {
        let Some(line) = place.line.checked_sub(1).and_then(|at| text.lines().nth(at)) else {
            return self;
        };
        let shown: String =
            line.chars().take(EXCERPT).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let before: String = shown.chars().take(place.column.saturating_sub(1)).collect();
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        let indent = " ".repeat(display_width(&before));
        self.excerpt = Some(format!("{number} | {shown}\n{margin} | {indent}^"));
        self
    }

    /// Takes the message and the hints out, for an error that is part of another.
    pub(crate) fn into_trouble(self) -> Trouble {
        Trouble { phrase: self.phrase, hints: self.hints }
    }

    /// Creates an error for output that could not be written; a closed pipe is no failure.
    pub(crate) fn output(error: &std::io::Error) -> Self {
        let mut failed = Self::surroundings(Phrase::new("error-output").with_io("reason", error));
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
        let message = words.say(&self.phrase);
        let message = words.say(&Phrase::new("error-line").with("message", message));
        // Nothing is left to tell when stderr itself is gone.
        let _ = writeln!(stderr, "{}", paint.paint(Tone::Bad, &message));
        if let Some(excerpt) = &self.excerpt {
            let _ = writeln!(stderr, "{}", paint.paint(Tone::Faint, excerpt));
        }
        for hint in &self.hints {
            let hint = Phrase::new("hint-line").with("message", words.say(hint));
            let _ = writeln!(stderr, "{}", words.say(&hint));
        }
        ExitCode::from(if self.kind == Kind::User { 2 } else { 3 })
    }
}

/// Errors of the rooms below are, unless a command says otherwise, the user's to mend.
impl<E: Phrased> From<E> for CommandError {
    fn from(error: E) -> Self {
        Self { kind: Kind::User, phrase: error.phrase(), hints: error.hints(), excerpt: None }
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
