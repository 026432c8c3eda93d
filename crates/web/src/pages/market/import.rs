//! Reads a price list of others into a price card, and reports what became of each row.

use super::whole;
use crate::{
    charts::escape,
    pages::{html, upload::Upload},
    problem::Problem,
    question::wrong,
    reader,
    state::AppState,
};
use axum::{
    extract::{Multipart, State},
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use kasuan_formats::market::{Import, Report, Stated, import, price_card};
use kasuan_model::{Currency, Phrase};
use kasuan_report::{Cell, Column, Table, Tone, Words};
use std::fmt::Write as _;

/// Rows of a report that are shown.
const MOST: usize = 200;

/// Answers with the report, the price card, and a way to plan with it.
pub(crate) async fn answer(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
    parts: Multipart,
) -> Response {
    let language = reader::language(&headers, &uri);
    let proof = state.0.access.proof(&headers);
    let upload = match Upload::receive(&state, &headers, parts).await {
        Ok(upload) => upload,
        Err(problem) => return problem.response(&state, language, uri.path()),
    };
    let read = state.work(move |state| read(state, &upload, state.words(language), &proof)).await;
    match read.unwrap_or_else(|| Err(Problem::busy())) {
        Ok(imported) => whole(&state, &headers, &uri, (imported, None)).await,
        Err(problem) => whole(&state, &headers, &uri, (String::new(), Some(problem))).await,
    }
}

fn read(state: &AppState, upload: &Upload, words: &Words, proof: &str) -> Result<String, Problem> {
    let (bytes, ending) =
        upload.file.as_ref().filter(|(bytes, _)| !bytes.is_empty()).ok_or_else(|| {
            let phrase = Phrase::new("error-argument-missing").with("argument", "file");
            Problem::new(StatusCode::BAD_REQUEST, phrase)
        })?;
    let optional = |name: &str| Some(upload.text(name).to_owned()).filter(|text| !text.is_empty());
    let currency = optional("currency")
        .map(|code| code.parse::<Currency>().map_err(|_| wrong("currency", &code)));
    let stated = Stated {
        name: format!("prices.{ending}"),
        provider: optional("provider"),
        card: optional("card"),
        currency: currency.transpose()?,
        observed: None,
    };
    let Import { card, report } = import(bytes, &stated, state.catalogue(), state.today())
        .map_err(|error| Problem::of(&error))?;
    let mut text = reported(&report, words);
    if card.offers.is_empty() {
        let _ = write!(text, "<p class=\"bad\">{}</p>", escape(&words.word("import-nothing")));
        return Ok(text);
    }
    let _ = write!(
        text,
        "<form method=\"post\" action=\"/plan/prices\"><input type=\"hidden\" name=\"proof\" \
         value=\"{}\"><label for=\"card-text\">{}</label><textarea id=\"card-text\" name=\"prices\" \
         rows=\"6\" readonly>{}</textarea><p class=\"actions\"><button class=\"primary\" \
         id=\"use-prices\">{}</button></p></form>",
        escape(proof),
        escape(&words.word("web-import-card")),
        escape(&price_card::write(&card)),
        escape(&words.word("web-import-use"))
    );
    Ok(text)
}

fn reported(report: &Report, words: &Words) -> String {
    let word = |key: &str| words.word(key);
    let mut text =
        format!("<p class=\"lead\" id=\"imported\">{}</p>", escape(&words.say(&report.summary())));
    let mut table = Table::new(vec![
        Column::figures("line", word("import-line-heading")),
        Column::words("result", word("import-result")),
        Column::words("row", word("import-row")),
        Column::words("what", word("market-what")),
    ]);
    let refused = report.refused.iter().map(|row| {
        let result = Cell::new(word("import-refused")).toned(Tone::Bad);
        (row.line.to_string(), result, row.what.as_str(), &row.why)
    });
    let noted = report.noted.iter().map(|row| {
        (row.line.to_string(), Cell::new(word("import-noted")).toned(Tone::Warn), "", &row.what)
    });
    let doubts = report.doubts.iter().map(|doubt| {
        let result = Cell::new(word("web-import-doubt")).toned(Tone::Warn);
        (String::new(), result, doubt.offer.as_str(), &doubt.phrase)
    });
    for (line, result, row, why) in refused.chain(noted).chain(doubts).take(MOST) {
        table.push(vec![Cell::new(line), result, Cell::new(row), Cell::new(words.say(why))]);
    }
    if !table.rows.is_empty() {
        text.push_str(&html::table(&table, &word("web-import-report")));
    }
    text
}
