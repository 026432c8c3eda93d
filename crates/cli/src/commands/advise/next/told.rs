//! The advice for next month as a report and as a contract.

use super::Answer;
use crate::{context::Context, error::CommandError, settings::Format};
use kasuan_formats::plan_json;
use kasuan_model::{Bytes, Money, Phrase, Seconds};
use kasuan_plan::outcome::Choice;
use kasuan_report::{Cell, Column, Document, Line, Part, Table};
use serde_json::{Value, json};

/// Prints the answer in the format that was asked for.
pub(super) fn print(answer: &Answer, context: &Context) -> Result<(), CommandError> {
    match context.settings.format {
        Format::Json => context.print_json(&to_json(answer, context)),
        Format::Csv => context.print(&lessons(answer, context).to_csv()),
        Format::Markdown => context.print(&document(answer, context).to_markdown()),
        Format::Table => {
            let text = document(answer, context).to_text(context.paint(), context.settings.width);
            context.print(&text)
        }
    }
}

fn hours(time: Option<Seconds>) -> Cell {
    match time {
        #[expect(clippy::cast_precision_loss, reason = "times of runs are far below 2^53 seconds")]
        Some(time) => Cell::new(format!("{:.2}", time.get() as f64 / 3600.0)),
        None => Cell::unknown("—"),
    }
}

fn bytes(size: Option<Bytes>) -> Cell {
    size.map_or_else(
        || Cell::unknown("—"),
        |size| Cell::with_raw(size.to_string(), size.get().to_string()),
    )
}

fn money(amount: Money) -> Cell {
    Cell::with_raw(amount.to_string(), amount.amount().round_dp(8).normalize().to_string())
}

fn lessons(answer: &Answer, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("job", word("next-column-job")),
        Column::words("card", word("next-column-card")),
        Column::figures("runs", word("next-column-runs")),
        Column::figures("estimate_hours", word("next-column-estimate")),
        Column::figures("measured_hours", word("next-column-measured")),
        Column::figures("ratio", word("next-column-ratio")),
        Column::figures("weight", word("next-column-weight")),
        Column::figures("planned_hours", word("next-column-planned")),
        Column::figures("memory_estimate", word("next-column-memory-estimate")),
        Column::figures("memory_peak", word("next-column-memory-peak")),
    ]);
    for lesson in &answer.lessons {
        let learned = &lesson.learned;
        let ratio = learned.ratio.map(|ratio| format!("{ratio:.2}"));
        table.push(vec![
            Cell::new(&lesson.job),
            Cell::new(format!("{} × {}", lesson.cards, lesson.card)),
            Cell::new(learned.runs.to_string()),
            hours(lesson.estimate.map(|estimate| estimate.likely)),
            hours(Some(learned.measured)),
            ratio.map_or_else(|| Cell::unknown("—"), Cell::new),
            Cell::with_raw(format!("{:.0}%", learned.weight * 100.0), learned.weight.to_string()),
            hours(Some(learned.time.likely)),
            bytes(lesson.memory_estimate),
            bytes(lesson.memory_peak),
        ]);
    }
    table
}

fn choice(chosen: Option<&Choice>, context: &Context) -> Cell {
    match chosen {
        None => Cell::unknown("—"),
        Some(choice) => {
            let mode = context.words.mode(choice.mode);
            let name = format!("{} × {} {mode} {}", choice.cards, choice.card, choice.provider);
            Cell::new(name)
        }
    }
}

fn plans(answer: &Answer, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("job", word("next-column-job")),
        Column::words("before", word("next-column-before")),
        Column::figures("cost_before", word("next-column-cost-before")),
        Column::words("after", word("next-column-after")),
        Column::figures("cost_after", word("next-column-cost-after")),
    ]);
    for (before, after) in answer.before.jobs.iter().zip(&answer.after.jobs) {
        let cost = |chosen: Option<&Choice>| {
            chosen.map_or_else(|| Cell::unknown("—"), |choice| money(choice.cost.likely))
        };
        table.push(vec![
            Cell::new(&after.name),
            choice(before.choice.as_ref(), context),
            cost(before.choice.as_ref()),
            choice(after.choice.as_ref(), context),
            cost(after.choice.as_ref()),
        ]);
    }
    table
}

