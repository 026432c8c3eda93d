//! Reports that were made on a box: `kasuan verify` and `kasuan baseline compare`, as JSON.

use super::whole;
use crate::{
    charts::escape,
    pages::{html, upload::Upload},
    problem::Problem,
    reader,
    state::AppState,
};
use axum::{
    extract::{Multipart, State},
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use kasuan_model::Phrase;
use kasuan_report::{Cell, Column, Table, Tone, Words};
use serde_json::Value;
use std::fmt::Write as _;

/// Answers with the report as people read it.
pub(crate) async fn answer(
    State(state): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
    parts: Multipart,
) -> Response {
    let language = reader::language(&headers, &uri);
    let upload = match Upload::receive(&state, &headers, parts).await {
        Ok(upload) => upload,
        Err(problem) => return problem.response(&state, language, uri.path()),
    };
    let words = state.words(language);
    let (bytes, _) = upload.file.unwrap_or_default();
    let shown = serde_json::from_slice(&bytes).ok().and_then(|report| read(&report, words));
    let shown = shown.ok_or_else(|| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, Phrase::new("web-report-unknown"))
            .hint(Phrase::new("web-hint-report"))
    });
    whole(&state, &headers, &uri, Some(shown))
}

/// Shows a report; nothing when it is none.
fn read(report: &Value, words: &Words) -> Option<String> {
    match report {
        Value::Object(fields) if fields.contains_key("checks") => verified(report, words),
        Value::Array(rows) if !rows.is_empty() => compared(rows, words),
        _ => None,
    }
}

fn verified(report: &Value, words: &Words) -> Option<String> {
    let checks = report["checks"].as_array()?;
    let count = |outcome: &str| {
        checks.iter().filter(|check| check["outcome"].as_str() == Some(outcome)).count()
    };
    let (bad, watch) = (count("fail"), count("warn"));
    let (verdict, tone) = if bad > 0 {
        (Phrase::new("verify-verdict-bad").with("count", bad), Tone::Bad)
    } else if watch > 0 {
        (Phrase::new("verify-verdict-watch").with("count", watch), Tone::Warn)
    } else {
        (Phrase::new("verify-verdict-good"), Tone::Good)
    };
    let mut text = format!(
        "<p class=\"lead {}\" id=\"report\"><b>{}</b></p>",
        html::class(tone),
        escape(&words.say(&verdict))
    );
    if let Some(at) = report["at"].as_str() {
        let _ = write!(text, "<p class=\"faint\">{}</p>", escape(at));
    }
    let mut table = Table::new(vec![
        Column::words("outcome", words.word("doctor-column-outcome")),
        Column::words("rule", words.word("doctor-column-rule")),
        Column::words("evidence", words.word("doctor-column-evidence")),
        Column::words("fix", words.word("doctor-column-fix")),
    ]);
    for check in checks {
        let said = |name: &str| check[name].as_str().unwrap_or_default().to_owned();
        let (word, tone) = match said("outcome").as_str() {
            "pass" => ("doctor-pass", Tone::Good),
            "warn" => ("doctor-watch", Tone::Warn),
            "fail" => ("doctor-fail", Tone::Bad),
            _ => ("doctor-unknown", Tone::Warn),
        };
        table.push(vec![
            Cell::new(words.word(word)).toned(tone),
            Cell::new(said("part")),
            Cell::new(said("evidence")),
            Cell::new(said("fix")),
        ]);
    }
    text.push_str(&html::table(&table, &words.word("web-report")));
    Some(text)
}

fn compared(rows: &[Value], words: &Words) -> Option<String> {
    let mut table = Table::new(vec![
        Column::words("measure", words.word("baseline-column-measure")),
        Column::figures("before", words.word("baseline-column-before")),
        Column::figures("now", words.word("baseline-column-now")),
        Column::figures("change_percent", words.word("baseline-column-change")),
        Column::words("judgement", words.word("baseline-column-judgement")),
    ]);
    for row in rows {
        let said = |name: &str| match &row[name] {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let (word, tone) = match said("judgement")?.as_str() {
            "worse" => ("baseline-worse", Tone::Bad),
            "better" => ("baseline-better", Tone::Good),
            _ => ("baseline-noise", Tone::Faint),
        };
        table.push(vec![
            Cell::new(said("measure")?),
            Cell::new(said("before")?),
            Cell::new(said("now")?),
            Cell::new(said("change_percent").unwrap_or_else(|| "—".to_owned())),
            Cell::new(words.word(word)).toned(tone),
        ]);
    }
    let shown = html::table(&table, &words.word("web-report"));
    Some(format!("<div id=\"report\">{shown}</div>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_report::Language;
    use serde_json::json;

    #[test]
    fn a_verification_shows_its_verdict_and_what_is_no_report_shows_nothing() {
        let words = Words::new(Language::English);
        let report = json!({"version": 1, "verdict": "fail", "checks": [
            {"part": "memory", "outcome": "pass", "evidence": "80 GiB", "fix": null},
            {"part": "speed", "outcome": "fail", "evidence": "<b>slow</b>", "fix": "ask for another"},
        ]});
        let shown = read(&report, &words).unwrap();
        assert!(shown.contains("Not passed") && shown.contains("ask for another"), "{shown}");
        assert!(!shown.contains("<b>slow"), "{shown}");
        let compared = json!([{"measure": "step", "before": 1.0, "now": 1.5,
            "change_percent": "+50.0", "judgement": "worse"}]);
        assert!(read(&compared, &words).unwrap().contains("+50.0"));
        assert!(read(&json!({"jobs": []}), &words).is_none());
        assert!(read(&json!([1, 2]), &words).is_none());
    }
}
