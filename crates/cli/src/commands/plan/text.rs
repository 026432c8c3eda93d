//! What a workload is read from: a text in YAML, JSON or TOML, or a workbook.

use crate::{context::Context, error::CommandError, files};
use kasuan_formats::workload::{self, Node, Notation, WorkloadError, sheets::Sheets};
use kasuan_model::{Phrase, Phrased as _};
use std::path::Path;

/// The content of a workload file.
pub(super) enum Text {
    /// A text.
    Written(String),
    /// A workbook, or why it cannot be read.
    Sheets(Result<Sheets, WorkloadError>),
}

impl Text {
    /// Reads a file.
    pub(super) fn read(file: &Path, context: &Context) -> Result<Self, CommandError> {
        let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
        if extension == "xlsx" {
            return Ok(Self::Sheets(workload::sheets::read(&files::read_bytes(file)?)));
        }
        Ok(Self::Written(context.read_text(file)?))
    }

    /// Returns the tree of its values.
    pub(super) fn tree(&self, file: &Path) -> Result<Node, WorkloadError> {
        match self {
            Self::Written(text) => {
                let extension = file.extension().unwrap_or_default().to_string_lossy();
                workload::parse(text, Notation::from_extension(&extension))
            }
            Self::Sheets(Ok(sheets)) => sheets.tree(),
            Self::Sheets(Err(error)) => Err(error.clone()),
        }
    }

    /// Says where in the file something is wrong, with the line or the cell.
    pub(super) fn refused(
        &self,
        file: &Path,
        error: &WorkloadError,
        context: &Context,
    ) -> CommandError {
        let message = context.say(&error.phrase());
        let path = file.display();
        let cell = match self {
            Self::Sheets(Ok(sheets)) => error.place.and_then(|place| sheets.cell(place)),
            _ => None,
        };
        let mut refused = match (self, error.place, cell) {
            (Self::Written(text), Some(place), _) => {
                let phrase = Phrase::new("workload-at")
                    .with("file", path)
                    .with("line", place.line)
                    .with("column", place.column)
                    .with("message", message);
                CommandError::user(phrase).excerpt(text, place)
            }
            (_, _, Some((sheet, cell))) => CommandError::user(
                Phrase::new("workload-at-cell")
                    .with("file", path)
                    .with("sheet", sheet)
                    .with("cell", cell)
                    .with("message", message),
            ),
            _ => CommandError::user(
                Phrase::new("workload-in").with("file", path).with("message", message),
            ),
        };
        for hint in error.hints() {
            refused = refused.hint(hint);
        }
        refused
    }
}
