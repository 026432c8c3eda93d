//! The review of a month: the bill against the plan, what was wasted and what to do about it, what
//! work cost, and what lies on disks.

use super::{Frame, html, page, usage};
use crate::{
    api::asked::{arguments, reviewed},
    api::openapi::REVIEW,
    charts::{self, escape},
    numbers,
    problem::Problem,
    question::Question,
    reader,
    state::AppState,
};
use askama::Template;
use axum::{
    extract::State,
    http::{HeaderMap, Uri},
    response::Response,
};
use kasuan_model::{Bytes, Currency, Money, Phrase};
use kasuan_report::{Cell, Column, Language, Table, Tone, Words};
use serde_json::Value;
use std::fmt::Write as _;

/// Stored things that are shown, the largest first.
const MOST_STORED: usize = 30;
/// Scopes of a budget, in the order of the report.
const SCOPES: [&str; 6] = ["total", "line", "job", "person", "card", "provider"];

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage<'a> {
    frame: Frame<'a>,
    month: String,
    currency: String,
    gb_month: String,
    wrong: Option<(String, Vec<String>)>,
    review: String,
}

/// Shows the review of a month.
pub(crate) async fn show(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    let language = reader::language(&headers, &uri);
    let asked = uri.clone();
    let shown = state
        .work(move |state| look(state, &Question::new(&asked), language))
        .await
        .unwrap_or_else(|| Err(Problem::busy()));
    let words = state.words(language);
    let (wrong, review) = match shown {
        Ok(review) => (None, review),
        Err(problem) => (Some((problem.message(words), problem.hints(words))), String::new()),
    };
    let question = Question::new(&uri);
    page(&ReviewPage {
        frame: Frame::new(&state, &headers, &uri, "review"),
        month: question.text("month").unwrap_or_default(),
        currency: question.text("currency").unwrap_or_default(),
        gb_month: question.text("gb_month").unwrap_or_default(),
        wrong,
        review,
    })
}

fn look(state: &AppState, question: &Question, language: Language) -> Result<String, Problem> {
    let words = state.words(language);
    let review = reviewed(state, arguments(question, REVIEW)?, language)?;
    let sheet = Sheet { review: &review, words };
    let mut text = sheet.headline();
    for (id, title, body) in [
        ("budget", "review-section-budget", sheet.budget()),
        ("findings", "review-section-findings", sheet.findings()),
        ("kpi", "review-section-kpi", sheet.kpi()),
        ("storage", "web-stored", stored(state, words)?),
        ("notes", "review-section-notes", sheet.notes()),
    ] {
        if !body.is_empty() {
            let title = escape(&words.word(title));
            let _ = write!(
                text,
                "<section class=\"card\" id=\"{id}\"><h2>{title}</h2>{body}</section>"
            );
        }
    }
    Ok(text)
}

/// A review as JSON, with the reader's words.
struct Sheet<'a> {
    review: &'a Value,
    words: &'a Words,
}

