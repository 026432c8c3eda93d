//! Getting under a cap: the least painful set of sacrifices that does it.

use super::{Change, action, curve::curve, replanned, try_all};
use crate::{
    PlanError,
    outcome::{CapAnswer, FallbackAction},
    plan::{Solved, World},
    workload::Workload,
};
use kasuan_model::Money;

/// Returns what getting under the cap takes; `None` when no cap was given.
///
/// Sacrifices are added least painful first, each planned on top of those before, until the total
/// is under the cap; then each that is not needed after all is taken back, most painful first.
pub(crate) fn answer(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    total: Money,
    fallback: &[FallbackAction],
) -> Result<Option<CapAnswer>, PlanError> {
    let Some(cap) = workload.policy.cap else { return Ok(None) };
    let cap = workload.rates.convert(cap, workload.currency)?;
    if total.amount() <= cap.amount() {
        let curve = Vec::new();
        return Ok(Some(CapAnswer { cap, actions: Vec::new(), total, met: true, curve }));
    }
    if fallback.is_empty() {
        let curve = Vec::new();
        return Ok(Some(CapAnswer { cap, actions: Vec::new(), total, met: false, curve }));
    }
    let with = |changes: &[Change]| -> Result<Option<Money>, PlanError> {
        let mut changed = workload.clone();
        for change in changes {
            changed = change.apply(&changed);
        }
        replanned(world, (workload, solved), &changed, total)
    };
    let mut taken: Vec<Change> = Vec::new();
    let mut reached = total;
    for tried in try_all(workload, world, solved, total)? {
        let mut more = taken.clone();
        more.push(tried.change);
        let Some(after) = with(&more)? else { continue };
        if after.amount() >= reached.amount() {
            continue;
        }
        (taken, reached) = (more, after);
        if reached.amount() <= cap.amount() {
            break;
        }
    }
    let met = reached.amount() <= cap.amount();
    if met {
        for index in (0..taken.len()).rev() {
            let mut fewer = taken.clone();
            fewer.remove(index);
            if fewer.is_empty() {
                continue;
            }
            if let Some(after) = with(&fewer)?.filter(|after| after.amount() <= cap.amount()) {
                (taken, reached) = (fewer, after);
            }
        }
    }
    let mut actions = Vec::with_capacity(taken.len());
    let mut before = total;
    for count in 1..=taken.len() {
        let after = with(&taken[..count])?.unwrap_or(before);
        actions.push(action(&taken[count - 1], after, before)?);
        before = after;
    }
    let curve = curve(workload, world, solved, total)?;
    Ok(Some(CapAnswer { cap, actions, total: reached, met, curve }))
}
