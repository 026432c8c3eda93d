//! The same answers for programs: JSON as the command line prints it.

pub(crate) mod asked;
mod live;
pub(crate) mod openapi;
mod plan;
mod single;

use crate::{problem::Problem, question::Question, reader, state::AppState};
use axum::{
    Router,
    http::{HeaderMap, HeaderValue, Uri, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use kasuan_report::Language;
use serde::Serialize;
use serde_json::Value;

/// Returns every address below `/api/v1`.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/openapi.json", get(openapi::answer))
        .route("/plan", post(plan::answer))
        .route("/offers", get(single::offers))
        .route("/bill", get(single::bill))
        .route("/doctor", get(single::doctor))
        .route("/fit", get(asked::fit))
        .route("/review", get(asked::review))
        .route("/live", get(live::answer))
}

/// Answers a question in an address with what it yields, or with why it yields nothing.
async fn asked_for(
    state: AppState,
    headers: HeaderMap,
    uri: Uri,
    ask: impl FnOnce(&AppState, &Question, Language) -> Result<Value, Problem> + Send + 'static,
) -> Response {
    let language = reader::language(&headers, &uri);
    let answered = state
        .work(move |state| ask(state, &Question::of_program(&uri), language))
        .await
        .unwrap_or_else(|| Err(Problem::busy()));
    match answered {
        Ok(value) => json(&value),
        Err(problem) => problem.document(state.words(language)),
    }
}

/// Writes a document.
pub(crate) fn json(document: &impl Serialize) -> Response {
    answer(written(document))
}

/// Writes a document as text.
fn written(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

/// Answers with a document that is written already.
fn answer(text: String) -> Response {
    let mut response = text.into_response();
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