fn throughput(answer: &Answer, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let per_money =
        context.say(&Phrase::new("next-column-per-money").with("currency", answer.currency));
    let mut table = Table::new(vec![
        Column::words("job", word("next-column-job")),
        Column::words("card", word("next-column-card")),
        Column::figures("card_hours", word("review-column-card_hours")),
        Column::figures("per_card_hour", word("next-column-per-hour")),
        Column::figures("per_money", per_money),
        Column::words("unit", word("review-column-unit")),
    ]);
    for row in &answer.throughput {
        table.push(vec![
            Cell::new(&row.job),
            Cell::new(row.card.to_string()),
            Cell::new(format!("{:.1}", row.card_hours)),
            Cell::with_raw(format!("{:.0}", row.per_card_hour), row.per_card_hour.to_string()),
            match row.per_money {
                Some(rate) => Cell::with_raw(format!("{rate:.0}"), rate.to_string()),
                None => Cell::unknown("—"),
            },
            Cell::new(&row.unit),
        ]);
    }
    table
}

fn document(answer: &Answer, context: &Context) -> Document {
    let words = &context.words;
    let summary = Phrase::new("next-summary")
        .with("before", answer.before.total)
        .with("after", answer.after.total);
    let mut document = Document {
        title: words.say(&Phrase::new("next-title").with("month", answer.month)),
        headline: answer.after.total.to_string(),
        summary: vec![Line::plain(words.say(&summary))],
        sections: Vec::new(),
    };
    let mut notes = Vec::new();
    for lesson in answer.lessons.iter().filter(|lesson| lesson.memory_used) {
        let phrase = Phrase::new("next-memory")
            .with("job", &lesson.job)
            .with("peak", lesson.memory_peak.unwrap_or_default());
        notes.push(Line::item(words.say(&phrase)));
    }
    for job in &answer.unmeasured {
        notes.push(Line::item(words.say(&Phrase::new("next-unmeasured").with("job", job))));
    }
    let lessons = vec![Part::Table(lessons(answer, context)), Part::Lines(notes)];
    document.push(words.word("next-section-lessons"), lessons);
    document.push(words.word("next-section-plan"), vec![Part::Table(plans(answer, context))]);
    let mut lines = Vec::new();
    for billing in &answer.billing {
        let head = Phrase::new("next-billing")
            .with("card", &billing.card)
            .with("provider", &billing.provider);
        lines.push(Line::item(words.say(&head)));
        lines.extend(billing.reasons.iter().map(|why| Line::plain(words.say(why)).deeper()));
    }
    document.push(words.word("next-section-billing"), vec![Part::Lines(lines)]);
    document.push(
        words.word("next-section-throughput"),
        vec![Part::Table(throughput(answer, context))],
    );
    document
}

fn to_json(answer: &Answer, context: &Context) -> Value {
    let say = |phrase: &Phrase| context.say(phrase);
    let lessons = answer.lessons.iter().map(|lesson| {
        let learned = &lesson.learned;
        json!({
            "job": lesson.job,
            "card": lesson.card.as_str(),
            "cards": lesson.cards,
            "runs": learned.runs,
            "estimate_seconds": lesson.estimate.map(|estimate| estimate.likely.get()),
            "measured_seconds": learned.measured.get(),
            "measured_over_estimate": learned.ratio,
            "weight_of_measurement": learned.weight,
            "planned_seconds": {
                "low": learned.time.low.get(),
                "likely": learned.time.likely.get(),
                "high": learned.time.high.get(),
            },
            "memory_estimate": lesson.memory_estimate.map(Bytes::get),
            "memory_peak": lesson.memory_peak.map(Bytes::get),
            "memory_peak_used": lesson.memory_used,
        })
    });
    let billing = answer.billing.iter().map(|billing| {
        let reasons: Vec<String> = billing.reasons.iter().map(say).collect();
        json!({"card": billing.card.as_str(), "provider": billing.provider, "reasons": reasons})
    });
    let throughput = answer.throughput.iter().map(|row| {
        json!({
            "job": row.job,
            "card": row.card.as_str(),
            "unit": row.unit,
            "per_card_hour": row.per_card_hour,
            "per_money": row.per_money,
            "card_hours": row.card_hours,
        })
    });
    let before = answer.before.total.amount().normalize().to_string();
    let plan = plan_json::v1::plan(&answer.after, answer.workload.month, &say);
    json!({
        "version": 1,
        "month": answer.month.to_string(),
        "currency": answer.currency.code(),
        "total_before": before,
        "total_after": answer.after.total.amount().normalize().to_string(),
        "lessons": lessons.collect::<Vec<_>>(),
        "unmeasured": answer.unmeasured,
        "billing": billing.collect::<Vec<_>>(),
        "throughput": throughput.collect::<Vec<_>>(),
        "plan": serde_json::to_value(plan).unwrap_or_default(),
    })
}
