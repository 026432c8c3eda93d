//! The market page: prices with their age, how they moved, and what a use of an offer is billed.

pub(crate) mod import;

use super::{Frame, html, page};
use crate::{
    answers::{self, Billed},
    charts::{self, Curve, escape},
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
use jiff::{ToSpan as _, civil::Date};
use kasuan_market::Series;
use kasuan_model::Phrase;
use kasuan_report::{Words, market};
use rust_decimal::prelude::ToPrimitive as _;

/// Series that one picture shows.
const MOST_SERIES: usize = 6;

#[derive(Template)]
#[template(path = "market.html")]
struct MarketPage<'a> {
    frame: Frame<'a>,
    imported: String,
    question: &'a Question,
    wrong: Option<(String, Vec<String>)>,
    count: String,
    table: String,
    history: String,
    bill: String,
    cards: Vec<&'a str>,
    providers: Vec<&'a str>,
}

/// Shows the market, or what of it is asked for.
pub(crate) async fn show(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    whole(&state, &headers, &uri, (String::new(), None)).await
}

/// Writes the page, with what an import brought or what is wrong with it.
async fn whole(
    state: &AppState,
    headers: &HeaderMap,
    uri: &Uri,
    (imported, trouble): (String, Option<Problem>),
) -> Response {
    let language = reader::language(headers, uri);
    let asked = uri.clone();
    let shown = match trouble {
        Some(problem) => Err(problem),
        None => state
            .work(move |state| look(state, &Question::new(&asked), state.words(language)))
            .await
            .unwrap_or_else(|| Err(Problem::busy())),
    };
    let words = state.words(language);
    let (wrong, (count, table, history, bill)) = match shown {
        Ok(shown) => (None, shown),
        Err(problem) => (Some((problem.message(words), problem.hints(words))), Default::default()),
    };
    let mut providers: Vec<&str> =
        state.catalogue().offers().iter().map(|offer| offer.provider.as_str()).collect();
    providers.sort_unstable();
    providers.dedup();
    page(&MarketPage {
        frame: Frame::new(state, headers, uri, "market"),
        imported,
        question: &Question::new(uri),
        wrong,
        count,
        table,
        history,
        bill,
        cards: state.catalogue().cards().iter().map(|card| card.id.as_str()).collect(),
        providers,
    })
}

type Shown = (String, String, String, String);

fn look(state: &AppState, question: &Question, words: &Words) -> Result<Shown, Problem> {
    // The page holds two forms: one for offers, one for a bill.
    if question.text("offer").is_some() {
        let billed = answers::billed(state, question)?;
        return Ok((String::new(), String::new(), String::new(), bill(&billed, words)));
    }
    let wanted = answers::wanted(question, state.catalogue())?;
    question.done()?;
    let found = answers::found(state, &wanted);
    let table = answers::offers_table(state, &wanted, &found, words);
    let count = words.say(
        &Phrase::new("web-offers-found")
            .with("count", found.hits.len())
            .with("shown", table.rows.len())
            .with("other", found.other_currency),
    );
    let drawn = html::table(&table, &words.word("web-menu-market"));
    Ok((count, drawn, history(state, &wanted, words), String::new()))
}

/// Draws how the prices of the wanted card moved, one picture for each currency.
fn history(state: &AppState, wanted: &answers::Wanted, words: &Words) -> String {
    let [card] = wanted.query.cards.as_slice() else { return String::new() };
    let mut series = state.0.history.series(Some(card), None);
    series.retain(|one| {
        let providers = &wanted.query.providers;
        let modes = &wanted.query.modes;
        (providers.is_empty() || providers.iter().any(|name| name == one.provider))
            && (modes.is_empty() || modes.contains(&one.mode))
            && one.stretches.len() > 1
    });
    // Those that moved most say most.
    series.sort_by_key(|one| std::cmp::Reverse(one.stretches.len()));
    let Some(currency) = series.first().map(|one| one.currency) else { return String::new() };
    series.retain(|one| one.currency == currency);
    series.truncate(MOST_SERIES);
    let spans: Vec<(Date, Date)> = series.iter().filter_map(Series::span).collect();
    let Some(first) = spans.iter().map(|(first, _)| *first).min() else { return String::new() };
    let curves: Vec<Curve> = series
        .iter()
        .filter_map(|one| {
            let (from, _) = one.span()?;
            let start = f64::from((from - first).get_days());
            let prices = one.daily();
            let points = prices.iter().enumerate();
            Some(Curve {
                name: format!("{} {}", one.provider, words.mode(one.mode)),
                points: points
                    .map(|(day, price)| (start + day as f64, price.to_f64().unwrap_or(0.0)))
                    .collect(),
            })
        })
        .collect();
    let label =
        words.say(&Phrase::new("web-history-of").with("card", card).with("currency", currency));
    let day = |at: f64| {
        let day = first.checked_add((at.round() as i64).days()).unwrap_or(first);
        day.strftime("%y-%m-%d").to_string()
    };
    let drawn = charts::curves(&curves, &[], None, &label, &day, &|price| format!("{price:.2}"));
    if drawn.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "<h2>{}</h2><div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">{drawn}</div>",
        escape(&label),
        escape(&label)
    );
    text.push_str(&html::open_table(&label, ""));
    text.push_str("<thead><tr>");
    for (key, is_figure) in [
        ("history-provider", false),
        ("report-mode", false),
        ("report-from", false),
        ("report-until", false),
        ("offers-low", true),
        ("history-last", true),
        ("offers-high", true),
    ] {
        text.push_str(&html::heading(&words.word(key), is_figure));
    }
    text.push_str("</tr></thead><tbody>");
    for one in &series {
        let Some((from, until)) = one.span() else { continue };
        let prices = one.daily();
        let figure = |price: Option<&rust_decimal::Decimal>| {
            html::figures(&price.map(|price| price.normalize().to_string()).unwrap_or_default())
        };
        text.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{from}</td><td>{until}</td>{}{}{}</tr>",
            escape(one.provider),
            escape(&words.mode(one.mode)),
            figure(prices.iter().min()),
            figure(prices.last()),
            figure(prices.iter().max())
        ));
    }
    text.push_str("</tbody></table></div>");
    text
}

fn bill(billed: &Billed<'_>, words: &Words) -> String {
    let total = Phrase::new("bill-total").with("total", market::range(billed.invoice.total));
    let mut text =
        format!("<p class=\"lead\" id=\"bill-total\"><b>{}</b></p>", escape(&words.say(&total)));
    if let Some(effective) = billed.invoice.effective_hourly() {
        let phrase = Phrase::new("bill-effective")
            .with("effective", market::small(effective))
            .with("listed", market::small(billed.offer.hourly()));
        text.push_str(&format!("<p>{}</p>", escape(&words.say(&phrase))));
    }
    text.push_str(&html::table(&market::bill(&billed.invoice, words), &words.word("web-bill")));
    for warning in &billed.invoice.warnings {
        text.push_str(&format!("<p class=\"warn\">{}</p>", escape(&words.say(warning))));
    }
    for unknown in &billed.invoice.unknown {
        let phrase = Phrase::new("bill-unknown").with("what", words.say(unknown));
        text.push_str(&format!("<p class=\"warn\">{}</p>", escape(&words.say(&phrase))));
    }
    let source = &billed.offer.source;
    let date = source.date.map_or_else(|| "?".to_owned(), |date| date.to_string());
    let price = Phrase::new("bill-source-price")
        .with("source", &source.text)
        .with("date", date)
        .with("grade", source.grade);
    text.push_str(&format!("<p class=\"faint\">{}</p>", escape(&words.say(&price))));
    text
}
