//! The first check: will an environment run on a card, before it is rented?

pub(crate) mod report;

use super::{Frame, html, page};
use crate::{
    answers::{self, Checked},
    charts::escape,
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
use kasuan_model::Phrase;
use kasuan_probe::doctor::{Outcome, Verdict, find_card};
use kasuan_report::{Cell, Column, Table, Tone, Words};

/// The fields of the form: name, an example.
const FIELDS: &[(&str, &str)] = &[
    ("card", "RTX 5090"),
    ("driver", "550.54"),
    ("driver_cuda", "12.4"),
    ("image_cuda", "12.1"),
    ("torch", "2.5.1"),
    ("cuda", "12.4"),
    ("python", "3.10"),
    ("needs", "vllm==0.10.0, flash-attn"),
    ("offer", ""),
];

#[derive(Template)]
#[template(path = "doctor.html")]
struct DoctorPage<'a> {
    frame: Frame<'a>,
    fields: Vec<(&'static str, &'static str, String)>,
    wrong: Option<(String, Vec<String>)>,
    answer: String,
    report: String,
    cards: Vec<&'a str>,
}

/// Shows the form, and the answer when something was asked.
pub(crate) async fn show(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    whole(&state, &headers, &uri, None)
}

/// Writes the page, with a report of a box where one was opened.
fn whole(
    state: &AppState,
    headers: &HeaderMap,
    uri: &Uri,
    report: Option<Result<String, Problem>>,
) -> Response {
    let words = state.words(reader::language(headers, uri));
    let question = Question::new(uri);
    let fields = FIELDS
        .iter()
        .map(|(name, example)| (*name, *example, question.text(name).unwrap_or_default()))
        .collect();
    let mut wrong = None;
    let mut answer = String::new();
    if !question.is_empty() {
        match answers::checked(state, &question) {
            Ok(checked) => answer = told(state, &checked, words),
            Err(problem) => wrong = Some(said(&problem, words)),
        }
    }
    let report = report
        .and_then(|report| report.map_err(|problem| wrong = Some(said(&problem, words))).ok());
    page(&DoctorPage {
        frame: Frame::new(state, headers, uri, "doctor"),
        report: report.unwrap_or_default(),
        fields,
        wrong,
        answer,
        cards: state.catalogue().cards().iter().map(|card| card.display.as_str()).collect(),
    })
}

fn said(problem: &Problem, words: &Words) -> (String, Vec<String>) {
    (problem.message(words), problem.hints(words))
}

fn told(state: &AppState, checked: &Checked, words: &Words) -> String {
    let diagnosis = &checked.diagnosis;
    let (verdict, tone) = match diagnosis.verdict {
        Verdict::Ok => ("doctor-verdict-ok", Tone::Good),
        Verdict::Fail => ("doctor-verdict-fail", Tone::Bad),
        Verdict::Unknown => ("doctor-verdict-unknown", Tone::Warn),
    };
    let mut text = format!(
        "<p class=\"lead {}\" id=\"verdict\"><b>{}</b></p>",
        html::class(tone),
        escape(&words.word(verdict))
    );
    let mut line = |phrase: &Phrase| {
        text.push_str(&format!("<p>{}</p>", escape(&words.say(phrase))));
    };
    match find_card(&checked.environment, &state.0.tables) {
        Some(card) => line(
            &Phrase::new("doctor-card")
                .with("card", &card.name)
                .with("capability", card.capability),
        ),
        None => line(&Phrase::new("doctor-card-unknown")),
    }
    if let Some(remedy) = &diagnosis.remedy {
        let remedy = words.say(remedy);
        line(&match diagnosis.verdict {
            Verdict::Fail => Phrase::new("doctor-remedy").with("remedy", remedy),
            _ => Phrase::new("doctor-suggestion").with("remedy", remedy),
        });
    }
    let mut table = Table::new(vec![
        Column::words("outcome", words.word("doctor-column-outcome")),
        Column::words("rule", words.word("doctor-column-rule")),
        Column::words("evidence", words.word("doctor-column-evidence")),
        Column::words("fix", words.word("doctor-column-fix")),
        Column::words("source", words.word("doctor-column-source")),
    ]);
    for check in &diagnosis.checks {
        let (word, tone) = match check.outcome {
            Outcome::Pass => ("doctor-pass", Tone::Good),
            Outcome::Assumed => ("doctor-assumed", Tone::Warn),
            Outcome::Fail => ("doctor-fail", Tone::Bad),
            Outcome::Unknown => ("doctor-unknown", Tone::Warn),
        };
        let fix = check.fix.as_ref().map(|fix| words.say(fix));
        table.push(vec![
            Cell::new(words.word(word)).toned(tone),
            Cell::new(&check.rule),
            Cell::new(words.say(&check.evidence)),
            Cell::new(fix.unwrap_or_default()),
            Cell::new(&check.source).toned(Tone::Faint),
        ]);
    }
    text.push_str(&html::table(&table, &words.word("web-menu-doctor")));
    text
}
