//! The same answers for programs: JSON as the command line prints it.

pub(crate) mod asked;
mod live;
pub(crate) mod openapi;
mod plan;
mod single;

use crate::state::AppState;
use axum::{
    Router,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use serde::Serialize;

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
