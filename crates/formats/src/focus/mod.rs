//! FOCUS, the FinOps Open Cost and Usage Specification: written as 1.2, and checked by its rules.
//!
//! The rules are the official model, vendored in `data/focus`, with a file of reasoned overrides.

mod check;
mod model;
mod parse;
mod write;

pub use check::{Verdict, Violation, validate};
pub use model::{Level, ModelError};
pub use parse::{FocusTable, ParseError};
pub use write::write;
