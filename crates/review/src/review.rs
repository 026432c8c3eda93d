//! The review of a month, put together.

use crate::{
    findings::{self, Finding, FindingKind},
    input::Input,
    kpi::{self, Kpi, KpiGroup},
    totals::{self, ActualLine, BudgetComparison, Utilisation},
};
use kasuan_model::{Money, MoneyError, Phrase, Phrased};

/// A month as it went.
#[derive(Clone, Debug)]
pub struct Review {
    /// What goes on invoices.
    pub billed: Money,
    /// What the month's use is worth.
    pub effective: Money,
    /// The plan beside what was paid, by service.
    pub budget: Vec<BudgetComparison>,
    /// What was paid, by provider.
    pub by_provider: Vec<ActualLine>,
    /// What was paid, by the job that the team tagged; untagged is the empty name.
    pub by_job: Vec<ActualLine>,
    /// What was paid, by the person that the team tagged; untagged is the empty name.
    pub by_person: Vec<ActualLine>,
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
    let by_service = totals::by(input, |charge| charge.service.clone())?;
    let tag = |name: &'static str| {
        move |charge: &kasuan_model::Charge| charge.tags.get(name).cloned().unwrap_or_default()
    };
    let sum =
        |money: fn(&ActualLine) -> Money| Money::sum(input.currency, by_service.iter().map(money));
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
    let untagged = input.charges.iter().filter(|charge| !charge.tags.contains_key("job")).count();
    if untagged > 0 {
        unknowns.push(Phrase::new("review-unknown-untagged").with("rows", untagged));
    }
    let mut kpi = kpi::kpi(input, KpiGroup::Job);
    kpi.extend(kpi::kpi(input, KpiGroup::Person));
    let findings = findings::all(input);
    let effective = sum(|line| line.effective)?;
    Ok(Review {
        billed: sum(|line| line.billed)?,
        recoverable: recoverable(input, &findings, effective)?,
        effective,
        budget: totals::compare(input, &by_service),
        by_provider: totals::by(input, |charge| charge.provider.clone())?,
        by_job: totals::by(input, tag("job"))?,
        by_person: totals::by(input, tag("person"))?,
        utilisation,
        findings,
        kpi,
        unknowns,
    })
}
