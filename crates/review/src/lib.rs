//! Where money was wasted and what changes: budget against actual, utilisation, findings, KPI.
//!
//! Pure: charges, usage and runs of a month in, a review out. What was not measured is counted as
//! not measured and never becomes a finding.

pub mod alerts;
mod allocate;
mod findings;
mod input;
mod kpi;
mod overlap;
mod review;
mod totals;
mod variance;

pub use findings::{Finding, FindingKind};
pub use input::{Input, Planned, Rented, Scope, StoredItem, Thresholds};
pub use kpi::{Kpi, KpiGroup};
pub use overlap::without_overlap;
pub use review::{Review, ReviewError, review};
pub use totals::{ActualLine, BudgetComparison, Utilisation, card_hours};
pub use variance::{Variance, variance};
