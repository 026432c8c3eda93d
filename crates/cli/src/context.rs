//! What a command is given: settings, words, and the ways to print.

use crate::{
    error::CommandError,
    files,
    settings::{Format, Settings},
};
use kasuan_model::Phrase;
use kasuan_report::{Paint, Table, Words};
use std::{
    io::Write as _,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// What a command is given.
#[derive(Debug)]
pub(crate) struct Context {
    /// Arguments and environment.
    pub(crate) settings: Settings,
    /// The words of the reader's language.
    pub(crate) words: Words,
    /// Where output goes instead of the terminal, and what stands for stdin.
    taken: Option<Taken>,
}

/// What a command printed and said, for a caller that is no terminal.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// What stands for stdin.
    pub(crate) given: String,
    /// What was printed.
    pub(crate) printed: Mutex<String>,
    /// What was said beside it, a line each.
    pub(crate) said: Mutex<Vec<String>>,
}

impl Context {
    /// Creates a context.
    pub(crate) const fn new(settings: Settings, words: Words) -> Self {
        Self { settings, words, taken: None }
    }

    /// Creates a context whose output is taken instead of printed; `given` stands for stdin.
    pub(crate) fn taking(settings: Settings, words: Words, given: String) -> Self {
        Self { settings, words, taken: Some(Taken { given, ..Taken::default() }) }
    }

    /// Returns what was printed, and what was said beside it.
    pub(crate) fn into_taken(self) -> (String, Vec<String>) {
        let taken = self.taken.unwrap_or_default();
        (
            taken.printed.into_inner().unwrap_or_else(PoisonError::into_inner),
            taken.said.into_inner().unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Reads a whole text; `-` is stdin, or what stands for it.
    pub(crate) fn read_text(&self, path: &Path) -> Result<String, CommandError> {
        match &self.taken {
            Some(taken) if path == Path::new("-") => Ok(taken.given.clone()),
            _ => files::read_text(path),
        }
    }

    /// Returns the painter for results.
    pub(crate) const fn paint(&self) -> Paint {
        Paint::new(self.settings.colour)
    }

    /// Puts a message into the reader's words.
    pub(crate) fn say(&self, phrase: &Phrase) -> String {
        self.words.say(phrase)
    }

    /// Prints text to stdout as it stands.
    pub(crate) fn print(&self, text: &str) -> Result<(), CommandError> {
        if let Some(taken) = &self.taken {
            taken.printed.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
            return Ok(());
        }
        let mut stdout = anstream::stdout().lock();
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
            .map_err(|error| CommandError::output(&error))
    }

    /// Prints a message and ends the line.
    pub(crate) fn print_line(&self, phrase: &Phrase) -> Result<(), CommandError> {
        self.print(&format!("{}\n", self.say(phrase)))
    }

    /// Prints a JSON document.
    pub(crate) fn print_json(&self, value: &serde_json::Value) -> Result<(), CommandError> {
        self.print(&format!("{value:#}\n"))
    }

    /// Prints a table in the format that was asked for.
    pub(crate) fn print_table(&self, table: &Table) -> Result<(), CommandError> {
        match self.settings.format {
            Format::Table => self.print(&table.to_text(self.paint(), self.settings.width, 0)),
            Format::Json => self.print_json(&table.to_json()),
            Format::Csv => self.print(&table.to_csv()),
            Format::Markdown => self.print(&table.to_markdown()),
        }
    }

    /// Tells something on stderr, where it is no part of the result.
    pub(crate) fn tell(&self, phrase: &Phrase) {
        self.remark(self.say(phrase));
    }

    /// Prints something to look at on stderr, beside the result.
    pub(crate) fn warn(&self, phrase: &Phrase) {
        let line = Phrase::new("warning-line").with("message", self.say(phrase));
        self.remark(self.say(&line));
    }

    fn remark(&self, line: String) {
        match &self.taken {
            Some(taken) => taken.said.lock().unwrap_or_else(PoisonError::into_inner).push(line),
            // A remark that cannot be written must not stop the result.
            None => drop(writeln!(anstream::stderr().lock(), "{line}")),
        }
    }
}
