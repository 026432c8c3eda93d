//! Logs of requests as CSV: when each came, how many tokens it read and wrote.
//!
//! Columns by name, as in the Azure LLM inference traces (`TIMESTAMP, ContextTokens,
//! GeneratedTokens`); the time is a date with a clock, or seconds since the start.

use csv::{ReaderBuilder, Trim};
use jiff::civil::DateTime;
use kasuan_model::{Phrase, Phrased};
use kasuan_sizing::capacity::Request;

/// Names of the column of the time, lower case.
const TIMES: &[&str] = &["timestamp", "arrived_at", "arrival", "time", "时间", "到达时间"];
/// Names of the column of the prompt's tokens.
const PROMPTS: &[&str] = &[
    "contexttokens",
    "context_tokens",
    "num_prefill_tokens",
    "prompt_tokens",
    "input_tokens",
    "输入",
];
/// Names of the column of the written tokens.
const WRITTEN: &[&str] = &[
    "generatedtokens",
    "generated_tokens",
    "num_decode_tokens",
    "completion_tokens",
    "output_tokens",
    "输出",
];

/// Why a log could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestsError {
    /// The text is not CSV.
    #[error("line {line} is not CSV")]
    Csv {
        /// The line, from 1.
        line: u64,
    },
    /// A column is missing.
    #[error("no column {name}")]
    Column {
        /// Its usual name.
        name: &'static str,
    },
    /// A field is no time or no count of tokens.
    #[error("line {line}: `{text}` is no {name}")]
    Field {
        /// The line, from 1.
        line: u64,
        /// The column.
        name: &'static str,
        /// What stood there.
        text: String,
    },
    /// There are fewer than two requests, or all came at once.
    #[error("fewer than two requests at different times")]
    Short,
}

impl Phrased for RequestsError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Csv { line } => Phrase::new("capacity-error-csv").with("line", line),
            Self::Column { name } => Phrase::new("capacity-error-column").with("name", name),
            Self::Field { line, name, text } => Phrase::new("capacity-error-field")
                .with("line", line)
                .with("name", name)
                .with("text", text),
            Self::Short => Phrase::new("capacity-error-short"),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        vec![Phrase::new("capacity-hint-trace")]
    }
}

/// Reads a log; requests are put in the order of arrival, the first at 0 seconds.
///
/// # Errors
/// [`RequestsError`] names the line and the column.
pub fn read(text: &str) -> Result<Vec<Request>, RequestsError> {
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|_| RequestsError::Csv { line: 1 })?.clone();
    let find = |names: &[&str], name| {
        header
            .iter()
            .position(|field| names.contains(&field.to_lowercase().as_str()))
            .ok_or(RequestsError::Column { name })
    };
    let time = find(TIMES, "TIMESTAMP")?;
    let prompt = find(PROMPTS, "ContextTokens")?;
    let written = find(WRITTEN, "GeneratedTokens")?;
    let mut log = Vec::new();
    let mut start = None;
    for row in reader.records() {
        let row = row.map_err(|error| RequestsError::Csv {
            line: error.position().map_or(0, csv::Position::line),
        })?;
        let line = row.position().map_or(0, csv::Position::line);
        let field = |at: usize| row.get(at).unwrap_or_default();
        let wrong = |name, at| RequestsError::Field { line, name, text: field(at).to_owned() };
        let tokens = |name, at| field(at).parse::<u32>().map_err(|_| wrong(name, at));
        log.push(Request {
            arrival: seconds(field(time), &mut start).ok_or_else(|| wrong("TIMESTAMP", time))?,
            prompt: tokens("ContextTokens", prompt)?,
            generated: tokens("GeneratedTokens", written)?,
        });
    }
    log.sort_by(|a, b| a.arrival.total_cmp(&b.arrival));
    let first = log.first().map_or(0.0, |r| r.arrival);
    for request in &mut log {
        request.arrival -= first;
    }
    if log.last().is_none_or(|last| last.arrival <= 0.0) {
        return Err(RequestsError::Short);
    }
    Ok(log)
}

/// Reads seconds, or a date with a clock as seconds since the first one.
fn seconds(text: &str, start: &mut Option<DateTime>) -> Option<f64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return seconds.is_finite().then_some(seconds);
    }
    // A zone at the end shifts all rows alike.
    let plain = text.trim_end_matches('Z').split('+').next().unwrap_or(text).trim();
    let moment: DateTime = plain.replacen(' ', "T", 1).parse().ok()?;
    let first = *start.get_or_insert(moment);
    Some(moment.duration_since(first).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_the_azure_traces_are_read_and_put_in_order() {
        let log = read(
            "TIMESTAMP,ContextTokens,GeneratedTokens\n\
             2023-11-16 18:15:50.5000000,396,109\n2023-11-16 18:15:46.2500000,374,44\n",
        )
        .unwrap();
        assert_eq!(log.len(), 2);
        assert_eq!((log[0].prompt, log[0].generated, log[0].arrival), (374, 44, 0.0));
        assert!((log[1].arrival - 4.25).abs() < 1e-9);
    }

    #[test]
    fn seconds_and_other_orders_of_columns_are_read() {
        let log = read("output_tokens,input_tokens,arrival\n5,10,0\n6,11,2.5\n").unwrap();
        assert_eq!((log[1].arrival, log[1].prompt, log[1].generated), (2.5, 11, 6));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let head = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
        assert_eq!(
            read(&format!("{head}1,10,5\n2,-3,5\n")),
            Err(RequestsError::Field { line: 3, name: "ContextTokens", text: "-3".into() })
        );
        assert_eq!(
            read("TIMESTAMP,ContextTokens\n"),
            Err(RequestsError::Column { name: "GeneratedTokens" })
        );
        assert_eq!(read(&format!("{head}1,10,5\n")), Err(RequestsError::Short));
        assert_eq!(
            read(&format!("{head}yesterday,10,5\n")),
            Err(RequestsError::Field { line: 2, name: "TIMESTAMP", text: "yesterday".into() })
        );
    }
}
