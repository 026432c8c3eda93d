//! Running a job measured: its process tree, its log, its checkpoints, its record and baseline.

pub mod baseline;
pub mod checkpoints;
pub mod figures;
pub mod log;
pub mod notice;
pub mod record;
pub mod tally;
pub mod tree;
