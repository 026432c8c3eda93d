//! What a job costs on spot: expected time under reclaims, with and without checkpoints, and
//! whether the discount survives the rework.

use super::checkpoint::Intervals;
use kasuan_model::{Money, MoneyError, Seconds, Share};
use rust_decimal::{Decimal, prelude::FromPrimitive as _};

/// A job that may be reclaimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpotRun {
    /// Useful time of the job.
    pub work: Seconds,
    /// Mean time between reclaims.
    pub mtbf: Seconds,
    /// Time to write a checkpoint; `None` when the job has none and starts over.
    pub checkpoint: Option<Seconds>,
    /// Time to be useful again on a new machine: start, environment, reading the checkpoint.
    pub restart: Seconds,
    /// Time until a new machine is there; it delays the end and is not paid.
    pub downtime: Seconds,
    /// The interval between checkpoints that the user set; `None` takes the exact optimum.
    pub interval: Option<Seconds>,
}

/// What reclaims make of a job.
#[derive(Clone, Copy, Debug)]
pub struct Expectation {
    /// The interval that was reckoned with; the whole job when it has no checkpoints.
    pub interval: Seconds,
    /// What the three rules advise; `None` without checkpoints.
    pub intervals: Option<Intervals>,
    /// Expected time from start to end, waits included.
    pub elapsed: Seconds,
    /// Expected time that is paid.
    pub billed: Seconds,
    /// Useful time over paid time.
    pub efficiency: Share,
    /// Chance that the job runs through without a reclaim.
    pub undisturbed: Share,
    /// Paid time over useful time, from 1.
    pub cost_factor: f64,
}

/// Returns the expected time of a job under reclaims that come at a constant rate.
///
/// `E[T] = (W/t) (M + D) e^(R/M) (e^((t+C)/M) - 1)` for segments of `t` useful time (J. T. Daly,
/// FGCS 22(3), 2006, equation 13, with the wait `D` added to each recovery), the rest of the work
/// as a shorter segment. Without checkpoints the job is one segment and writes nothing.
pub fn expected(run: &SpotRun) -> Expectation {
    let work = run.work.get() as f64;
    let mtbf = run.mtbf.get() as f64;
    let intervals = run.checkpoint.map(|write| Intervals::of(write, run.mtbf));
    let interval = match (run.checkpoint, run.interval, intervals) {
        (None, _, _) => run.work,
        (Some(_), Some(set), _) if set > Seconds::ZERO => set.min(run.work),
        (Some(_), _, Some(rules)) => rules.exact.max(Seconds::new(1)).min(run.work),
        (Some(_), _, None) => run.work,
    };
    let write = run.checkpoint.map_or(0.0, |write| write.get() as f64);
    let restart = run.restart.get() as f64;
    let time =
        |downtime: f64| segments(work, interval.get() as f64, write, restart, downtime, mtbf);
    let billed = time(0.0);
    let cost_factor = if work > 0.0 { billed / work } else { 1.0 };
    Expectation {
        interval,
        intervals,
        elapsed: Seconds::from_estimate(time(run.downtime.get() as f64)),
        billed: Seconds::from_estimate(billed),
        efficiency: Share::of(work, billed),
        undisturbed: Share::of((-work / mtbf).exp(), 1.0),
        cost_factor,
    }
}

/// Sums the expected time of all full segments and of the rest.
fn segments(work: f64, interval: f64, write: f64, restart: f64, downtime: f64, mtbf: f64) -> f64 {
    if work <= 0.0 || interval <= 0.0 {
        return 0.0;
    }
    if mtbf <= 0.0 {
        return f64::INFINITY;
    }
    let one = |useful: f64| {
        (mtbf + downtime) * (restart / mtbf).exp() * ((useful + write) / mtbf).exp_m1()
    };
    let full = (work / interval).floor();
    let rest = work - full * interval;
    let tail = if rest > 0.0 { one(rest) } else { 0.0 };
    full * one(interval) + tail
}

/// Whether spot is worth it against the cheapest other way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// An hour of useful work costs less than the alternative.
    Worth {
        /// Price of an hour of useful work on spot.
        effective: Money,
        /// The saving as a share of the alternative.
        saving: Share,
    },
    /// It does not: after rework the price is not below the alternative.
    NotWorth {
        /// Price of an hour of useful work on spot; `None` when the job is not expected to end.
        effective: Option<Money>,
    },
}

/// Weighs a spot price, made dearer by rework, against the price of an hour of useful work by the
/// cheapest other way (on demand, or a committed card at the use it will get).
pub fn verdict(
    spot: Money,
    expectation: &Expectation,
    alternative: Money,
) -> Result<Verdict, MoneyError> {
    let factor = Decimal::from_f64(expectation.cost_factor);
    let Some(effective) = factor.and_then(|factor| spot.times(factor).ok()) else {
        return Ok(Verdict::NotWorth { effective: None });
    };
    if effective.compare(alternative)?.is_lt() {
        let share = effective.amount().checked_div(alternative.amount()).unwrap_or_default();
        let saving = 1.0 - f64::try_from(share).unwrap_or(1.0);
        Ok(Verdict::Worth { effective, saving: Share::of(saving, 1.0) })
    } else {
        Ok(Verdict::NotWorth { effective: Some(effective) })
    }
}

#[cfg(test)]
mod tests;
