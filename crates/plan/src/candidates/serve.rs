//! What a service needs on a kind of card: replicas from its peak load and latency by
//! `sizing::capacity`, memory for what each of them then has in flight.

use super::{
    estimate::{Timed, fitting, need, question, work},
    needs::{Need, Obstacle, Sizing},
    pools::Kind,
};
use crate::{
    candidates::interconnect,
    workload::{Job, Load},
};
use kasuan_model::{Confidence, Estimate, Phrase, Phrased as _, Seconds};
use kasuan_sizing::{
    Architecture, Inference, Setup, Work,
    capacity::{self, Capacity, LONG_PROMPT, Server, Target},
    fit::{self, Fit},
};

/// The most replicas that are looked at.
const MOST_REPLICAS: u32 = 256;

/// Returns the ways to serve: for each setup that fits, the replicas that carry the load within the
/// latency.
pub(super) fn needs(
    sizing: &Sizing<'_>,
    model: &Architecture,
    kind: &Kind,
    most_cards: u32,
) -> Result<Vec<Need>, Obstacle> {
    let Work::Inference(inference) = work(sizing.job) else { return Err(Obstacle::WorkUnknown) };
    // Whatever the load, a replica has to hold one request.
    let alone = Inference { concurrency: 1, ..inference.clone() };
    let question = question(sizing, Work::Inference(alone), most_cards);
    let mut found = Vec::new();
    let mut last = Obstacle::WorkUnknown;
    for fit in fitting(model, &question, kind)? {
        match with_setup(sizing.job, model, &inference, &fit, question.headroom, kind) {
            Ok(one) => found.push(one),
            Err(obstacle) => last = obstacle,
        }
    }
    if found.is_empty() { Err(last) } else { Ok(found) }
}

fn with_setup(
    job: &Job,
    model: &Architecture,
    inference: &Inference,
    fit: &Fit,
    headroom: f64,
    kind: &Kind,
) -> Result<Need, Obstacle> {
    let planned = planned(job, model, inference, &fit.setup, kind)?;
    let least = planned.map_or(1, |capacity| capacity.replicas);
    let in_flight = planned.map_or_else(|| f64::from(inference.concurrency), |c| c.in_flight);
    let mut replicas = job.replicas.unwrap_or(least).max(1);
    // What is in flight is shared by the replicas; each has to hold its part. More replicas than the
    // speed asks for are taken where memory asks for them.
    let fit = loop {
        let each = (in_flight / f64::from(replicas)).ceil().clamp(1.0, 1e6) as u32;
        let each = Inference { concurrency: each, ..inference.clone() };
        let setup = Setup { work: Work::Inference(each), ..fit.setup.clone() };
        let held = fit::fits(model, &setup, &kind.card, headroom)
            .map_err(|error| Obstacle::Sizing(error.phrase()))?;
        if held.fits {
            break held;
        }
        if job.replicas.is_some() || replicas >= MOST_REPLICAS {
            return Err(Obstacle::Memory { needed: held.memory.needed, have: held.limit });
        }
        replicas = (replicas + replicas.div_ceil(4)).min(MOST_REPLICAS);
    };
    let mut notes = Vec::new();
    if let Some(capacity) = planned {
        notes.push(reason(&capacity, replicas));
    }
    if least > replicas {
        notes.push(
            Phrase::new("plan-need-overloaded").with("least", least).with("replicas", replicas),
        );
    }
    let up = Timed { time: Estimate::exact(Seconds::ZERO), confidence: Confidence::Exact, notes };
    Ok(Need { capacity: planned, ..need(fit, replicas, up, job) })
}

/// Says how the replicas came about.
fn reason(capacity: &Capacity, replicas: u32) -> Phrase {
    let peak = capacity.peak / (capacity.per_replica * f64::from(replicas));
    Phrase::new("plan-need-capacity")
        .with("replicas", replicas)
        .with("cards", capacity.cards_per_replica)
        .with("rate", format!("{:.2}", capacity.per_replica))
        .with("batch", capacity.batch)
        .with("tpot", format!("{:.0}", capacity.tpot * 1e3))
        .with("usable", format!("{:.0}", capacity.usable.get() * 100.0))
        .with("peak", format!("{:.2}", capacity.peak))
        .with("used", format!("{:.0}", peak * 100.0))
}

/// Returns the replicas that carry the load within the latency; nothing where the speed of the card
/// is not known, so that memory alone decides.
fn planned(
    job: &Job,
    model: &Architecture,
    inference: &Inference,
    setup: &Setup,
    kind: &Kind,
) -> Result<Option<Capacity>, Obstacle> {
    let Ok(server) = Server::of(model, setup, &kind.card, interconnect(&kind.card)) else {
        return Ok(None);
    };
    let latency = || Obstacle::Sizing(Phrase::new("plan-need-latency"));
    let prompt = f64::from(inference.prompt);
    let target = Target { ttft: job.latency.ttft, tpot: job.latency.tpot };
    let plain = capacity::Need {
        peak: 1.0,
        mean: 1.0,
        prompt: (prompt, prompt * LONG_PROMPT),
        generated: f64::from(inference.generated.max(1)),
        target,
        spare: false,
    };
    let peak = match job.load {
        Some(Load::PerSecond(rate)) => rate,
        _ => {
            let in_flight = f64::from(inference.concurrency.max(1));
            capacity::arrivals(&server, &plain, in_flight).ok_or_else(latency)?
        }
    };
    // The hours of the day with less traffic are not known here: the mean is the peak.
    let planned = capacity::plan(&server, &capacity::Need { peak, mean: peak, ..plain });
    planned.filter(|c| c.replicas <= MOST_REPLICAS).ok_or_else(latency).map(Some)
}
