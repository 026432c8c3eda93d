//! How often to write a checkpoint: Young's rule, Daly's refinement and the exact optimum.

use kasuan_model::Seconds;

/// The intervals between checkpoints that the three rules advise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// Young's square root (J. W. Young, CACM 17(9), 1974).
    pub young: Seconds,
    /// Daly's higher order (J. T. Daly, Future Generation Computer Systems 22(3), 2006).
    pub daly: Seconds,
    /// The exact minimum of the expected time.
    pub exact: Seconds,
}

impl Intervals {
    /// Computes all three from the time to write a checkpoint and the mean time between reclaims.
    pub fn of(write: Seconds, mtbf: Seconds) -> Self {
        let (write, mtbf) = (write.get() as f64, mtbf.get() as f64);
        Self {
            young: Seconds::from_estimate(young_interval(write, mtbf)),
            daly: Seconds::from_estimate(daly_interval(write, mtbf)),
            exact: Seconds::from_estimate(exact_interval(write, mtbf)),
        }
    }
}

/// Returns `sqrt(2 C M)`, in the unit of its arguments.
pub fn young_interval(write: f64, mtbf: f64) -> f64 {
    (2.0 * write * mtbf).sqrt()
}

/// Returns Daly's interval, equation 37 of the 2006 paper, in the unit of its arguments.
pub fn daly_interval(write: f64, mtbf: f64) -> f64 {
    if write >= 2.0 * mtbf {
        return mtbf;
    }
    let ratio = write / (2.0 * mtbf);
    young_interval(write, mtbf) * (1.0 + ratio.sqrt() / 3.0 + ratio / 9.0) - write
}

/// Returns `M (1 + W0(-exp(-C/M - 1)))`, where the derivative of the expected time is nothing, in
/// the unit of its arguments.
pub fn exact_interval(write: f64, mtbf: f64) -> f64 {
    if mtbf <= 0.0 {
        return 0.0;
    }
    // With x = tau / M the condition reads (1 - x) e^x = e^(-C/M). Solving for x directly keeps
    // the digits that 1 + W0 loses where C is small, since W0 is near its branch point there.
    let target = (-write / mtbf).exp();
    let mut low = 0.0_f64;
    let mut high = 1.0_f64;
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if (1.0 - middle) * middle.exp() > target {
            low = middle;
        } else {
            high = middle;
        }
    }
    mtbf * f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The main branch of Lambert's W by Halley's method, as an independent way to the same figure.
    fn lambert_w0(z: f64) -> f64 {
        let mut w = -1.0 + (2.0 * (std::f64::consts::E * z + 1.0)).sqrt();
        for _ in 0..100 {
            let e = w.exp();
            let f = w * e - z;
            w -= f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));
        }
        w
    }

    #[test]
    fn the_exact_interval_is_the_lambert_w_formula() {
        for (write, mtbf) in [(120.0, 7200.0), (30.0, 3600.0), (300.0, 1800.0), (600.0, 400.0)] {
            let formula: f64 = mtbf * (1.0 + lambert_w0(-(-write / mtbf - 1.0_f64).exp()));
            assert!((exact_interval(write, mtbf) - formula).abs() < 1e-3 * formula);
        }
    }

    #[test]
    fn the_three_rules_agree_when_checkpoints_are_cheap() {
        let (write, mtbf) = (1.0, 1e6);
        let exact = exact_interval(write, mtbf);
        assert!((young_interval(write, mtbf) / exact - 1.0).abs() < 1e-3);
        assert!((daly_interval(write, mtbf) / exact - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_measured_case_saves_every_21_minutes() {
        // M = 2 h, C = 120 s: 1236 s, the optimum of the closed form that was simulated.
        assert!((daly_interval(120.0, 7200.0) - 1236.0).abs() < 4.0);
        assert!((exact_interval(120.0, 7200.0) - 1236.0).abs() < 4.0);
        assert!((young_interval(120.0, 7200.0) - 1314.5).abs() < 0.1);
    }

    #[test]
    fn fx_059_an_interval_is_youngs_root_and_never_longer_than_the_mean_time_between_reclaims() {
        let intervals = Intervals::of(Seconds::new(120), Seconds::from_hours(2));
        assert_eq!(intervals.young, Seconds::new(1315));
        assert!(intervals.exact < intervals.young && intervals.young < Seconds::from_hours(2));
        assert!(daly_interval(1e9, 3600.0) <= 3600.0 && exact_interval(1e9, 3600.0) <= 3600.0);
    }
}
