//! Every way to run a job that is feasible: what it needs, where it can be rented, what it costs
//! alone, and why nothing is left when nothing is.

mod estimate;
mod left_out;
pub(crate) mod needs;
pub(crate) mod pools;
mod reclaim;
mod serve;
mod terms;
mod ways;

pub(crate) use estimate::interconnect;
pub(crate) use left_out::left_out_notes;
pub(crate) use needs::{Need, Obstacle};
pub(crate) use pools::{IMPOSSIBLE, Micros, Pool, Rate, STALE_DAYS, Supply, supply};
pub(crate) use terms::TermRate;
pub(crate) use ways::{Cache, JobWays, Paid, Way, Windows, all_ways, instances, total_seconds};
