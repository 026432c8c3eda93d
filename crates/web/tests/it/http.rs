//! Sends requests to the application without a port.

use axum::{
    Router,
    body::{Body, Bytes},
    extract::ConnectInfo,
    http::{HeaderMap, Request, StatusCode},
};
use http_body_util::BodyExt as _;
use kasuan_market::Catalogue;
use kasuan_web::{AppState, Settings, app};
use std::net::SocketAddr;
use tower::ServiceExt as _;

/// An answer, read whole.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A server on loopback on a fixed day, changed as a test wishes.
pub(crate) fn settings() -> Settings {
    let listen = "127.0.0.1:8787".parse().unwrap();
    let mut settings = Settings::new(listen, Catalogue::shipped().unwrap());
    settings.today = Some("2026-12-01".parse().unwrap());
    settings
}

pub(crate) fn server(settings: Settings) -> Router {
    app(AppState::new(settings).unwrap())
}

/// Sends a request to a server, from loopback, with the name of this machine.
pub(crate) fn send(server: &Router, request: Request<Body>) -> Answer {
    send_from(server, request, "127.0.0.1:50000")
}

pub(crate) fn send_from(server: &Router, mut request: Request<Body>, peer: &str) -> Answer {
    let peer: SocketAddr = peer.parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    request.headers_mut().entry("host").or_insert("localhost:8787".parse().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let response = server.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status: parts.status, headers: parts.headers, body }
    })
}

pub(crate) fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

pub(crate) fn post(path: &str, kind: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post(path).header("content-type", kind).body(body.into()).unwrap()
}

/// Sends a form as the page would: with the proof that stands in the page.
pub(crate) fn form(server: &Router, path: &str, pairs: &[(&str, &str)]) -> Request<Body> {
    let page = send(server, get("/?lang=en")).text();
    let proof = page.split("name=\"proof\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.append_pair("proof", proof).extend_pairs(pairs);
    post(path, "application/x-www-form-urlencoded", body.finish())
}
