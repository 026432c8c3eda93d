//! What to do when the money is not there: each sacrifice planned again, with its real saving.

pub(crate) mod cap;
mod change;
mod curve;

pub(crate) use change::Change;

use crate::{
    PlanError,
    baselines::with_margin,
    budget::{lines, sum},
    outcome::{FallbackAction, FallbackKind, Patience},
    plan::{Solved, World, solve},
    workload::Workload,
};
use kasuan_model::{Money, Phrase, Seconds};
use rust_decimal::Decimal;

/// Jobs that each kind of sacrifice is tried on, dearest first, where there are few or many jobs.
const FEW: usize = 5;
const MANY: usize = 1;

/// With more jobs than this only the dearest is tried.
const MANY_JOBS: usize = 50;

/// Waits that are tried, in hours.
const WAITS: [u32; 4] = [4, 12, 24, 72];

/// A change with the workload and the total that it leads to.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    /// The change.
    pub(crate) change: Change,
    /// The total afterwards, margin included.
    pub(crate) total: Money,
}

/// Returns the total of a changed workload, planned again; `None` when a job that had a choice has
/// none any more.
pub(crate) fn replanned(
    world: &World<'_>,
    base: (&Workload, &Solved),
    changed: &Workload,
    total: Money,
) -> Result<Option<Money>, PlanError> {
    Ok(again(world, base, changed, total)?.map(|(total, _)| total))
}

/// As [`replanned`], with the solution that the total comes from.
fn again(
    world: &World<'_>,
    base: (&Workload, &Solved),
    changed: &Workload,
    total: Money,
) -> Result<Option<(Money, Solved)>, PlanError> {
    let (workload, solved) = base;
    let ours = sum(workload.currency, &lines(workload, world, solved)?)?;
    if changed.jobs.is_empty() {
        return Ok(None);
    }
    let again = solve(changed, world, Some((workload, solved)))?;
    let lost = changed.jobs.iter().enumerate().any(|(index, job)| {
        let before = workload.jobs.iter().position(|known| known.name == job.name);
        let had = before.is_some_and(|before| solved.choice.ways[before].is_some());
        had && again.choice.ways[index].is_none()
    });
    if lost {
        return Ok(None);
    }
    let before = sum(workload.currency, &lines(changed, world, &again)?)?;
    Ok(Some((with_margin(before, ours, total)?, again)))
}

/// Returns the sacrifices that save money, least painful first, the greatest saving first within a
/// kind.
pub(crate) fn actions(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    total: Money,
) -> Result<Vec<FallbackAction>, PlanError> {
    let mut actions = Vec::new();
    for tried in try_all(workload, world, solved, total)? {
        actions.push(action(&tried.change, tried.total, total)?);
    }
    Ok(actions)
}

/// Returns the answer's words for a change.
pub(crate) fn action(
    change: &Change,
    after: Money,
    before: Money,
) -> Result<FallbackAction, PlanError> {
    let (action, price) = change.words();
    Ok(FallbackAction {
        kind: change.kind(),
        job: change.job().map(str::to_owned),
        action,
        saving: before.checked_sub(after)?,
        total: after,
        price,
    })
}

/// Tries every change and keeps those that save.
pub(crate) fn try_all(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    total: Money,
) -> Result<Vec<Tried>, PlanError> {
    let each = if workload.jobs.len() > MANY_JOBS { MANY } else { FEW };
    let mut dearest: Vec<(Decimal, usize)> = Vec::new();
    for (index, rent) in solved.rent.jobs.iter().enumerate() {
        if let Some(rent) = rent {
            dearest.push((rent.cost()?.amount(), index));
        }
    }
    // What the user calls less important comes first, then what is dearest.
    dearest.sort_by(|a, b| {
        let priority = |index: usize| workload.jobs[index].priority;
        b.0.cmp(&a.0).then_with(|| priority(a.1).cmp(&priority(b.1))).then_with(|| a.1.cmp(&b.1))
    });
    let mut tried = Vec::new();
    for kind in Change::KINDS {
        let mut seen = 0;
        let mut found = Vec::new();
        for (_, index) in &dearest {
            let Some(change) = Change::of(kind, &workload.jobs[*index]) else { continue };
            if seen == each {
                break;
            }
            seen += 1;
            let changed = change.apply(workload);
            let after = replanned(world, (workload, solved), &changed, total)?;
            if let Some(after) = after.filter(|after| after.amount() < total.amount()) {
                found.push(Tried { change, total: after });
            }
            if kind == FallbackKind::Wait {
                break;
            }
        }
        found.sort_by_key(|tried: &Tried| tried.total.amount());
        tried.extend(found);
    }
    Ok(tried)
}

/// Returns what it would save if every run that is no service could wait longer.
pub(crate) fn patience(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<Vec<Patience>, PlanError> {
    let now = solved.rent.total;
    let mut steps: Vec<Patience> = Vec::new();
    if workload.jobs.len() > MANY_JOBS * 10 || !workload.jobs.iter().any(Change::can_wait) {
        return Ok(steps);
    }
    let (mut before, mut hours_before) = (now, 0);
    for hours in WAITS {
        let extra = Seconds::from_hours(hours);
        let changed = Change::Wait(extra).apply(workload);
        let again = solve(&changed, world, Some((workload, solved)))?;
        // Waiting is allowed, not ordered: what cost less before still can be had.
        let rent =
            if again.rent.total.amount() < before.amount() { again.rent.total } else { before };
        let step = Decimal::from(hours - hours_before);
        steps.push(Patience {
            extra,
            rent,
            saving: now.checked_sub(rent)?,
            per_hour: before.checked_sub(rent)?.over(step)?,
        });
        (before, hours_before) = (rent, hours);
    }
    Ok(steps)
}

/// Returns a note for sacrifices that were tried and bring nothing.
pub(crate) fn without_effect(workload: &Workload, actions: &[FallbackAction]) -> Vec<Phrase> {
    // What makes no sense for any job was not tried, and is not spoken of.
    let tried: Vec<FallbackKind> = Change::KINDS
        .into_iter()
        .filter(|kind| workload.jobs.iter().any(|job| Change::of(*kind, job).is_some()))
        .collect();
    tried
        .iter()
        .filter(|kind| !actions.iter().any(|action| action.kind == **kind))
        .map(|kind| Phrase::new("plan-note-fallback-none").with_word("kind", Change::word(*kind)))
        .collect()
}
