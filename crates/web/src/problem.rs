//! What went wrong, for programs (RFC 9457 `application/problem+json`) and for people.

use crate::state::AppState;
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use kasuan_formats::workload::{Place, Trouble, WorkloadError};
use kasuan_model::{Phrase, Phrased};
use kasuan_report::{Language, Words};
use serde::Serialize;

/// Why a request has no answer.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The HTTP status.
    pub(crate) status: StatusCode,
    /// What is wrong.
    pub(crate) trouble: Trouble,
    /// Where in the text that was sent.
    pub(crate) place: Option<Place>,
}

/// The document that programs get.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProblemDocument {
    /// Always `about:blank`: the status says the kind.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What the status means, in English.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What is wrong, in the language that was asked for.
    detail: String,
    /// What to try, in the same language.
    hints: Vec<String>,
    /// The line of the text that was sent, counted from 1.
    line: Option<usize>,
    /// The column, counted from 1.
    column: Option<usize>,
}

impl Problem {
    /// Creates a problem that the sender can mend.
    pub(crate) const fn new(status: StatusCode, phrase: Phrase) -> Self {
        Self { status, trouble: Trouble::new(phrase), place: None }
    }

    /// Creates a problem with what was asked: well sent, but it means nothing.
    pub(crate) fn of(error: &impl Phrased) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, trouble: Trouble::of(error), place: None }
    }

    /// Says that too many wait already.
    pub(crate) const fn busy() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Phrase::new("serve-busy"))
    }

    /// Adds something to try.
    pub(crate) fn hint(mut self, hint: Phrase) -> Self {
        self.trouble = self.trouble.hint(hint);
        self
    }

    /// Returns what is wrong, in words.
    pub(crate) fn message(&self, words: &Words) -> String {
        words.say(&self.trouble.phrase)
    }

    /// Returns what to try, in words.
    pub(crate) fn hints(&self, words: &Words) -> Vec<String> {
        self.trouble.hints.iter().map(|hint| words.say(hint)).collect()
    }

    /// Writes the document for programs.
    pub(crate) fn document(&self, words: &Words) -> Response {
        let document = ProblemDocument {
            kind: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: self.message(words),
            hints: self.hints(words),
            line: self.place.map(|place| place.line).filter(|line| *line > 0),
            column: self.place.map(|place| place.column).filter(|column| *column > 0),
        };
        let body = serde_json::to_string(&document).unwrap_or_default();
        let mut response = (self.status, body).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if self.status == StatusCode::SERVICE_UNAVAILABLE
            || self.status == StatusCode::TOO_MANY_REQUESTS
        {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }

    /// Writes what the reader of this address expects: a document below `/api/`, else a page.
    pub(crate) fn response(&self, state: &AppState, language: Language, path: &str) -> Response {
        if path.starts_with("/api/") {
            return self.document(state.words(language));
        }
        crate::pages::problem(self, state, language)
    }
}

impl From<WorkloadError> for Problem {
    fn from(error: WorkloadError) -> Self {
        Self {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            trouble: error.trouble,
            place: error.place,
        }
    }
}
