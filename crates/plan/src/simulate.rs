//! A budget as a range: many simulated months, reproducible from a seed.

mod months;
mod random;

pub use months::{DRAWS, Driver, JobRisk, Month, PriceMove, Risks, Sensitivity, Simulated, months};
pub use random::Random;
