//! The ledger through its public door: one suite, run on SQLite and on a real PostgreSQL.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test that cannot do its part should stop at once"
)]

mod crash;

mod records;
mod server;
