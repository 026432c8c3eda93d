//! The calendar as it is shown: one entry for each run, in the order of time.

use crate::{outcome::CalendarEntry, plan::Solved, workload::Workload};

/// Returns when each run starts and ends; a run in parts has one entry for each part.
pub(crate) fn entries(workload: &Workload, solved: &Solved) -> Vec<CalendarEntry> {
    let mut entries = Vec::new();
    for (index, job) in workload.jobs.iter().enumerate() {
        let (Some(way), Some(rent)) = (solved.choice.ways[index], &solved.rent.jobs[index]) else {
            continue;
        };
        let ways = &solved.ways[index];
        let way = &ways.ways[way];
        let need = &ways.needs[way.need].1;
        let pool = &solved.supply.pools[way.pool];
        for (number, parts) in rent.runs.iter().enumerate() {
            for part in parts {
                entries.push(CalendarEntry {
                    job: job.name.clone(),
                    run: u32::try_from(number + 1).unwrap_or(u32::MAX),
                    start: solved.span.moment(part.start),
                    end: solved.span.moment(part.end),
                    card: solved.supply.kinds[pool.kind].card.id.clone(),
                    cards: need.cards.saturating_mul(need.replicas),
                    mode: rent.mode,
                });
            }
        }
    }
    entries.sort_by(|a, b| (a.start, &a.job, a.run).cmp(&(b.start, &b.job, b.run)));
    entries
}
