//! What is wrong with a workload file, and where.

use kasuan_model::{Phrase, Phrased};
use std::fmt;

/// A place in a text, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// What is wrong with one value, without saying where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What is wrong.
    pub phrase: Phrase,
    /// What to try.
    pub hints: Vec<Phrase>,
}

impl Trouble {
    /// Creates a trouble without a hint.
    pub const fn new(phrase: Phrase) -> Self {
        Self { phrase, hints: Vec::new() }
    }

    /// Adds something to try.
    #[must_use]
    pub fn hint(mut self, hint: Phrase) -> Self {
        self.hints.push(hint);
        self
    }

    /// Takes over what another room says.
    pub fn of(error: &impl Phrased) -> Self {
        Self { phrase: error.phrase(), hints: error.hints() }
    }

    /// Says where it stands.
    pub const fn at(self, place: Place) -> WorkloadError {
        WorkloadError { place: Some(place), trouble: self }
    }
}

/// Why a workload file cannot be used: the first thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError {
    /// Where; `None` when it is about the whole file.
    pub place: Option<Place>,
    /// What.
    pub trouble: Trouble,
}

impl From<Trouble> for WorkloadError {
    fn from(trouble: Trouble) -> Self {
        Self { place: None, trouble }
    }
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "line {}, column {}: ", place.line, place.column)?;
        }
        write!(f, "{} {:?}", self.trouble.phrase.key(), self.trouble.phrase.args())
    }
}

impl std::error::Error for WorkloadError {}

impl Phrased for WorkloadError {
    fn phrase(&self) -> Phrase {
        self.trouble.phrase.clone()
    }

    fn hints(&self) -> Vec<Phrase> {
        self.trouble.hints.clone()
    }
}
