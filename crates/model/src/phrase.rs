//! Messages as data: a key and its arguments, put into words by `report` in the reader's language.
//!
//! Rooms below `report` never write sentences for people. They return a [`Phrase`]; the Fluent
//! files hold the words in zh-CN and en, and a test fails when a key is missing in either.

use std::fmt;

/// Marks an argument as a key; a control character, which no name or figure contains.
const WORD_MARK: char = '\u{1}';

/// A message for people: the key of its words and what goes into them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    key: &'static str,
    args: Vec<(&'static str, String)>,
}

impl Phrase {
    /// Creates a message without arguments; `key` must stand in both Fluent files.
    pub const fn new(key: &'static str) -> Self {
        Self { key, args: Vec::new() }
    }

    /// Adds an argument, written as it should be read in any language.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "callers pass temporaries and literals")]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.args.push((name, value.to_string()));
        self
    }

    /// Adds an argument that is itself a word of the reader's language, by its key: `mode-spot`.
    #[must_use]
    pub fn with_word(mut self, name: &'static str, key: impl fmt::Display) -> Self {
        self.args.push((name, format!("{WORD_MARK}{key}")));
        self
    }

    /// Returns the key that an argument added by [`Phrase::with_word`] stands for; `None` for text.
    pub fn word_key(argument: &str) -> Option<&str> {
        argument.strip_prefix(WORD_MARK)
    }

    /// Returns the key.
    pub const fn key(&self) -> &'static str {
        self.key
    }

    /// Returns the arguments in the order they were added.
    pub fn args(&self) -> &[(&'static str, String)] {
        &self.args
    }
}

/// Something that can be said to a person: what happened, and what to do about it.
///
/// Error types implement it beside `Display`, whose English is for logs and for developers.
pub trait Phrased {
    /// Returns what happened.
    fn phrase(&self) -> Phrase;

    /// Returns what the reader can try, most promising first.
    fn hints(&self) -> Vec<Phrase> {
        Vec::new()
    }
}
