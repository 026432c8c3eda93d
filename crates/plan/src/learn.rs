//! What measured runs teach: the estimate and the measurements of a job's time as one range.
//!
//! Times are taken as log-normal. The estimate's range is read as its 10th and 90th percentile, and
//! weighs as one more observation of that spread; each run weighs by the spread of the runs. One run
//! moves the figure a little, many replace it (the usual shrinkage of a normal mean with known
//! variances, on logarithms).

use kasuan_model::{Estimate, Seconds};

/// The 90th percentile of a standard normal.
const Z90: f64 = 1.2816;
/// Runs of the same work on the same machine differ by this much without any cause (as
/// `probe::run::baseline` has it).
const LEAST_SPREAD: f64 = 0.03;
/// The spread of a single run, which shows none: a tenth (a convention until more are there).
const SPREAD_OF_ONE: f64 = 0.10;

/// An estimate after measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learned {
    /// The time of the next run: 10th percentile, middle, 90th.
    pub time: Estimate<Seconds>,
    /// The middle of the runs by themselves.
    pub measured: Seconds,
    /// How many runs.
    pub runs: u32,
    /// The share of the figure that the measurements made.
    pub weight: f64,
    /// What was measured over what was estimated; `None` without an estimate.
    pub ratio: Option<f64>,
}

fn seconds(value: f64) -> Seconds {
    // A conversion from a float stops at the bounds.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above 0")]
    Seconds::new(value.max(0.0).round() as u64)
}

#[expect(clippy::cast_precision_loss, reason = "times of runs are far below 2^53 seconds")]
fn log(time: Seconds) -> f64 {
    (time.get().max(1) as f64).ln()
}

/// Joins an estimate with measured times of runs that ended well; `None` without any run.
pub fn learn(prior: Option<Estimate<Seconds>>, runs: &[Seconds]) -> Option<Learned> {
    if runs.is_empty() {
        return None;
    }
    let logs: Vec<f64> = runs.iter().map(|time| log(*time)).collect();
    #[expect(clippy::cast_precision_loss, reason = "runs of a month are few")]
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let spread = if logs.len() < 2 {
        SPREAD_OF_ONE
    } else {
        let squares: f64 = logs.iter().map(|one| (one - mean).powi(2)).sum();
        (squares / (count - 1.0)).sqrt().max(LEAST_SPREAD)
    };
    let data = count / (spread * spread);
    let (weight, middle, variance) = match prior {
        None => (1.0, mean, 1.0 / data),
        Some(prior) => {
            let sigma = ((log(prior.high) - log(prior.low)) / (2.0 * Z90)).max(LEAST_SPREAD);
            let belief = 1.0 / (sigma * sigma);
            let weight = data / (data + belief);
            let middle = weight * mean + (1.0 - weight) * log(prior.likely);
            (weight, middle, 1.0 / (data + belief))
        }
    };
    let next = (variance + spread * spread).sqrt() * Z90;
    let at = |shift: f64| seconds((middle + shift).exp());
    Some(Learned {
        time: Estimate { low: at(-next), likely: at(0.0), high: at(next) },
        measured: seconds(mean.exp()),
        runs: u32::try_from(runs.len()).unwrap_or(u32::MAX),
        weight,
        ratio: prior.map(|prior| (mean - log(prior.likely)).exp()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hours(hours: f64) -> Seconds {
        seconds(hours * 3600.0)
    }

    fn prior() -> Estimate<Seconds> {
        Estimate { low: hours(5.0), likely: hours(10.0), high: hours(20.0) }
    }

    #[test]
    fn one_run_moves_an_unsure_estimate_far_and_a_sure_one_little() {
        let unsure = learn(Some(prior()), &[hours(14.0)]).unwrap();
        assert!(unsure.weight > 0.9 && unsure.time.likely > hours(13.0), "{unsure:?}");
        let sure = Estimate { low: hours(9.7), likely: hours(10.0), high: hours(10.3) };
        let learned = learn(Some(sure), &[hours(14.0)]).unwrap();
        assert!(learned.weight < 0.2 && learned.time.likely < hours(11.0), "{learned:?}");
        assert!((learned.ratio.unwrap() - 1.4).abs() < 1e-3);
    }

    #[test]
    fn many_runs_replace_the_estimate_and_no_run_changes_nothing() {
        let learned = learn(Some(prior()), &[hours(14.0), hours(14.2), hours(13.9)]).unwrap();
        assert!(learned.weight > 0.99, "{learned:?}");
        assert!((hours(13.9)..hours(14.2)).contains(&learned.time.likely), "{learned:?}");
        assert_eq!(learn(Some(prior()), &[]), None);
    }

    proptest! {
        #[test]
        fn the_figure_lies_between_the_estimate_and_the_measurements(runs in prop::collection::vec(1u64..1_000_000, 1..20)) {
            let runs: Vec<Seconds> = runs.into_iter().map(Seconds::new).collect();
            let learned = learn(Some(prior()), &runs).unwrap();
            let (low, high) = (learned.measured.min(hours(10.0)), learned.measured.max(hours(10.0)));
            prop_assert!(learned.time.likely.get() + 1 >= low.get() && learned.time.likely.get() <= high.get() + 1);
            prop_assert!(learned.time.low <= learned.time.likely && learned.time.likely <= learned.time.high);
        }
    }
}
