//! The mix as it is bought: terms, the hours of each pool, shared machines, and how near it is to
//! the cheapest there can be.

use super::{Solved, World};
use crate::{
    PlanError,
    candidates::Pool,
    choose::{Owners, Shared},
    demand::HOUR,
    outcome::{Commitment, Mix, Packed, Pool as HourlyPool},
    pack::{Part, first_fit, lower_bound},
    workload::Workload,
};
use kasuan_model::{CardId, Money, Seconds};
use rust_decimal::Decimal;

/// Returns what is bought, and how near it is to the cheapest there can be.
pub(super) fn mix(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<Mix, PlanError> {
    let mut commitments = Vec::new();
    let mut pools = Vec::new();
    let mut packing = Vec::new();
    let span = solved.span.seconds();
    for (index, shared) in &solved.choice.shared {
        let pool = &solved.supply.pools[*index];
        let card = solved.supply.kinds[pool.kind].card.id.clone();
        let used: u64 = shared.load.used().iter().map(|units| u64::from(*units)).sum();
        let paid: u64 = shared.load.paid().iter().map(|units| u64::from(*units)).sum();
        for one in &shared.bill.bought {
            let term = &pool.terms[one.term];
            let hourly = pool.on_demand.as_ref().map(|rate| rate.hourly.amount());
            let each = if term.is_given_back() {
                term.cost(one.stretch.length(), span, 1)?
            } else {
                term.price
            };
            let break_even = hourly
                .and_then(|hourly| crate::commitment::break_even_hours(each.amount(), hourly))
                .and_then(Seconds::from_decimal_hours)
                .unwrap_or(Seconds::ZERO);
            // Use is spread evenly over what is paid at the same time.
            let hours = one.stretch.length() / HOUR * u64::from(one.units);
            let part = if paid > 0 { used.min(paid) as f64 / paid as f64 } else { 0.0 };
            commitments.push(Commitment {
                offer: world.catalogue.offers()[term.offer].id.clone(),
                card: card.clone(),
                mode: term.mode,
                count: one.units,
                start: solved.span.moment(one.stretch.start),
                price: term.cost(one.stretch.length(), span, one.units)?,
                given_back: term.is_given_back().then(|| solved.span.moment(one.stretch.end)),
                break_even,
                used: Seconds::from_estimate(hours as f64 * 3600.0 * part),
            });
        }
        let in_cards = |units: &[u32]| {
            units.iter().map(|units| units.saturating_mul(pool.count)).collect::<Vec<u32>>()
        };
        packing.extend(packed(workload, solved, pool, shared, &card));
        pools.push(HourlyPool {
            card,
            demand: in_cards(shared.load.used()),
            committed: in_cards(shared.load.paid()),
        });
    }
    let in_money = |micros: i128| {
        let amount = Decimal::try_from_i128_with_scale(micros, 6).unwrap_or(Decimal::MAX);
        Money::new(amount, workload.currency)
    };
    let (cost, bound) = (solved.choice.cost, solved.choice.bound);
    let gap = if bound > 0 { (cost - bound) as f64 / bound as f64 } else { 0.0 };
    Ok(Mix {
        commitments,
        cost: solved.rent.total,
        lower_bound: in_money(bound),
        gap,
        pools,
        packing,
        cost_if_bought: None,
    })
}

/// Says how many machines of a pool jobs share or could share; `None` where none is saved.
fn packed(
    workload: &Workload,
    solved: &Solved,
    pool: &Pool,
    shared: &Shared,
    card: &CardId,
) -> Option<Packed> {
    if pool.count < 2 {
        return None;
    }
    let mut parts = Vec::new();
    for (member, runs) in shared.members.iter().zip(&shared.runs) {
        let ways = &solved.ways[member.job];
        let way = &ways.ways[member.way];
        let need = &ways.needs[way.need].1;
        // Replicas and machines that are taken whole, and what is left on the last machine.
        let cards = u64::from(need.cards) * u64::from(need.replicas);
        for stretch in runs.iter().flatten() {
            let (start, end) = (stretch.start, stretch.end);
            for instance in 0..u64::from(way.instances) {
                let left = cards.saturating_sub(instance * u64::from(pool.count));
                let cards = u32::try_from(left).unwrap_or(u32::MAX).min(pool.count);
                parts.push(Part { cards, start, end });
            }
        }
    }
    let whole: Vec<Part> = parts.iter().map(|part| Part { cards: pool.count, ..*part }).collect();
    let number = |machines: usize| u32::try_from(machines).unwrap_or(u32::MAX);
    let apart = number(first_fit(pool.count, &whole).machines);
    let planned = shared.uses.iter().any(|one| matches!(one.owners, Owners::Several(_)));
    let together = if planned {
        shared.load.used().iter().copied().max().unwrap_or(0)
    } else {
        number(first_fit(pool.count, &parts).machines)
    };
    let lower_bound = number(lower_bound(pool.count, &parts));
    let jobs = if planned { sharing(workload, shared) } else { Vec::new() };
    let saves = together < apart;
    saves.then(|| Packed {
        card: card.clone(),
        cards: pool.count,
        apart,
        together,
        lower_bound,
        planned,
        jobs,
    })
}

/// Returns the jobs that meet others on a machine.
fn sharing(workload: &Workload, shared: &Shared) -> Vec<String> {
    let mut jobs: Vec<String> = Vec::new();
    for one in &shared.uses {
        let Owners::Several(owners) = &one.owners else { continue };
        for (member, _) in owners.iter().filter(|_| owners.len() > 1) {
            let name = &workload.jobs[shared.members[*member].job].name;
            if !jobs.contains(name) {
                jobs.push(name.clone());
            }
        }
    }
    jobs
}
