//! What an import did with each row of a file.

use kasuan_market::Finding;
use kasuan_model::Phrase;

/// A row that was not taken, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The line in the file, or the number of the row in it, from 1.
    pub line: u64,
    /// What the row is called.
    pub what: String,
    /// Why it was not taken.
    pub why: Phrase,
}

/// Something to know about a row that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Noted {
    /// The line in the file, or the number of the row in it, from 1.
    pub line: u64,
    /// What to know.
    pub what: Phrase,
}

/// What an import did with a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The format, by its stable word.
    pub format: &'static str,
    /// Rows in the file, the header apart.
    pub rows: usize,
    /// Offers that were taken.
    pub taken: usize,
    /// Rows that said what another row had said (zones of one region, repeats); the lowest price
    /// stays.
    pub merged: usize,
    /// Rows about machines without a card, or whose card the file does not tell and the catalogue
    /// does not know.
    pub no_card: usize,
    /// Rows about storage and traffic.
    pub terms: usize,
    /// Rows that were refused.
    pub refused: Vec<Refused>,
    /// What to know about rows that were taken.
    pub noted: Vec<Noted>,
    /// Doubts about the offers that were taken.
    pub doubts: Vec<Finding>,
}

impl Report {
    /// Says in one line what became of the rows.
    pub fn summary(&self) -> Phrase {
        Phrase::new("import-summary")
            .with_word("format", format!("import-format-{}", self.format))
            .with("rows", self.rows)
            .with("taken", self.taken)
            .with("merged", self.merged)
            .with("no_card", self.no_card)
            .with("terms", self.terms)
            .with("refused", self.refused.len())
    }
}
