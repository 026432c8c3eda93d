//! What to rent for each job, and why.

use super::{PlanReport, hours, lines, span};
use crate::{Cell, Column, Line, MEMORY_CAUSES, Part, Table, Tone, Words};
use kasuan_formats::{
    fit::causes,
    plan_json::v1::{confidence_word, task_word},
};
use kasuan_model::{Bytes, Money, Phrase};
use kasuan_plan::outcome::{Choice, JobPlan, LinePart};

/// Reasons of one job that are shown without `--explain`.
const REASONS: usize = 2;

/// Writes the section.
pub(super) fn section(report: &PlanReport<'_>, words: &Words) -> Vec<Part> {
    let mut table = Table::new(vec![
        Column::words("name", words.word("report-job")),
        Column::words("card", words.word("report-rent")),
        Column::words("offer", words.word("report-where")),
        Column::figures("hours", words.word("report-used")),
        Column::figures("price", words.word("report-hourly")),
        Column::figures("cost", words.word("report-cost")),
    ]);
    for job in &report.plan.jobs {
        table.push(match &job.choice {
            Some(choice) => row(job, choice, words),
            None => vec![
                Cell::new(&job.name),
                Cell::new(words.word("report-nothing-fits")).toned(Tone::Bad),
                Cell::default(),
                Cell::default(),
                Cell::default(),
                Cell::unknown(words.word("report-unknown")),
            ],
        });
    }
    let mut reasons = Vec::new();
    for job in &report.plan.jobs {
        explain(report, job, words, &mut reasons);
    }
    let heading = Line::plain(words.word("report-why")).toned(Tone::Faint);
    if !reasons.is_empty() {
        reasons.insert(0, heading);
    }
    vec![Part::Table(table), lines(reasons), Part::Table(orders(report, words))]
}

/// Writes what to ask for at each provider: where, which product, and how old its price is.
fn orders(report: &PlanReport<'_>, words: &Words) -> Table {
    let mut table = Table::new(vec![
        Column::words("order", words.word("report-order")),
        Column::words("provider", words.word("report-provider")),
        Column::words("region", words.word("report-region")),
        Column::words("product", words.word("report-product")),
        Column::words("mode", words.word("report-mode")),
        Column::words("seen", words.word("report-price-seen")),
    ]);
    let mut order = |what: &str, id: &str, count: u32| {
        let Some(offer) = report.catalogue.offer(id) else { return };
        let product = match offer.product.as_str() {
            "" => report.card_name(&offer.card),
            product => product.to_owned(),
        };
        let seen = offer.source.date.map(|day| day.to_string());
        let seen = seen.unwrap_or_else(|| words.word("report-undated"));
        table.push(vec![
            Cell::new(what),
            Cell::new(&offer.provider),
            Cell::new(&offer.region),
            Cell::new(format!("{count} × {product}")),
            Cell::new(words.mode(offer.mode)),
            Cell::new(format!("{seen} · {}", offer.source.grade)).toned(Tone::Faint),
        ]);
    };
    for part in &report.plan.budget.parts {
        match part {
            LinePart::Term { offer, card, count, .. } => order(card, offer, *count),
            LinePart::Hours { job, offer, .. } => {
                let Some(job) = report.plan.jobs.get(*job) else { continue };
                let instances = job.choice.as_ref().map_or(1, |choice| choice.instances.max(1));
                order(&job.name, offer, instances);
            }
            _ => {}
        }
    }
    table
}

fn row(job: &JobPlan, choice: &Choice, words: &Words) -> Vec<Cell> {
    vec![
        Cell::new(&job.name),
        Cell::new(cards(choice, words)).toned(Tone::Name),
        Cell::new(place(choice, words)),
        Cell::new(format!("{} h", hours(choice.used))),
        Cell::new(price(choice.hourly)),
        Cell::new(choice.cost.likely.to_string()),
    ]
}

/// Writes how many of which card: `2 × (4 × A100 80GB)`.
fn cards(choice: &Choice, words: &Words) -> String {
    let one = format!("{} × {}", choice.cards, choice.card_name);
    let copies = choice.replicas.max(1);
    if copies == 1 {
        return one;
    }
    words.say(&Phrase::new("report-replicas").with("replicas", copies).with("cards", one))
}

fn place(choice: &Choice, words: &Words) -> String {
    format!("{} · {}", choice.provider, words.mode(choice.mode))
}

/// Writes a price with up to four decimals, and never fewer than a coin has.
fn price(price: Money) -> String {
    let rounded = price.amount().round_dp(4).normalize();
    if rounded.scale() <= price.currency().minor_digits() {
        return price.to_string();
    }
    format!("{}{rounded}", price.currency().sign())
}

fn explain(report: &PlanReport<'_>, job: &JobPlan, words: &Words, said: &mut Vec<Line>) {
    let shown = if report.explain { usize::MAX } else { REASONS };
    let infeasible = job.choice.is_none();
    let reasons = job.why.iter().take(if infeasible { usize::MAX } else { shown });
    let mut reasons: Vec<_> = reasons.map(|why| Line::plain(words.say(why)).deeper()).collect();
    if report.explain {
        if let Some(choice) = &job.choice {
            reasons.extend(details(choice, words).into_iter().map(Line::deeper));
        }
        for other in &job.alternatives {
            let phrase = Phrase::new("report-alternative")
                .with("cards", cards(other, words))
                .with("place", place(other, words))
                .with("hours", hours(other.used))
                .with("cost", other.cost.likely);
            reasons.push(Line::plain(words.say(&phrase)).toned(Tone::Faint).deeper());
        }
    }
    if !reasons.is_empty() {
        said.push(Line::item(&job.name).toned(if infeasible { Tone::Bad } else { Tone::Plain }));
        said.extend(reasons);
    }
}

