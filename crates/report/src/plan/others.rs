//! What is committed, when runs start, what to give up, what naive choices cost, and the sources.

use super::{PlanReport, hours, lines, per_cent_more, when};
use crate::{Cell, Column, Line, Part, Table, Tone, Words, gantt};
use kasuan_formats::plan_json::v1::baseline_word;
use kasuan_model::Phrase;
use kasuan_plan::{
    advise::FirstStep,
    outcome::{FallbackAction, MeasureFirst, TradeOff},
    workload::Amount,
};
use std::collections::BTreeSet;

/// Jobs that the picture of the calendar shows; the file that is written for it shows all.
const PICTURE_ROWS: usize = 40;

/// Sources that are listed without `--explain`.
const SOURCES: usize = 6;

/// Writes what to commit, and how near the mix is to the optimum.
pub(super) fn mix(report: &PlanReport<'_>, words: &Words) -> Vec<Part> {
    let mix = &report.plan.mix;
    let mut table = Table::new(vec![
        Column::words("what", words.word("report-buy")),
        Column::words("from", words.word("report-from")),
        Column::figures("price", words.word("report-amount")),
        Column::figures("used", words.word("report-used")),
        Column::figures("break_even", words.word("report-break-even")),
    ]);
    for one in &mix.commitments {
        let pays = one.used >= one.break_even;
        table.push(vec![
            Cell::new(format!(
                "{} × {} {}",
                one.count,
                report.card_name(&one.card),
                words.mode(one.mode)
            )),
            Cell::new(one.start.strftime("%m-%d %H:%M").to_string()),
            Cell::new(one.price.to_string()),
            Cell::new(format!("{} h", hours(one.used))).toned(if pays {
                Tone::Good
            } else {
                Tone::Warn
            }),
            Cell::new(format!("{} h", hours(one.break_even))),
        ]);
    }
    let mut said = Vec::new();
    if mix.commitments.is_empty() {
        said.push(Line::plain(words.word("report-no-commitments")));
    }
    let bound = Phrase::new("report-bound")
        .with("cost", mix.cost)
        .with("bound", mix.lower_bound)
        .with("gap", format!("{:.1}%", mix.gap * 100.0));
    said.push(Line::plain(words.say(&bound)).toned(Tone::Faint));
    for patience in &report.plan.patience {
        // A step that saves nothing more than the one before says nothing new.
        if patience.per_hour.is_zero() {
            continue;
        }
        let phrase = Phrase::new("report-patience")
            .with("hours", hours(patience.extra))
            .with("saving", patience.saving)
            .with("per_hour", patience.per_hour);
        said.push(Line::plain(words.say(&phrase)));
    }
    for packed in &mix.packing {
        let key = if packed.planned { "report-packed" } else { "report-packing" };
        let phrase = Phrase::new(key)
            .with("cards", packed.cards)
            .with("card", report.card_name(&packed.card))
            .with("apart", packed.apart)
            .with("together", packed.together)
            .with("bound", packed.lower_bound);
        said.push(Line::item(words.say(&phrase)));
        if packed.planned {
            let jobs = packed.jobs.join(words.word("report-comma").as_str());
            let who = Phrase::new("report-packed-jobs").with("jobs", jobs);
            said.push(Line::plain(words.say(&who)).deeper().toned(Tone::Faint));
        }
    }
    for one in &mix.commitments {
        let Some(back) = one.given_back else { continue };
        let phrase = Phrase::new("report-given-back")
            .with("count", one.count)
            .with("card", one.card.as_str())
            .with("mode", words.mode(one.mode))
            .with("day", back.strftime("%m-%d %H:%M"))
            .with("price", one.price);
        said.push(Line::item(words.say(&phrase)));
    }
    if let Some(cost) = mix.cost_if_bought {
        let phrase = Phrase::new("report-if-bought").with("cost", cost).with("now", mix.cost);
        said.push(Line::plain(words.say(&phrase)).toned(Tone::Faint));
    }
    let measured = |one| measured(one, &report.card_name(&one.card), words);
    said.extend(report.plan.measure_first.iter().flat_map(measured));
    vec![Part::Table(table), lines(said)]
}

