//! What to rent, how, when, and for how much: candidates, mix, calendar, budget, fallback.
//!
//! Pure, synchronous, deterministic: no input or output, no clock, no randomness without a seed
//! in the input; a request that cannot be met is an answer, not an error.

pub mod commitment;
pub mod outcome;
mod plan_error;
pub mod simulate;
pub mod spot;
pub mod workload;

pub use plan_error::PlanError;
