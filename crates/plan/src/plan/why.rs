//! Why a job got its choice, why not the obvious others, and what stands in the way when nothing
//! is left.

use super::job::{Context, hours};
use crate::{
    PlanError,
    candidates::{Obstacle, Paid, instances},
    commitment::break_even_hours,
    outcome::Choice,
    workload::{Amount, Checkpoints, Workload},
};
use kasuan_model::{BillingMode, Bytes, Phrase, Seconds};

/// Says why a choice was made.
pub(super) fn chosen(
    context: &Context<'_>,
    workload: &Workload,
    choice: &Choice,
    alternatives: &[Choice],
) -> Result<Vec<Phrase>, PlanError> {
    let mut why = Vec::new();
    let way = context.solved.choice.ways[context.index].map(|way| &context.ways.ways[way]);
    if let Some(Paid::Beside(beside)) = way.map(|way| &way.paid) {
        let host = workload.jobs.get(beside.service).map_or("", |job| job.name.as_str());
        why.push(
            Phrase::new("plan-why-beside")
                .with("service", host)
                .with("slowdown", format!("{:.1}", beside.slowdown)),
        );
        why.push(Phrase::new("plan-why-beside-conditions"));
        return Ok(why);
    }
    if let Some(next) = alternatives.first() {
        why.push(
            Phrase::new("plan-why-cheapest")
                .with("cost", choice.cost.likely)
                .with("card", &next.card_name)
                .with("provider", &next.provider)
                .with_word("mode", mode_key(next.mode))
                .with("other", next.cost.likely),
        );
    }
    let Some(way) = context.solved.choice.ways[context.index] else { return Ok(why) };
    let way = &context.ways.ways[way];
    let pool = &context.solved.supply.pools[way.pool];
    if context.job.hours_wait {
        why.push(Phrase::new("plan-why-waits"));
    }
    let shared = context.solved.choice.shared.get(&way.pool);
    let day = shared.and_then(|shared| {
        let terms = shared.bill.bought.iter().map(|one| &pool.terms[one.term]);
        terms.clone().find(|term| term.is_given_back() && term.mode == choice.mode)
    });
    if let Some(day) = day {
        why.push(
            Phrase::new("plan-why-given-back")
                .with_word("mode", mode_key(day.mode))
                .with("day", day.price.rounded()),
        );
    }
    // Break-even against the terms of the same instance: price over hourly price.
    if let Some(rate) = &pool.on_demand {
        let each =
            choice.paid.get() / u64::from(pool.count.max(1)) / u64::from(way.instances.max(1));
        for term in pool.terms.iter().filter(|term| !term.is_given_back()) {
            let even = break_even_hours(term.price.amount(), rate.hourly.amount())
                .and_then(Seconds::from_decimal_hours);
            let Some(even) = even else { continue };
            let bought = choice.mode == term.mode && day.is_none();
            let (used, even) = (hours(Seconds::new(each)), hours(even));
            if bought {
                why.push(
                    Phrase::new("plan-why-term")
                        .with_word("mode", mode_key(term.mode))
                        .with("price", term.price)
                        .with("hours", used)
                        .with("even", even),
                );
            } else if choice.mode == BillingMode::OnDemand
                && term.mode == BillingMode::Monthly
                && used < even
            {
                why.push(
                    Phrase::new("plan-why-below-break-even")
                        .with_word("mode", mode_key(term.mode))
                        .with("price", term.price)
                        .with("hours", used)
                        .with("even", even),
                );
            }
        }
    }
    let need = context.need(way);
    let cards = need.cards * need.replicas;
    let rented = pool.count * way.instances;
    let shares = shared.is_some_and(|shared| shared.is_together(context.index));
    if shares {
        why.push(Phrase::new("plan-why-shares").with("rented", pool.count).with("used", cards));
    } else if rented > cards {
        why.push(Phrase::new("plan-why-idle-cards").with("rented", rented).with("used", cards));
    }
    if way.instances > need.replicas {
        why.push(Phrase::new("plan-why-several-machines").with("machines", way.instances));
    }
    spot(context, choice, &mut why);
    why.extend(scaling(choice));
    why.extend(need.notes.iter().cloned());
    Ok(why)
}

/// Says what more of the same cards would give, or what the chosen ones give over fewer.
fn scaling(choice: &Choice) -> Option<Phrase> {
    let at = choice.scaling.iter().position(|one| one.cards == choice.cards)?;
    let here = choice.scaling.get(at)?;
    let percent = |efficiency: f64| format!("{:.0}", efficiency * 100.0);
    let times = |efficiency: f64| format!("{:.2}", 1.0 / efficiency);
    if let Some(more) = choice.scaling.get(at + 1) {
        let efficiency = more.efficiency / here.efficiency;
        return Some(
            Phrase::new("plan-why-more-cards")
                .with("cards", more.cards)
                .with("hours", hours(more.time))
                .with("efficiency", percent(efficiency))
                .with("factor", times(efficiency)),
        );
    }
    let fewer = choice.scaling.first().filter(|one| one.cards < here.cards)?;
    Some(
        Phrase::new("plan-why-several-cards")
            .with("cards", here.cards)
            .with("fewer", fewer.cards)
            .with("hours", hours(here.time))
            .with("efficiency", percent(here.efficiency))
            .with("factor", times(here.efficiency)),
    )
}

