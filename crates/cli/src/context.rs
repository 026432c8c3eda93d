//! What a command is given: settings, words, and the ways to print.

use crate::{
    error::CommandError,
    settings::{Format, Settings},
};
use kasuan_model::Phrase;
use kasuan_report::{Paint, Table, Words};
use std::io::Write as _;

/// What a command is given.
#[derive(Debug)]
pub(crate) struct Context {
    /// Arguments and environment.
    pub(crate) settings: Settings,
    /// The words of the reader's language.
    pub(crate) words: Words,
}

impl Context {
    /// Creates a context.
    pub(crate) const fn new(settings: Settings, words: Words) -> Self {
        Self { settings, words }
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
        // A remark that cannot be written must not stop the result.
        let _ = writeln!(anstream::stderr().lock(), "{}", self.say(phrase));
    }

    /// Prints something to look at on stderr, beside the result.
    pub(crate) fn warn(&self, phrase: &Phrase) {
        let line = Phrase::new("warning-line").with("message", self.say(phrase));
        // A warning that cannot be written must not stop the result.
        let _ = writeln!(anstream::stderr().lock(), "{}", self.say(&line));
    }
}
