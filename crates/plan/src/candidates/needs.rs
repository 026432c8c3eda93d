//! What a job needs on one kind of card: cards, memory and time, stated by the user or estimated.

use super::{estimate, pools::Kind};
use crate::{
    plan::Measured,
    workload::{Amount, Job, Model, Policy},
};
use kasuan_model::{Bytes, Card, Confidence, Estimate, Phrase, Seconds};
use kasuan_sizing::{MemoryEstimate, Setup, capacity::Capacity};
use rust_decimal::Decimal;

/// One way to run a job on a kind of card.
#[derive(Clone, Debug)]
pub(crate) struct Need {
    /// Cards of one replica.
    pub(crate) cards: u32,
    /// Replicas; 1 for everything that is no service.
    pub(crate) replicas: u32,
    /// How it is run; `None` when the user stated memory and hours.
    pub(crate) setup: Option<Setup>,
    /// Memory; `None` when the user stated it, or nobody knows.
    pub(crate) memory: Option<MemoryEstimate>,
    /// Memory of each card that has to fit; `None` when unknown.
    pub(crate) memory_needed: Option<Bytes>,
    /// Time of one run; nothing for a service.
    pub(crate) time: Estimate<Seconds>,
    /// How far the time may be trusted.
    pub(crate) confidence: Confidence,
    /// What the load of a service asks for; `None` for other jobs, and where the speed is unknown.
    pub(crate) capacity: Option<Capacity>,
    /// What the reader should know about it.
    pub(crate) notes: Vec<Phrase>,
}

/// Why a job does not run on a kind of card.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Obstacle {
    /// The user chose among other cards.
    CardNotWanted,
    /// Each card lacks memory.
    Memory {
        /// What one card has to hold.
        needed: Bytes,
        /// What this card has.
        have: Bytes,
    },
    /// Any other reason that sizing gives.
    Sizing(Phrase),
    /// Nobody said how much work it is.
    WorkUnknown,
    /// A run takes longer than the planned span.
    TooLong {
        /// Time of one run.
        time: Seconds,
    },
}

/// How a job is sized: the same for every kind of card.
#[derive(Clone, Copy)]
pub(crate) struct Sizing<'a> {
    /// The job.
    pub(crate) job: &'a Job,
    /// The rules.
    pub(crate) policy: &'a Policy,
    /// What was measured of it.
    pub(crate) measured: Option<&'a Measured>,
    /// Every kind of card that can be rented.
    pub(crate) kinds: &'a [Kind],
    /// Every card that is known, to find the one that hours were measured on.
    pub(crate) cards: &'a [Card],
    /// Whether it is a service.
    pub(crate) service: bool,
    /// Whether weights of fewer than 16 bits may be chosen where the user insists on nothing.
    pub(crate) quantised: bool,
}

/// Returns the hours of one run that the user states or measured, and the card and count that they
/// were seen on.
pub(super) fn stated_time(sizing: &Sizing<'_>) -> Option<(Estimate<Seconds>, Option<SeenOn>)> {
    if let Some(measured) = sizing.measured {
        let seen = SeenOn { card: measured.card.clone(), cards: measured.cards };
        return Some((measured.time, Some(seen)));
    }
    let Amount::Hours { hours, measured_on } = &sizing.job.amount else { return None };
    let seconds = |hours: Decimal| Seconds::from_decimal_hours(hours).unwrap_or(Seconds::ZERO);
    let seen =
        measured_on.as_ref().map(|(card, cards)| SeenOn { card: card.clone(), cards: *cards });
    Some((hours.map(seconds), seen))
}

/// The cards that hours were seen on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SeenOn {
    /// The card.
    pub(super) card: kasuan_model::CardId,
    /// How many.
    pub(super) cards: u32,
}

impl SeenOn {
    /// Finds the card among those that are known.
    pub(super) fn among<'a>(&self, cards: &'a [Card]) -> Option<&'a Card> {
        cards.iter().find(|known| known.id == self.card)
    }

    /// Returns what people call the card.
    pub(super) fn name(&self, cards: &[Card]) -> String {
        self.among(cards).map_or_else(|| self.card.to_string(), |card| card.display.clone())
    }
}

