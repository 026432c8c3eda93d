//! How many replicas a service needs, what a request then costs, and when a paid interface is
//! cheaper.
//!
//! The closed form ([`plan`]) answers at once and errs on the safe side; the simulation
//! ([`simulate`]) answers for a given log of requests.

mod break_even;
mod plan;
mod server;
mod simulate;
#[cfg(test)]
mod tests;
mod traffic;

pub use break_even::{BreakEven, PaidInterface, break_even};
pub use plan::{Capacity, Cost, Need, Target, arrivals, cost, plan};
pub use server::Server;
pub use simulate::{Outcome, Request, fewest, simulate};
pub use traffic::{DayShape, LONG_PROMPT, Traffic};
