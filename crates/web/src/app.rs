//! The whole application: every address and who answers it.

use crate::{api, assets, guard, pages, state::AppState};
use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware,
    routing::{get, post},
};

/// The pages in the menu: address, name, key of the words.
pub(crate) const MENU: &[(&str, &str, &str)] = &[
    ("/", "plan", "web-menu-plan"),
    ("/market", "market", "web-menu-market"),
    ("/doctor", "doctor", "web-menu-doctor"),
    ("/usage", "usage", "web-menu-usage"),
    ("/review", "review", "web-menu-review"),
];

/// The largest body: a table of 500 jobs with a price card of some thousand rows.
const LARGEST_BODY: usize = 4 << 20;

/// The largest price list of others: the catalogue of one cloud, with every region.
const LARGEST_LIST: usize = 16 << 20;

/// Builds the application.
pub fn app(state: AppState) -> Router {
    Router::new()
        .route("/", get(pages::plan::show))
        .route("/plan", post(pages::plan::answer))
        .route("/plan/edit", post(pages::plan::edit))
        .route("/plan/upload", post(pages::plan::upload))
        .route("/plan/prices", post(pages::plan::with_prices))
        .route("/plan/download/{kind}", post(pages::plan::download))
        .route("/market", get(pages::market::show))
        .route(
            "/market/import",
            post(pages::market::import::answer).layer(DefaultBodyLimit::max(LARGEST_LIST)),
        )
        .route("/doctor", get(pages::doctor::show))
        .route("/doctor/report", post(pages::doctor::report::answer))
        .route("/usage", get(pages::usage::show))
        .route("/usage/now", get(pages::usage::now))
        .route("/review", get(pages::review::show))
        .route("/sign-in", get(pages::sign_in::show).post(pages::sign_in::enter))
        .route("/sign-out", post(pages::sign_in::leave))
        .route("/assets/{name}", get(assets::serve))
        .route("/healthz", get(async || "ok\n"))
        .nest("/api/v1", api::routes())
        .fallback(pages::nowhere)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(state.clone(), guard::guard))
        .with_state(state)
}
