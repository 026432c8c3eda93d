//! The budget: one line for each class of cost, that add up to the total to the last coin.

mod lines;
mod parts;
mod range;
mod tax;

pub(crate) use lines::{egress_from, kept_at, lines};

use crate::{
    PlanError,
    outcome::{Budget, BudgetLine, CostKind},
    plan::{Solved, World},
    workload::{Margin, Workload},
};
use kasuan_model::{Currency, Estimate, Money, Phrase, Share};
use rust_decimal::{Decimal, prelude::FromPrimitive as _};

/// The guide's flat margins, in per cent.
pub(crate) const GUIDE_MARGINS: (u32, u32) = (20, 30);

/// Returns the budget of a solution.
pub(crate) fn budget(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<Budget, PlanError> {
    let mut lines = lines(workload, world, solved)?;
    let before = sum(workload.currency, &lines)?;
    let (range, basis) = range::range(workload, world, solved, &lines, before)?;
    let margin = match workload.policy.margin {
        Margin::Nothing => Money::zero(workload.currency),
        Margin::Flat(share) => before.times(decimal(share))?,
        Margin::P80 => over(range.p80, before)?,
        Margin::P90 => over(range.p90, before)?,
    };
    let margin = margin.rounded();
    let flat = |percent: u32| before.times(Decimal::new(100 + i64::from(percent), 2));
    let flat = (flat(GUIDE_MARGINS.0)?.rounded(), flat(GUIDE_MARGINS.1)?.rounded());
    for line in &mut lines {
        let part = line.amount.map_or(0.0, as_f64);
        line.share = Share::of(part, as_f64(before));
    }
    let mut line = margin_line(workload, before, margin, flat);
    line.detail.extend(basis.phrase());
    let parts = parts::parts(workload, world, solved, &lines)?;
    lines.push(line);
    Ok(Budget {
        lines,
        parts,
        idle: solved.rent.idle.rounded(),
        p50: range.p50,
        p80: range.p80,
        p90: range.p90,
        sensitivity: range.sensitivity,
        flat,
    })
}

/// Returns everything together, margin included.
pub(crate) fn total(workload: &Workload, budget: &Budget) -> Result<Money, PlanError> {
    sum(workload.currency, &budget.lines)
}

/// Returns what the known lines add up to.
pub(crate) fn sum(currency: Currency, lines: &[BudgetLine]) -> Result<Money, PlanError> {
    Ok(Money::sum(currency, lines.iter().filter_map(|line| line.amount))?)
}

/// Returns a share as a decimal; what is no number is nothing.
pub(crate) fn decimal(share: f64) -> Decimal {
    Decimal::from_f64(share).unwrap_or_default()
}

/// Returns money as a float, for shares only.
pub(crate) fn as_f64(money: Money) -> f64 {
    f64::try_from(money.amount()).unwrap_or(f64::MAX)
}

/// Returns by how much a percentile lies over the plan, at least nothing.
fn over(percentile: Money, before: Money) -> Result<Money, PlanError> {
    let over = percentile.checked_sub(before)?;
    Ok(if over.amount().is_sign_negative() { Money::zero(before.currency()) } else { over })
}

fn margin_line(
    workload: &Workload,
    before: Money,
    margin: Money,
    flat: (Money, Money),
) -> BudgetLine {
    let rule = match workload.policy.margin {
        Margin::Nothing => Phrase::new("plan-line-margin-nothing"),
        Margin::Flat(share) => {
            Phrase::new("plan-line-margin-flat").with("share", format!("{:.0}%", share * 100.0))
        }
        Margin::P80 => Phrase::new("plan-line-margin-simulated").with("share", "80%"),
        Margin::P90 => Phrase::new("plan-line-margin-simulated").with("share", "90%"),
    };
    let guide = Phrase::new("plan-line-margin-guide").with("low", flat.0).with("high", flat.1);
    BudgetLine {
        kind: CostKind::Margin,
        amount: Some(margin),
        unknown: false,
        range: Some(Estimate::exact(margin)),
        share: Share::of(as_f64(margin), as_f64(before)),
        detail: vec![rule, guide],
    }
}
