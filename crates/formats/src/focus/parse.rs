//! A FOCUS file as a table of cells, where null is no text.

use crate::workload::syntax::cause;
use kasuan_model::{Phrase, Phrased};

/// A table of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FocusTable {
    /// The columns.
    pub columns: Vec<String>,
    /// The rows with their lines in the file; `None` is null.
    pub rows: Vec<(u64, Vec<Option<String>>)>,
}

/// Why a file is no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// No header, or no rows.
    #[error("no rows")]
    Empty,
    /// Not UTF-8, or rows of unequal width.
    #[error("line {line}: {reason}")]
    Broken {
        /// The line.
        line: u64,
        /// Why.
        reason: String,
    },
}

impl Phrased for ParseError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Empty => Phrase::new("focus-error-empty"),
            Self::Broken { line, reason } => Phrase::new("focus-error-broken")
                .with("line", line)
                .with_word("reason", cause(reason)),
        }
    }
}

impl FocusTable {
    /// Reads a CSV file. Empty cells and the word NULL are null, as exports write it.
    pub fn read_csv(bytes: &[u8]) -> Result<Self, ParseError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader = csv::ReaderBuilder::new().from_reader(bytes);
        let broken = |error: &csv::Error| {
            let line = error.position().map_or(0, csv::Position::line);
            let reason = match error.kind() {
                csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                    format!("{len} / {expected_len}")
                }
                other => format!("{other:?}").chars().take(60).collect(),
            };
            ParseError::Broken { line, reason }
        };
        let header = reader.headers().map_err(|error| broken(&error))?;
        let columns: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| broken(&error))?;
            let line = record.position().map_or(0, csv::Position::line);
            let cells = record.iter().map(|cell| {
                let null = matches!(cell, "" | "NULL" | "null");
                (!null).then(|| cell.to_owned())
            });
            rows.push((line, cells.collect()));
        }
        if columns.is_empty() || rows.is_empty() {
            return Err(ParseError::Empty);
        }
        Ok(Self { columns, rows })
    }

    /// Returns where a column stands.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }
}
