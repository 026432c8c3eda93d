//! `POST /api/v1/plan`: a workload file in YAML, TOML or JSON goes in, the plan comes out.

use crate::{planning, problem::Problem, reader, state::AppState};
use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, Uri, header},
    response::Response,
};
use kasuan_formats::{plan_json, workload::Notation};
use kasuan_model::Phrase;

/// Answers.
pub(crate) async fn answer(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let language = reader::language(&headers, &uri);
    let answered = match (seed(&uri), text(&headers, body)) {
        (Ok(seed), Ok((text, notation))) => state
            .work(move |state| {
                let tag = state.words(language).language().tag();
                let asked = format!("{notation:?} {seed} {tag}");
                let key = planning::digest(state, &["written", &asked, &text]);
                state.0.written.get(key, || {
                    let planned = planning::plan_text(state, &text, notation, seed)?;
                    let words = state.words(language);
                    let month = planned.document.workload.month;
                    let plan =
                        plan_json::v1::plan(&planned.plan, month, &|phrase| words.say(phrase));
                    Ok(super::written(&plan).into())
                })
            })
            .await
            .unwrap_or_else(|| Err(Problem::busy())),
        (Err(problem), _) | (_, Err(problem)) => Err(problem),
    };
    match answered {
        Ok(text) => super::answer(text.as_ref().to_owned()),
        Err(problem) => problem.document(state.words(language)),
    }
}

/// Reads the seed of the simulated months.
fn seed(uri: &Uri) -> Result<u64, Problem> {
    let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let mut seed = planning::SEED;
    for (name, value) in pairs {
        if name == "seed" {
            seed = value.parse().map_err(|_| {
                Problem::new(
                    StatusCode::BAD_REQUEST,
                    Phrase::new("error-argument-value")
                        .with("value", &value)
                        .with("argument", name),
                )
            })?;
        }
    }
    Ok(seed)
}

/// Reads the body as text in the notation that its type names.
fn text(
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<(String, Notation), Problem> {
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, Phrase::new("serve-body-large"))
        }
        _ => Problem::new(StatusCode::BAD_REQUEST, Phrase::new("serve-body-broken")),
    })?;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let notation = match kind {
        "application/json" => Notation::Json,
        "application/yaml" | "application/x-yaml" | "text/yaml" => Notation::Yaml,
        "application/toml" => Notation::Toml,
        _ => {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                Phrase::new("serve-body-kind"),
            ));
        }
    };
    let text = String::from_utf8(body.into())
        .map_err(|_| Problem::new(StatusCode::BAD_REQUEST, Phrase::new("serve-body-utf8")))?;
    Ok((text, notation))
}
