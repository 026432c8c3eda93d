//! On the box: environment, compatibility, sampling, verification, and running a job measured.

pub mod agent;
pub mod capture;
pub mod doctor;
pub mod fleet;
pub mod machine;
mod quiet;
pub mod rollup;
pub mod run;
mod same;
pub mod sample;
pub mod storage;
pub mod verify;
