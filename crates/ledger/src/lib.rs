//! What happened: runs, hourly use, charges, prices, storage, budgets, baselines and decisions, in an
//! embedded SQLite file or in a team's PostgreSQL.
//!
//! One schema and one set of statements serve both stores (`schema`, `ledger`); a store differs
//! only in its [`driver`]. Every import is one transaction and may be repeated without effect.
//!
//! Durability: an acknowledged write survives the death of the process and of the machine.
//! SQLite runs with a write-ahead log and `synchronous = FULL` (an fsync for each commit);
//! PostgreSQL with `synchronous_commit = on`.

mod baseline;
mod budget;
mod charges;
mod driver;
mod error;
mod import;
mod ledger;
mod prices;
mod rentals;
mod runs;
mod schema;
mod storage;
mod usage;
mod usage_import;

pub use baseline::{Baseline, Decision};
pub use budget::{Budget, BudgetScope};
pub use charges::ChargeFilter;
pub use error::LedgerError;
pub use import::{BillFile, BillImport, FileImport, Mode, Refusal};
pub use ledger::Ledger;
pub use rentals::{AgentSeen, Rental};
pub use storage::StorageItem;
pub use usage::{Group, UsageTotal};
pub use usage_import::LoggedHour;
