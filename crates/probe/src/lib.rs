//! On the box: environment, compatibility, sampling, verification, and running a job measured.

pub mod capture;
pub mod doctor;
pub mod machine;
pub mod sample;
