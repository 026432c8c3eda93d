//! The words and tables of `kasuan capacity`.

use crate::{Cell, Column, Document, Line, Part, Table, Tone, Words};
use kasuan_formats::{
    capacity::{Report, Row},
    fit::format_word,
};
use kasuan_model::{Money, Phrase};
use kasuan_plan::service::Service;

/// Returns the answer for people.
pub fn document(report: &Report, words: &Words, explain: bool) -> Document {
    let load = match (report.rate, report.in_flight) {
        (Some((busiest, peak)), _) => Phrase::new("capacity-load-rate")
            .with("busiest", figure(busiest))
            .with("peak", figure(peak)),
        (None, flight) => {
            Phrase::new("capacity-load-flight").with("count", figure(flight.unwrap_or_default()))
        }
    };
    let summary = vec![
        Line::plain(words.say(&load)),
        Line::plain(
            words.say(
                &Phrase::new("capacity-lengths")
                    .with("prompt", figure(report.prompt.0))
                    .with("long", figure(report.prompt.1))
                    .with("generated", figure(report.generated)),
            ),
        ),
        Line::plain(words.say(&target(report, words))),
    ];
    let mut document = Document { title: report.model.clone(), summary, ..Document::default() };
    document.push(words.word("capacity-head-cards"), vec![Part::Table(cards(report, words))]);
    let mut lines = Vec::new();
    for row in &report.rows {
        lines.extend(about(row, words));
    }
    if report.left_out > 0 {
        let phrase = Phrase::new("capacity-left-out").with("count", report.left_out);
        lines.push(Line::item(words.say(&phrase)));
    }
    document.push(words.word("capacity-head-notes"), vec![Part::Lines(lines)]);
    if explain {
        let lines = ["capacity-explain-batch", "capacity-explain-usable", "capacity-explain-cost"]
            .map(|key| Line::item(words.word(key)))
            .to_vec();
        document.push(words.word("capacity-head-explain"), vec![Part::Lines(lines)]);
    }
    document
}

fn target(report: &Report, words: &Words) -> Phrase {
    let limit = |seconds: Option<f64>| match seconds {
        Some(seconds) if seconds >= 1.0 => format!("{seconds:.1} s"),
        Some(seconds) => format!("{:.0} ms", seconds * 1e3),
        None => words.word("capacity-no-limit"),
    };
    Phrase::new("capacity-target")
        .with("ttft", limit(report.target.ttft))
        .with("tpot", limit(report.target.tpot))
        .with("load", format!("{:.0}%", report.shape.mean() * 100.0))
}

/// Writes a count with as many digits as it needs.
fn figure(value: f64) -> String {
    if value.fract() == 0.0 || value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

/// The cards, cheapest month first.
pub fn cards(report: &Report, words: &Words) -> Table {
    let mut table = Table::new(vec![
        Column::words("card", words.word("capacity-column-card")),
        Column::words("weights", words.word("capacity-column-weights")),
        Column::figures("replicas", words.word("capacity-column-replicas")),
        Column::figures("cards", words.word("capacity-column-cards")),
        Column::figures("batch", words.word("capacity-column-batch")),
        Column::figures("tpot_ms", words.word("capacity-column-tpot")),
        Column::figures("utilisation", words.word("capacity-column-utilisation")),
        Column::figures("month", words.word("capacity-column-month")),
        Column::figures("million_tokens", words.word("capacity-column-million")),
        Column::figures("thousand_requests", words.word("capacity-column-thousand")),
    ]);
    for row in &report.rows {
        table.push(match &row.service {
            Some(service) => possible(row, service),
            None => {
                let mut cells = vec![
                    Cell::with_raw(&row.card.display, row.card.id.as_str()),
                    Cell::unknown(words.word("capacity-impossible")).toned(Tone::Bad),
                ];
                cells.resize_with(10, || Cell::unknown("-"));
                cells
            }
        });
    }
    table
}

fn possible(row: &Row, service: &Service) -> Vec<Cell> {
    let capacity = &service.capacity;
    let replicas = service.replicas;
    let shown = if replicas.low == replicas.high {
        replicas.likely.to_string()
    } else if replicas.high == u32::MAX {
        format!("{} ({}-?)", replicas.likely, replicas.low)
    } else {
        format!("{} ({}-{})", replicas.likely, replicas.low, replicas.high)
    };
    let mut weights = format_word(service.setup.weights);
    if capacity.cards_per_replica > 1 {
        weights = format!("{weights} x{}", capacity.cards_per_replica);
    }
    let priced = |money: Option<Money>| match money {
        Some(money) => {
            Cell::with_raw(money.to_string(), money.amount().round_dp(6).normalize().to_string())
        }
        None => Cell::unknown("-"),
    };
    vec![
        Cell::with_raw(&row.card.display, row.card.id.as_str()),
        Cell::new(weights),
        Cell::with_raw(shown, replicas.likely.to_string()),
        Cell::new(service.cards().to_string()),
        Cell::new(capacity.batch.to_string()),
        Cell::with_raw(
            format!("{:.0}", capacity.tpot * 1e3),
            format!("{:.3}", capacity.tpot * 1e3),
        ),
        Cell::with_raw(
            format!("{:.0}%", capacity.utilisation.get() * 100.0),
            format!("{:.4}", capacity.utilisation.get()),
        ),
        priced(Some(service.month)).toned(Tone::Strong),
        priced(service.cost.map(|cost| cost.per_million_tokens)),
        priced(service.cost.map(|cost| cost.per_thousand_requests)),
    ]
}

/// What to know about a card.
fn about(row: &Row, words: &Words) -> Vec<Line> {
    let Some(service) = &row.service else { return Vec::new() };
    let mut said = Vec::new();
    let card = &row.card.display;
    if service.following.amount() < service.month.amount() {
        said.push(
            Phrase::new("capacity-following")
                .with("card", card)
                .with("month", service.month)
                .with("following", service.following),
        );
    }
    if let Some((replicas, saved)) = service.looser {
        said.push(
            Phrase::new("capacity-looser")
                .with("card", card)
                .with("replicas", replicas)
                .with("saved", saved),
        );
    }
    if let Some(at) = service.break_even {
        let key = if at.utilisation.is_none() {
            "capacity-break-even-never"
        } else if service.requests >= at.requests {
            "capacity-break-even-rent"
        } else {
            "capacity-break-even-buy"
        };
        said.push(
            Phrase::new("capacity-break-even")
                .with("card", card)
                .with("interface", at.interface_per_thousand)
                .with("break", format!("{:.0}", at.requests))
                .with("have", format!("{:.0}", service.requests))
                .with_word("verdict", key),
        );
    }
    if service.capacity.batch < 5 {
        said.push(Phrase::new("capacity-few").with("card", card));
    }
    if let Some((met, fewest)) = &row.replayed {
        said.push(
            Phrase::new("capacity-replay")
                .with("card", card)
                .with("replicas", service.capacity.replicas)
                .with("requests", met.answered)
                .with("refused", met.refused)
                .with("ttft", format!("{:.2}", met.ttft[1]))
                .with("tpot", format!("{:.0}", met.tpot[1] * 1e3)),
        );
        said.push(match fewest {
            Some((replicas, _)) => {
                Phrase::new("capacity-fewest").with("card", card).with("replicas", *replicas)
            }
            None => Phrase::new("capacity-fewest-none").with("card", card),
        });
    }
    said.iter().map(|phrase| Line::item(words.say(phrase))).collect()
}
