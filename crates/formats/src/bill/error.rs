//! Why a bill cannot be read: the file, the line, what was expected, and a way out.

use crate::workload::syntax::cause;
use kasuan_model::{Phrase, Phrased};

/// Why a bill cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BillError {
    /// The file has no rows.
    #[error("`{file}` holds no rows")]
    Empty {
        /// The file.
        file: String,
    },
    /// The file begins as Parquet and cannot be read as such.
    #[error("`{file}` cannot be read as Parquet: {reason}")]
    Columnar {
        /// The file.
        file: String,
        /// What the library says.
        reason: String,
    },
    /// The file is a web page, usually a sign-in page that was saved as a bill.
    #[error("`{file}` is a web page, not a bill")]
    WebPage {
        /// The file.
        file: String,
    },
    /// The file is neither UTF-8 nor GB18030 text.
    #[error("`{file}` is neither UTF-8 nor GB18030 text")]
    Encoding {
        /// The file.
        file: String,
    },
    /// No layout knows the headers.
    #[error(
        "`{file}` has headers that no known bill has; nearest is `{nearest}`, which lacks {missing}"
    )]
    UnknownLayout {
        /// The file.
        file: String,
        /// The layout with the most matching columns.
        nearest: String,
        /// The columns it lacks.
        missing: String,
    },
    /// A layout was asked for that does not exist.
    #[error("there is no bill layout `{layout}`")]
    NoSuchLayout {
        /// What was asked for.
        layout: String,
        /// All that exist.
        known: String,
    },
    /// A header stands twice and both columns matter.
    #[error("`{file}` has the column `{column}` twice")]
    DoubleColumn {
        /// The file.
        file: String,
        /// The column.
        column: String,
    },
    /// A cell cannot be read.
    #[error("`{file}` line {line}, column `{column}`: `{text}` is not {expected}")]
    Cell {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What stands there.
        text: String,
        /// What belongs there, as a key of words: `amount`, `time`, `currency`, `word`, `count`.
        expected: &'static str,
    },
    /// A row has more or fewer cells than the header.
    #[error("`{file}` line {line} has {found} cells where the header has {expected}")]
    Ragged {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// Cells of the row.
        found: usize,
        /// Cells of the header.
        expected: usize,
    },
    /// The same row id stands twice with different content.
    #[error("`{file}` line {line}: the row `{key}` stands twice and differs")]
    DoubleRow {
        /// The file.
        file: String,
        /// The line of the second, from 1.
        line: u64,
        /// The row's id.
        key: String,
    },
    /// Rows are in several currencies although the layout has one.
    #[error("`{file}` line {line}: {found} among rows in {first}")]
    MixedCurrencies {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The currency of the rows before.
        first: String,
        /// The currency of this row.
        found: String,
    },
    /// The file states a total that its rows do not have.
    #[error("`{file}` states a total of {stated}, its rows add up to {summed}")]
    WrongTotal {
        /// The file.
        file: String,
        /// What the file states.
        stated: String,
        /// What the rows add up to.
        summed: String,
    },
    /// A row ends before it starts.
    #[error("`{file}` line {line}: {end} is before {start}")]
    Backwards {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// When it starts.
        start: String,
        /// When it ends.
        end: String,
    },
    /// One invoice id stands in two accounts, currencies or periods.
    #[error("`{file}` has the invoice `{invoice}` in two accounts, currencies or periods")]
    DoubleInvoice {
        /// The file.
        file: String,
        /// The invoice.
        invoice: String,
    },
    /// The user's own column map cannot be used.
    #[error("`{file}` is no map of columns: {reason}")]
    Map {
        /// The map.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// Neither the file nor its layout nor the user says which currency.
    #[error("`{file}` does not say which currency")]
    NoCurrency {
        /// The file.
        file: String,
    },
}

