//! How many cards to commit to, for how long: the exact optimum for a known demand, the closed
//! form for a single term, and the break-even that both rest on.
//!
//! Demand is a number of cards for each hour. A commitment is an interval of hours, so the
//! optimum is a minimum-cost flow on the hours ([`optimise`]); no solver library is needed.

pub(crate) mod flow;
mod level;
mod online;
mod optimise;
mod reasons;

pub use level::{Levels, break_even_hours, cheapest_by_use, level_use};
pub use online::{
    Buy, CommitAdvice, Evidence, NextLevel, Observed, REGRET_SHARE, Term, Window, advise,
};
pub use optimise::{
    CommitmentError, Held, Horizon, OnDemand, Problem, Purchase, Solution, Starts, Tenor, optimise,
};
