//! The trade-off behind a cap: what each further sacrifice saves, and what it costs in hours late
//! and in quality.

use super::{again, try_all};
use crate::{
    PlanError,
    outcome::TradeOff,
    plan::{Solved, World},
    workload::Workload,
};
use kasuan_model::{Money, Seconds};
use std::collections::BTreeMap;

/// Returns the curve from the plan as it is to the last sacrifice that still saves: each point has
/// those of the points before it too.
pub(super) fn curve(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    total: Money,
) -> Result<Vec<TradeOff>, PlanError> {
    let mut changed = workload.clone();
    let mut points =
        vec![TradeOff { total, action: None, late: Seconds::ZERO, postponed: 0, price: None }];
    let mut reached = total;
    for tried in try_all(workload, world, solved, total)? {
        let further = tried.change.apply(&changed);
        let Some((after, then)) = again(world, (workload, solved), &further, total)? else {
            continue;
        };
        if after.amount() >= reached.amount() {
            continue;
        }
        let (late, postponed) = lateness((workload, solved), (&further, &then));
        let (action, price) = tried.change.words();
        points.push(TradeOff {
            total: after,
            action: Some(action),
            late,
            postponed,
            price: Some(price),
        });
        (changed, reached) = (further, after);
    }
    Ok(points)
}

/// Returns by how much runs end later than planned before, together, and how many runs are no
/// longer in the month.
fn lateness(before: (&Workload, &Solved), after: (&Workload, &Solved)) -> (Seconds, u32) {
    let ends = |workload: &Workload, solved: &Solved| {
        let mut ends: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for (job, rent) in workload.jobs.iter().zip(&solved.rent.jobs) {
            let runs = rent.iter().flat_map(|rent| &rent.runs);
            let mut last: Vec<u64> =
                runs.filter_map(|run| run.iter().map(|part| part.end).max()).collect();
            last.sort_unstable();
            ends.insert(job.name.clone(), last);
        }
        ends
    };
    let (old, new) = (ends(before.0, before.1), ends(after.0, after.1));
    let mut late = 0_u64;
    let mut postponed = 0_usize;
    for (job, old) in old {
        let new = new.get(&job).map_or(&[][..], Vec::as_slice);
        postponed += old.len().saturating_sub(new.len());
        for (old, new) in old.iter().zip(new) {
            late = late.saturating_add(new.saturating_sub(*old));
        }
    }
    (Seconds::new(late), u32::try_from(postponed).unwrap_or(u32::MAX))
}
