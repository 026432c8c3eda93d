//! What cards did: those of agents this moment, the hours of the last weeks by weekday, who used
//! them, and runs against what the same job took before.

mod heat;
mod runs;

use super::{Frame, html, page};
use crate::{charts::escape, desk, live::Live, numbers, problem::Problem, reader, state::AppState};
use askama::Template;
use axum::{
    extract::State,
    http::{HeaderMap, Uri},
    response::{Html, IntoResponse as _, Response},
};
use jiff::{Timestamp, ToSpan as _};
use kasuan_ledger::{Group, Ledger, UsageTotal};
use kasuan_model::{Bytes, Currency, Money, Phrase};
use kasuan_report::{Cell, Column, Table, Tone, Words};
use std::fmt::Write as _;

/// Days that are looked back on: whole weeks, so that every weekday counts as often.
const DAYS: i64 = 28;

#[derive(Template)]
#[template(path = "usage.html")]
struct UsagePage<'a> {
    frame: Frame<'a>,
    live: String,
    has_agents: bool,
    wrong: Option<(String, Vec<String>)>,
    past: String,
}

/// Shows what agents see and what the ledger remembers.
pub(crate) async fn show(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    let language = reader::language(&headers, &uri);
    let seen = state.0.hub.look(&state.0.settings.agents).await;
    let past = state
        .work(move |state| past(state, state.words(language)))
        .await
        .unwrap_or_else(|| Err(Problem::busy()));
    let words = state.words(language);
    let (wrong, past) = match past {
        Ok(past) => (None, past),
        Err(problem) => (Some((problem.message(words), problem.hints(words))), String::new()),
    };
    page(&UsagePage {
        frame: Frame::new(&state, &headers, &uri, "usage"),
        live: cards(&seen, words),
        has_agents: !state.0.settings.agents.is_empty(),
        wrong,
        past,
    })
}

/// Shows only what agents see, for a page that is open.
pub(crate) async fn now(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    let words = state.words(reader::language(&headers, &uri));
    let seen = state.0.hub.look(&state.0.settings.agents).await;
    Html(cards(&seen, words)).into_response()
}

/// Writes the cards of every agent.
fn cards(live: &Live, words: &Words) -> String {
    let word = |key: &str| words.word(key);
    let mut text = String::new();
    for agent in &live.agents {
        let _ = write!(text, "<h3>{}</h3>", escape(&agent.agent));
        if !agent.reachable {
            let _ = write!(text, "<p class=\"bad\">{}</p>", escape(&word("web-agent-silent")));
            continue;
        }
        let currency = agent.currency.as_deref().and_then(|code| code.parse().ok());
        let money = |amount: &Option<String>| -> Option<Money> {
            Some(Money::new(amount.as_ref()?.parse().ok()?, currency?))
        };
        if let (Some(hour), Some(cost)) = (money(&agent.price_per_hour), money(&agent.cost)) {
            let idle = money(&agent.idle_cost).unwrap_or_else(|| cost_of_nothing(cost.currency()));
            let phrase = Phrase::new("web-agent-cost")
                .with("hourly", hour)
                .with("cost", cost)
                .with("idle", idle);
            let _ = write!(text, "<p>{}</p>", escape(&words.say(&phrase)));
        }
        let mut table = Table::new(vec![
            Column::words("gpu", word("watch-column-gpu")),
            Column::words("name", word("watch-column-name")),
            Column::figures("busy", word("watch-column-busy")),
            Column::figures("used", word("watch-column-used")),
            Column::figures("total", word("watch-column-total")),
            Column::figures("watts", word("watch-column-watts")),
            Column::figures("celsius", word("watch-column-celsius")),
            Column::figures("hour", word("web-hour-costs")),
        ]);
        let unknown = || Cell::unknown(word("report-unknown")).toned(Tone::Faint);
        for card in &agent.cards {
            let figure = |value: Option<f64>| {
                value.map_or_else(unknown, |value| Cell::new(format!("{value:.0}")))
            };
            let bytes = |value: Option<u64>| {
                value.map_or_else(unknown, |value| Cell::new(Bytes::new(value).to_string()))
            };
            let busy = match card.busy_percent {
                _ if card.lost => Cell::new(word("watch-lost")).toned(Tone::Bad),
                Some(busy) if busy <= 0.0 => Cell::new("0").toned(Tone::Warn),
                busy => figure(busy),
            };
            table.push(vec![
                Cell::new(card.gpu.map_or_else(|| "?".to_owned(), |gpu| gpu.to_string())),
                card.name.as_ref().map_or_else(unknown, Cell::new),
                busy,
                bytes(card.memory_used_bytes),
                bytes(card.memory_total_bytes),
                figure(card.watts),
                figure(card.celsius),
                money(&card.price_per_hour)
                    .map_or_else(unknown, |money| Cell::new(money.to_string())),
            ]);
        }
        text.push_str(&html::table(&table, &agent.agent));
    }
    text
}

