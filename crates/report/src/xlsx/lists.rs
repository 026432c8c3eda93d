//! The sheets that list: jobs, resources, billing modes, sources.

use super::{
    layout::Layout,
    page::{Page, Style, Value},
};
use crate::{MEMORY_CAUSES, PlanReport, Words};
use kasuan_formats::{
    fit::causes,
    plan_json::v1::{confidence_word, task_word},
};
use kasuan_model::{Bytes, Phrase};
use kasuan_plan::{
    outcome::Choice,
    workload::{Amount, Job, Model, Runs},
};
use rust_decimal::Decimal;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// Writes the sheet of jobs: what was asked for.
pub(super) fn jobs(
    sheet: &mut Worksheet,
    layout: &Layout,
    report: &PlanReport<'_>,
    words: &Words,
) -> Result<(), XlsxError> {
    let mut page = Page::new(sheet, &layout.names.jobs)?;
    let headings = [
        "report-job",
        "report-task",
        "sheet-model",
        "report-runs",
        "sheet-work",
        "sheet-window",
        "sheet-interruptible",
        "report-why",
    ];
    page.headings(&headings, words, true)?;
    for (job, plan) in report.workload.jobs.iter().zip(&report.plan.jobs) {
        let why = plan.why.first().map(|why| words.say(why)).unwrap_or_default();
        let may = if job.interruptible.is_some() { "sheet-yes" } else { "sheet-no" };
        let cells = [
            job.name.clone(),
            words.word(&format!("task-{}", task_word(job.task))),
            model(job, words),
            runs(job.runs, words),
            work(job, words),
            window(job, words),
            words.word(may),
            why,
        ];
        page.row(cells.map(|text| (Value::text(text), Style::Words)).to_vec())?;
    }
    page.finish()
}

fn model(job: &Job, words: &Words) -> String {
    match &job.model {
        Some(Model::Known(known)) => known.id.clone(),
        Some(Model::Counted { parameters }) => {
            let billions = Decimal::from(*parameters) / Decimal::from(1_000_000_000_u64);
            let billions = billions.round_dp(2).normalize();
            words.say(&Phrase::new("sheet-parameters").with("billions", billions.to_string()))
        }
        None => words.say(&Phrase::new("sheet-no-model")),
    }
}

fn runs(runs: Runs, words: &Words) -> String {
    words.say(&match runs {
        Runs::PerMonth(runs) => Phrase::new("sheet-per-month-runs").with("runs", runs),
        Runs::PerWeek(runs) => Phrase::new("sheet-per-week-runs").with("runs", runs),
        Runs::PerDay(runs) => Phrase::new("sheet-per-day-runs").with("runs", runs),
    })
}

fn work(job: &Job, words: &Words) -> String {
    let phrase = match &job.amount {
        Amount::Hours { hours, .. } => {
            Phrase::new("sheet-hours-each").with("hours", hours.likely.normalize().to_string())
        }
        Amount::Tokens { tokens, epochs } => Phrase::new("sheet-tokens")
            .with("tokens", tokens)
            .with("epochs", epochs.normalize().to_string()),
        Amount::Samples { samples, mean_tokens, epochs } => Phrase::new("sheet-samples")
            .with("samples", samples)
            .with("mean", mean_tokens)
            .with("epochs", epochs.normalize().to_string()),
        Amount::Requests { requests } => Phrase::new("sheet-requests").with("requests", requests),
        Amount::Service => Phrase::new("sheet-service"),
        Amount::Unknown => Phrase::new("report-unknown"),
    };
    words.say(&phrase)
}

fn window(job: &Job, words: &Words) -> String {
    match job.window.daily {
        Some((start, end)) => {
            format!("{}–{}", start.strftime("%H:%M"), end.strftime("%H:%M"))
        }
        None => words.word("sheet-any-time"),
    }
}

/// Writes the sheet of resources: cards, memory by its causes, hours.
pub(super) fn resources(
    sheet: &mut Worksheet,
    layout: &Layout,
    report: &PlanReport<'_>,
    words: &Words,
) -> Result<(), XlsxError> {
    let mut page = Page::new(sheet, &layout.names.resources)?;
    let headings = [
        "report-job",
        "report-card",
        "report-cards",
        "report-replica-count",
        "sheet-memory-needed",
    ];
    let after = ["sheet-run-hours", "report-used", "report-paid", "sheet-confidence"];
    page.headings(&[&headings[..], &MEMORY_CAUSES, &after].concat(), words, true)?;
    for job in &report.plan.jobs {
        let mut row = vec![(Value::text(&job.name), Style::Words)];
        match &job.choice {
            Some(choice) => row.extend(resource(choice, words)),
            None => row.push((Value::text(words.word("report-nothing-fits")), Style::Words)),
        }
        page.row(row)?;
    }
    page.finish()
}

