//! The price card: a CSV of a user's own prices, read strictly and written back.
//!
//! Columns may stand in any order, in English or Chinese; only those without a default are needed.
//! `kasuan market template` writes one with an example of each kind of row.

mod cells;
mod columns;
mod write;

use super::{
    report::{Noted, Refused},
    text::csv_records,
};
use cells::{Cards, Row};
use columns::Columns;
use kasuan_market::{CardError, Catalogue, PriceCard};
use kasuan_model::{Phrase, Phrased};

pub use columns::COLUMNS;
pub use write::{template, write};

/// Why a price card cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PriceCardError {
    /// The file has no row at all.
    #[error("the price card is empty")]
    Empty,
    /// A column has no known name.
    #[error("line 1: unknown column `{column}`")]
    UnknownColumn {
        /// The column's name.
        column: String,
        /// The known name that looks most like it.
        nearest: Option<&'static str>,
    },
    /// A column stands twice.
    #[error("line 1: column `{column}` stands twice")]
    TwiceColumn {
        /// The column's name.
        column: &'static str,
    },
    /// A column that every card needs is missing.
    #[error("line 1: column `{column}` is missing")]
    MissingColumn {
        /// The column's name.
        column: &'static str,
    },
    /// A line is no CSV.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// The header stands in the middle, as where tables were pasted together.
    #[error("line {line}: the header again")]
    HeaderAgain {
        /// The line, from 1.
        line: u64,
    },
    /// A cell that this kind of row needs is empty.
    #[error("line {line}: column `{column}` is empty")]
    MissingCell {
        /// The line, from 1.
        line: u64,
        /// The column's name.
        column: &'static str,
    },
    /// A cell cannot be read.
    #[error("line {line}, column `{column}`: `{text}` is not {wanted}")]
    Cell {
        /// The line, from 1.
        line: u64,
        /// The column's name.
        column: &'static str,
        /// What stands there.
        text: String,
        /// What may stand there.
        wanted: Wanted,
    },
    /// A card's name is not known.
    #[error("line {line}, column `card`: {error}")]
    Card {
        /// The line, from 1.
        line: u64,
        /// Why not.
        error: CardError,
    },
}

/// What may stand in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A price above zero.
    Price,
    /// A price of zero or more.
    PriceOrNothing,
    /// An ISO 4217 code.
    Currency,
    /// A whole number above zero.
    Count,
    /// A number.
    Number,
    /// A date such as 2026-12-01.
    Date,
    /// A billing mode.
    Mode,
    /// What a price is for.
    Per,
    /// A span of time with its unit.
    Span,
    /// An amount with its unit.
    Amount,
    /// Yes or no.
    YesNo,
    /// A kind of row.
    Kind,
    /// A unit that fits the billing mode.
    PerOfMode,
    /// `nvlink` or `pcie`.
    Interconnect,
    /// A grade from A to D.
    Grade,
    /// A rule of rounding.
    Rounding,
}

impl Wanted {
    /// Returns the stable word, which the Fluent files select by.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::PriceOrNothing => "price-or-nothing",
            Self::Currency => "currency",
            Self::Count => "count",
            Self::Number => "number",
            Self::Date => "date",
            Self::Mode => "mode",
            Self::Per => "per",
            Self::Span => "span",
            Self::Amount => "amount",
            Self::YesNo => "yes-no",
            Self::Kind => "kind",
            Self::PerOfMode => "per-of-mode",
            Self::Interconnect => "interconnect",
            Self::Grade => "grade",
            Self::Rounding => "rounding",
        }
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a {}", self.word())
    }
}

/// Returns the key of a column's name in the reader's language.
fn word(column: &str) -> String {
    format!("price-column-{column}")
}

