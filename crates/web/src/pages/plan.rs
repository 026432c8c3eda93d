//! The plan page: what is typed above, what it costs below; the answer follows every keystroke.

mod billing;
mod budget;
mod compare;
mod jobs;
mod month;
mod view;

use super::{
    Frame, download as attach, page,
    upload::{Upload, broken},
};
use crate::{
    form::{COLUMNS, Form, Spot},
    measured,
    planning::{self, Planned},
    problem::Problem,
    reader,
    state::AppState,
};
use askama::Template;
use axum::{
    body::Bytes,
    extract::{Multipart, Path, State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use kasuan_formats::{market::sheet_rows, plan_json, workload::Notation};
use kasuan_model::Phrase;
use kasuan_report::{Language, Words};
use kasuan_sizing::Catalogue as Models;
use std::sync::Arc;
pub(crate) use view::Answer;

/// Examples that a reader may start from: name, file, its price card.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("qa-team", include_str!("../../../../examples/qa-team.yaml"), ""),
    ("image-burst", include_str!("../../../../examples/image-burst.yaml"), ""),
    ("qlora-70b", include_str!("../../../../examples/qlora-70b.yaml"), ""),
    ("api-24x7", include_str!("../../../../examples/api-24x7.yaml"), ""),
    ("full-13b", include_str!("../../../../examples/full-13b.yaml"), ""),
    (
        "guide-prices",
        include_str!("../../../../examples/guide-prices.yaml"),
        include_str!("../../../../examples/prices-guide.csv"),
    ),
];

/// A row of the table, ready to show.
struct ShownRow<'a> {
    number: usize,
    cells: Vec<(&'static str, &'a str)>,
}

#[derive(Template)]
#[template(path = "plan.html")]
struct PlanPage<'a> {
    frame: &'a Frame<'a>,
    form: &'a Form,
    rows: Vec<ShownRow<'a>>,
    tasks: &'static [&'static str],
    models: Vec<&'static str>,
    examples: Vec<&'static str>,
    slider: u64,
    answer: Arc<Answer>,
}

#[derive(Template)]
#[template(path = "plan/answer.html")]
struct AnswerPart<'a> {
    frame: &'a Frame<'a>,
    answer: Arc<Answer>,
}

