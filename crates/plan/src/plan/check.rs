//! What a workload must hold before it can be planned.

use super::World;
use crate::{
    PlanError,
    demand::Span,
    workload::{Amount, Margin, Tax, Trial, Workload},
};
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// The longest run that is looked at: ten years.
const MOST_HOURS: u32 = 87_600;

/// Refuses a workload that means nothing.
pub(super) fn check(workload: &Workload, world: &World<'_>) -> Result<(), PlanError> {
    Span::of(workload)?;
    if workload.jobs.is_empty() {
        return Err(PlanError::NoJobs);
    }
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, job) in workload.jobs.iter().enumerate() {
        if names.insert(&job.name, index).is_some() {
            return Err(PlanError::SameName { name: job.name.clone() });
        }
        if let Amount::Hours { hours, .. } = &job.amount {
            let most = Decimal::from(MOST_HOURS);
            let wrong = [hours.low, hours.likely, hours.high]
                .into_iter()
                .find(|hours| hours.is_sign_negative() || *hours > most);
            let none = hours.likely.is_zero().then_some(hours.likely);
            if let Some(hours) = wrong.or(none) {
                let hours = hours.normalize().to_string();
                return Err(PlanError::Hours { job: job.name.clone(), hours });
            }
        }
        for card in &job.only_cards {
            if world.catalogue.card(card).is_none() {
                return Err(PlanError::Card { job: job.name.clone(), card: card.clone() });
            }
        }
    }
    for job in &workload.jobs {
        let mut at = job;
        for _ in 0..=workload.jobs.len() {
            let Some(after) = &at.window.after else { break };
            let Some(index) = names.get(after.as_str()) else {
                return Err(PlanError::After { job: at.name.clone(), after: after.clone() });
            };
            at = &workload.jobs[*index];
            if at.name == job.name {
                return Err(PlanError::Circle { job: job.name.clone() });
            }
        }
    }
    let share = |field: &'static str, value: f64, most: f64| {
        if (0.0..=most).contains(&value) { Ok(()) } else { Err(PlanError::Share { field, value }) }
    };
    if let Margin::Flat(margin) = workload.policy.margin {
        share("margin", margin, 10.0)?;
    }
    if let Trial::ShareOfRent(trial) = workload.policy.trial {
        share("trial", trial, 10.0)?;
    }
    share("headroom", workload.policy.headroom, 1.0)?;
    if let Tax::Rate(tax) = workload.policy.tax {
        share("tax", f64::try_from(tax).unwrap_or(f64::NAN), 1.0)?;
    }
    Ok(())
}
