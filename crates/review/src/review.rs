//! The review of a month, put together.

use crate::{
    allocate,
    findings::{self, Finding, FindingKind},
    input::{Input, Scope},
    kpi::{self, Kpi, KpiGroup},
    totals::{self, ActualLine, BudgetComparison, Utilisation},
    variance::Variance,
};
use kasuan_model::{Money, MoneyError, Phrase, Phrased};
use std::collections::BTreeMap;

/// A month as it went.
#[derive(Clone, Debug)]
pub struct Review {
    /// What goes on invoices.
    pub billed: Money,
    /// What the month's use is worth.
    pub effective: Money,
    /// The plan beside what was paid, by every scope; the empty name is what has none.
    pub budget: BTreeMap<Scope, Vec<BudgetComparison>>,
    /// Why the rent differs from the plan, over all cards; `None` without their hours.
    pub variance: Option<Variance>,
    /// How much of the paid time was used.
    pub utilisation: Utilisation,
    /// Where money was wasted, dearest first; findings without a price come last.
    pub findings: Vec<Finding>,
    /// The most that the findings together could have saved. Hours of a daily gap are among the idle
    /// hours and count once; the rest may still overlap, so it never exceeds what was spent.
    pub recoverable: Money,
    /// What units of work cost.
    pub kpi: Vec<Kpi>,
    /// What could not be judged, and why.
    pub unknowns: Vec<Phrase>,
}

/// Why a month cannot be reviewed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReviewError {
    /// Charges in several currencies met without a rate, or a sum is too large.
    #[error("the charges cannot be summed")]
    Money(#[from] MoneyError),
    /// The month ends before it begins.
    #[error("the span to review is empty")]
    EmptySpan,
}

impl Phrased for ReviewError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Money(MoneyError::Mixed { left, right }) => {
                Phrase::new("review-error-mixed").with("left", left).with("right", right)
            }
            Self::Money(_) => Phrase::new("review-error-overflow"),
            Self::EmptySpan => Phrase::new("review-error-empty-span"),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Money(MoneyError::Mixed { .. }) => vec![Phrase::new("review-hint-mixed")],
            _ => Vec::new(),
        }
    }
}

fn recoverable(input: &Input, findings: &[Finding], spent: Money) -> Result<Money, ReviewError> {
    let counted = findings.iter().filter(|finding| finding.kind != FindingKind::CalendarGap);
    let sum = Money::sum(input.currency, counted.filter_map(|finding| finding.money))?;
    // Without bills there is no spending to compare with.
    let exceeds = !input.charges.is_empty() && sum.amount() > spent.amount();
    Ok(if exceeds { spent } else { sum })
}

/// Reviews a month.
pub fn review(input: &Input) -> Result<Review, ReviewError> {
    if input.to <= input.from {
        return Err(ReviewError::EmptySpan);
    }
    let by_line = totals::by(input, |charge| allocate::line(charge).to_owned())?;
    let total = totals::by(input, |_| String::new())?;
    let by_card = totals::by_card(input)?;
    let sum =
        |money: fn(&ActualLine) -> Money| Money::sum(input.currency, by_line.iter().map(money));
    let utilisation = totals::utilisation(input);
    let mut unknowns = Vec::new();
    match utilisation.coverage() {
        None => unknowns.push(Phrase::new("review-unknown-rented")),
        Some(coverage) if coverage < 0.95 => unknowns.push(
            Phrase::new("review-unknown-coverage")
                .with("share", format!("{:.0}%", coverage * 100.0)),
        ),
        Some(_) => {}
    }
    let by_job = totals::by_shares(input, Scope::Job)?;
    let nobody = by_job.iter().find(|line| line.name.is_empty() && !line.effective.is_zero());
    if let Some(line) = nobody {
        unknowns.push(Phrase::new("review-unknown-untagged").with("money", line.effective));
    }
    let mut budget = BTreeMap::new();
    for (scope, lines) in [
        (Scope::Total, total),
        (Scope::Line, by_line.clone()),
        (Scope::Job, by_job),
        (Scope::Person, totals::by_shares(input, Scope::Person)?),
        (Scope::Card, by_card.clone()),
        (Scope::Provider, totals::by(input, |charge| charge.provider.clone())?),
    ] {
        budget.insert(scope, totals::compare(input, scope, &lines));
    }
    let mut kpi = kpi::kpi(input, KpiGroup::Job);
    kpi.extend(kpi::kpi(input, KpiGroup::Person));
    let findings = findings::all(input);
    let effective = sum(|line| line.effective)?;
    Ok(Review {
        billed: sum(|line| line.billed)?,
        recoverable: recoverable(input, &findings, effective)?,
        effective,
        variance: totals::rent_variance(input, &by_card),
        budget,
        utilisation,
        findings,
        kpi,
        unknowns,
    })
}