impl Sheet<'_> {
    fn word(&self, key: &str) -> String {
        self.words.word(key)
    }

    fn currency(&self) -> Option<Currency> {
        self.review["currency"].as_str()?.parse().ok()
    }

    fn money(&self, value: &Value) -> Option<Money> {
        Some(Money::new(value.as_str()?.parse().ok()?, self.currency()?))
    }

    fn shown(&self, value: &Value) -> String {
        self.money(value)
            .map_or_else(|| self.word("report-unknown"), |money| money.rounded().to_string())
    }

    fn cell(&self, value: &Value) -> Cell {
        match self.money(value) {
            Some(money) => Cell::new(money.rounded().to_string()),
            None => Cell::unknown(self.word("report-unknown")).toned(Tone::Faint),
        }
    }

    fn headline(&self) -> String {
        let used = &self.review["utilisation"];
        let share = |name: &str| {
            used[name].as_f64().map_or_else(|| self.word("report-unknown"), numbers::percent)
        };
        let title = Phrase::new("web-review-of")
            .with("month", self.review["month"].as_str().unwrap_or_default())
            .with("zone", self.review["zone"].as_str().unwrap_or_default());
        let tiles = [
            ("web-recoverable", self.shown(&self.review["recoverable"])),
            ("web-occupied", share("occupied_share")),
            ("web-busy", share("busy_share")),
            ("web-coverage", share("coverage")),
        ];
        let tiles: String = tiles
            .iter()
            .map(|(name, figure)| {
                format!(
                    "<div><dt>{}</dt><dd>{}</dd></div>",
                    escape(&self.word(name)),
                    escape(figure)
                )
            })
            .collect();
        format!(
            "<section class=\"card headline\"><div class=\"sum\"><p>{}</p><p class=\"total\" \
             id=\"billed\">{}</p></div><dl class=\"tiles\">{tiles}</dl></section>",
            escape(&self.words.say(&title)),
            escape(&self.shown(&self.review["billed"]))
        )
    }

    /// Bars of the plan and of what came, a table for each way to divide the money.
    fn budget(&self) -> String {
        let mut text = String::new();
        for scope in SCOPES {
            let lines = self.review["budget"][scope].as_array().cloned().unwrap_or_default();
            if lines.is_empty() {
                continue;
            }
            let title = self.word(&format!("review-scope-{scope}"));
            let most = lines
                .iter()
                .flat_map(|line| [&line["planned"], &line["actual"]])
                .filter_map(|value| self.money(value))
                .map(numbers::length)
                .fold(0.0, f64::max);
            let _ = write!(text, "<h3>{}</h3>", escape(&title));
            text.push_str(&html::open_table(&title, "bars"));
            let _ = write!(
                text,
                "<thead><tr>{}{}{}{}{}</tr></thead><tbody>",
                html::heading(&self.word("review-column-name"), false),
                html::heading(&self.word("web-plan-and-actual"), false),
                html::heading(&self.word("review-column-planned"), true),
                html::heading(&self.word("review-column-actual"), true),
                html::heading(&self.word("review-column-difference"), true),
            );
            for line in &lines {
                text.push_str(&self.line(line, most));
            }
            text.push_str("</tbody></table></div>");
        }
        text
    }

    fn line(&self, line: &Value, most: f64) -> String {
        let name = line["name"].as_str().filter(|name| !name.is_empty());
        let name = name.map_or_else(|| self.word("report-sum"), str::to_owned);
        let (planned, actual) = (self.money(&line["planned"]), self.money(&line["actual"]));
        let over = planned.zip(actual).and_then(|(planned, actual)| {
            (actual.amount() > planned.amount()).then(|| numbers::more(actual, planned)).flatten()
        });
        let under =
            planned.zip(actual).and_then(|(planned, actual)| numbers::more(actual, planned));
        let bar = |money: Option<Money>, class: &str, key: &str| {
            let label = format!(
                "{} {}",
                self.word(key),
                money.map_or_else(|| "—".to_owned(), |m| m.rounded().to_string())
            );
            charts::waterfall(
                0.0,
                money.map_or(0.0, numbers::length),
                most.max(1e-9),
                class,
                &label,
            )
        };
        let class = if over.is_some() { "bad" } else { "" };
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"draw\">{}{}</td>{}{}\
             <td class=\"figure {class}\">{}</td></tr>",
            escape(&name),
            bar(planned, "bar-base", "review-column-planned"),
            bar(actual, if over.is_some() { "bar-over" } else { "bar" }, "review-column-actual"),
            html::figures(&self.shown(&line["planned"])),
            html::figures(&self.shown(&line["actual"])),
            escape(&under.unwrap_or_default())
        )
    }

    fn findings(&self) -> String {
        let findings = self.review["findings"].as_array().cloned().unwrap_or_default();
        if findings.is_empty() {
            return format!("<p>{}</p>", escape(&self.word("web-no-findings")));
        }
        let mut text = String::from("<ol class=\"findings\">");
        for found in &findings {
            let said = |name: &str| found[name].as_str().unwrap_or_default();
            let kind = self.word(&format!("review-finding-{}", said("finding")));
            let money = match self.money(&found["money"]) {
                Some(money) => money.rounded().to_string(),
                None => self.word("report-unknown"),
            };
            let _ = write!(
                text,
                "<li><p class=\"lead\"><b>{}</b> {} <span class=\"figure\">{}</span></p>\
                 <p class=\"faint\">{}</p><p>{}</p>",
                escape(&kind),
                escape(said("subject")),
                escape(&money),
                escape(said("evidence")),
                escape(said("remedy"))
            );
            if let Some(command) = found["command"].as_str() {
                let _ = write!(text, "<p><code>{}</code></p>", escape(command));
            }
            text.push_str("</li>");
        }
        text.push_str("</ol>");
        text
    }

    fn kpi(&self) -> String {
        let kpi = self.review["kpi"].as_array().cloned().unwrap_or_default();
        if kpi.is_empty() {
            return String::new();
        }
        let mut table = Table::new(vec![
            Column::words("group", self.word("review-column-scope")),
            Column::words("name", self.word("review-column-name")),
            Column::figures("runs", self.word("review-column-runs")),
            Column::figures("hours", self.word("review-column-card_hours")),
            Column::figures("cost", self.word("review-column-cost")),
            Column::figures("per_run", self.word("review-column-per_run")),
            Column::figures("per_unit", self.word("review-column-per_unit")),
            Column::figures("busy_hour", self.word("review-column-useful_hour")),
            Column::figures("busy", self.word("review-column-busy")),
        ]);
        for one in &kpi {
            let unknown = || Cell::unknown(self.word("report-unknown")).toned(Tone::Faint);
            let figure = |name: &str| {
                one[name].as_f64().map_or_else(unknown, |value| Cell::new(format!("{value:.1}")))
            };
            let per_unit = match (self.money(&one["cost_per_unit"]), one["unit"].as_str()) {
                (Some(money), Some(unit)) => Cell::new(format!("{money} / {unit}")),
                _ => unknown(),
            };
            let group = one["group"].as_str().unwrap_or_default();
            table.push(vec![
                Cell::new(self.word(&format!("review-scope-{group}"))),
                Cell::new(one["name"].as_str().unwrap_or_default()),
                Cell::new(one["runs"].to_string()),
                figure("card_hours"),
                self.cell(&one["cost"]),
                self.cell(&one["cost_per_run"]),
                per_unit,
                self.cell(&one["cost_per_useful_card_hour"]),
                one["busy"]
                    .as_f64()
                    .map_or_else(unknown, |share| Cell::new(numbers::percent(share))),
            ]);
        }
        html::table(&table, &self.word("review-section-kpi"))
    }

    fn notes(&self) -> String {
        let lines = ["unknowns", "notes"].into_iter();
        lines
            .flat_map(|name| self.review[name].as_array().cloned().unwrap_or_default())
            .filter_map(|line| Some(format!("<p class=\"item\">{}</p>", escape(line.as_str()?))))
            .collect()
    }
}

