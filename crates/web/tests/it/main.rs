//! The web door through its public entrance: requests go in, answers come out.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a helper of a test stops at once")]

mod access;
mod http;
mod openapi;
mod plan;
mod single;
mod words;
