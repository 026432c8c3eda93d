//! The ledger through its public door: one suite, run on SQLite and on a real PostgreSQL.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

mod crash;

mod records;
mod server;
