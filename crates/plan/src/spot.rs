//! Spot machines: what reclaims cost, how often to save, whether the discount is worth it, and
//! what to do at each half hour before a deadline.

mod availability;
mod checkpoint;
mod deadline;
mod expected;
mod reasons;
mod replay;
mod rules;

pub use availability::Availability;
pub use checkpoint::{Intervals, daly_interval, exact_interval, young_interval};
pub use deadline::{Action, LONGEST, Machine, Market, Rule, Situation, SpotAdvice, advise};
pub use expected::{Expectation, SpotRun, Verdict, expected, verdict};
pub use replay::{Outcome, Trial, hindsight, replay};
