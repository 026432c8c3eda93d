//! The answer of `kasuan capacity` as one document, and its JSON contract.

use kasuan_model::{Card, Money};
use kasuan_plan::service::Service;
use kasuan_sizing::capacity::{DayShape, Outcome, Target};
use serde_json::{Value, json};

/// The answer for one card.
#[derive(Clone, Debug)]
pub struct Row {
    /// The card.
    pub card: Card,
    /// The offer that its price comes from.
    pub offer: String,
    /// Who offers it.
    pub provider: String,
    /// One card for an hour.
    pub card_hour: Money,
    /// What the service needs and costs; `None` when the card cannot keep the latency.
    pub service: Option<Service>,
    /// What the requests of a log met: on the planned replicas, and on the fewest that keep the
    /// latency.
    pub replayed: Option<(Outcome, Option<(u32, Outcome)>)>,
}

/// The whole answer.
#[derive(Clone, Debug)]
pub struct Report {
    /// The model's id.
    pub model: String,
    /// Tokens of a prompt: mean, and what nine of ten stay under.
    pub prompt: (f64, f64),
    /// Tokens written, mean.
    pub generated: f64,
    /// Requests per second: mean of the busiest hour and peak; `None` when requests in flight were
    /// stated.
    pub rate: Option<(f64, f64)>,
    /// Requests in flight, when they were stated.
    pub in_flight: Option<f64>,
    /// The day.
    pub shape: DayShape,
    /// The latency.
    pub target: Target,
    /// The cards, cheapest first.
    pub rows: Vec<Row>,
    /// Cards that were looked at and cannot do it.
    pub left_out: usize,
}

/// Returns the JSON contract.
pub fn json(report: &Report) -> Value {
    json!({
        "model": report.model,
        "traffic": {
            "prompt_tokens": {"mean": report.prompt.0, "p90": report.prompt.1},
            "generated_tokens": report.generated,
            "requests_per_second": report.rate.map(|(busiest, peak)| json!({
                "busiest_hour": busiest, "peak": peak,
            })),
            "in_flight": report.in_flight,
            "mean_load": report.shape.mean(),
        },
        "target": {"ttft_p95_s": report.target.ttft, "tpot_p95_s": report.target.tpot},
        "cards": report.rows.iter().map(row).collect::<Vec<_>>(),
        "left_out": report.left_out,
    })
}

fn row(row: &Row) -> Value {
    let mut value = json!({
        "card": row.card.id.as_str(),
        "offer": row.offer,
        "provider": row.provider,
        "card_hour": amount(row.card_hour),
        "currency": row.card_hour.currency().code(),
        "possible": row.service.is_some(),
    });
    if let (Some(service), Some(map)) = (&row.service, value.as_object_mut()) {
        map.insert("plan".to_owned(), planned(service));
    }
    if let (Some((met, fewest)), Some(map)) = (&row.replayed, value.as_object_mut()) {
        map.insert(
            "replay".to_owned(),
            json!({
                "planned": outcome(met),
                "fewest": fewest.as_ref().map(|(replicas, met)| json!({
                    "replicas": replicas, "met": outcome(met),
                })),
            }),
        );
    }
    value
}

fn planned(service: &Service) -> Value {
    let capacity = &service.capacity;
    json!({
        "weights": crate::fit::format_word(service.setup.weights),
        "replicas": {
            "low": service.replicas.low,
            "likely": service.replicas.likely,
            "high": (service.replicas.high < u32::MAX).then_some(service.replicas.high),
        },
        "cards_per_replica": capacity.cards_per_replica,
        "cards": service.cards(),
        "batch": capacity.batch,
        "requests_per_second_per_replica": capacity.per_replica,
        "usable_share": capacity.usable.get(),
        "utilisation": capacity.utilisation.get(),
        "tpot_s": capacity.tpot,
        "in_flight": capacity.in_flight,
        "month": amount(service.month),
        "month_following_the_day": amount(service.following),
        "requests_per_month": service.requests,
        "tokens_counted": "written",
        "per_million_tokens": service.cost.map(|c| amount(c.per_million_tokens)),
        "per_million_tokens_busy": service.cost.map(|c| amount(c.per_million_tokens_busy)),
        "per_thousand_requests": service.cost.map(|c| amount(c.per_thousand_requests)),
        "looser_latency": service.looser.map(|(replicas, saved)| json!({
            "times": 2, "replicas": replicas, "saved_per_month": amount(saved),
        })),
        "break_even": service.break_even.map(|b| json!({
            "interface_per_thousand_requests": amount(b.interface_per_thousand),
            "requests_per_month": b.requests,
            "utilisation": b.utilisation.map(kasuan_model::Share::get),
            "rent_is_cheaper": service.requests >= b.requests,
        })),
    })
}

fn outcome(met: &Outcome) -> Value {
    json!({
        "answered": met.answered,
        "refused": met.refused,
        "ttft_p95_s": met.ttft[1],
        "tpot_p95_s": met.tpot[1],
        "busy": met.busy.get(),
    })
}

fn amount(money: Money) -> String {
    money.amount().round_dp(6).normalize().to_string()
}
