//! `kasuan serve` as a whole: the real program, a real browser, a real agent on the stand-in for
//! NVIDIA's library, and what others write to test servers.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a helper of a test stops at once")]

mod api;
mod browser;
mod driver;
#[path = "../it/python.rs"]
mod python;
mod server;
mod slow;
mod usage;