/// Lists what lies on disks, the largest first; nothing when no scan was recorded.
fn stored(state: &AppState, words: &Words) -> Result<String, Problem> {
    let mut ledger = usage::open(state)?;
    let mut items = ledger.storage_items().map_err(|error| Problem::of(&error))?;
    if items.is_empty() {
        return Ok(String::new());
    }
    items.sort_by_key(|item| std::cmp::Reverse(item.bytes));
    let total: u64 = items.iter().fold(0, |sum, item| sum.saturating_add(item.bytes.get()));
    let mut table = Table::new(vec![
        Column::words("path", words.word("web-stored-path")),
        Column::words("kind", words.word("web-stored-kind")),
        Column::figures("size", words.word("storage-column-size")),
        Column::words("used", words.word("web-stored-used")),
        Column::words("needed", words.word("web-stored-needed")),
    ]);
    for item in items.iter().take(MOST_STORED) {
        let unknown = || Cell::unknown(words.word("report-unknown")).toned(Tone::Faint);
        let used = item.last_used.map(|at| state.0.settings.zone.to_datetime(at).date());
        table.push(vec![
            Cell::new(&item.id),
            Cell::new(&item.kind),
            Cell::new(item.bytes.to_string()),
            used.map_or_else(unknown, |day| Cell::new(day.to_string())),
            Cell::new(item.used_by.clone().unwrap_or_else(|| "—".to_owned())),
        ]);
    }
    let said =
        Phrase::new("web-stored-sum").with("count", items.len()).with("size", Bytes::new(total));
    Ok(format!(
        "<p>{}</p>{}",
        escape(&words.say(&said)),
        html::table(&table, &words.word("web-stored"))
    ))
}
