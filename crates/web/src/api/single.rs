//! `GET /api/v1/offers`, `/bill`, `/doctor`: the questions that fit into an address, with the names
//! that the command line gives its arguments.

use super::asked_for;
use crate::{answers, state::AppState};
use axum::{
    extract::State,
    http::{HeaderMap, Uri},
    response::Response,
};
use kasuan_model::Rates;
use kasuan_report::market;

/// Who rents which card for how much.
pub(crate) async fn offers(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    asked_for(state, headers, uri, |state, question, language| {
        let wanted = answers::wanted(question, state.catalogue())?;
        question.done()?;
        let found = answers::found(state, &wanted);
        let table = answers::offers_table(state, &wanted, &found, state.words(language));
        Ok(market::offers_json(&table, &found, &Rates::default()))
    })
    .await
}

/// What a usage of an offer is charged.
pub(crate) async fn bill(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    asked_for(state, headers, uri, |state, question, language| {
        let billed = answers::billed(state, question)?;
        let words = state.words(language);
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
    asked_for(state, headers, uri, |state, question, language| {
        Ok(answers::checked(state, question)?.json(state, state.words(language)))
    })
    .await
}
