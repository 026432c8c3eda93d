//! Spot machines: what reclaims cost, how often to save, whether the discount is worth it, and
//! what to do at each half hour before a deadline.

mod checkpoint;
mod expected;

pub use checkpoint::{Intervals, daly_interval, exact_interval, young_interval};
pub use expected::{Expectation, SpotRun, Verdict, expected, verdict};