/// Tells memory by its causes, time with its confidence, and how the cost came about.
fn details(choice: &Choice, words: &Words) -> Vec<Line> {
    let mut said = Vec::new();
    match &choice.memory {
        Some(memory) => {
            let phrase = Phrase::new("report-memory")
                .with("upper", memory.upper)
                .with("allocated", memory.allocated)
                .with("reserved", memory.reserved)
                .with("smi", memory.nvidia_smi)
                .with_word("confidence", confidence(memory.confidence));
            said.push(Line::plain(words.say(&phrase)));
            let named = MEMORY_CAUSES.into_iter().zip(causes(&memory.breakdown));
            // What rounds to nothing is not worth a word.
            let named = named.filter(|(_, (_, bytes))| *bytes > Bytes::from_mib(50));
            let named: Vec<_> =
                named.map(|(key, (_, bytes))| format!("{} {bytes}", words.word(key))).collect();
            let phrase = Phrase::new("report-breakdown").with("parts", named.join(" + "));
            said.push(Line::plain(words.say(&phrase)));
        }
        None => said.push(Line::plain(
            words.say(&Phrase::new("report-memory-stated").with("memory", choice.memory_needed)),
        )),
    }
    let time = Phrase::new("report-time")
        .with("likely", span(choice.time.likely, words))
        .with("low", span(choice.time.low, words))
        .with("high", span(choice.time.high, words))
        .with_word("confidence", confidence(choice.time_confidence));
    said.push(Line::plain(words.say(&time)));
    if let Some(spot) = &choice.spot {
        let phrase = Phrase::new("report-spot")
            .with("interval", span(spot.interval, words))
            .with("expected", span(spot.expected, words))
            .with("efficiency", spot.efficiency);
        said.push(Line::plain(words.say(&phrase)));
    }
    for one in &choice.scaling {
        let phrase = Phrase::new("report-scaling")
            .with("cards", one.cards)
            .with("time", span(one.time, words))
            .with("efficiency", format!("{:.0}", one.efficiency * 100.0));
        said.push(Line::plain(words.say(&phrase)));
    }
    said.extend(choice.how.iter().map(|how| Line::plain(words.say(how))));
    let range = Phrase::new("report-cost-range")
        .with("low", choice.cost.low)
        .with("likely", choice.cost.likely)
        .with("high", choice.cost.high);
    said.push(Line::plain(words.say(&range)));
    said.push(Line::plain(words.say(&Phrase::new("report-offer").with("offer", &choice.offer))));
    said
}

pub(super) fn confidence(confidence: kasuan_model::Confidence) -> String {
    format!("confidence-{}", confidence_word(confidence))
}

/// Writes every job with its raw figures.
pub(super) fn wide_table(report: &PlanReport<'_>, words: &Words) -> Table {
    let mut table = Table::new(vec![
        Column::words("name", words.word("report-job")),
        Column::words("task", words.word("report-task")),
        Column::words("card", words.word("report-card")),
        Column::figures("cards", words.word("report-cards")),
        Column::figures("replicas", words.word("report-replica-count")),
        Column::words("provider", words.word("report-provider")),
        Column::words("region", words.word("report-region")),
        Column::words("mode", words.word("report-mode")),
        Column::words("offer", words.word("report-offer-id")),
        Column::figures("used_hours", words.word("report-used")),
        Column::figures("paid_hours", words.word("report-paid")),
        Column::figures("hourly", words.word("report-hourly")),
        Column::figures("cost", words.word("report-cost")),
        Column::words("currency", words.word("report-currency")),
    ]);
    for job in &report.plan.jobs {
        let currency = report.plan.total.currency();
        let mut row = vec![Cell::new(&job.name), Cell::new(task_word(job.task))];
        match &job.choice {
            Some(choice) => {
                let digits = currency.minor_digits() as usize;
                let cost = format!("{:.digits$}", choice.cost.likely.rounded().amount());
                row.extend([
                    Cell::new(choice.card.as_str()),
                    Cell::new(choice.cards.to_string()),
                    Cell::new(choice.replicas.to_string()),
                    Cell::new(&choice.provider),
                    Cell::new(&choice.region),
                    Cell::new(choice.mode.word()),
                    Cell::new(&choice.offer),
                    Cell::new(choice.used.decimal_hours().round_dp(4).normalize().to_string()),
                    Cell::new(choice.paid.decimal_hours().round_dp(4).normalize().to_string()),
                    Cell::new(choice.hourly.amount().round_dp(8).normalize().to_string()),
                    Cell::new(cost),
                ]);
            }
            None => row.extend((0..11).map(|_| Cell::unknown(""))),
        }
        row.push(Cell::new(currency.code()));
        table.push(row);
    }
    table
}
