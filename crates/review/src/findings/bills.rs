//! What bills and storage tell: prepaid cards that were hardly used, storage dearer than cards, and
//! data that nobody needs.

use super::{Finding, FindingKind, cost, hours};
use crate::{
    allocate::{is_card, is_cross_region, is_storage},
    input::{Input, Rented},
};
use kasuan_model::{Bytes, Charge, Confidence, Money, Payment, Phrase, UsageHour};
use std::collections::BTreeMap;

pub(super) fn find(input: &Input) -> Vec<Finding> {
    let mut hosts: BTreeMap<&str, Vec<&UsageHour>> = input
        .rented
        .iter()
        .filter(|rented| rented.prepaid)
        .map(|rented| (rented.host.as_str(), Vec::new()))
        .collect();
    for hour in &input.usage {
        if let Some(rows) = hosts.get_mut(&*hour.host) {
            rows.push(hour);
        }
    }
    let mut found: Vec<Finding> = input
        .rented
        .iter()
        .filter(|rented| rented.prepaid)
        .filter_map(|rented| underused(input, rented, hosts.get(rented.host.as_str())?))
        .collect();
    found.extend(storage_dearer(input));
    found.extend(cross_region(input));
    found.extend(old_data(input));
    found
}

/// Finds prepaid cards whose used hours would have cost less on demand. Needs the card's on-demand
/// price and a measurement of at least half of the time.
fn underused(input: &Input, rented: &Rented, usage: &[&UsageHour]) -> Option<Finding> {
    let on_demand = *input.card_hour.get(&rented.card)?;
    let (from, to) = (rented.from.max(input.from), rented.to.min(input.to));
    let paid = rented.paid_hours(input);
    let rows = usage.iter().filter(|hour| hour.hour >= from && hour.hour < to);
    let (mut seen, mut used) = (0.0, 0.0);
    for hour in rows {
        seen += hour.seen / 3600.0;
        let busy =
            hour.busy_known > 0.0 && hour.busy / hour.busy_known >= input.thresholds.idle_busy;
        if busy {
            used += hour.seen / 3600.0;
        }
    }
    if seen < paid * input.thresholds.least_seen {
        return None;
    }
    let prepaid = cost(Some(rented.card_hour), paid)?;
    let alternative = cost(Some(on_demand), used)?;
    let saving = prepaid
        .checked_sub(alternative)
        .ok()
        .filter(|saving| saving.amount().is_sign_positive() && !saving.is_zero())?;
    Some(Finding {
        kind: FindingKind::UnderusedCommitment,
        subject: rented.host.clone(),
        evidence: Phrase::new("review-evidence-underused")
            .with("used", hours(used))
            .with("paid", hours(paid))
            .with("prepaid", prepaid)
            .with("alternative", alternative),
        money: Some(saving),
        confidence: Confidence::High,
        remedy: Phrase::new("review-remedy-underused"),
        command: String::new(),
    })
}

/// Sums traffic between regions.
fn cross_region(input: &Input) -> Option<Finding> {
    let paid = input.charges.iter().filter(|charge| charge.payment != Payment::Unpaid);
    let rows: Vec<&Charge> = paid.filter(|charge| is_cross_region(charge)).collect();
    let sum = Money::sum(input.currency, rows.iter().map(|charge| charge.effective)).ok()?;
    (sum.amount().is_sign_positive() && !sum.is_zero()).then(|| Finding {
        kind: FindingKind::CrossRegion,
        subject: String::new(),
        evidence: Phrase::new("review-evidence-cross-region").with("rows", rows.len()),
        money: Some(sum),
        confidence: Confidence::High,
        remedy: Phrase::new("review-remedy-cross-region"),
        command: String::new(),
    })
}

fn storage_dearer(input: &Input) -> Option<Finding> {
    let paid = || input.charges.iter().filter(|charge| charge.payment != Payment::Unpaid);
    let sum = |charges: Vec<Money>| Money::sum(input.currency, charges).ok();
    let storage = sum(paid().filter(|c| is_storage(c)).map(|c| c.effective).collect())?;
    let cards =
        sum(paid().filter(|c| is_card(c) && !is_storage(c)).map(|c| c.effective).collect())?;
    (storage.amount() > cards.amount()).then(|| Finding {
        kind: FindingKind::StorageDearerThanCards,
        subject: String::new(),
        evidence: Phrase::new("review-evidence-storage")
            .with("storage", storage)
            .with("cards", cards),
        money: storage.checked_sub(cards).ok(),
        confidence: Confidence::High,
        remedy: Phrase::new("review-remedy-storage"),
        command: String::new(),
    })
}

/// Sums what nobody needs and nobody used for a month, by kind.
fn old_data(input: &Input) -> Vec<Finding> {
    let old = |last: jiff::Timestamp| {
        (input.to.as_second() - last.as_second()) / 86_400 >= input.thresholds.old_days
    };
    let mut kinds: Vec<&str> = input.stored.iter().map(|item| item.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut found = Vec::new();
    for kind in kinds {
        let items = input
            .stored
            .iter()
            .filter(|item| item.kind == kind && !item.needed && item.last_used.is_some_and(old));
        let items: Vec<_> = items.collect();
        if items.is_empty() {
            continue;
        }
        let size: Bytes = items.iter().map(|item| item.size).sum();
        let costs = items.iter().map(|item| item.gb_month?.times(item.size.gb()).ok());
        let costs: Option<Vec<Money>> = costs.collect();
        found.push(Finding {
            kind: FindingKind::OldData,
            subject: kind.to_owned(),
            evidence: Phrase::new("review-evidence-old-data")
                .with("items", items.len())
                .with("size", size)
                .with("days", input.thresholds.old_days),
            money: costs.and_then(|costs| Money::sum(input.currency, costs).ok()),
            confidence: Confidence::Medium,
            remedy: Phrase::new("review-remedy-old-data"),
            command: String::new(),
        });
    }
    found
}
