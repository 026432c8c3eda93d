//! What the reader should know beside the answer: unknowns, left-out offers, old prices, checked
//! claims, and where everything comes from.

use super::{Solved, World};
use crate::{
    candidates::{STALE_DAYS, left_out_notes},
    fallback::without_effect,
    outcome::{Budget, CostKind, FallbackAction},
    workload::{Job, Workload},
};
use kasuan_model::{Confidence, Grade, Offer, Phrase, Source};
use std::collections::BTreeSet;

/// The hourly offers and terms that the answer rests on, each once.
fn used_offers<'a>(world: &World<'a>, solved: &Solved) -> Vec<&'a Offer> {
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for (job, way) in solved.choice.ways.iter().enumerate() {
        let (Some(way), Some(rent)) = (way, &solved.rent.jobs[job]) else { continue };
        let pool = &solved.supply.pools[solved.ways[job].ways[*way].pool];
        let spot = rent.mode == kasuan_model::BillingMode::Spot;
        let rate = if spot { &pool.spot } else { &pool.on_demand };
        used.extend(rate.iter().filter(|_| rent.hourly.starts > 0).map(|rate| rate.offer));
    }
    for (pool, shared) in &solved.choice.shared {
        let pool = &solved.supply.pools[*pool];
        used.extend(shared.bill.bought.iter().map(|one| pool.terms[one.term].offer));
    }
    used.into_iter().filter_map(|index| world.catalogue.offers().get(index)).collect()
}

/// Returns what is not known and therefore not in the total.
pub(super) fn unknowns(workload: &Workload, solved: &Solved, budget: &Budget) -> Vec<Phrase> {
    let mut unknowns = Vec::new();
    for line in &budget.lines {
        let phrase = match (line.kind, line.amount.is_none()) {
            (CostKind::Storage, true) => Phrase::new("plan-unknown-storage"),
            (CostKind::Egress, true) => Phrase::new("plan-unknown-egress"),
            (CostKind::DataMoving, true) => Phrase::new("plan-unknown-data-moving"),
            (CostKind::Operations, true) => Phrase::new("plan-unknown-operations"),
            (CostKind::Tax, true) => Phrase::new("plan-unknown-tax"),
            (CostKind::Tax, false) if line.unknown => Phrase::new("plan-unknown-tax-part"),
            (CostKind::Storage, false) if line.unknown => Phrase::new("plan-unknown-storage-part"),
            // Rent and what depends on it are unknown for the jobs without a choice, named below.
            _ => continue,
        };
        unknowns.push(phrase);
    }
    for (index, job) in workload.jobs.iter().enumerate() {
        let Some(way) = solved.choice.ways[index] else {
            unknowns.push(Phrase::new("plan-unknown-job").with("job", &job.name));
            continue;
        };
        let ways = &solved.ways[index];
        if ways.needs[ways.ways[way].need].1.memory_needed.is_none() {
            unknowns.push(Phrase::new("plan-unknown-memory").with("job", &job.name));
        }
    }
    if workload.storage.is_empty() {
        unknowns.push(Phrase::new("plan-unknown-no-storage"));
    }
    unknowns
}

/// Returns what the reader should know.
pub(super) fn notes(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    budget: &Budget,
    fallback: &[FallbackAction],
) -> Vec<Phrase> {
    let mut notes = unknown_providers(workload, world);
    notes.extend(left_out_notes(&solved.supply.left_out));
    for offer in used_offers(world, solved) {
        match offer.source.age_days(world.today) {
            None => notes.push(Phrase::new("plan-note-undated").with("offer", &offer.id)),
            Some(age) if age > STALE_DAYS => notes
                .push(Phrase::new("plan-note-stale").with("offer", &offer.id).with("days", age)),
            Some(_) => {}
        }
        if offer.source.grade >= Grade::C {
            notes.push(Phrase::new("plan-note-third-party").with("offer", &offer.id));
        }
        if offer.tier == "marketplace" {
            notes.push(Phrase::new("plan-note-marketplace").with("offer", &offer.id));
        }
        if offer.host_included == Some(false) {
            notes.push(Phrase::new("plan-note-host-not-included").with("offer", &offer.id));
        }
    }
    let guessed = |(index, job): (usize, &Job)| {
        let ways = &solved.ways[index];
        let way = solved.choice.ways[index]?;
        let low = ways.needs[ways.ways[way].need].1.confidence == Confidence::Low;
        low.then(|| Phrase::new("plan-note-low-confidence").with("job", &job.name))
    };
    notes.extend(workload.jobs.iter().enumerate().filter_map(guessed).take(10));
    let rent = budget.lines.iter().find(|line| line.kind == CostKind::Rent);
    if let Some(rent) = rent.filter(|rent| rent.amount.is_some()) {
        notes.push(Phrase::new("plan-note-rent-share").with("share", rent.share));
        notes.extend(without_effect(workload, fallback));
    }
    notes
}

/// Says which providers of the policy sell nothing that is known.
fn unknown_providers(workload: &Workload, world: &World<'_>) -> Vec<Phrase> {
    let policy = &workload.policy;
    let named = policy.providers.iter().chain(&policy.exclude_providers);
    let known = |name: &String| {
        world.catalogue.offers().iter().any(|offer| offer.provider.eq_ignore_ascii_case(name))
    };
    named
        .filter(|name| !known(name))
        .map(|name| Phrase::new("plan-note-provider-unknown").with("provider", name))
        .collect()
}

/// Returns the sources of every price and card that the answer rests on.
pub(super) fn sources(world: &World<'_>, solved: &Solved) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    let mut add = |source: &Source| {
        if !source.text.is_empty() && !sources.contains(source) {
            sources.push(source.clone());
        }
    };
    for offer in used_offers(world, solved) {
        add(&offer.source);
        add(&world.catalogue.terms(&offer.provider, Some(world.today)).source);
        if let Some(card) = world.catalogue.card(&offer.card) {
            add(&card.source);
        }
    }
    sources
}
