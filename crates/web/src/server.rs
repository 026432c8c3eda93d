//! Listens, with limits that a slow or silent client cannot get around, and ends in peace.

use crate::{app::app, form::Form, settings::Settings, state::AppState};
use axum::{Router, extract::ConnectInfo, extract::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use kasuan_model::{Phrase, Phrased};
use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tower::ServiceExt as _;

/// Time to send the head of a request.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// The longest that one connection lives, so that nobody holds a place for ever.
const CONNECTION_LIFE: Duration = Duration::from_secs(600);
/// Connections at once.
const MOST_CONNECTIONS: usize = 1024;
/// Time that open requests get when the server is asked to end.
const LAST_ANSWERS: Duration = Duration::from_secs(10);
/// Bytes of a request's head.
const LARGEST_HEAD: usize = 32 << 10;

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// The system refuses threads or signals.
    #[error("the server cannot start")]
    Start(#[source] io::Error),
    /// The shipped data cannot be used.
    #[error("the server cannot start: {0}")]
    Data(String),
    /// The workload that it should show cannot be read.
    #[error("the workload cannot be read")]
    Workload(kasuan_formats::workload::Trouble),
}

impl Phrased for ServeError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Listen { address, cause } => {
                Phrase::new("serve-listen").with("address", address).with_io("reason", cause)
            }
            Self::Start(cause) => Phrase::new("serve-start").with_io("reason", cause),
            Self::Data(reason) => Phrase::new("serve-start").with("reason", reason),
            Self::Workload(trouble) => trouble.phrase.clone(),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Listen { .. } => vec![Phrase::new("serve-hint-listen")],
            Self::Workload(trouble) => trouble.hints.clone(),
            Self::Start(_) | Self::Data(_) => Vec::new(),
        }
    }
}

/// Serves until the process is asked to end; `started` is told the address once it is listened on.
///
/// # Errors
/// When the address cannot be listened on or the system refuses what a server needs.
pub fn serve(settings: Settings, started: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    if let Some((text, notation)) = &settings.workload {
        Form::from_text(text, *notation)
            .map_err(|problem| ServeError::Workload(problem.trouble))?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServeError::Start)?;
    runtime.block_on(async {
        let address = settings.listen;
        let state = AppState::new(settings).map_err(ServeError::Data)?;
        let listener = TcpListener::bind(address)
            .await
            .map_err(|cause| ServeError::Listen { address, cause })?;
        started(listener.local_addr().map_err(ServeError::Start)?);
        let end = asked_to_end().map_err(ServeError::Start)?;
        let ending = state.clone();
        let end = async move {
            end.await;
            // Those who listen for events would wait for ever.
            ending.0.ending.send_replace(true);
        };
        run(listener, app(state), end).await;
        Ok(())
    })
}

/// Completes when the process is asked to end.
fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        std::future::poll_fn(|context| {
            if interrupt.poll_recv(context).is_ready() || terminate.poll_recv(context).is_ready() {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    })
}

/// Accepts connections until `end`, then lets open requests finish.
pub(crate) async fn run(listener: TcpListener, app: Router, end: impl Future<Output = ()>) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut end = std::pin::pin!(end);
    loop {
        let accept = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let accept = std::pin::pin!(accept);
        let accepted = match futures_select(accept, end.as_mut()).await {
            Some(accepted) => accepted,
            None => break,
        };
        match accepted {
            (Ok((stream, peer)), Ok(place)) => {
                let connection = graceful.watch(connection(stream, peer, app.clone()));
                tokio::spawn(async move {
                    // What goes wrong on one connection concerns nobody else.
                    let _ = timeout(CONNECTION_LIFE, connection).await;
                    drop(place);
                });
            }
            // Out of file handles, most likely: others may close theirs meanwhile.
            (Err(_), _) => tokio::time::sleep(Duration::from_millis(50)).await,
            (Ok(_), Err(_)) => break,
        }
    }
    drop(listener);
    let _ = timeout(LAST_ANSWERS, graceful.shutdown()).await;
}

/// Completes when either future does.
pub(crate) async fn first_of(first: impl Future<Output = ()>, second: impl Future<Output = ()>) {
    let first = std::pin::pin!(first);
    let second = std::pin::pin!(second);
    futures_select(first, second).await;
}

/// Completes with the first future's result, or with nothing when the second is done before.
async fn futures_select<T>(
    mut first: std::pin::Pin<&mut impl Future<Output = T>>,
    mut second: std::pin::Pin<&mut impl Future<Output = ()>>,
) -> Option<T> {
    std::future::poll_fn(move |context| {
        if second.as_mut().poll(context).is_ready() {
            return std::task::Poll::Ready(None);
        }
        first.as_mut().poll(context).map(Some)
    })
    .await
}

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    app: Router,
) -> http1::Connection<
    TokioIo<TcpStream>,
    impl hyper::service::Service<
        hyper::Request<Incoming>,
        Response = axum::response::Response,
        Error = std::convert::Infallible,
        Future: Send,
    >,
> {
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request: Request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        app.clone().oneshot(request)
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(LARGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service)
}
