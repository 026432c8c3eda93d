//! The answer of `kasuan fit` as one document, and its JSON contract.

use crate::workload::words;
use jiff::civil::Date;
use kasuan_model::{Bytes, Card, Confidence, Estimate, Money, Phrase, Phrased as _, Seconds};
use kasuan_sizing::{
    Architecture, Breakdown, MemoryEstimate, WeightFormat,
    fit::{CardAnswer, Fit, Need, Remedies, Remedy},
    parameters, time,
};
use serde_json::{Map, Value, json};

/// What one card does with the best setup.
#[derive(Clone, Debug)]
pub struct Speed {
    /// Tokens a second of the whole job.
    pub tokens_per_second: Estimate<f64>,
    /// What takes the most time.
    pub limit: time::Limit,
    /// How far the figure may be trusted.
    pub confidence: Confidence,
    /// The rate itself.
    pub rate: time::Rate,
}

/// What one card costs with the best setup.
#[derive(Clone, Debug)]
pub struct Price {
    /// The offer's id.
    pub offer: String,
    /// Who offers it.
    pub provider: String,
    /// The day the price was seen.
    pub seen: Option<Date>,
    /// One card for an hour.
    pub per_card: Money,
    /// All cards of the setup for an hour.
    pub hour: Money,
    /// A million tokens.
    pub million: Option<Estimate<Money>>,
    /// A whole run: its time and its cost.
    pub run: Option<(Estimate<Seconds>, Estimate<Money>)>,
}

/// The answer for one card.
#[derive(Clone, Debug)]
pub struct Row {
    /// The card.
    pub card: Card,
    /// Whether and how it fits.
    pub answer: CardAnswer,
    /// How fast; `None` when nothing fits.
    pub speed: Option<Result<Speed, time::Declined>>,
    /// At what price; `None` when no offer is priced in the wished currency.
    pub price: Option<Price>,
    /// What to change, when it was asked about and does not fit as asked.
    pub remedies: Option<Remedies>,
    /// A larger card that holds it as asked, when this one does not.
    pub larger: Option<Larger>,
}

/// A larger card that holds the job as asked.
#[derive(Clone, Debug)]
pub struct Larger {
    /// The card.
    pub card: Card,
    /// One of it for an hour; `None` when no offer is priced in the wished currency.
    pub hour: Option<Money>,
    /// How much more that is than the card that was asked about.
    pub more: Option<Money>,
}

/// Another setup beside the one that was asked about.
#[derive(Clone, Debug)]
pub struct Compared {
    /// How it differs, as the user wrote it.
    pub settings: String,
    /// Its memory on one card.
    pub memory: MemoryEstimate,
    /// Each card with the cards it needs; `None` when nothing fits.
    pub cards: Vec<(String, Option<u32>)>,
}

/// The whole answer.
#[derive(Clone, Debug)]
pub struct Report {
    /// The model.
    pub model: Architecture,
    /// What has to run.
    pub need: Need,
    /// Memory as asked, on one card.
    pub memory: MemoryEstimate,
    /// What the guide's rule of thumb says.
    pub guide: Bytes,
    /// The cards.
    pub rows: Vec<Row>,
    /// Other setups.
    pub compared: Vec<Compared>,
    /// What the reader should know.
    pub notes: Vec<Phrase>,
}

/// Returns the word of a weight format; formats without one are named by their parts.
pub fn format_word(format: WeightFormat) -> String {
    match (words::word(words::WEIGHTS, &format), format) {
        ("", WeightFormat::Gptq4 { group }) => format!("gptq4-g{group}"),
        ("", WeightFormat::Awq4 { group }) => format!("awq4-g{group}"),
        (word, _) => word.to_owned(),
    }
}

/// Returns the JSON contract; `say` puts messages into the reader's words.
pub fn json(report: &Report, say: &dyn Fn(&Phrase) -> String) -> Value {
    let count = parameters::count(&report.model);
    let list = |phrases: &[Phrase]| -> Vec<String> { phrases.iter().map(say).collect() };
    let mut document = json!({
        "model": {
            "id": report.model.id,
            "family": report.model.family,
            "parameters": count.total,
            "active_parameters": count.active,
            "unverified": report.model.unverified,
            "source": report.model.source.text,
        },
        "memory": memory(&report.memory),
        "guide_rule": report.guide.get(),
        "guide_rule_gib": gib(report.guide),
        "cards": report.rows.iter().map(|row| row_json(row, say)).collect::<Vec<_>>(),
        "notes": list(&report.notes),
    });
    if let (false, Some(map)) = (report.compared.is_empty(), document.as_object_mut()) {
        let compared: Vec<Value> = report
            .compared
            .iter()
            .map(|other| {
                let cards: Map<String, Value> =
                    other.cards.iter().map(|(card, cards)| (card.clone(), json!(cards))).collect();
                json!({"settings": other.settings, "memory": memory(&other.memory), "cards": cards})
            })
            .collect();
        map.insert("compared".to_owned(), Value::Array(compared));
    }
    document
}

/// Writes bytes as decimals of a GiB.
fn gib(bytes: Bytes) -> String {
    format!("{:.3}", bytes.gib())
}

