//! What every request passes before it is answered: whose it is, how often it comes, how long it
//! may take; and what every answer carries.

use crate::{
    problem::Problem,
    reader::{self, LANGUAGE_COOKIE},
    state::AppState,
};
use axum::{
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Redirect, Response},
};
use kasuan_model::Phrase;
use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// Nothing but our own files runs, is shown or is asked; nobody may frame the page.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", CONTENT_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    // Not `no-referrer`: with it browsers send our own forms with an origin of `null`.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
];

/// Addresses that anybody may ask: signing in, and what that page needs.
fn is_open(path: &str) -> bool {
    path == "/sign-in" || path == "/healthz" || path.starts_with("/assets/")
}

/// Passes a request on, or refuses it.
pub(crate) async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let language = reader::language(request.headers(), request.uri());
    let chosen = reader::chosen(request.uri()).map(reader::word);
    let mut response = match check(&state, &request) {
        Ok(()) => {
            let patience = state.0.settings.patience;
            match tokio::time::timeout(patience, next.run(request)).await {
                Ok(response) => response,
                Err(_) => Problem::new(StatusCode::REQUEST_TIMEOUT, Phrase::new("serve-timeout"))
                    .response(&state, language, &path),
            }
        }
        Err(Refusal::SignIn) => Redirect::to("/sign-in").into_response(),
        Err(Refusal::Problem(problem)) => problem.response(&state, language, &path),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(*name, HeaderValue::from_static(value));
    }
    if let Some(word) = chosen {
        let cookie = format!("{LANGUAGE_COOKIE}={word}; SameSite=Lax; Path=/; Max-Age=31536000");
        if let Ok(value) = HeaderValue::from_str(&cookie) {
            headers.append(header::SET_COOKIE, value);
        }
    }
    // Plans are nobody else's business: neither a proxy nor the browser's disk keeps them.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

enum Refusal {
    SignIn,
    Problem(Problem),
}

fn check(state: &AppState, request: &Request) -> Result<(), Refusal> {
    let refuse = |status, phrase| Err(Refusal::Problem(Problem::new(status, phrase)));
    let headers = request.headers();
    let settings = &state.0.settings;
    // A name that somebody else's DNS points at this machine must not reach an open server.
    if settings.token.is_none() && !host(headers).is_some_and(is_loopback_name) {
        return refuse(StatusCode::MISDIRECTED_REQUEST, Phrase::new("serve-host"));
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if changes && !is_same_site(headers) {
        return refuse(StatusCode::FORBIDDEN, Phrase::new("serve-cross-site"));
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    if !peer.is_none_or(|peer| state.0.limiter.allows(peer)) {
        return refuse(StatusCode::TOO_MANY_REQUESTS, Phrase::new("serve-too-often"));
    }
    let path = request.uri().path();
    if is_open(path) || state.0.access.allows(headers) {
        return Ok(());
    }
    if path.starts_with("/api/") || changes {
        return refuse(StatusCode::UNAUTHORIZED, Phrase::new("serve-sign-in"));
    }
    Err(Refusal::SignIn)
}

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST).and_then(|value| value.to_str().ok())
}

/// Says whether a host's name, with or without a port, can only be this machine.
fn is_loopback_name(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Says whether a request that changes something was sent by our own page or by a program: a
/// browser tells where it comes from.
fn is_same_site(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if text("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return false;
    }
    match text("origin") {
        None => true,
        Some(origin) => {
            origin.split_once("://").map(|(_, rest)| rest) == host(headers) && origin != "null"
        }
    }
}

/// Who asks too often: a bucket for each address, filled by the second.
#[derive(Debug)]
pub(crate) struct Limiter {
    rate: f64,
    buckets: Mutex<BTreeMap<IpAddr, (f64, Instant)>>,
}

/// Seconds of requests that may come at once.
const BURST_SECONDS: f64 = 5.0;
/// Addresses that are remembered; more are a flood, and the full buckets are forgotten first.
const MOST_ADDRESSES: usize = 20_000;

impl Limiter {
    /// Creates a limit of requests a second.
    pub(crate) fn new(rate: u32) -> Self {
        Self { rate: f64::from(rate.max(1)), buckets: Mutex::default() }
    }

    /// Takes one request out of an address's bucket; loopback is not limited.
    pub(crate) fn allows(&self, peer: IpAddr) -> bool {
        peer.is_loopback() || self.takes(peer, 1.0)
    }

    /// Takes so many requests out of an address's bucket.
    pub(crate) fn takes(&self, peer: IpAddr, price: f64) -> bool {
        let full = self.rate * BURST_SECONDS;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_ADDRESSES {
            let rate = self.rate;
            buckets.retain(|_, (left, at)| *left + at.elapsed().as_secs_f64() * rate < full);
        }
        let (left, at) = buckets.entry(peer).or_insert((full, Instant::now()));
        let now = Instant::now();
        *left = (*left + now.duration_since(*at).as_secs_f64() * self.rate).min(full);
        *at = now;
        if *left < price {
            return false;
        }
        *left -= price;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for host in ["localhost", "LOCALHOST:8787", "127.0.0.1:1", "127.0.0.53", "[::1]:8787"] {
            assert!(is_loopback_name(host), "{host}");
        }
        for host in ["localhost.evil.example", "10.0.0.1", "127.0.0.1.evil.example:80", ""] {
            assert!(!is_loopback_name(host), "{host}");
        }
    }

    #[test]
    fn a_form_of_another_site_is_refused() {
        let sent = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            is_same_site(&headers)
        };
        let host = ("host", "localhost:8787");
        assert!(sent(&[host]));
        assert!(sent(&[host, ("origin", "http://localhost:8787")]));
        assert!(!sent(&[host, ("origin", "http://evil.example")]));
        assert!(!sent(&[host, ("origin", "null")]));
        assert!(!sent(&[host, ("sec-fetch-site", "cross-site")]));
    }

    #[test]
    fn an_address_that_asks_too_often_has_to_wait_and_another_has_not() {
        let limiter = Limiter::new(2);
        let (one, other) = ("203.0.113.1".parse().unwrap(), "203.0.113.2".parse().unwrap());
        let passed = (0..100).filter(|_| limiter.allows(one)).count();
        assert!((10..100).contains(&passed), "{passed}");
        assert!(limiter.allows(other));
        assert!((0..1000).all(|_| limiter.allows(IpAddr::from([127, 0, 0, 1]))));
    }
}
