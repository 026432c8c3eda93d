//! What spot does to a run: time with rework, and the price of useful work.

use super::pools::Rate;
use crate::{
    outcome::SpotFigures,
    spot::{SpotRun, expected},
    workload::Checkpoints,
};
use kasuan_model::{Seconds, Share};

/// Returns the figures of a run on spot; `None` when it is not expected to end at all.
///
/// A service (no run time) loses the restart after each reclaim and has no work to redo.
pub(crate) fn spot_figures(
    run: Seconds,
    checkpoints: &Checkpoints,
    mtbf: Seconds,
    spot: &Rate,
    on_demand: Option<&Rate>,
) -> Option<SpotFigures> {
    let ratio = |factor: f64| {
        on_demand.map(|rate| factor * spot.hourly_micros() as f64 / rate.hourly_micros() as f64)
    };
    if run == Seconds::ZERO {
        let up = mtbf.get() as f64;
        let efficiency = Share::of(up, up + checkpoints.restart.get() as f64);
        return Some(SpotFigures {
            interval: Seconds::ZERO,
            expected: Seconds::ZERO,
            efficiency,
            effective_ratio: ratio(1.0 / efficiency.get().max(1e-9)),
        });
    }
    let expectation = expected(&SpotRun {
        work: run,
        mtbf,
        checkpoint: Some(checkpoints.write),
        restart: checkpoints.restart,
        downtime: Seconds::ZERO,
        interval: checkpoints.interval,
    });
    // Ten times the work and more is no plan.
    if !expectation.cost_factor.is_finite() || expectation.cost_factor > 10.0 {
        return None;
    }
    Some(SpotFigures {
        interval: expectation.interval,
        expected: expectation.billed,
        efficiency: expectation.efficiency,
        effective_ratio: ratio(expectation.cost_factor),
    })
}
