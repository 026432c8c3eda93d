//! The busiest moment of the month: cards in use at once, and what is spent by the hour then.

use super::Solved;
use crate::{PlanError, candidates::Paid, demand::Stretch, outcome::Peak, workload::Workload};
use kasuan_model::Money;
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// Changes of cards in use and of spending at a moment.
type Changes = BTreeMap<u64, (i64, Decimal)>;

fn add(changes: &mut Changes, stretch: Stretch, cards: u32, hourly: Decimal) {
    let start = changes.entry(stretch.start).or_default();
    *start = (start.0 + i64::from(cards), start.1 + hourly);
    let end = changes.entry(stretch.end).or_default();
    *end = (end.0 - i64::from(cards), end.1 - hourly);
}

/// Returns the most cards in use at once and the most that is spent in an hour on demand and spot;
/// each with the first moment at which it is so. `None` when nothing runs.
///
/// What is paid for a term is paid ahead, and no spending by the hour. A run on a card of a service
/// takes no card of its own.
pub(super) fn peak(workload: &Workload, solved: &Solved) -> Result<Option<Peak>, PlanError> {
    let mut changes = Changes::new();
    for (pool, shared) in &solved.choice.shared {
        let pool = &solved.supply.pools[*pool];
        for (member, runs) in shared.members.iter().zip(&shared.runs) {
            let ways = &solved.ways[member.job];
            let need = &ways.needs[ways.ways[member.way].need].1;
            for stretch in runs.iter().flatten() {
                let cards = need.cards.saturating_mul(need.replicas);
                add(&mut changes, *stretch, cards, Decimal::ZERO);
            }
        }
        // What is billed: a machine that several share once.
        let Some(rate) = &pool.on_demand else { continue };
        for (one, covered) in shared.uses.iter().zip(&shared.bill.covered) {
            let out = Decimal::from(one.units.saturating_sub(*covered));
            add(&mut changes, one.stretch, 0, rate.hourly.amount() * out);
        }
    }
    for (job, way) in solved.choice.ways.iter().enumerate() {
        let (Some(way), Some(rent)) = (way, &solved.rent.jobs[job]) else { continue };
        let ways = &solved.ways[job];
        let way = &ways.ways[*way];
        let need = &ways.needs[way.need].1;
        let pool = &solved.supply.pools[way.pool];
        let rate = match way.paid {
            Paid::Pooled | Paid::Beside(_) => continue,
            Paid::OnDemand => &pool.on_demand,
            Paid::Spot(_) => &pool.spot,
            Paid::Term(_) => &None,
        };
        let hourly = rate
            .as_ref()
            .map_or(Decimal::ZERO, |rate| rate.hourly.amount() * Decimal::from(way.instances));
        for stretch in rent.runs.iter().flatten() {
            add(&mut changes, *stretch, need.cards.saturating_mul(need.replicas), hourly);
        }
    }
    let (mut cards, mut hourly) = (0_i64, Decimal::ZERO);
    let mut most: Option<(i64, u64)> = None;
    let mut dearest: Option<(Decimal, u64)> = None;
    for (moment, (more, spent)) in changes {
        (cards, hourly) = (cards + more, hourly + spent);
        if cards > 0 && most.is_none_or(|(known, _)| cards > known) {
            most = Some((cards, moment));
        }
        if cards > 0 && dearest.is_none_or(|(known, _)| hourly > known) {
            dearest = Some((hourly, moment));
        }
    }
    let (Some((cards, cards_at)), Some((hourly, hourly_at))) = (most, dearest) else {
        return Ok(None);
    };
    Ok(Some(Peak {
        cards: u32::try_from(cards).unwrap_or(u32::MAX),
        cards_at: solved.span.moment(cards_at),
        hourly: Money::new(hourly, workload.currency),
        hourly_at: solved.span.moment(hourly_at),
    }))
}
