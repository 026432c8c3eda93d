//! `GET /api/v1/offers`, `/bill`, `/doctor`: the questions that fit into an address, with the names
//! that the command line gives its arguments.

use super::json;
use crate::{answers, problem::Problem, question::Question, reader, state::AppState};
use axum::{
    extract::State,
    http::{HeaderMap, Uri},
    response::Response,
};
use kasuan_model::Rates;
use kasuan_report::{Words, market};
use serde_json::Value;

/// Answers with what a question yields.
async fn answer(
    state: AppState,
    headers: HeaderMap,
    uri: Uri,
    ask: impl FnOnce(&AppState, &Question, &Words) -> Result<Value, Problem> + Send + 'static,
) -> Response {
    let language = reader::language(&headers, &uri);
    let answered = state
        .work(move |state| ask(state, &Question::of_program(&uri), state.words(language)))
        .await
        .unwrap_or_else(|| Err(Problem::busy()));
    match answered {
        Ok(value) => json(&value),
        Err(problem) => problem.document(state.words(language)),
    }
}

/// Who rents which card for how much.
pub(crate) async fn offers(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    answer(state, headers, uri, |state, question, words| {
        let wanted = answers::wanted(question, state.catalogue())?;
        question.done()?;
        let found = answers::found(state, &wanted);
        let table = answers::offers_table(state, &wanted, &found, words);
        Ok(market::offers_json(&table, &found, &Rates::default()))
    })
    .await
}

/// What a usage of an offer is charged.
pub(crate) async fn bill(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    answer(state, headers, uri, |state, question, words| {
        let billed = answers::billed(state, question)?;
        Ok(market::bill_json(&billed.invoice, billed.offer, billed.terms, words))
    })
    .await
}

/// Will an environment run on a card?
pub(crate) async fn doctor(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    answer(state, headers, uri, |state, question, words| {
        Ok(answers::checked(state, question)?.json(state, words))
    })
    .await
}