impl Phrased for PriceCardError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Empty => Phrase::new("price-card-empty"),
            Self::UnknownColumn { column, .. } => {
                Phrase::new("price-card-unknown-column").with("column", column)
            }
            Self::TwiceColumn { column } => {
                Phrase::new("price-card-twice-column").with_word("column", word(column))
            }
            Self::MissingColumn { column } => {
                Phrase::new("price-card-missing-column").with_word("column", word(column))
            }
            Self::Line { line, what } => {
                Phrase::new("price-card-line").with("line", line).with("what", what)
            }
            Self::HeaderAgain { .. } => Phrase::new("import-header-again"),
            Self::MissingCell { line, column } => Phrase::new("price-card-missing-cell")
                .with("line", line)
                .with_word("column", word(column)),
            Self::Cell { line, column, text, wanted } => Phrase::new("price-card-cell")
                .with("line", line)
                .with_word("column", word(column))
                .with("text", text)
                .with("wanted", wanted.word()),
            Self::Card { line, error: CardError::Unknown { text, .. } } => {
                Phrase::new("price-card-card").with("line", line).with("text", text)
            }
            Self::Card { line, error: CardError::Memory { text, family, given, known, .. } } => {
                Phrase::new("price-card-memory")
                    .with("line", line)
                    .with("text", text)
                    .with("family", family)
                    .with("given", given)
                    .with("known", known.join(" / "))
            }
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::UnknownColumn { nearest: Some(nearest), .. } => {
                vec![Phrase::new("price-card-nearest-column").with("column", nearest)]
            }
            Self::Card { error, .. } => error.hints(),
            Self::Empty | Self::UnknownColumn { .. } | Self::MissingColumn { .. } => {
                vec![Phrase::new("price-card-template")]
            }
            _ => Vec::new(),
        }
    }
}

/// A price card with what its reader should know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadPriceCard {
    /// The prices.
    pub card: PriceCard,
    /// Guesses that were made, such as the form factor of a card.
    pub notes: Vec<Noted>,
    /// Rows that were refused; always empty after [`read`].
    pub refused: Vec<Refused>,
    /// Rows below the header that are not empty.
    pub rows: usize,
    /// Those of them that are about storage and traffic.
    pub terms: usize,
}

/// Reads a price card strictly: the first wrong cell is the error. `name` becomes the source of
/// rows that state none.
pub fn read(
    text: &str,
    name: &str,
    catalogue: &Catalogue,
) -> Result<ReadPriceCard, PriceCardError> {
    let mut refusal = None;
    let read = walk(text, name, catalogue, |error| {
        if matches!(error, PriceCardError::HeaderAgain { .. }) {
            return true;
        }
        refusal = Some(error);
        false
    })?;
    match refusal {
        Some(error) => Err(error),
        None => Ok(read),
    }
}

/// Reads what can be read of a price card and reports the rest.
pub(super) fn read_leniently(
    text: &str,
    name: &str,
    catalogue: &Catalogue,
) -> Result<ReadPriceCard, PriceCardError> {
    let mut refused = Vec::new();
    let mut read = walk(text, name, catalogue, |error| {
        refused.push(Refused { line: error.line(), what: String::new(), why: error.phrase() });
        true
    })?;
    read.refused = refused;
    Ok(read)
}

impl PriceCardError {
    /// Returns the line it is about, 1 for the header.
    const fn line(&self) -> u64 {
        match self {
            Self::Empty
            | Self::UnknownColumn { .. }
            | Self::TwiceColumn { .. }
            | Self::MissingColumn { .. } => 1,
            Self::Line { line, .. }
            | Self::HeaderAgain { line }
            | Self::MissingCell { line, .. }
            | Self::Cell { line, .. }
            | Self::Card { line, .. } => *line,
        }
    }
}

/// Reads row by row; `refuse` says whether to go on after a wrong row.
fn walk(
    text: &str,
    name: &str,
    catalogue: &Catalogue,
    mut refuse: impl FnMut(PriceCardError) -> bool,
) -> Result<ReadPriceCard, PriceCardError> {
    let mut read = ReadPriceCard::default();
    let mut records = csv_records(text);
    let header = match records.next() {
        None => return Err(PriceCardError::Empty),
        Some((line, Err(what))) => return Err(PriceCardError::Line { line, what }),
        Some((_, Ok(header))) => header,
    };
    let columns = Columns::new(&header)?;
    let mut cards = Cards::default();
    for (line, record) in records {
        if record.as_ref().is_ok_and(|row| row.iter().all(|cell| cell.trim().is_empty())) {
            continue;
        }
        read.rows += 1;
        let row = match record {
            Err(what) => Err(PriceCardError::Line { line, what }),
            // A header repeated in the middle of pasted tables is no price.
            Ok(record) if record == header => Err(PriceCardError::HeaderAgain { line }),
            Ok(record) => {
                let row = Row { line, columns: &columns, record: &record, name, catalogue };
                row.read(&mut read, &mut cards)
            }
        };
        if let Err(error) = row
            && !refuse(error)
        {
            break;
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests;
