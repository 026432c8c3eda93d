//! Measured use: runs of jobs, and hourly rollups of cards kept as sums so that they merge.

use crate::CardId;
use jiff::Timestamp;
use std::sync::Arc;

/// A run of a job, as wrapped or imported.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Unique in the ledger.
    pub id: String,
    /// The job's name.
    pub job: String,
    /// Who ran it, where known.
    pub person: Option<String>,
    /// The host.
    pub host: String,
    /// The card, where known.
    pub card: Option<CardId>,
    /// Cards it had.
    pub cards: u32,
    /// When it started.
    pub start: Timestamp,
    /// When it ended; `None` while it runs or when nobody knows.
    pub end: Option<Timestamp>,
    /// The exit code; `None` while it runs or when nobody knows.
    pub exit_code: Option<i32>,
    /// Units of work done, for example tokens, samples or steps.
    pub work: Option<f64>,
    /// What the units are.
    pub work_unit: Option<String>,
    /// Highest memory use of any card, in bytes.
    pub peak_memory: Option<u64>,
    /// Where the record comes from: `run`, `sacct`, `mlflow`...
    pub origin: String,
}

/// What was seen of one card in one hour for one job. Every figure is a sum over the seconds for
/// which it was known, so that two agents' rows for the same hour add up, and an unknown second is
/// never read as an idle one. Names are shared: a fleet's month has few of them in many rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageHour {
    /// The first second of the hour, UTC.
    pub hour: Timestamp,
    /// The host.
    pub host: Arc<str>,
    /// The card's UUID, or another name that stays.
    pub device: Arc<str>,
    /// The card model, where known.
    pub card: Option<CardId>,
    /// The job that had the card; empty when none was named.
    pub job: Arc<str>,
    /// Who had it; empty when not known.
    pub person: Arc<str>,
    /// Seconds for which anything was seen.
    pub seen: f64,
    /// Seconds for which the driver's busy share was known.
    pub busy_known: f64,
    /// Sum of busy share (0..1) times seconds.
    pub busy: f64,
    /// Seconds for which SM activity was known.
    pub sm_known: f64,
    /// Sum of SM activity (0..1) times seconds.
    pub sm: f64,
    /// Seconds for which power was known.
    pub power_known: f64,
    /// Joules.
    pub energy: f64,
    /// Seconds for which memory use was known.
    pub memory_known: f64,
    /// Sum of bytes in use times seconds.
    pub memory: f64,
    /// Highest bytes in use.
    pub memory_peak: f64,
    /// Bytes of the card; 0 when unknown.
    pub memory_total: f64,
}
