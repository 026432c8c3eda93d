//! What a model needs on a kind of card, by the estimates of `sizing`: memory decides the cards,
//! the rate decides the time. What a service needs stands in [`super::serve`].

use super::{
    needs::{Need, Obstacle, SeenOn, Sizing, elsewhere, stated_time},
    pools::Kind,
    serve,
};
use crate::workload::{Amount, Job, Load, Task};
use kasuan_model::{Card, Confidence, Estimate, Interconnect, Phrase, Phrased as _, Seconds};
use kasuan_sizing::{
    Architecture, Catalogue, Method, Parallelism, Recipe, Setup, Training, WeightFormat, Work,
    fit::{self, Fit},
    time::{self, Rate, RequestsJob},
};
use rust_decimal::prelude::ToPrimitive as _;

/// Returns the shipped dense model next in size, not smaller where there is one.
pub(super) fn like(parameters: u64) -> Option<&'static Architecture> {
    let wanted = parameters as f64;
    let size = |model: &Architecture| kasuan_sizing::parameters::count(model).total as f64;
    let dense = Catalogue::shipped()
        .entries()
        .iter()
        .filter(|model| model.experts.is_none() && model.recurrent.is_none() && model.hidden > 0);
    dense.min_by(|a, b| {
        let distance = |model: &Architecture| {
            let ratio = size(model) / wanted;
            // A little too large is better than too small.
            if ratio >= 0.995 { ratio - 1.0 } else { 2.0 * (1.0 / ratio - 1.0) }
        };
        distance(a).total_cmp(&distance(b))
    })
}

/// Returns what is being done, with the defaults of the task.
pub(super) fn work(job: &Job) -> Work {
    match job.task {
        Task::Inference | Task::Batch => {
            let mut inference = job.inference.clone().unwrap_or_default();
            if let Some(Load::Concurrency(concurrency)) = job.load {
                inference.concurrency = concurrency.max(1);
            }
            Work::Inference(inference)
        }
        Task::Lora | Task::Qlora => Work::Training(job.training.clone().unwrap_or_default()),
        Task::Full | Task::Pretrain => Work::Training(job.training.clone().unwrap_or_else(|| {
            Training { method: Method::Full, recipe: Recipe::MasterFp32, ..Training::default() }
        })),
    }
}

pub(crate) fn interconnect(card: &Card) -> Interconnect {
    match card.nvlink {
        Some(rate) if rate > 0.0 => Interconnect::NvLink,
        Some(_) => Interconnect::Pcie,
        None => Interconnect::Unknown,
    }
}

/// Returns the question to `sizing` for a job.
pub(super) fn question(sizing: &Sizing<'_>, work: Work, most_cards: u32) -> fit::Need {
    let job = sizing.job;
    let mut need = fit::Need::new(work);
    need.weights = match (job.weights, job.task) {
        (Some(weights), _) => Some(weights),
        (None, Task::Qlora) => Some(WeightFormat::Nf4 { double_quant: true }),
        (None, Task::Inference | Task::Batch) if !sizing.quantised => Some(WeightFormat::Bf16),
        (None, _) => None,
    };
    need.sharding = job.sharding;
    need.cards = job.cards;
    need.most_cards = most_cards;
    need.headroom = if job.fill_card { 0.0 } else { sizing.policy.headroom };
    need
}

/// Returns the ways to run a model on a kind of card.
pub(super) fn needs(
    sizing: &Sizing<'_>,
    model: &Architecture,
    kind: &Kind,
    most_cards: u32,
    notes: &[Phrase],
) -> Result<Vec<Need>, Obstacle> {
    let most = if kind.slices > 1 { 1 } else { most_cards };
    let mut found = if sizing.service {
        serve::needs(sizing, model, kind, most)?
    } else {
        let question = question(sizing, work(sizing.job), most);
        let fits = fitting(model, &question, kind)?;
        let mut found = Vec::with_capacity(fits.len());
        for fit in fits {
            let timed = run_time(sizing, model, &fit.setup, kind)?;
            found.push(need(fit, 1, timed, sizing.job));
        }
        found
    };
    for need in &mut found {
        if !notes.is_empty() {
            need.confidence = need.confidence.min(Confidence::Low);
            need.notes.extend_from_slice(notes);
        }
    }
    Ok(found)
}

/// A time with how far it may be trusted and what to know about it.
pub(super) struct Timed {
    pub(super) time: Estimate<Seconds>,
    pub(super) confidence: Confidence,
    pub(super) notes: Vec<Phrase>,
}

pub(super) fn need(fit: Fit, replicas: u32, timed: Timed, job: &Job) -> Need {
    let mut notes = timed.notes;
    notes.extend(fit.reasons);
    if job.weights.is_none() && is_quantised(fit.setup.weights) && job.task != Task::Qlora {
        notes.push(Phrase::new("plan-need-quantised"));
    }
    Need {
        cards: fit.setup.parallelism.cards(),
        replicas,
        memory_needed: Some(fit.memory.needed),
        setup: Some(fit.setup),
        memory: Some(fit.memory),
        time: timed.time,
        confidence: timed.confidence,
        capacity: None,
        notes,
    }
}