/// Returns the ways to run a job on a kind of card with at most so many cards together, fewest
/// cards first.
pub(crate) fn needs(
    sizing: &Sizing<'_>,
    kind: &Kind,
    most_cards: u32,
) -> Result<Vec<Need>, Obstacle> {
    let job = sizing.job;
    if !job.only_cards.is_empty() && !job.only_cards.contains(&kind.card.id) {
        return Err(Obstacle::CardNotWanted);
    }
    match (&job.model, job.memory) {
        (Some(Model::Known(model)), None) => estimate::needs(sizing, model, kind, most_cards, &[]),
        (Some(Model::Counted { parameters }), None) => {
            let Some(model) = estimate::like(*parameters) else {
                return Err(Obstacle::WorkUnknown);
            };
            let note = Phrase::new("plan-need-like")
                .with("parameters", billions(*parameters))
                .with("model", &model.id);
            estimate::needs(sizing, model, kind, most_cards, &[note])
        }
        _ => stated(sizing, kind).map(|need| vec![need]),
    }
}

/// Carries hours over to another card of whose speed at this work nothing is known: a slower card
/// is given the worse of the ratios of arithmetic and of bandwidth, which no work exceeds that is
/// bound by either; a faster card is given no credit.
pub(super) fn elsewhere(
    sizing: &Sizing<'_>,
    kind: &Kind,
    time: Estimate<Seconds>,
    seen: &SeenOn,
) -> (Estimate<Seconds>, Phrase) {
    let there = seen.among(sizing.cards);
    let ratio = there.map_or(1.0, |before| {
        let of = |before: Option<f64>, here: Option<f64>| match (before, here) {
            (Some(before), Some(here)) if here > 0.0 => before / here,
            _ => 1.0,
        };
        let here = &kind.card;
        // A card without tensor cores does their work at its plain rate.
        let tensor = of(before.tensor_flops, here.tensor_flops.or(here.fp32_flops));
        tensor
            .max(of(before.fp32_flops, here.fp32_flops))
            .max(of(before.bandwidth, here.bandwidth))
            .max(1.0)
    });
    if ratio <= 1.0 {
        let note = Phrase::new("plan-need-hours-elsewhere").with("card", seen.name(sizing.cards));
        return (time, note);
    }
    let note = Phrase::new("plan-need-hours-bounded")
        .with("card", seen.name(sizing.cards))
        .with("factor", format!("{ratio:.1}"));
    (time.map(|time| Seconds::from_estimate(time.get() as f64 * ratio)), note)
}

/// Writes a count of parameters in billions.
fn billions(parameters: u64) -> String {
    format!("{:.1}B", parameters as f64 / 1e9)
}

/// Returns the need of a job whose memory the user states, or nobody.
fn stated(sizing: &Sizing<'_>, kind: &Kind) -> Result<Need, Obstacle> {
    let job = sizing.job;
    let mut notes = Vec::new();
    let (time, confidence) = if sizing.service {
        (Estimate::exact(Seconds::ZERO), Confidence::Exact)
    } else {
        let Some((time, seen)) = stated_time(sizing) else { return Err(Obstacle::WorkUnknown) };
        match seen {
            Some(seen) if seen.card == kind.card.id && kind.slices <= 1 => (time, Confidence::High),
            Some(seen) => {
                let (time, note) = elsewhere(sizing, kind, time, &seen);
                notes.push(note);
                (time, Confidence::Low)
            }
            None => {
                if job.only_cards.len() != 1 {
                    notes.push(Phrase::new("plan-need-hours-any-card"));
                }
                (time, Confidence::Low)
            }
        }
    };
    if let Some(needed) = job.memory
        && needed > kind.memory
    {
        return Err(Obstacle::Memory { needed, have: kind.memory });
    }
    Ok(Need {
        cards: job.cards.unwrap_or(1).max(1),
        replicas: if sizing.service { job.replicas.unwrap_or(1).max(1) } else { 1 },
        setup: None,
        memory: None,
        memory_needed: job.memory,
        time,
        confidence,
        capacity: None,
        notes,
    })
}