/// Says whether a term that rests on a guess is bought now or after measuring, with the figures.
fn measured(one: &MeasureFirst, card: &str, words: &Words) -> Vec<Line> {
    let whole = |hours: rust_decimal::Decimal| hours.round().normalize();
    let head = match (one.step, one.again) {
        _ if one.bought && one.step != FirstStep::Commit => Phrase::new("report-measure-insisted")
            .with("count", one.count)
            .with("card", one.card.as_str())
            .with("mode", words.mode(one.mode)),
        (FirstStep::Measure, Some(again)) => Phrase::new("report-measure-first")
            .with("day", again.strftime("%m-%d"))
            .with("count", one.count)
            .with("card", card)
            .with("mode", words.mode(one.mode)),
        (FirstStep::OnDemand, _) => Phrase::new("report-measure-on-demand")
            .with("count", one.count)
            .with("card", card)
            .with("mode", words.mode(one.mode)),
        _ => Phrase::new("report-measure-commit")
            .with("count", one.count)
            .with("card", card)
            .with("mode", words.mode(one.mode)),
    };
    let guess = Phrase::new("report-measure-guess")
        .with("low", whole(one.hours.low))
        .with("likely", whole(one.hours.likely))
        .with("high", whole(one.hours.high))
        .with("even", whole(one.break_even))
        .with("chance", one.chance_above);
    let regret = Phrase::new("report-measure-regret")
        .with("commit", one.regret_commit)
        .with("on_demand", one.regret_on_demand)
        .with("measure", one.regret_measure);
    let tone = if one.step == FirstStep::Commit { Tone::Plain } else { Tone::Warn };
    let mut said = vec![
        Line::item(words.say(&head)).toned(tone),
        Line::plain(words.say(&guess)).deeper().toned(Tone::Faint),
        Line::plain(words.say(&regret)).deeper().toned(Tone::Faint),
    ];
    if one.assumed_range {
        let assumed = words.word("report-measure-assumed");
        said.push(Line::plain(assumed).deeper().toned(Tone::Faint));
    }
    said
}

/// Writes when runs start: a line for each job, and every run when asked to explain.
pub(super) fn calendar(report: &PlanReport<'_>, words: &Words) -> Vec<Part> {
    let entries = &report.plan.calendar;
    if report.explain {
        let mut table = Table::new(vec![
            Column::words("start", words.word("report-from")),
            Column::words("end", words.word("report-until")),
            Column::words("job", words.word("report-job")),
            Column::words("card", words.word("report-rent")),
            Column::words("mode", words.word("report-mode")),
        ]);
        for entry in entries {
            table.push(vec![
                Cell::new(entry.start.strftime("%m-%d %H:%M").to_string()),
                Cell::new(entry.end.strftime("%m-%d %H:%M").to_string()),
                Cell::new(&entry.job),
                Cell::new(format!("{} × {}", entry.cards, report.card_name(&entry.card))),
                Cell::new(words.mode(entry.mode)),
            ]);
        }
        let picture = gantt(report.plan, report.workload, PICTURE_ROWS, words);
        return vec![Part::Table(table), Part::Picture(picture)];
    }
    let mut table = Table::new(vec![
        Column::words("job", words.word("report-job")),
        Column::figures("runs", words.word("report-runs")),
        Column::words("when", words.word("report-when")),
    ]);
    for (job, asked) in report.plan.jobs.iter().zip(&report.workload.jobs) {
        let parts: Vec<_> = entries.iter().filter(|entry| entry.job == job.name).collect();
        let Some(when) = when::told(&parts, words) else { continue };
        // A service is up or down; it has no runs to count.
        let runs = match asked.amount {
            Amount::Service => Cell::unknown(words.word("report-service-runs")),
            _ => Cell::new(when::runs(&parts).to_string()),
        };
        table.push(vec![Cell::new(&job.name), runs, Cell::new(when)]);
    }
    if table.rows.is_empty() {
        return Vec::new();
    }
    let picture = gantt(report.plan, report.workload, PICTURE_ROWS, words);
    let peak = report.plan.peak.map(|peak| {
        let phrase = Phrase::new("report-peak")
            .with("cards", peak.cards)
            .with("cards_at", peak.cards_at.strftime("%m-%d %H:%M"))
            .with("hourly", peak.hourly)
            .with("hourly_at", peak.hourly_at.strftime("%m-%d %H:%M"));
        Line::plain(words.say(&phrase)).toned(Tone::Faint)
    });
    let peak = lines(peak.into_iter().collect());
    vec![Part::Table(table), peak, Part::Picture(picture)]
}

/// Writes what to give up when the money is not there.
pub(super) fn fallback(report: &PlanReport<'_>, words: &Words) -> Vec<Part> {
    let mut parts = vec![Part::Table(actions(&report.plan.fallback, words))];
    if let Some(cap) = &report.plan.cap
        && !cap.actions.is_empty()
    {
        let phrase = if cap.met {
            Phrase::new("report-cap-met").with("cap", cap.cap).with("total", cap.total)
        } else {
            Phrase::new("report-cap-missed").with("cap", cap.cap).with("total", cap.total)
        };
        let tone = if cap.met { Tone::Good } else { Tone::Bad };
        let mut said = vec![Line::plain(words.say(&phrase)).toned(tone)];
        said.extend(
            cap.actions.iter().map(|action| Line::item(words.say(&action.action)).deeper()),
        );
        parts.push(lines(said));
    }
    if let Some(cap) = &report.plan.cap
        && cap.curve.len() > 1
    {
        parts.push(Part::Table(curve(&cap.curve, words)));
    }
    parts
}

