//! The words and tables of `kasuan fit`.

use crate::{Cell, Column, Paint, Table, Tone, Words};
use kasuan_formats::fit::{Larger, Price, Report, Row, Speed, causes, format_word};
use kasuan_model::{Bytes, Money, Phrase, Phrased as _, Seconds};
use kasuan_sizing::{
    Setup, Sharding, Work,
    fit::{Fit, Remedy},
    memory, parameters,
};
use std::fmt::Write as _;

/// Returns the whole answer for a terminal.
pub fn text(report: &Report, words: &Words, paint: Paint, width: usize, explain: bool) -> String {
    let mut text = String::new();
    let head = |text: &mut String, key: &'static str| {
        let _ = writeln!(text, "\n{}", paint.paint(Tone::Strong, &words.word(key)));
    };
    let _ = writeln!(text, "{}", words.say(&model_line(report)));
    let _ = writeln!(text, "{}", words.say(&source_line(report)));
    head(&mut text, "fit-head-memory");
    text.push_str(&memory_table(report, words).to_text(paint, width, 2));
    for note in guide_notes(report) {
        let _ = writeln!(text, "  {}", words.say(&note));
    }
    head(&mut text, "fit-head-cards");
    text.push_str(&cards(report, words).to_text(paint, width, 2));
    for row in &report.rows {
        text.push_str(&remedies(row, words));
    }
    if !report.compared.is_empty() {
        head(&mut text, "fit-head-compare");
        text.push_str(&compared(report, words).to_text(paint, width, 2));
    }
    let mut notes: Vec<String> = report.notes.iter().map(|note| words.say(note)).collect();
    if explain {
        notes.extend(explanation(report).iter().map(|line| words.say(line)));
    }
    if !notes.is_empty() {
        head(&mut text, "fit-head-notes");
    }
    for note in notes {
        let _ = writeln!(text, "  - {note}");
    }
    text
}

/// Returns the whole answer as Markdown.
pub fn markdown(report: &Report, words: &Words) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "# {}\n", report.model.id);
    let _ = writeln!(text, "{}\n", words.say(&model_line(report)));
    let _ = writeln!(text, "## {}\n", words.word("fit-head-memory"));
    let _ = writeln!(text, "{}", memory_table(report, words).to_markdown());
    for note in guide_notes(report) {
        let _ = writeln!(text, "- {}", words.say(&note));
    }
    let _ = writeln!(text, "\n## {}\n", words.word("fit-head-cards"));
    let _ = writeln!(text, "{}", cards(report, words).to_markdown());
    for row in &report.rows {
        text.push_str(&remedies(row, words));
    }
    if !report.compared.is_empty() {
        let _ = writeln!(text, "\n## {}\n", words.word("fit-head-compare"));
        let _ = writeln!(text, "{}", compared(report, words).to_markdown());
    }
    for note in &report.notes {
        let _ = writeln!(text, "- {}", words.say(note));
    }
    text
}

fn billions(count: u64) -> String {
    format!("{:.2}", count as f64 / 1e9)
}

fn model_line(report: &Report) -> Phrase {
    let count = parameters::count(&report.model);
    if count.active < count.total {
        return Phrase::new("fit-model-mixture")
            .with("model", &report.model.id)
            .with("total", billions(count.total))
            .with("active", billions(count.active));
    }
    Phrase::new("fit-model").with("model", &report.model.id).with("total", billions(count.total))
}

fn source_line(report: &Report) -> Phrase {
    let unverified = &report.model.unverified;
    if report.model.family == "counted" {
        return Phrase::new("fit-source-counted");
    }
    if unverified.is_empty() {
        Phrase::new("fit-source").with("source", &report.model.source.text)
    } else {
        Phrase::new("fit-source-unverified")
            .with("source", &report.model.source.text)
            .with("fields", unverified.join(", "))
    }
}

/// The words of the causes, in the order of [`causes`].
const CAUSES: [&str; 8] = [
    "fit-cause-weights",
    "fit-cause-kv-cache",
    "fit-cause-activations",
    "fit-cause-logits",
    "fit-cause-gradients",
    "fit-cause-optimizer",
    "fit-cause-adapters",
    "fit-cause-framework",
];

