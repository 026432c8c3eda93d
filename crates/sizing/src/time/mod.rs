//! How fast a job runs: training, reading prompts, generating, serving under load, and the hours
//! that follow from it.
//!
//! Every estimate is a roofline: how much arithmetic and how many bytes a step needs, over the share
//! of the card's peak that such work has been measured to reach. The shares are fitted on published
//! measurements (`cargo xtask calibrate time`) and stand in one data file with their provenance.

mod baseline;
mod coefficients;
mod hardware;
mod interconnect;
mod job;
mod network;
mod ranges;
mod rate;
mod serving;
mod stack;
mod step;
#[cfg(test)]
pub(crate) mod tests;
mod training;
mod work;

pub use baseline::{Measured, RunKind, rescale};
pub use coefficients::{Coefficients, CoefficientsError, Provenance};
pub use hardware::{Hardware, is_geforce};
pub use job::{JobTime, RequestsJob, job_time, padding, requests_time, scaling_efficiency};
pub use network::{Network, NetworkWork, network_rate};
pub use rate::{Declined, Limit, Rate, Served};
pub(crate) use serving::ServingTable;
pub use serving::{
    FiniteRun, at_request_rate, at_request_rate_with, finite_run, finite_run_with, serving,
    serving_with,
};
pub use stack::stack_of;
pub use step::{decode, decode_with, prefill, prefill_with, single_request_with};
pub use training::{training_rate, training_rate_with};
pub use work::ModelWork;