/// Says why the job runs on spot, or why it does not.
fn spot(context: &Context<'_>, choice: &Choice, why: &mut Vec<Phrase>) {
    let sold = |pool: usize| context.solved.supply.pools[pool].spot.is_some();
    let free = |checkpoints: &Checkpoints| checkpoints.write == Seconds::ZERO;
    if let Some(figures) = &choice.spot {
        let free = context.job.interruptible.as_ref().is_some_and(free);
        why.push(if free && figures.interval.get() < 60 {
            Phrase::new("plan-why-spot-free").with("efficiency", figures.efficiency)
        } else {
            Phrase::new("plan-why-spot")
                .with("minutes", figures.interval.get().div_ceil(60))
                .with("efficiency", figures.efficiency)
        });
        why.push(match figures.effective_ratio {
            Some(ratio) => Phrase::new("plan-why-spot-ratio").with("ratio", percent(ratio)),
            None => Phrase::new("plan-why-spot-no-ratio"),
        });
        return;
    }
    if context.job.interruptible.is_none() {
        if context.ways.ways.iter().any(|way| sold(way.pool)) {
            why.push(if matches!(context.job.amount, Amount::Service) {
                Phrase::new("plan-why-no-spot-service")
            } else {
                Phrase::new("plan-why-no-spot-not-interruptible")
            });
        }
        return;
    }
    if let Some(Paid::Spot(figures)) = context.ways.spot.as_ref().map(|way| &way.paid) {
        why.push(match figures.effective_ratio {
            Some(ratio) => Phrase::new("plan-why-no-spot-price").with("ratio", percent(ratio)),
            None => Phrase::new("plan-why-no-spot-dearer"),
        });
    }
}

/// Writes a ratio in per cent.
fn percent(ratio: f64) -> String {
    format!("{:.0}%", ratio * 100.0)
}

/// Returns the key of a billing mode's word.
pub(super) fn mode_key(mode: BillingMode) -> String {
    format!("mode-{}", mode.word())
}

/// Says which constraint removed the last candidates, and what to relax.
pub(super) fn nothing(context: &Context<'_>, workload: &Workload) -> Vec<Phrase> {
    let supply = &context.solved.supply;
    let mut why = Vec::new();
    if supply.pools.is_empty() {
        let currency: u32 = supply.left_out.currency.values().sum();
        if currency > 0 {
            why.push(
                Phrase::new("plan-nothing-currency")
                    .with("count", currency)
                    .with("currency", workload.currency),
            );
        }
        for (rule, count) in &supply.left_out.policy {
            why.push(
                Phrase::new("plan-nothing-policy").with_word("rule", rule).with("count", count),
            );
        }
        let doubtful: u32 = supply.left_out.doubtful.values().sum();
        if doubtful > 0 {
            why.push(Phrase::new("plan-nothing-doubtful").with("count", doubtful));
        }
        if why.is_empty() {
            why.push(Phrase::new("plan-nothing-offers"));
        }
        return why;
    }
    if !context.ways.ways.is_empty() {
        // Ways there are; nothing is left of what they rent.
        return vec![Phrase::new("plan-nothing-stock")];
    }
    if !context.ways.needs.is_empty() {
        // It fits cards; no machine, no mode or no window is left.
        let needs = context.ways.needs.iter();
        let most = supply.pools.iter().map(|pool| pool.count).max().unwrap_or(0);
        let machines = needs.clone().any(|(kind, need)| {
            supply.pools.iter().any(|pool| pool.kind == *kind && instances(need, pool).is_some())
        });
        if !machines {
            let cards = needs.map(|(_, need)| need.cards).min().unwrap_or(0);
            why.push(Phrase::new("plan-nothing-machine").with("cards", cards).with("most", most));
        } else if !context.job.modes.is_empty() {
            let modes: Vec<String> = context.job.modes.iter().map(|mode| mode.word()).collect();
            why.push(Phrase::new("plan-nothing-modes").with("modes", modes.join(", ")));
        } else {
            why.push(Phrase::new("plan-nothing-window"));
        }
        return why;
    }
    let mut nearest: Option<(Bytes, Bytes)> = None;
    let mut shortest: Option<Seconds> = None;
    let mut other: Vec<Phrase> = Vec::new();
    let mut unwanted = 0;
    for (_, obstacle) in context.ways.obstacles.iter() {
        match obstacle {
            Obstacle::CardNotWanted => unwanted += 1,
            Obstacle::Memory { needed, have } => {
                let missing = |pair: (Bytes, Bytes)| pair.0.saturating_sub(pair.1);
                if nearest.is_none_or(|known| missing((*needed, *have)) < missing(known)) {
                    nearest = Some((*needed, *have));
                }
            }
            Obstacle::TooLong { time } => {
                shortest = Some(shortest.map_or(*time, |known| known.min(*time)));
            }
            Obstacle::WorkUnknown => return vec![Phrase::new("plan-nothing-work-unknown")],
            Obstacle::Sizing(phrase) => {
                if !other.contains(phrase) {
                    other.push(phrase.clone());
                }
            }
        }
    }
    if let Some(time) = shortest {
        why.push(
            Phrase::new("plan-nothing-too-long")
                .with("hours", hours(time))
                .with("days", context.solved.span.days()),
        );
    }
    if let Some((needed, have)) = nearest {
        why.push(Phrase::new("plan-nothing-memory").with("needed", needed).with("have", have));
    }
    why.extend(other.into_iter().take(3));
    if unwanted > 0 {
        why.push(Phrase::new("plan-nothing-cards").with("count", unwanted));
    }
    if why.is_empty() {
        why.push(Phrase::new("plan-nothing-offers"));
    }
    why
}