const fn is_quantised(format: WeightFormat) -> bool {
    !matches!(format, WeightFormat::Fp32 | WeightFormat::Bf16 | WeightFormat::Fp16)
}

/// Returns the setups that fit, or what stands in the way of the plainest.
pub(super) fn fitting(
    model: &Architecture,
    question: &fit::Need,
    kind: &Kind,
) -> Result<Vec<Fit>, Obstacle> {
    let refused = |error: kasuan_sizing::SizingError| Obstacle::Sizing(error.phrase());
    let fits = fit::setups(model, question, &kind.card).map_err(refused)?;
    if !fits.is_empty() {
        return Ok(fits);
    }
    let format = question.weights.unwrap_or(WeightFormat::Bf16);
    let setup = question.setup(format, Parallelism::SINGLE);
    let plainest = fit::fits(model, &setup, &kind.card, question.headroom).map_err(refused)?;
    if !plainest.possible
        && let Some(reason) = plainest.reasons.into_iter().next()
    {
        return Err(Obstacle::Sizing(reason));
    }
    Err(Obstacle::Memory { needed: plainest.memory.needed, have: plainest.limit })
}

/// Returns the time of one run of a job that is no service.
fn run_time(
    sizing: &Sizing<'_>,
    model: &Architecture,
    setup: &Setup,
    kind: &Kind,
) -> Result<Timed, Obstacle> {
    if let Some((time, seen)) = stated_time(sizing) {
        return Ok(moved(sizing, model, setup, kind, time, seen));
    }
    let declined = |declined: time::Declined| Obstacle::Sizing(declined.phrase());
    let links = interconnect(&kind.card);
    let job = match (&sizing.job.amount, &setup.work) {
        (Amount::Tokens { tokens, epochs }, Work::Training(_)) => {
            let rate = time::training_rate(model, setup, &kind.card, links).map_err(declined)?;
            time::job_time(&rate, *tokens as f64, epochs.to_f64().unwrap_or(f64::NAN))
        }
        (Amount::Samples { samples, mean_tokens, epochs }, Work::Training(training)) => {
            let rate = time::training_rate(model, setup, &kind.card, links).map_err(declined)?;
            // Unpacked samples are padded to the sequence where the batch holds several.
            let length = if training.packed || training.micro_batch <= 1 {
                (*mean_tokens).min(training.sequence)
            } else {
                training.sequence
            };
            let tokens = *samples as f64 * f64::from(length);
            time::job_time(&rate, tokens, epochs.to_f64().unwrap_or(f64::NAN))
        }
        (Amount::Requests { requests }, Work::Inference(inference)) => {
            let served = time::serving(model, setup, &kind.card, links).map_err(declined)?;
            let generated = f64::from(inference.generated.max(1));
            let job = RequestsJob { requests: *requests, generated, generated_longest: generated };
            time::requests_time(&served, job)
        }
        _ => return Err(Obstacle::WorkUnknown),
    };
    let job = job.map_err(declined)?;
    Ok(Timed { time: job.seconds, confidence: job.confidence, notes: Vec::new() })
}

/// Carries hours that were seen on one card over to another by the ratio of the estimated rates.
fn moved(
    sizing: &Sizing<'_>,
    model: &Architecture,
    setup: &Setup,
    kind: &Kind,
    time: Estimate<Seconds>,
    seen: Option<SeenOn>,
) -> Timed {
    let Some(seen) = seen else {
        let notes = vec![Phrase::new("plan-need-hours-any-card")];
        return Timed { time, confidence: Confidence::Low, notes };
    };
    let cards = setup.parallelism.cards();
    if seen.card == kind.card.id && seen.cards == cards && kind.slices <= 1 {
        return Timed { time, confidence: Confidence::High, notes: Vec::new() };
    }
    let ratio = seen.among(sizing.cards).and_then(|there| {
        let mut question = question(sizing, setup.work.clone(), seen.cards);
        question.cards = Some(seen.cards);
        question.headroom = 0.0;
        let fits = fit::setups(model, &question, there).ok()?;
        let before = fits.into_iter().next()?.setup;
        let before = rate(model, &before, there)?;
        let here = rate(model, setup, &kind.card)?;
        let ratio = before.tokens_per_second.likely / here.tokens_per_second.likely;
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    });
    match ratio {
        Some(ratio) => {
            let scaled = |time: Seconds| Seconds::from_estimate(time.get() as f64 * ratio);
            let notes = vec![
                Phrase::new("plan-need-hours-moved")
                    .with("card", seen.name(sizing.cards))
                    .with("factor", format!("{ratio:.2}")),
            ];
            Timed { time: time.map(scaled), confidence: Confidence::Medium, notes }
        }
        None => {
            let (time, note) = elsewhere(sizing, kind, time, &seen);
            Timed { time, confidence: Confidence::Low, notes: vec![note] }
        }
    }
}

/// Returns the rate of a setup on a card, whatever it does.
fn rate(model: &Architecture, setup: &Setup, card: &Card) -> Option<Rate> {
    let links = interconnect(card);
    match setup.work {
        Work::Training(_) => time::training_rate(model, setup, card, links).ok(),
        Work::Inference(_) => time::serving(model, setup, card, links).ok().map(|s| s.rate),
    }
}