const fn cost_of_nothing(currency: Currency) -> Money {
    Money::zero(currency)
}

/// Opens the ledger that the server was told of.
pub(crate) fn open(state: &AppState) -> Result<Ledger, Problem> {
    let place = desk::ledger(&state.0.settings)?;
    let is_file = !place.contains("://");
    if is_file && !std::path::Path::new(place).exists() {
        let phrase = Phrase::new("store-missing").with("place", place);
        return Err(Problem::new(axum::http::StatusCode::NOT_FOUND, phrase)
            .hint(Phrase::new("store-hint-missing")));
    }
    Ledger::open(place).map_err(|error| Problem::of(&error))
}

fn past(state: &AppState, words: &Words) -> Result<String, Problem> {
    let mut ledger = open(state)?;
    let zone = state.0.settings.zone;
    let until = zone
        .to_timestamp(state.today().at(0, 0, 0, 0))
        .and_then(|start| start.checked_add(24.hours()))
        .unwrap_or(Timestamp::MAX);
    let from = until.checked_sub((24 * DAYS).hours()).unwrap_or(Timestamp::MIN);
    let failed = |error: kasuan_ledger::LedgerError| Problem::of(&error);
    let hours = ledger.usage_hours(from, until).map_err(failed)?;
    let mut text = String::new();
    if hours.is_empty() {
        let phrase = Phrase::new("web-no-usage").with("days", DAYS);
        let _ = write!(text, "<p class=\"note\">{}</p>", escape(&words.say(&phrase)));
    } else {
        text.push_str(&heat::map(&hours, zone, words));
        let rentals = ledger.rentals(from, until).map_err(failed)?;
        text.push_str(&heat::idle(&hours, &rentals, words));
        for (group, key) in [
            (Group::Job, "review-scope-job"),
            (Group::Person, "review-scope-person"),
            (Group::Card, "review-scope-card"),
            (Group::Host, "web-host"),
        ] {
            let totals = ledger.usage(from, until, group).map_err(failed)?;
            text.push_str(&totals_by(&totals, &words.word(key), words));
        }
    }
    text.push_str(&runs::table(&mut ledger, from, until, zone, words)?);
    Ok(text)
}

fn totals_by(totals: &[UsageTotal], name: &str, words: &Words) -> String {
    let mut table = Table::new(vec![
        Column::words("name", name),
        Column::figures("hours", words.word("review-column-card_hours")),
        Column::figures("busy", words.word("review-column-busy")),
        Column::figures("memory", words.word("web-memory-peak")),
    ]);
    let unknown = || Cell::unknown(words.word("report-unknown")).toned(Tone::Faint);
    for total in totals {
        let name =
            if total.name.is_empty() { words.word("web-unnamed") } else { total.name.clone() };
        let peak = (total.memory_peak > 0.0 && total.memory_total > 0.0).then(|| {
            let share = total.memory_peak / total.memory_total * 100.0;
            Cell::new(format!("{} · {share:.0}%", numbers::gib_of(total.memory_peak)))
        });
        table.push(vec![
            Cell::new(name),
            Cell::new(format!("{:.1}", total.seen / 3600.0)),
            total.busy_share().map_or_else(unknown, |share| Cell::new(numbers::percent(share))),
            peak.unwrap_or_else(unknown),
        ]);
    }
    let title = words.say(&Phrase::new("web-usage-by").with("what", name));
    format!("<h3>{}</h3>{}", escape(&title), html::table(&table, &title))
}
