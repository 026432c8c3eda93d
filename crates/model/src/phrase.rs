//! Messages as data: a key and its arguments, put into words by `report` in the reader's language.
//!
//! Rooms below `report` never write sentences for people. They return a [`Phrase`]; the Fluent
//! files hold the words in zh-CN and en, and a test fails when a key is missing in either.

use std::{fmt, io};

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

    /// Adds why something could not be read or written, in the reader's language where the kind of
    /// failure is a known one, else as the system says it.
    #[must_use]
    pub fn with_io(self, name: &'static str, error: &io::Error) -> Self {
        match io_word(error.kind()) {
            Some(key) => self.with_word(name, key),
            None => self.with(name, error),
        }
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

/// Returns the key of the word for a kind of failure.
const fn io_word(kind: io::ErrorKind) -> Option<&'static str> {
    use io::ErrorKind;
    Some(match kind {
        ErrorKind::NotFound => "io-not-found",
        ErrorKind::PermissionDenied => "io-denied",
        ErrorKind::AlreadyExists => "io-exists",
        ErrorKind::IsADirectory => "io-folder",
        ErrorKind::NotADirectory => "io-no-folder",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "io-full",
        ErrorKind::ReadOnlyFilesystem => "io-read-only",
        ErrorKind::InvalidFilename => "io-name",
        ErrorKind::TooManyLinks => "io-links",
        ErrorKind::AddrInUse => "io-in-use",
        ErrorKind::AddrNotAvailable => "io-no-address",
        ErrorKind::ConnectionRefused => "io-refused",
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            "io-broken-off"
        }
        ErrorKind::TimedOut => "io-timed-out",
        ErrorKind::UnexpectedEof => "io-short",
        ErrorKind::InvalidData => "io-data",
        _ => return None,
    })
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
