//! `GET /api/v1/live`: what agents see, as it changes (server-sent events).

use crate::{live, problem::Problem, reader, state::AppState};
use axum::{
    body::{Body, Bytes, HttpBody},
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::Response,
};
use hyper::body::Frame;
use kasuan_model::Phrase;
use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    sync::mpsc::{self, Receiver},
    time::{sleep, timeout},
};

/// A reader that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers with events for as long as the reader listens: one at once, then one a moment.
pub(crate) async fn answer(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let Ok(place) = Arc::clone(&state.0.listeners).try_acquire_owned() else {
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, Phrase::new("serve-busy"));
        return problem.document(state.words(reader::language(&headers, &uri)));
    };
    let (sender, receiver) = mpsc::channel(1);
    let mut ending = state.0.ending.subscribe();
    tokio::spawn(async move {
        let _place = place;
        let speak = async {
            loop {
                let seen = state.0.hub.look(&state.0.settings.agents).await;
                let text = serde_json::to_string(seen.as_ref()).unwrap_or_default();
                let event = Bytes::from(format!("event: cards\ndata: {text}\n\n"));
                if !matches!(timeout(PATIENCE, sender.send(event)).await, Ok(Ok(()))) {
                    return;
                }
                sleep(live::EVERY).await;
            }
        };
        let ended = async { drop(ending.wait_for(|ended| *ended).await) };
        crate::server::first_of(speak, ended).await;
    });
    let mut response = Response::new(Body::new(Events(receiver)));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    // A proxy that gathers answers would hold the events back.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Events as a body that ends when nobody speaks any more.
struct Events(Receiver<Bytes>);

impl HttpBody for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}