/// Writes what each further sacrifice makes of the total, with the lateness it brings.
fn curve(points: &[TradeOff], words: &Words) -> Table {
    let mut table = Table::new(vec![
        Column::words("step", words.word("report-curve-step")),
        Column::figures("total", words.word("report-total-then")),
        Column::figures("late", words.word("report-curve-late")),
        Column::figures("postponed", words.word("report-curve-postponed")),
        Column::words("price", words.word("report-price-of-it")),
    ]);
    for point in points {
        let action = point.action.as_ref().map(|action| words.say(action));
        let price = point.price.as_ref().map(|price| words.say(price));
        table.push(vec![
            Cell::new(action.unwrap_or_else(|| words.word("report-curve-plan"))),
            Cell::new(point.total.to_string()),
            Cell::new(format!("{} h", hours(point.late))),
            Cell::new(point.postponed.to_string()),
            Cell::new(price.unwrap_or_default()).toned(Tone::Faint),
        ]);
    }
    table
}

fn actions(actions: &[FallbackAction], words: &Words) -> Table {
    let mut table = Table::new(vec![
        Column::words("action", words.word("report-action")),
        Column::figures("saving", words.word("report-saving")),
        Column::figures("total", words.word("report-total-then")),
        Column::words("price", words.word("report-price-of-it")),
    ]);
    for action in actions {
        table.push(vec![
            Cell::new(words.say(&action.action)),
            Cell::new(action.saving.to_string()).toned(Tone::Good),
            Cell::new(action.total.to_string()),
            Cell::new(words.say(&action.price)).toned(Tone::Faint),
        ]);
    }
    table
}

/// Writes what naive choices would cost.
pub(super) fn baselines(report: &PlanReport<'_>, words: &Words) -> Vec<Part> {
    let mut table = Table::new(vec![
        Column::words("choice", words.word("report-naive")),
        Column::figures("total", words.word("report-amount")),
        Column::figures("more", words.word("report-more")),
        Column::words("note", words.word("report-note")),
    ]);
    let mut said: BTreeSet<String> = BTreeSet::new();
    for baseline in &report.plan.baselines {
        let notes = baseline.note.iter().map(|note| words.say(note));
        // What is wrong with two choices alike is said once.
        let mut notes: Vec<_> = notes.filter(|note| said.insert(note.clone())).collect();
        if notes.is_empty() && !baseline.note.is_empty() {
            notes.push(words.word("report-as-above"));
        }
        let name = words.word(&format!("baseline-{}", baseline_word(baseline.kind)));
        let (total, more) = match baseline.total {
            Some(total) => {
                let more = per_cent_more(total, report.plan.total).unwrap_or_default();
                let tone = if more.starts_with('-') { Tone::Good } else { Tone::Warn };
                (Cell::new(total.to_string()), Cell::new(more).toned(tone))
            }
            None => (Cell::unknown(words.word("report-impossible")), Cell::default()),
        };
        let note = Cell::new(notes.join(words.word("report-comma").as_str())).toned(Tone::Faint);
        table.push(vec![Cell::new(name), total, more, note]);
    }
    vec![Part::Table(table)]
}

/// Writes messages as a list.
pub(super) fn spoken(phrases: &[Phrase], tone: Tone, words: &Words) -> Vec<Part> {
    vec![lines(phrases.iter().map(|one| Line::item(words.say(one)).toned(tone)).collect())]
}

/// Writes where prices and terms come from.
pub(super) fn sources(report: &PlanReport<'_>, words: &Words) -> Vec<Part> {
    let sources = &report.plan.sources;
    let shown = if report.explain { sources.len() } else { SOURCES };
    let mut said: Vec<_> = sources
        .iter()
        .take(shown)
        .map(|source| {
            let date =
                source.date.map_or_else(|| words.word("report-undated"), |day| day.to_string());
            let licence = source.licence.as_ref().filter(|_| report.explain);
            let licence = licence.map(|licence| format!(" · {licence}")).unwrap_or_default();
            let text = format!("{} · {date} · {}{licence}", source.text, source.grade);
            Line::item(text).toned(Tone::Faint)
        })
        .collect();
    if sources.len() > shown {
        let phrase = Phrase::new("report-more-sources").with("count", sources.len() - shown);
        said.push(Line::item(words.say(&phrase)).toned(Tone::Faint));
    }
    vec![lines(said)]
}
