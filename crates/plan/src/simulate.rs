//! A budget as a range: many simulated months, reproducible from a seed.

mod random;

pub use random::Random;