impl Phrased for BillError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Empty { file } => Phrase::new("bill-error-empty").with("file", file),
            Self::Columnar { file, reason } => {
                Phrase::new("bill-error-columnar").with("file", file).with("reason", reason)
            }
            Self::WebPage { file } => Phrase::new("bill-error-web-page").with("file", file),
            Self::Encoding { file } => Phrase::new("bill-error-encoding").with("file", file),
            Self::UnknownLayout { file, nearest, missing } => {
                Phrase::new("bill-error-unknown-layout")
                    .with("file", file)
                    .with("nearest", nearest)
                    .with("missing", missing)
            }
            Self::NoSuchLayout { layout, .. } => {
                Phrase::new("bill-error-no-such-layout").with("layout", layout)
            }
            Self::DoubleColumn { file, column } => {
                Phrase::new("bill-error-double-column").with("file", file).with("column", column)
            }
            Self::Cell { file, line, column, text, expected } => Phrase::new("bill-error-cell")
                .with("file", file)
                .with("line", line)
                .with("column", column)
                .with("text", text)
                .with("expected", expected),
            Self::Ragged { file, line, found, expected } => Phrase::new("bill-error-ragged")
                .with("file", file)
                .with("line", line)
                .with("found", found)
                .with("expected", expected),
            Self::DoubleRow { file, line, key } => Phrase::new("bill-error-double-row")
                .with("file", file)
                .with("line", line)
                .with("key", key),
            Self::MixedCurrencies { file, line, first, found } => {
                Phrase::new("bill-error-mixed-currencies")
                    .with("file", file)
                    .with("line", line)
                    .with("first", first)
                    .with("found", found)
            }
            Self::WrongTotal { file, stated, summed } => Phrase::new("bill-error-wrong-total")
                .with("file", file)
                .with("stated", stated)
                .with("summed", summed),
            Self::NoCurrency { file } => Phrase::new("bill-error-no-currency").with("file", file),
            Self::Backwards { file, line, start, end } => Phrase::new("bill-error-backwards")
                .with("file", file)
                .with("line", line)
                .with("start", start)
                .with("end", end),
            Self::DoubleInvoice { file, invoice } => {
                Phrase::new("bill-error-double-invoice").with("file", file).with("invoice", invoice)
            }
            Self::Map { file, reason } => {
                // Our own words name the field; those of the parser are English.
                match cause(reason) {
                    "syntax-other" => {
                        Phrase::new("bill-error-map").with("file", file).with("reason", reason)
                    }
                    word => {
                        Phrase::new("bill-error-map").with("file", file).with_word("reason", word)
                    }
                }
            }
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Empty { .. } => vec![Phrase::new("bill-hint-empty")],
            Self::Columnar { .. } => vec![Phrase::new("bill-hint-columnar")],
            Self::WebPage { .. } => vec![Phrase::new("bill-hint-web-page")],
            Self::Encoding { .. } => vec![Phrase::new("bill-hint-encoding")],
            Self::UnknownLayout { .. } => vec![Phrase::new("bill-hint-unknown-layout")],
            Self::NoSuchLayout { known, .. } => {
                vec![Phrase::new("bill-hint-no-such-layout").with("known", known)]
            }
            Self::NoCurrency { .. } => vec![Phrase::new("bill-hint-no-currency")],
            Self::WrongTotal { .. } | Self::Ragged { .. } => {
                vec![Phrase::new("bill-hint-download-again")]
            }
            Self::DoubleRow { .. } => vec![Phrase::new("bill-hint-double-row")],
            Self::Backwards { .. } => vec![Phrase::new("bill-hint-backwards")],
            Self::DoubleInvoice { .. } => vec![Phrase::new("bill-hint-double-invoice")],
            Self::Map { .. } => vec![Phrase::new("bill-hint-map")],
            Self::MixedCurrencies { .. } => vec![Phrase::new("bill-hint-mixed-currencies")],
            Self::DoubleColumn { .. } | Self::Cell { .. } => Vec::new(),
        }
    }
}
