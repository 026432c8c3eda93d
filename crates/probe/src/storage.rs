//! What lies on a disk: checkpoints, models, data sets and caches, what may go, and a trash.
//!
//! A link is never followed: neither out of the root nor within it.

mod classify;
mod duplicates;
mod scan;
mod trash;

pub use duplicates::{Duplicates, duplicates};
pub use scan::{Asked, Item, Kind, Scan, Verdict, Why, scan};
pub use trash::{Batch, CleanPlan, Cleaned, Left, PlannedItem, batches, clean, purge, undo};
