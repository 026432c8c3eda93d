//! What runs tell: failures in a loop, and more cards that bring little.

use super::{Finding, FindingKind, cost, hours, percent};
use crate::{input::Input, kpi::card_hours};
use kasuan_model::{Confidence, Money, Phrase, Run};
use std::collections::BTreeMap;

pub(super) fn find(input: &Input) -> Vec<Finding> {
    let mut jobs: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    for run in &input.runs {
        jobs.entry(&run.job).or_default().push(run);
    }
    let mut found = Vec::new();
    for (job, mut runs) in jobs {
        runs.sort_by_key(|run| run.start);
        found.extend(failing_loop(input, job, &runs));
        found.extend(poor_scaling(input, job, &runs));
    }
    found
}

fn sum_cost(input: &Input, runs: &[&Run]) -> Option<Money> {
    let costs = runs
        .iter()
        .map(|run| cost(input.price(&run.host, run.card.as_ref()), card_hours(run, input)));
    let costs: Option<Vec<Money>> = costs.collect();
    Money::sum(input.currency, costs?).ok()
}

/// Finds the longest row of failed runs of a job.
fn failing_loop(input: &Input, job: &str, runs: &[&Run]) -> Option<Finding> {
    let failed = |run: &&Run| run.exit_code.is_some_and(|code| code != 0);
    let longest = runs.split(|run| !failed(run)).max_by_key(|row| row.len())?;
    if longest.len() < input.thresholds.failing_runs as usize {
        return None;
    }
    let spent: f64 = longest.iter().map(|run| card_hours(run, input)).sum();
    Some(Finding {
        kind: FindingKind::FailingLoop,
        subject: job.to_owned(),
        evidence: Phrase::new("review-evidence-failing")
            .with("runs", longest.len())
            .with("hours", hours(spent)),
        money: sum_cost(input, longest),
        confidence: Confidence::High,
        remedy: Phrase::new("review-remedy-failing"),
        command: String::new(),
    })
}

/// Compares work per card-hour of the largest and the smallest number of cards a job ran on.
fn poor_scaling(input: &Input, job: &str, runs: &[&Run]) -> Option<Finding> {
    let mut by_cards: BTreeMap<u32, (f64, f64, Option<&str>)> = BTreeMap::new();
    for run in runs {
        let (Some(work), Some(unit)) = (run.work, run.work_unit.as_deref()) else { continue };
        if run.end.is_none() {
            continue;
        }
        let row = by_cards.entry(run.cards).or_default();
        // Work in another unit cannot be compared.
        if row.2.is_some_and(|known| known != unit) {
            return None;
        }
        *row = (row.0 + work, row.1 + card_hours(run, input), Some(unit));
    }
    let (few, (work_few, hours_few, unit_few)) = by_cards.first_key_value()?;
    let (many, (work_many, hours_many, unit_many)) = by_cards.last_key_value()?;
    if few == many || unit_few != unit_many || *hours_few <= 0.0 || *hours_many <= 0.0 {
        return None;
    }
    let efficiency = (work_many / hours_many) / (work_few / hours_few);
    // NaN, from no work at all, is no finding either.
    if !(0.0..0.6).contains(&efficiency) {
        return None;
    }
    let on_many: Vec<&Run> = runs.iter().copied().filter(|run| run.cards == *many).collect();
    let price = on_many.first().and_then(|run| input.price(&run.host, run.card.as_ref()));
    Some(Finding {
        kind: FindingKind::PoorScaling,
        subject: job.to_owned(),
        evidence: Phrase::new("review-evidence-scaling")
            .with("few", few)
            .with("many", many)
            .with("efficiency", percent(efficiency)),
        money: cost(price, hours_many * (1.0 - efficiency)),
        confidence: Confidence::Medium,
        remedy: Phrase::new("review-remedy-scaling"),
        command: String::new(),
    })
}