fn resource(choice: &Choice, words: &Words) -> Vec<(Value, Style)> {
    let gib = |bytes: Bytes| (Value::Number((bytes.gib() * 100.0).round() / 100.0), Style::Number);
    let mut row = vec![
        (Value::text(&choice.card_name), Style::Words),
        (Value::Number(f64::from(choice.cards)), Style::Whole),
        (Value::Number(f64::from(choice.replicas)), Style::Whole),
        gib(choice.memory_needed),
    ];
    match &choice.memory {
        Some(memory) => {
            row.extend(causes(&memory.breakdown).map(|(_, bytes)| gib(bytes)));
        }
        None => row.extend((0..8).map(|_| (Value::Blank, Style::Words))),
    }
    let confidence = format!("confidence-{}", confidence_word(choice.time_confidence));
    let hours = |span: kasuan_model::Seconds| {
        (Value::decimal(span.decimal_hours().round_dp(4)), Style::Number)
    };
    row.extend([hours(choice.time.likely), hours(choice.used), hours(choice.paid)]);
    row.push((Value::text(words.word(&confidence)), Style::Words));
    row
}

/// Writes the sheet of billing modes: what was chosen, what else there was, where packages break
/// even.
pub(super) fn billing(
    sheet: &mut Worksheet,
    layout: &Layout,
    report: &PlanReport<'_>,
    words: &Words,
) -> Result<(), XlsxError> {
    let mut page = Page::new(sheet, &layout.names.billing)?;
    page.line(words.word("sheet-fixed-billing"), Style::Faint)?;
    let headings = [
        "report-job",
        "sheet-rank",
        "report-mode",
        "report-card",
        "report-provider",
        "report-hourly",
        "report-used",
        "report-cost",
        "sheet-dearer",
    ];
    page.headings(&headings, words, true)?;
    for job in &report.plan.jobs {
        let chosen = page.next_row();
        let best = job.choice.as_ref().map(|choice| choice.cost.likely.amount());
        for (rank, choice) in job.choice.iter().chain(&job.alternatives).enumerate() {
            let row = page.next_row();
            let cost = choice.cost.likely.amount();
            let dearer = cost - best.unwrap_or(cost);
            let mut cells = vec![
                (Value::text(&job.name), Style::Words),
                (
                    Value::text(words.word(if rank == 0 { "sheet-chosen" } else { "sheet-other" })),
                    Style::Words,
                ),
                (Value::text(words.mode(choice.mode)), Style::Words),
                (Value::text(format!("{} × {}", choice.cards, choice.card_name)), Style::Words),
                (Value::text(&choice.provider), Style::Words),
                (Value::money(choice.hourly), Style::Price),
                (Value::decimal(choice.used.decimal_hours().round_dp(4)), Style::Number),
                (Value::decimal(cost.round_dp(8)), Style::Money),
            ];
            if rank > 0 {
                cells.push((
                    Value::formula(format!("=H{row}-H{chosen}"), dearer.round_dp(8)),
                    Style::Money,
                ));
            }
            page.row(cells)?;
        }
    }
    if !report.plan.mix.commitments.is_empty() {
        page.gap();
        let headings = [
            "report-buy",
            "sheet-quantity",
            "report-mode",
            "sheet-package-price",
            "sheet-hour-price",
            "report-break-even",
            "report-used",
            "sheet-verdict",
        ];
        page.headings(&headings, words, false)?;
        for one in &report.plan.mix.commitments {
            let row = page.next_row();
            let count = Decimal::from(one.count.max(1));
            let each = one.price.amount() / count;
            let even = one.break_even.decimal_hours();
            let hourly = each.checked_div(even).unwrap_or_default();
            let used = one.used.decimal_hours() / count;
            let (yes, no) = (words.word("sheet-pays"), words.word("sheet-pays-not"));
            let verdict = if used >= even { &yes } else { &no };
            page.row(vec![
                (Value::text(report.card_name(&one.card)), Style::Words),
                (Value::decimal(count), Style::Whole),
                (Value::text(words.mode(one.mode)), Style::Words),
                (Value::decimal(each), Style::PriceInput),
                (Value::decimal(hourly), Style::PriceInput),
                (
                    Value::formula(format!("=IF(E{row}=0,0,D{row}/E{row})"), even.round_dp(10)),
                    Style::Number,
                ),
                (Value::decimal(used), Style::Number),
                (
                    Value::Formula(
                        format!("=IF(G{row}>=F{row},\"{yes}\",\"{no}\")"),
                        verdict.clone(),
                    ),
                    Style::Words,
                ),
            ])?;
        }
    }
    page.finish()
}

/// Writes the sheet of sources, with what is not known and what to bear in mind.
pub(super) fn sources(
    sheet: &mut Worksheet,
    layout: &Layout,
    report: &PlanReport<'_>,
    words: &Words,
) -> Result<(), XlsxError> {
    let mut page = Page::new(sheet, &layout.names.sources)?;
    let headings = ["sheet-source", "sheet-seen", "sheet-grade", "sheet-licence"];
    page.headings(&headings, words, true)?;
    for source in &report.plan.sources {
        let date = source.date.map_or_else(|| words.word("report-undated"), |day| day.to_string());
        page.row(vec![
            (Value::text(&source.text), Style::Words),
            (Value::text(date), Style::Words),
            (Value::text(source.grade.to_string()), Style::Words),
            (Value::text(source.licence.clone().unwrap_or_default()), Style::Words),
        ])?;
    }
    for (key, phrases) in
        [("report-unknowns", &report.plan.unknowns), ("report-notes", &report.plan.notes)]
    {
        if phrases.is_empty() {
            continue;
        }
        page.gap();
        page.headings(&[key], words, false)?;
        for phrase in phrases {
            page.line(words.say(phrase), Style::Words)?;
        }
    }
    page.finish()
}
