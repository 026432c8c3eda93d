//! `GET /api/v1/fit` and `/review`: answered by the commands of those names.

use super::{
    asked_for,
    openapi::{FIT, Name, REVIEW},
};
use crate::{
    desk,
    problem::Problem,
    question::{Question, wrong},
    state::AppState,
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use kasuan_model::Phrase;
use kasuan_report::Language;
use kasuan_sizing::{Catalogue as Models, parse_size};
use serde_json::{Map, Value};

/// Whether a model and a task fit cards.
pub(crate) async fn fit(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    asked_for(state, headers, uri, |state, question, language| {
        let arguments = arguments(question, FIT)?;
        let model = question.text("model").ok_or_else(|| missing("model"))?;
        // The command would open a path; over the network only names are read.
        if parse_size(&model).is_none() {
            Models::shipped().find(&model).map_err(|error| Problem::of(&error))?;
        }
        state.ask("fit", arguments, language)
    })
    .await
}

/// What was used and paid in a month, and where money was lost.
pub(crate) async fn review(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    asked_for(state, headers, uri, |state, question, language| {
        let arguments = arguments(question, REVIEW)?;
        reviewed(state, arguments, language)
    })
    .await
}

/// Asks for the review of a month in the server's own ledger.
pub(crate) fn reviewed(
    state: &AppState,
    mut arguments: Map<String, Value>,
    language: Language,
) -> Result<Value, Problem> {
    let place = desk::ledger(&state.0.settings)?;
    arguments.insert("ledger".to_owned(), Value::String(place.to_owned()));
    let zone = arguments.entry("zone");
    zone.or_insert_with(|| Value::String(state.0.settings.zone_text()));
    state.ask("review", arguments, language)
}

/// Takes the names that an address may hold, and no other.
pub(crate) fn arguments(
    question: &Question,
    names: &'static [Name],
) -> Result<Map<String, Value>, Problem> {
    let mut arguments = Map::new();
    for (name, _, several, _) in names {
        let values = question.all(name);
        if *several && !values.is_empty() {
            let values = values.into_iter().map(Value::String).collect();
            arguments.insert((*name).to_owned(), Value::Array(values));
        } else if *name == "all_cards" {
            if question.flag(name)? {
                arguments.insert((*name).to_owned(), Value::Bool(true));
            }
        } else if let [value, more @ ..] = values.as_slice() {
            if !more.is_empty() {
                return Err(wrong(name, &values.join(", ")));
            }
            // A price below nothing is a mistake that the command would reckon with.
            if *name == "gb_month" && value.starts_with('-') {
                return Err(wrong(name, value));
            }
            arguments.insert((*name).to_owned(), Value::String(value.clone()));
        }
    }
    question.done()?;
    Ok(arguments)
}

fn missing(name: &'static str) -> Problem {
    let phrase = Phrase::new("error-argument-missing").with("argument", name);
    Problem::new(StatusCode::BAD_REQUEST, phrase)
}
