//! Signing in and out.

use super::{Frame, page};
use crate::{
    access::{SESSION_COOKIE, SESSION_LIFE},
    problem::Problem,
    reader,
    state::AppState,
};
use askama::Template;
use axum::{
    body::Bytes,
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse as _, Redirect, Response},
};
use kasuan_model::Phrase;
use std::net::SocketAddr;

/// What a wrong token costs of an address's requests: guessing ends after a few.
const GUESS_PRICE: f64 = 20.0;

#[derive(Template)]
#[template(path = "sign-in.html")]
struct SignIn<'a> {
    frame: Frame<'a>,
    wrong: bool,
}

/// Shows the form.
pub(crate) async fn show(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    if state.0.access.allows(&headers) {
        return Redirect::to("/").into_response();
    }
    page(&SignIn { frame: Frame::new(&state, &headers, &uri, ""), wrong: false })
}

/// Takes the token and opens a session.
pub(crate) async fn enter(State(state): State<AppState>, request: Request) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, 16 << 10).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let field = |name: &str| {
        form_urlencoded::parse(&body)
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
    };
    let language = reader::language(&parts.headers, &parts.uri);
    let access = &state.0.access;
    if !access.proves(&parts.headers, &field("proof").unwrap_or_default()) {
        return Problem::new(StatusCode::FORBIDDEN, Phrase::new("serve-cross-site"))
            .response(&state, language, "/sign-in");
    }
    if !access.is_token(field("token").unwrap_or_default().trim()) {
        if !peer.is_none_or(|peer| state.0.limiter.takes(peer, GUESS_PRICE)) {
            return Problem::new(StatusCode::TOO_MANY_REQUESTS, Phrase::new("serve-too-often"))
                .response(&state, language, "/sign-in");
        }
        let frame = Frame::new(&state, &parts.headers, &parts.uri, "");
        let mut response = page(&SignIn { frame, wrong: true });
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        return response;
    }
    let mut response = Redirect::to("/").into_response();
    let life = SESSION_LIFE.as_secs();
    let session = access.open().and_then(|id| {
        let cookie =
            format!("{SESSION_COOKIE}={id}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}");
        HeaderValue::from_str(&cookie).ok()
    });
    match session {
        Some(cookie) => {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Ends the session.
pub(crate) async fn leave(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
    body: Bytes,
) -> Response {
    let proof = form_urlencoded::parse(&body).find(|(key, _)| key == "proof");
    let proof = proof.map(|(_, value)| value.into_owned()).unwrap_or_default();
    if !state.0.access.proves(&headers, &proof) {
        return Problem::new(StatusCode::FORBIDDEN, Phrase::new("serve-cross-site")).response(
            &state,
            reader::language(&headers, &uri),
            uri.path(),
        );
    }
    state.0.access.close(&headers);
    let mut response = Redirect::to("/sign-in").into_response();
    let gone =
        HeaderValue::from_static("kasuan_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    response.headers_mut().insert(header::SET_COOKIE, gone);
    response
}
