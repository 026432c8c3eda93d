//! The range of the month's total, before the margin.

use super::as_f64;
use crate::{
    PlanError,
    outcome::BudgetLine,
    plan::{Solved, World},
    workload::Workload,
};
use kasuan_model::{Estimate, Money};

/// Percentiles of the month's total.
pub(super) struct Range {
    /// Half of the months cost less.
    pub(super) p50: Money,
    /// Four of five cost less.
    pub(super) p80: Money,
    /// Nine of ten cost less.
    pub(super) p90: Money,
}

/// Returns the percentiles: each line a triangle between its bounds, added as independent, their
/// sum taken as normal.
pub(super) fn range(
    workload: &Workload,
    _world: &World<'_>,
    _solved: &Solved,
    lines: &[BudgetLine],
    before: Money,
) -> Result<Range, PlanError> {
    let (mut mean, mut variance) = (0.0, 0.0);
    for line in lines {
        let Some(Estimate { low, likely, high }) = line.range else { continue };
        let (low, likely, high) = (as_f64(low), as_f64(likely), as_f64(high));
        mean += (low + likely + high) / 3.0;
        variance +=
            (low * low + likely * likely + high * high - low * likely - low * high - likely * high)
                / 18.0;
    }
    let spread = f64::max(variance, 0.0).sqrt();
    let at = |z: f64| {
        let amount = super::decimal(mean + z * spread);
        let money = Money::new(amount, workload.currency).rounded();
        // Rounding of the float alone is no margin.
        if spread == 0.0 { before } else { money }
    };
    // Quantiles of the normal distribution.
    Ok(Range { p50: at(0.0), p80: at(0.841_621), p90: at(1.281_552) })
}