/// Memory by cause, then the totals that must not be confused.
fn memory_table(report: &Report, words: &Words) -> Table {
    let mut table = Table::new(vec![
        Column::words("cause", words.word("fit-column-cause")),
        Column::figures("gib", words.word("fit-column-gib")),
        Column::words("meaning", words.word("fit-column-meaning")),
    ]);
    let mut push = |key: &str, meaning: &str, bytes: Bytes, tone: Tone| {
        table.push(vec![
            Cell::new(words.word(key)).toned(tone),
            Cell::with_raw(format!("{:.2}", bytes.gib()), bytes.get().to_string()).toned(tone),
            Cell::new(if meaning.is_empty() { String::new() } else { words.word(meaning) }),
        ]);
    };
    for ((_, bytes), key) in causes(&report.memory.breakdown).into_iter().zip(CAUSES) {
        if bytes > Bytes::ZERO {
            push(key, "", bytes, Tone::Plain);
        }
    }
    push("fit-total-allocated", "fit-meaning-allocated", report.memory.allocated, Tone::Plain);
    push("fit-total-reserved", "fit-meaning-reserved", report.memory.reserved, Tone::Plain);
    push("fit-total-driver", "fit-meaning-driver", report.memory.nvidia_smi, Tone::Plain);
    push("fit-total-upper", "fit-meaning-upper", report.memory.upper, Tone::Strong);
    if report.memory.needed != report.memory.upper {
        push("fit-total-needed", "fit-meaning-needed", report.memory.needed, Tone::Strong);
    }
    if let Some(host) = report.memory.host {
        push("fit-total-host", "fit-meaning-host", host, Tone::Plain);
    }
    push("fit-total-guide", "fit-meaning-guide", report.guide, Tone::Faint);
    table
}

/// Where the guide's figures are off for this very job, with ours beside.
fn guide_notes(report: &Report) -> Vec<Phrase> {
    let setup = report.need.setup(
        report.need.weights.unwrap_or(kasuan_sizing::WeightFormat::Bf16),
        kasuan_sizing::Parallelism::SINGLE,
    );
    let ours = report.memory.nvidia_smi.gib();
    let mut notes = Vec::new();
    if let Work::Inference(inference) = &setup.work {
        let tokens = f64::from(inference.prompt.saturating_add(inference.generated))
            * f64::from(inference.concurrency);
        let per_token = memory::kv_bytes_per_token(&report.model, inference.kv);
        if per_token > 0.0 {
            notes.push(
                Phrase::new("fit-note-cache")
                    .with("gib", format!("{:.2}", per_token * tokens / 1_073_741_824.0))
                    .with("bytes", format!("{per_token:.0}"))
                    .with("tokens", format!("{tokens:.0}")),
            );
        }
        let heads = f64::from(report.model.layers) * f64::from(report.model.hidden) * 4.0;
        if heads > per_token * 1.5 && per_token > 0.0 {
            notes.push(
                Phrase::new("fit-note-heads")
                    .with("gib", format!("{:.2}", heads * tokens / 1_073_741_824.0))
                    .with("times", format!("{:.1}", heads / per_token)),
            );
        }
    }
    let off = report.guide.gib() / ours.max(0.001);
    if !(0.8..=1.25).contains(&off) {
        notes.push(
            Phrase::new("fit-note-guide-off")
                .with("guide", format!("{:.1}", report.guide.gib()))
                .with("ours", format!("{ours:.1}"))
                .with("percent", format!("{:+.0}", off * 100.0 - 100.0)),
        );
    }
    notes
}

/// The cards: whether each fits, how, how far it can be stretched, how fast, at what price.
pub fn cards(report: &Report, words: &Words) -> Table {
    let serves = matches!(report.need.work, Work::Inference(_));
    let mut columns = vec![
        Column::words("card", words.word("fit-column-card")),
        Column::figures("fits", words.word("fit-column-fits")),
        Column::words("setup", words.word("fit-column-setup")),
        Column::figures("need", words.word("fit-column-need")),
        Column::figures("spare", words.word("fit-column-spare")),
        Column::figures(
            if serves { "concurrency" } else { "micro_batch" },
            words.word(if serves {
                "fit-column-most-concurrency"
            } else {
                "fit-column-most-batch"
            }),
        ),
        Column::figures(
            if serves { "context" } else { "sequence" },
            words.word(if serves { "fit-column-most-context" } else { "fit-column-most-sequence" }),
        ),
        Column::figures("tokens_per_second", words.word("fit-column-speed")),
        Column::figures("hour", words.word("fit-column-hour")),
        Column::figures(
            "million_tokens",
            words.word(if serves { "fit-column-million" } else { "fit-column-million-trained" }),
        ),
    ];
    // A whole run has a time and a cost where its tokens were stated.
    let whole = |row: &Row| row.price.as_ref().is_some_and(|price| price.run.is_some());
    let runs = report.rows.iter().any(whole);
    if runs {
        columns.push(Column::figures("run_hours", words.word("fit-column-run-hours")));
        columns.push(Column::figures("run_cost", words.word("fit-column-run-cost")));
    }
    let mut table = Table::new(columns);
    for row in &report.rows {
        let mut cells = card_row(row, words, serves);
        if runs {
            cells.extend(run(row));
        }
        table.push(cells);
    }
    table
}

