//! The month: what is committed under what is wanted, and when each run starts.

use super::view::Look;
use crate::{
    charts::{self, Span, escape},
    numbers,
    pages::html,
};
use jiff::civil::DateTime;
use kasuan_model::{Money, Phrase};
use std::fmt::Write as _;

/// Writes what is committed.
pub(super) fn mix(look: &Look<'_>) -> String {
    let mut text = String::new();
    let pools = look.planned.plan.mix.pools.iter();
    let pools: Vec<_> = pools.filter(|pool| pool.demand.iter().any(|cards| *cards > 0)).collect();
    if !pools.is_empty() {
        text.push_str(&legend(look));
        text.push_str(&html::open_table(&look.word("web-pools"), "bars"));
        let days = days(look);
        let _ = write!(
            text,
            "<thead><tr>{}{}{}{}</tr></thead><tbody>",
            html::heading(&look.word("report-card"), false),
            format_args!(
                "<th scope=\"col\" class=\"draw\"><span class=\"hidden\">{}</span>{}</th>",
                escape(&look.word("web-days")),
                charts::ticks(days, &look.word("web-days"))
            ),
            html::heading(&look.word("web-most-cards"), true),
            html::heading(&look.word("web-committed"), true),
        );
        for pool in pools {
            let most = pool.demand.iter().max().copied().unwrap_or(0);
            let base = pool.committed.iter().max().copied().unwrap_or(0);
            let label = look.words.say(
                &Phrase::new("web-pool")
                    .with("card", &pool.card)
                    .with("most", most)
                    .with("committed", base),
            );
            let _ = write!(
                text,
                "<tr><th scope=\"row\">{}</th><td class=\"draw\">{}</td>{}{}</tr>",
                escape(pool.card.as_str()),
                charts::steps(&pool.demand, &pool.committed, &label),
                html::figures(&most.to_string()),
                html::figures(&base.to_string()),
            );
        }
        text.push_str("</tbody></table></div>");
    }
    text.push_str(&look.section("report-mix"));
    text.push_str(&patience(look));
    text
}

fn legend(look: &Look<'_>) -> String {
    let entries = [("base", "web-base"), ("peak", "web-peak"), ("committed", "web-idle-committed")];
    let mut text = String::from("<p class=\"legend\">");
    for (class, name) in entries {
        let _ = write!(
            text,
            "<span><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"{class}\" \
             width=\"12\" height=\"12\"/></svg>{}</span>",
            escape(&look.word(name))
        );
    }
    text.push_str("</p>");
    text
}

/// Writes what it would save if runs could wait.
fn patience(look: &Look<'_>) -> String {
    let steps = &look.planned.plan.patience;
    let saves = steps.iter().any(|step| !step.saving.is_zero());
    if !saves {
        return String::new();
    }
    let most = steps.iter().map(|step| numbers::length(step.saving)).fold(0.0, f64::max);
    let title = look.word("web-patience");
    let mut text = format!("<h3>{}</h3>{}", escape(&title), html::open_table(&title, "bars"));
    let _ = write!(
        text,
        "<thead><tr>{}{}{}{}</tr></thead><tbody>",
        html::heading(&look.word("web-waits"), true),
        html::heading(&look.word("web-bar"), false),
        html::heading(&look.word("report-saving"), true),
        html::heading(&look.word("web-rent-then"), true),
    );
    for step in steps {
        let said = |sum: Money| sum.to_string();
        let waits = numbers::hours(step.extra);
        let _ = write!(
            text,
            "<tr><th scope=\"row\" class=\"figure\">+{}</th><td class=\"draw\">{}</td>{}{}</tr>",
            escape(&waits),
            charts::waterfall(
                0.0,
                numbers::length(step.saving),
                most,
                "bar-good",
                &format!("+{waits}: {}", said(step.saving))
            ),
            html::figures(&said(step.saving)),
            html::figures(&said(step.rent)),
        );
    }
    text.push_str("</tbody></table></div>");
    text
}

/// Days of the planned span.
fn days(look: &Look<'_>) -> u32 {
    let workload = &look.planned.document.workload;
    workload
        .days
        .unwrap_or_else(|| u32::try_from(workload.month.days_in_month()).unwrap_or(30))
        .max(1)
}

/// Writes when each run starts.
pub(super) fn calendar(look: &Look<'_>) -> String {
    let plan = &look.planned.plan;
    if plan.calendar.is_empty() {
        return String::new();
    }
    let days = days(look);
    let start = look.planned.document.workload.month.at(0, 0, 0, 0);
    let whole = f64::from(days) * 86_400.0;
    let share = |moment: DateTime| {
        let seconds = moment.duration_since(start).as_secs_f64();
        seconds / whole
    };
    let title = look.word("report-calendar");
    let mut text = html::open_table(&title, "bars gantt");
    let _ = write!(
        text,
        "<thead><tr>{}<th scope=\"col\" class=\"draw\"><span class=\"hidden\">{}</span>{}</th>{}</tr>\
         </thead><tbody>",
        html::heading(&look.word("report-job"), false),
        escape(&look.word("web-days")),
        charts::ticks(days, &look.word("web-days")),
        html::heading(&look.word("report-runs"), true),
    );
    for job in &plan.jobs {
        let runs: Vec<_> = plan.calendar.iter().filter(|entry| entry.job == job.name).collect();
        if runs.is_empty() {
            continue;
        }
        let drawn: Vec<Span> = runs
            .iter()
            .map(|entry| Span {
                from: share(entry.start),
                to: share(entry.end),
                class: match entry.mode {
                    kasuan_model::BillingMode::Spot => "run-spot",
                    mode if mode.is_commitment() => "base",
                    _ => "peak",
                },
                title: format!(
                    "{} – {} · {} × {} · {}",
                    entry.start.strftime("%m-%d %H:%M"),
                    entry.end.strftime("%m-%d %H:%M"),
                    entry.cards,
                    entry.card,
                    look.words.mode(entry.mode)
                ),
            })
            .collect();
        let label = look
            .words
            .say(&Phrase::new("web-gantt").with("job", &job.name).with("runs", runs.len()));
        let _ = write!(
            text,
            "<tr data-row=\"{}\" data-hours=\"{}\"><th scope=\"row\">{}</th><td class=\"draw\">{}</td>{}</tr>",
            row_of(look, &job.name),
            days * 24,
            escape(&job.name),
            charts::spans(&drawn, days, &label),
            html::figures(&runs.len().to_string()),
        );
    }
    text.push_str("</tbody></table></div>");
    if !look.state.0.settings.read_only {
        let _ = write!(text, "<p class=\"faint\">{}</p>", escape(&look.word("web-drag-help")));
    }
    text.push_str(&look.section("report-calendar"));
    text
}

/// Returns the row of the table that a job stands in; 0 when it is none.
fn row_of(look: &Look<'_>, job: &str) -> usize {
    let jobs = &look.planned.document.workload.jobs;
    jobs.iter().position(|other| other.name == job).map_or(0, |at| at + 1)
}
