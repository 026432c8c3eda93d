//! The same answers in a browser: pages and a JSON API over the calls that the command line makes.
//!
//! Nothing is computed here and nothing is kept: what a reader has typed travels with the page, so
//! that a restart loses nothing and two readers never see each other's plans.

mod access;
mod answers;
mod api;
mod app;
mod assets;
mod charts;
mod desk;
mod form;
mod guard;
mod kept;
mod live;
mod measured;
mod numbers;
mod pages;
mod planning;
mod problem;
mod question;
mod reader;
mod server;
mod settings;
mod state;

pub use app::app;
pub use desk::{Desk, Refused};
pub use server::{ServeError, serve};
pub use settings::{Settings, SettingsError};
pub use state::AppState;