fn memory(estimate: &MemoryEstimate) -> Value {
    let mut per_gpu = Map::new();
    for (name, bytes) in [
        ("allocated", estimate.allocated),
        ("reserved", estimate.reserved),
        ("nvidia_smi", estimate.nvidia_smi),
        ("upper", estimate.upper),
        ("needed", estimate.needed),
    ] {
        per_gpu.insert(name.to_owned(), json!(bytes.get()));
        per_gpu.insert(format!("{name}_gib"), json!(gib(bytes)));
    }
    let mut parts = Map::new();
    for (name, bytes) in causes(&estimate.breakdown) {
        parts.insert(name.to_owned(), json!(bytes.get()));
        parts.insert(format!("{name}_gib"), json!(gib(bytes)));
    }
    json!({
        "per_gpu": per_gpu,
        "total": estimate.needed.get(),
        "total_gib": gib(estimate.needed),
        "breakdown": parts,
        "host": estimate.host.map(Bytes::get),
        "host_gib": estimate.host.map(gib),
        "binding": estimate.binding,
        "confidence": confidence(estimate.confidence),
    })
}

/// Returns the causes with their stable names, in the order they are shown.
pub fn causes(parts: &Breakdown) -> [(&'static str, Bytes); 8] {
    [
        ("weights", parts.weights),
        ("kv_cache", parts.kv_cache),
        ("activations", parts.activations),
        ("logits", parts.logits),
        ("gradients", parts.gradients),
        ("optimizer", parts.optimizer),
        ("adapters", parts.adapters),
        ("framework", parts.framework),
    ]
}

const fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
        Confidence::Exact => "exact",
    }
}

fn row_json(row: &Row, say: &dyn Fn(&Phrase) -> String) -> Value {
    let best = row.answer.best.as_ref();
    let capacity = row.answer.capacity;
    let reasons: Vec<String> = best.unwrap_or(&row.answer.asked).reasons.iter().map(say).collect();
    json!({
        "card": row.card.id.as_str(),
        "name": row.card.display,
        "fits": best.is_some(),
        "fits_as_asked": row.answer.asked.fits,
        "cards": best.map(Fit::cards),
        "headroom": best.and_then(Fit::spare).map(Bytes::get),
        "headroom_gib": best.and_then(Fit::spare).map(gib),
        "setup": best.map(setup),
        "fewest": row.answer.fewest.as_ref().map(setup),
        "memory": best.map(|fit| memory(&fit.memory)),
        "capacity": {
            "concurrency": capacity.concurrency,
            "context": capacity.context,
            "kv_tokens": capacity.kv_tokens,
            "micro_batch": capacity.micro_batch,
            "sequence": capacity.sequence,
        },
        "time": row.speed.as_ref().map(|speed| speed_json(speed, row.price.as_ref(), say)),
        "price": row.price.as_ref().map(price_json),
        "reason": reasons,
        "remedies": row.remedies.as_ref().map(|remedies| remedies_json(remedies, say)),
        "larger_card": row.larger.as_ref().map(|larger| json!({
            "card": larger.card.id.as_str(),
            "per_card_hour": larger.hour.map(|hour| hour.amount().to_string()),
            "more": larger.more.map(|more| more.amount().to_string()),
        })),
    })
}

fn setup(fit: &Fit) -> Value {
    let parallelism = fit.setup.parallelism;
    json!({
        "weights": format_word(fit.setup.weights),
        "cards": fit.cards(),
        "tensor": parallelism.tensor,
        "pipeline": parallelism.pipeline,
        "data": parallelism.data,
        "sharding": words::word(words::SHARDINGS, &parallelism.sharding),
        "offload_optimizer": parallelism.offload_optimizer,
    })
}

fn speed_json(
    speed: &Result<Speed, time::Declined>,
    price: Option<&Price>,
    say: &dyn Fn(&Phrase) -> String,
) -> Value {
    match speed {
        Ok(speed) => json!({
            "tokens_per_second": {
                "low": format!("{:.1}", speed.tokens_per_second.low),
                "likely": format!("{:.1}", speed.tokens_per_second.likely),
                "high": format!("{:.1}", speed.tokens_per_second.high),
            },
            "limit": speed.limit.word(),
            "confidence": confidence(speed.confidence),
            "run_seconds": price.and_then(|price| price.run).map(|(time, _)| json!({
                "low": time.low.get(), "likely": time.likely.get(), "high": time.high.get(),
            })),
        }),
        Err(declined) => json!({ "declined": say(&declined.phrase()) }),
    }
}

fn price_json(price: &Price) -> Value {
    let range = |range: Estimate<Money>| {
        json!({
            "low": range.low.amount().round_dp(6).to_string(),
            "likely": range.likely.amount().round_dp(6).to_string(),
            "high": range.high.amount().round_dp(6).to_string(),
        })
    };
    json!({
        "currency": price.hour.currency().code(),
        "offer": price.offer,
        "provider": price.provider,
        "seen": price.seen.map(|day| day.to_string()),
        "per_card_hour": price.per_card.amount().to_string(),
        "hour": price.hour.amount().to_string(),
        "million_tokens": price.million.map(range),
        "run": price.run.map(|(_, cost)| range(cost)),
    })
}

fn remedies_json(remedies: &Remedies, say: &dyn Fn(&Phrase) -> String) -> Value {
    let one = |remedy: &Remedy| {
        json!({
            "change": say(&remedy.change),
            "gives_up": say(&remedy.price),
            "saves": remedy.saves.get(),
            "saves_gib": gib(remedy.saves),
            "upper": remedy.fit.memory.needed.get(),
            "upper_gib": gib(remedy.fit.memory.needed),
            "fits": remedy.fit.fits,
        })
    };
    json!({
        "changes": remedies.changes.iter().map(one).collect::<Vec<_>>(),
        "more_cards": remedies.more_cards.as_ref().map(one),
        "less": remedies.less.as_ref().map(one),
    })
}
