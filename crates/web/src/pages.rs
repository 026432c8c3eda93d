//! The pages: a frame that all share, and one file a page.

pub(crate) mod doctor;
pub(crate) mod html;
pub(crate) mod market;
pub(crate) mod plan;
pub(crate) mod review;
pub(crate) mod sign_in;
pub(crate) mod upload;
pub(crate) mod usage;

use crate::{assets, problem::Problem, reader, state::AppState};
use askama::Template;
use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{Html, IntoResponse as _, Response},
};
use kasuan_model::Phrase;
use kasuan_report::{Language, Words};

/// What every page shows around its own.
pub(crate) struct Frame<'a> {
    /// The words of the reader's language.
    pub(crate) words: &'a Words,
    /// Which page it is, as in the menu.
    pub(crate) here: &'static str,
    /// The proof that forms carry.
    pub(crate) proof: String,
    /// Whether the reader signed in and may sign out.
    pub(crate) signed_in: bool,
    /// Whether nothing may be changed.
    pub(crate) read_only: bool,
}

impl<'a> Frame<'a> {
    /// Creates the frame for a request.
    pub(crate) fn new(
        state: &'a AppState,
        headers: &HeaderMap,
        uri: &Uri,
        here: &'static str,
    ) -> Self {
        let access = &state.0.access;
        Self {
            words: state.words(reader::language(headers, uri)),
            here,
            proof: access.proof(headers),
            signed_in: access.is_needed() && access.allows(headers),
            read_only: state.0.settings.read_only,
        }
    }

    /// Returns the words of a key.
    pub(crate) fn word(&self, key: &str) -> String {
        self.words.word(key)
    }

    /// Returns the language tag.
    pub(crate) fn tag(&self) -> &'static str {
        self.words.language().tag()
    }

    /// Returns the word of the language in links.
    pub(crate) fn language(&self) -> &'static str {
        reader::word(self.words.language())
    }

    /// Returns the address of an embedded file.
    pub(crate) fn asset(&self, name: &str) -> String {
        assets::address(name)
    }
}

/// Writes a page.
pub(crate) fn page(template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => Html(text).into_response(),
        // Templates write into memory; this is for the compiler, not for readers.
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    frame: Frame<'a>,
    message: String,
    hints: Vec<String>,
}

/// Writes a page that says what went wrong.
pub(crate) fn problem(problem: &Problem, state: &AppState, language: Language) -> Response {
    let words = state.words(language);
    let frame = Frame {
        words,
        here: "",
        proof: String::new(),
        signed_in: false,
        read_only: state.0.settings.read_only,
    };
    let message = problem.message(words);
    let mut response = page(&ProblemPage { frame, message, hints: problem.hints(words) });
    *response.status_mut() = problem.status;
    response
}

/// Answers an address that leads nowhere.
pub(crate) async fn nowhere(
    axum::extract::State(state): axum::extract::State<AppState>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    Problem::new(StatusCode::NOT_FOUND, Phrase::new("serve-nowhere")).response(
        &state,
        reader::language(&headers, &uri),
        uri.path(),
    )
}

/// Makes a browser keep a file under a name.
pub(crate) fn download(bytes: Vec<u8>, kind: &'static str, name: &str) -> Response {
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    response
}
