//! What can be rented and what it really costs: the catalogue, card names, terms, bills.
//!
//! Pure: the shipped data is embedded; days, rates and a user's own prices are arguments.

pub mod bill;
mod catalogue;
pub mod freshness;
pub mod history;
pub mod query;
pub mod resolve;
mod spec;
pub mod standing;
mod storage;
pub mod tariff;
pub mod tax;
pub mod terms;
mod traffic;
pub mod validate;

pub use bill::{Bill, BillError, Usage, bill};
pub use catalogue::{Catalogue, CatalogueError, Overlaid, PriceCard};
pub use freshness::{Bands, Freshness};
pub use history::{History, MonthlyMove, Series, Stretch, Volatility};
pub use query::{Found, Hit, Pattern, Query, Sort};
pub use resolve::{CardError, CardMatch, CardNames, Form};
pub use standing::{Lack, Standards, Standing};
pub use storage::{Stored, storage_month};
pub use tariff::{Night, RunCost, Tariff, break_even};
pub use tax::{Buyer, Taxed, taxed};
pub use terms::Terms;
pub use traffic::TierPart;
pub use validate::{Doubt, Finding, validate, validate_new};
