//! The ledger through its public door: one suite, run on SQLite and on a real PostgreSQL.

mod crash;
mod records;
mod server;