/// Shows the workload that the server was started with, or the example.
pub(crate) async fn show(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Response {
    let form = first(&state);
    whole(&state, &headers, &uri, form, None).await
}

/// Answers what is typed: only the part below the form.
pub(crate) async fn answer(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let form = match received(&state, &headers, body) {
        Ok(form) => form,
        Err(problem) => return problem.response(&state, language(&headers, &uri), uri.path()),
    };
    if !headers.contains_key("hx-request") {
        return whole(&state, &headers, &uri, form, None).await;
    }
    let language = language(&headers, &uri);
    let answered = state.work(move |state| answered(state, language, &form)).await;
    let answer = answered.unwrap_or_else(|| Arc::new(Answer::busy(state.words(language))));
    page(&AnswerPart { frame: &Frame::new(&state, &headers, &uri, "plan"), answer })
}

/// Changes the table itself: rows, examples, plans to compare with.
pub(crate) async fn edit(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let mut form = match received(&state, &headers, body) {
        Ok(form) => form,
        Err(problem) => return problem.response(&state, language(&headers, &uri), uri.path()),
    };
    let act = std::mem::take(&mut form.act);
    let mut trouble = None;
    match act.split_once('=').unwrap_or((&act, "")) {
        ("add", _) => form.add_row(),
        ("paste", _) => trouble = form.paste(&|text| heading(&state, text)).err(),
        ("remove", number) => {
            let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            if let Some(at) = at.filter(|at| *at < form.rows.len()) {
                form.rows.remove(at);
            }
        }
        ("example", name) => match example(name) {
            Some(Ok(found)) => form = Form { saved: form.saved, proof: form.proof, ..found },
            Some(Err(problem)) => trouble = Some(problem),
            None => {}
        },
        ("save", _) => {
            let encoded = form.encoded();
            form.saved.retain(|saved| *saved != encoded);
            form.saved.push(encoded);
            let extra = form.saved.len().saturating_sub(crate::form::MOST_SAVED);
            form.saved.drain(..extra);
        }
        ("forget", number) => {
            if let Some(at) = number.parse::<usize>().ok().filter(|at| *at < form.saved.len()) {
                form.saved.remove(at);
            }
        }
        ("restore", number) => {
            let at = number.parse::<usize>().ok();
            if let Some(saved) = at.and_then(|at| form.saved.get(at)) {
                match Form::decode(saved) {
                    Ok(found) => form = Form { saved: form.saved, proof: form.proof, ..found },
                    Err(problem) => trouble = Some(problem),
                }
            }
        }
        _ => {}
    }
    whole(&state, &headers, &uri, form, trouble).await
}

/// Takes a workload file, or a workbook with a table of jobs.
pub(crate) async fn upload(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
    parts: Multipart,
) -> Response {
    let upload = match Upload::receive(&state, &headers, parts).await {
        Ok(upload) => upload,
        Err(problem) => return problem.response(&state, language(&headers, &uri), uri.path()),
    };
    let read = state.work(move |state| uploaded(state, upload)).await;
    match read.unwrap_or_else(|| Err(Problem::busy())) {
        Ok(form) => whole(&state, &headers, &uri, form, None).await,
        Err(problem) => whole(&state, &headers, &uri, first(&state), Some(problem)).await,
    }
}

fn uploaded(state: &AppState, upload: Upload) -> Result<Form, Problem> {
    let (bytes, ending) = upload.file.unwrap_or_default();
    // A zip archive: what every workbook is, whatever it is called.
    if bytes.starts_with(b"PK") {
        let rows = sheet_rows(&bytes).map_err(|error| Problem::of(&error))?;
        let mut form = Form { rows: Vec::new(), ..first(state) };
        form.add_rows(rows, &|text| heading(state, text))?;
        return Ok(form);
    }
    let text = String::from_utf8(bytes.into()).map_err(|_| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, Phrase::new("web-not-text"))
            .hint(Phrase::new("web-hint-not-text"))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Form::from_text(text, Notation::from_extension(&ending))
}

/// Returns the column that a heading names, as in a workload file or as the page calls it.
fn heading(state: &AppState, text: &str) -> Option<usize> {
    let text = text.trim();
    COLUMNS.iter().position(|column| {
        let key = format!("web-column-{column}");
        text.eq_ignore_ascii_case(column)
            || Language::ALL
                .into_iter()
                .any(|language| state.words(language).word(&key).eq_ignore_ascii_case(text))
    })
}

/// Lays a price card, read on the market page, under the first plan.
pub(crate) async fn with_prices(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let form = match received(&state, &headers, body) {
        Ok(form) => form,
        Err(problem) => return problem.response(&state, language(&headers, &uri), uri.path()),
    };
    let form = Form { prices: form.prices, ..first(&state) };
    whole(&state, &headers, &uri, form, None).await
}

/// Gives the plan away as a file.
pub(crate) async fn download(
    State(state): State<AppState>,
    Path(kind): Path<String>,
    headers: HeaderMap,
    uri: Uri,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let language = language(&headers, &uri);
    let refuse = |problem: Problem| problem.response(&state, language, uri.path());
    let form = match received(&state, &headers, body) {
        Ok(form) => form,
        Err(problem) => return refuse(problem),
    };
    let made = state.work(move |state| written(state, language, &form, &kind)).await;
    match made.unwrap_or_else(|| Err(Problem::busy())) {
        Ok((bytes, mime, name)) => attach(bytes, mime, &name),
        Err(problem) => refuse(problem),
    }
}

type Written = (Vec<u8>, &'static str, String);

fn written(
    state: &AppState,
    language: Language,
    form: &Form,
    kind: &str,
) -> Result<Written, Problem> {
    let planned = planning::plan_form(state, form)?;
    let words = state.words(language);
    let month = planned.document.workload.month;
    let name = |ending: &str| format!("kasuan-{}.{ending}", month.strftime("%Y-%m"));
    Ok(match kind {
        "xlsx" => (
            planned.report(state, true).workbook(words).map_err(|error| Problem::of(&error))?,
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            name("xlsx"),
        ),
        "json" => {
            let plan = plan_json::v1::plan(&planned.plan, month, &|phrase| words.say(phrase));
            let text = serde_json::to_vec_pretty(&plan).unwrap_or_default();
            (text, "application/json", name("json"))
        }
        "md" => (
            planned.report(state, true).document(words).to_markdown().into_bytes(),
            "text/markdown; charset=utf-8",
            name("md"),
        ),
        "yaml" => (planned.document.to_yaml().into_bytes(), "application/yaml", name("yaml")),
        _ => return Err(Problem::new(StatusCode::NOT_FOUND, Phrase::new("serve-nowhere"))),
    })
}

fn language(headers: &HeaderMap, uri: &Uri) -> Language {
    reader::language(headers, uri)
}

/// Reads the form that a browser sent; a reader of a read-only server gets what it shows.
fn received(
    state: &AppState,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Form, Problem> {
    let body = body.map_err(|rejection| broken(rejection.status()))?;
    let form = Form::from_pairs(form_urlencoded::parse(&body).into_owned())?;
    if !state.0.access.proves(headers, &form.proof) {
        return Err(Problem::new(StatusCode::FORBIDDEN, Phrase::new("serve-cross-site"))
            .hint(Phrase::new("serve-hint-reload")));
    }
    Ok(if state.0.settings.read_only { first(state) } else { form })
}

/// Returns what a new reader sees.
fn first(state: &AppState) -> Form {
    let own = state.0.settings.workload.as_ref();
    let own = own.and_then(|(text, notation)| Form::from_text(text, *notation).ok());
    own.or_else(|| example("qa-team").and_then(Result::ok)).unwrap_or_default()
}

fn example(name: &str) -> Option<Result<Form, Problem>> {
    let (_, text, prices) = EXAMPLES.iter().find(|(other, _, _)| *other == name)?;
    let form = Form::from_text(text, Notation::Yaml);
    Some(form.map(|form| Form { prices: (*prices).to_owned(), ..form }))
}

/// Writes the whole page.
async fn whole(
    state: &AppState,
    headers: &HeaderMap,
    uri: &Uri,
    form: Form,
    trouble: Option<Problem>,
) -> Response {
    let language = language(headers, uri);
    let form = Arc::new(form);
    let asked = Arc::clone(&form);
    let answer = match trouble {
        Some(problem) => Arc::new(Answer::problem(&problem, &form, state.words(language))),
        None => state
            .work(move |state| answered(state, language, &asked))
            .await
            .unwrap_or_else(|| Arc::new(Answer::busy(state.words(language)))),
    };
    let rows = form.rows.iter().enumerate().map(|(at, row)| ShownRow {
        number: at + 1,
        cells: COLUMNS.iter().copied().zip(row.iter().map(String::as_str)).collect(),
    });
    page(&PlanPage {
        frame: &Frame::new(state, headers, uri, "plan"),
        rows: rows.collect(),
        tasks: kasuan_formats::workload::fields::TASKS,
        models: Models::shipped().entries().iter().map(|model| model.id.as_str()).collect(),
        examples: EXAMPLES.iter().map(|(name, _, _)| *name).collect(),
        slider: answer.slider(),
        form: &form,
        answer,
    })
}

/// Plans, and puts the plan into pictures and words.
fn answered(state: &AppState, language: Language, form: &Form) -> Arc<Answer> {
    let words = state.words(language);
    if form.rows.is_empty() {
        return Arc::new(Answer::empty(words));
    }
    let mut parts = vec!["told", words.language().tag()];
    let encoded = form.encoded();
    parts.push(&encoded);
    parts.extend(form.saved.iter().map(String::as_str));
    let measured = measured::hours(state);
    let seen = format!("{measured:?}");
    parts.push(&seen);
    state.0.told.get(planning::digest(state, &parts), || {
        Arc::new(match planning::plan_form(state, form) {
            Ok(planned) => Answer::plan(state, form, &planned, &measured, words),
            Err(problem) => Answer::problem(&problem, form, words),
        })
    })
}

/// Says where in the form something is wrong.
fn place(form: &Form, problem: &Problem, words: &Words) -> Option<(String, usize, &'static str)> {
    match form.spot(problem.place) {
        Spot::Row(number, column) => {
            let column = column.unwrap_or("name");
            let phrase = Phrase::new("web-at-row")
                .with("row", number)
                .with_word("column", format!("web-column-{column}"));
            Some((words.say(&phrase), number, column))
        }
        Spot::Rest(line) => {
            Some((words.say(&Phrase::new("web-at-line").with("line", line)), 0, "rest"))
        }
        Spot::Whole => None,
    }
}

/// Returns the plan of a saved form, for the comparison.
fn saved(state: &AppState, text: &str) -> Option<(Form, Arc<Planned>)> {
    let form = Form::decode(text).ok()?;
    let planned = planning::plan_form(state, &form).ok()?;
    Some((form, planned))
}