/// The time and the cost of a whole run.
fn run(row: &Row) -> [Cell; 2] {
    let Some((time, cost)) = row.price.as_ref().and_then(|price| price.run) else {
        return [Cell::unknown("-"), Cell::unknown("-")];
    };
    [
        Cell::with_raw(
            format!(
                "{:.1} ({:.1}-{:.1})",
                time.likely.hours(),
                time.low.hours(),
                time.high.hours()
            ),
            format!("{:.4}", time.likely.hours()),
        ),
        Cell::with_raw(
            format!("{} ({}-{})", cost.likely, cost.low, cost.high),
            cost.likely.amount().round_dp(6).to_string(),
        ),
    ]
}

fn card_row(row: &Row, words: &Words, serves: bool) -> Vec<Cell> {
    let none = || Cell::unknown("-");
    let name = Cell::with_raw(&row.card.display, row.card.id.as_str());
    let shown = row.answer.best.as_ref().unwrap_or(&row.answer.asked);
    let need = Cell::with_raw(
        format!("{:.1}", shown.memory.needed.gib()),
        shown.memory.needed.get().to_string(),
    );
    let Some(best) = &row.answer.best else {
        let missing = Cell::with_raw(
            format!("-{:.1}", shown.missing().gib()),
            format!("-{}", shown.missing().get()),
        );
        let mut cells = vec![
            name,
            Cell::with_raw(words.word("fit-no"), "0").toned(Tone::Bad),
            none(),
            need,
            missing.toned(Tone::Bad),
        ];
        cells.resize_with(10, none);
        return cells;
    };
    let figure = |value: Option<u32>| match value {
        Some(value) => Cell::new(value.to_string()),
        None => none(),
    };
    let capacity = row.answer.capacity;
    let (first, second) = if serves {
        (capacity.concurrency, capacity.context)
    } else {
        (capacity.micro_batch, capacity.sequence)
    };
    let spare = best.spare().unwrap_or_default();
    let (speed, hour, million) = cost(row);
    vec![
        name,
        Cell::with_raw(
            words.say(&Phrase::new("fit-cards").with("count", best.cards())),
            best.cards().to_string(),
        )
        .toned(if best.cards() == 1 { Tone::Good } else { Tone::Plain }),
        Cell::new(setup_word(&best.setup)),
        need,
        Cell::with_raw(format!("{:.1}", spare.gib()), spare.get().to_string()),
        figure(first),
        figure(second),
        speed,
        hour,
        million,
    ]
}

fn cost(row: &Row) -> (Cell, Cell, Cell) {
    let none = || Cell::unknown("-");
    let speed = match &row.speed {
        Some(Ok(Speed { tokens_per_second: rate, .. })) => Cell::with_raw(
            format!("{:.0} ({:.0}-{:.0})", rate.likely, rate.low, rate.high),
            format!("{:.1}", rate.likely),
        ),
        _ => none(),
    };
    let Some(Price { hour, million, .. }) = &row.price else { return (speed, none(), none()) };
    let million = match million {
        Some(range) => Cell::with_raw(
            format!("{} ({}-{})", range.likely, range.low, range.high),
            range.likely.amount().round_dp(6).to_string(),
        ),
        None => none(),
    };
    (speed, Cell::with_raw(hour.to_string(), hour.amount().to_string()), million)
}

/// Names a setup shortly: `bf16`, `awq4 TP4`, `bf16 ZeRO-3 x8`.
fn setup_word(setup: &Setup) -> String {
    let mut word = format_word(setup.weights);
    let parallelism = setup.parallelism;
    if parallelism.tensor > 1 {
        let _ = write!(word, " TP{}", parallelism.tensor);
    }
    if parallelism.pipeline > 1 {
        let _ = write!(word, " PP{}", parallelism.pipeline);
    }
    if parallelism.data > 1 {
        let sharding = match parallelism.sharding {
            Sharding::None => "DDP",
            Sharding::Zero1 => "ZeRO-1",
            Sharding::Zero2 => "ZeRO-2",
            Sharding::Zero3 => "ZeRO-3",
            Sharding::Fsdp => "FSDP",
        };
        let _ = write!(word, " {sharding} x{}", parallelism.data);
    }
    if parallelism.offload_optimizer {
        word.push_str(" +CPU");
    }
    word
}

