//! What the pages and the API ask of the command line: the server answers with the commands' own
//! JSON, handed in by whoever starts it, so that the two can never say different things.

use crate::{problem::Problem, settings::Settings, state::AppState};
use axum::http::StatusCode;
use kasuan_formats::workload::Trouble;
use kasuan_model::Phrase;
use kasuan_report::Language;
use serde_json::{Map, Value};

/// Answers questions with what a command prints.
pub trait Desk: std::fmt::Debug + Send + Sync {
    /// Returns the JSON document of a command.
    ///
    /// # Errors
    /// What the command would say, and whether the asker can mend it.
    fn answer(
        &self,
        command: &str,
        arguments: &Map<String, Value>,
        language: Language,
    ) -> Result<String, Refused>;
}

/// What a command said instead of an answer.
#[derive(Clone, Debug)]
pub struct Refused {
    /// What is wrong.
    pub trouble: Trouble,
    /// Whether the surroundings failed: a disk, a database.
    pub of_surroundings: bool,
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        let status = if refused.of_surroundings {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        };
        Self { status, trouble: refused.trouble, place: None }
    }
}

/// Returns the ledger's place, else says how to have one.
pub(crate) fn ledger(settings: &Settings) -> Result<&str, Problem> {
    settings.ledger.as_deref().ok_or_else(|| {
        Problem::new(StatusCode::NOT_FOUND, Phrase::new("web-no-ledger"))
            .hint(Phrase::new("web-hint-no-ledger"))
    })
}

impl AppState {
    /// Asks a command.
    pub(crate) fn ask(
        &self,
        command: &str,
        mut arguments: Map<String, Value>,
        language: Language,
    ) -> Result<Value, Problem> {
        let nobody = || Problem::new(StatusCode::NOT_FOUND, Phrase::new("serve-nowhere"));
        let desk = self.0.settings.desk.as_ref().ok_or_else(nobody)?;
        arguments.insert("today".to_owned(), Value::String(self.today().to_string()));
        let printed = desk.answer(command, &arguments, language)?;
        serde_json::from_str(&printed).map_err(|error| {
            let phrase = Phrase::new("serve-start").with("reason", error);
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, phrase)
        })
    }
}
