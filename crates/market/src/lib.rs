//! What can be rented and what it really costs: the catalogue, card names, terms, bills.
//!
//! Pure: the shipped data is embedded; days, rates and a user's own prices are arguments.

mod catalogue;
pub mod resolve;
mod storage;
pub mod tariff;
pub mod terms;
mod traffic;

pub use catalogue::{Catalogue, CatalogueError, Overlaid, PriceCard};
pub use resolve::{CardError, CardMatch, CardNames};
pub use storage::Stored;
pub use tariff::{RunCost, Tariff, break_even};
pub use terms::Terms;
pub use traffic::TierPart;