/// What to know about a card that was named: why it does not fit, and what to change.
fn remedies(row: &Row, words: &Words) -> String {
    let mut text = String::new();
    let Some(remedies) = &row.remedies else { return text };
    let title = Phrase::new("fit-remedies").with("card", &row.card.display);
    let _ = writeln!(text, "\n{}", words.say(&title));
    for reason in &row.answer.asked.reasons {
        let _ = writeln!(text, "  {}", words.say(reason));
    }
    for (at, remedy) in remedies.changes.iter().enumerate() {
        let _ = writeln!(text, "  {}. {}", at + 1, words.say(&remedy_line(remedy, words)));
    }
    let others =
        [("fit-remedy-or-cards", &remedies.more_cards), ("fit-remedy-or-less", &remedies.less)];
    for (key, remedy) in others {
        if let Some(remedy) = remedy {
            let line = words.say(&remedy_line(remedy, words));
            let _ = writeln!(text, "  {}{line}", words.word(key));
        }
    }
    if let Some(larger) = &row.larger {
        let _ = writeln!(text, "  {}", words.say(&larger_line(larger, words)));
    }
    if remedies.more_cards.is_none() && !remedies.changes.last().is_some_and(|last| last.fit.fits) {
        let _ = writeln!(text, "  {}", words.word("fit-remedy-none"));
    }
    text
}

fn larger_line(larger: &Larger, words: &Words) -> Phrase {
    let Some(hour) = larger.hour else {
        return Phrase::new("fit-remedy-larger-unpriced").with("card", &larger.card.display);
    };
    let difference = match larger.more {
        None => Phrase::new("fit-price-no-comparison"),
        Some(more) if more.amount().is_sign_negative() => {
            let less = Money::new(-more.amount(), more.currency());
            Phrase::new("fit-price-less").with("amount", less)
        }
        Some(more) => Phrase::new("fit-price-more").with("amount", more),
    };
    Phrase::new("fit-remedy-larger")
        .with("card", &larger.card.display)
        .with("hour", hour)
        .with("difference", words.say(&difference))
}

fn remedy_line(remedy: &Remedy, words: &Words) -> Phrase {
    let verdict = if remedy.fit.fits { "fit-remedy-fits" } else { "fit-remedy-short" };
    Phrase::new("fit-remedy")
        .with("change", words.say(&remedy.change))
        .with("price", words.say(&remedy.price))
        .with("saves", remedy.saves)
        .with("upper", remedy.fit.memory.needed)
        .with_word("verdict", verdict)
}

/// Other setups beside the one that was asked about.
fn compared(report: &Report, words: &Words) -> Table {
    let mut table = Table::new(vec![
        Column::words("settings", words.word("fit-column-settings")),
        Column::figures("weights", words.word("fit-cause-weights")),
        Column::figures("driver", words.word("fit-total-driver")),
        Column::figures("upper", words.word("fit-total-upper")),
        Column::words("cards", words.word("fit-column-cards-needed")),
    ]);
    let asked = report
        .rows
        .iter()
        .map(|row| (row.card.display.clone(), row.answer.best.as_ref().map(Fit::cards)));
    let first = (words.word("fit-as-asked"), &report.memory, asked.collect::<Vec<_>>());
    let others = report
        .compared
        .iter()
        .map(|other| (other.settings.clone(), &other.memory, other.cards.clone()));
    for (settings, memory, cards) in std::iter::once(first).chain(others) {
        let cards: Vec<String> = cards
            .iter()
            .filter_map(|(card, count)| count.map(|count| format!("{card} x{count}")))
            .take(6)
            .collect();
        let gib =
            |bytes: Bytes| Cell::with_raw(format!("{:.2}", bytes.gib()), bytes.get().to_string());
        table.push(vec![
            Cell::new(settings),
            gib(memory.breakdown.weights),
            gib(memory.nvidia_smi),
            gib(memory.upper),
            Cell::new(cards.join(", ")),
        ]);
    }
    table
}

/// Where the figures come from, for `--explain`.
fn explanation(report: &Report) -> Vec<Phrase> {
    let mut lines = vec![
        Phrase::new("fit-explain-peak").with("moment", report.memory.binding),
        Phrase::new("fit-explain-upper"),
    ];
    for row in &report.rows {
        if let Some(price) = &row.price {
            lines.push(
                Phrase::new("fit-explain-price")
                    .with("card", &row.card.display)
                    .with("provider", &price.provider)
                    .with("price", price.per_card)
                    .with("day", price.seen.map_or_else(String::new, |day| day.to_string())),
            );
        }
        if let Some(Ok(speed)) = &row.speed {
            lines.push(
                Phrase::new("fit-explain-speed")
                    .with("card", &row.card.display)
                    .with_word("limit", speed.limit.phrase().key()),
            );
        }
        if let Some(Err(declined)) = &row.speed {
            lines.push(declined.phrase());
        }
        if let Some((time, cost)) = row.price.as_ref().and_then(|price| price.run) {
            let hours = |time: Seconds| format!("{:.1}", time.hours());
            lines.push(
                Phrase::new("fit-explain-run")
                    .with("card", &row.card.display)
                    .with("likely", hours(time.likely))
                    .with("low", hours(time.low))
                    .with("high", hours(time.high))
                    .with("cost", cost.likely),
            );
        }
    }
    lines
}
