//! What to rent, how, when, and for how much: candidates, mix, calendar, budget, fallback.
//!
//! Pure, synchronous, deterministic: no input or output, no clock, no randomness without a seed
//! in the input; a request that cannot be met is an answer, not an error.

pub mod advise;
mod baselines;
mod budget;
mod calendar;
mod calendar_entries;
mod candidates;
mod choose;
pub mod colocate;
pub mod commitment;
mod demand;
mod fallback;
pub mod learn;
mod mix;
pub mod outcome;
pub mod pack;
mod plan;
mod plan_error;
pub mod service;
pub mod simulate;
pub mod spot;
pub mod unit_cost;
pub mod workload;

pub use baselines::GuideClass;
pub use plan::{Measured, World, mix_only, plan};
pub use plan_error::PlanError;
