//! Tables of runs that experiment trackers export as CSV: Weights & Biases, MLflow, and the like.
//!
//! Columns are found by their known names. A row without a start or without an end and a duration
//! is counted as skipped, never guessed.

use crate::bill::{moment, states_zone};
use jiff::{Timestamp, tz::Offset};
use kasuan_model::{Phrase, Phrased};
use sha2::{Digest as _, Sha256};

/// Names of columns by what they mean. Sources: the CSV export of the W&B workspace table and
/// `wandb.Api().runs` (name, created, runtime, user, state); MLflow's `search_runs` frame and the
/// CSV of its table (run_id, start_time, end_time, status, tags.mlflow.user).
const COLUMNS: &[(&str, &[&str])] = &[
    ("id", &["run_id", "run id", "id", "run.id"]),
    ("job", &["tags.mlflow.runname", "run name", "name", "display_name", "group"]),
    ("person", &["tags.mlflow.user", "user", "username", "entity"]),
    ("start", &["start_time", "start time", "created", "createdat", "created_at", "start"]),
    ("end", &["end_time", "end time", "heartbeatat", "heartbeat_at", "end"]),
    ("seconds", &["runtime", "_runtime", "duration", "_wandb.runtime"]),
    ("state", &["state", "status"]),
    ("card", &["gpu type", "gpu_type", "params.gpu_type", "gpu", "params.gpu"]),
    ("cards", &["gpu count", "gpu_count", "params.gpu_count", "world_size", "params.world_size"]),
    ("host", &["hostname", "host", "tags.host"]),
];

/// A run as a table has it.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRun {
    /// Its id, or a digest of its row.
    pub id: String,
    /// The job.
    pub job: String,
    /// Who ran it.
    pub person: Option<String>,
    /// The host.
    pub host: Option<String>,
    /// The card, as named there.
    pub card: Option<String>,
    /// How many cards; `None` when the table does not say.
    pub cards: Option<u32>,
    /// When it started.
    pub start: Timestamp,
    /// When it ended; `None` while it runs.
    pub end: Option<Timestamp>,
    /// 0 when it ended well, 1 when it did not, `None` while it runs or when nobody knows.
    pub exit_code: Option<i32>,
    /// Units of work, from the column that was asked for.
    pub work: Option<f64>,
}

/// A table that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunTable {
    /// `mlflow` or `wandb`, by its columns.
    pub origin: &'static str,
    /// The runs.
    pub runs: Vec<TableRun>,
    /// Rows without a start, or without an end although they are over.
    pub skipped: usize,
}

/// Why a table of runs cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunTableError {
    /// There is no column for the start.
    #[error("no column tells when a run started")]
    NoStart,
    /// A time has no zone and none was stated.
    #[error("line {line}: `{text}` has no zone")]
    NoZone {
        /// The line.
        line: u64,
        /// What stands there.
        text: String,
    },
    /// A cell cannot be read.
    #[error("line {line}, column `{column}`: `{text}` cannot be read")]
    Cell {
        /// The line.
        line: u64,
        /// The column.
        column: String,
        /// What stands there.
        text: String,
    },
    /// A run ends before it starts.
    #[error("line {line}: the run ends before it starts")]
    Backwards {
        /// The line.
        line: u64,
    },
    /// The column of work does not exist.
    #[error("there is no column `{0}`")]
    NoWork(String),
}

impl Phrased for RunTableError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::NoStart => Phrase::new("runs-error-no-start"),
            Self::NoZone { line, text } => {
                Phrase::new("runs-error-no-zone").with("line", line).with("text", text)
            }
            Self::Cell { line, column, text } => Phrase::new("runs-error-cell")
                .with("line", line)
                .with("column", column)
                .with("text", text),
            Self::Backwards { line } => Phrase::new("runs-error-backwards").with("line", line),
            Self::NoWork(column) => Phrase::new("runs-error-no-work").with("column", column),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::NoZone { .. } => vec![Phrase::new("runs-hint-zone")],
            Self::NoStart => vec![Phrase::new("runs-hint-start")],
            _ => Vec::new(),
        }
    }
}

/// Says whether a text looks like such a table.
pub fn is(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or("").to_lowercase();
    let cells: Vec<&str> = first.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
    let has = |field: &str| {
        let names = COLUMNS.iter().find(|(name, _)| *name == field).map(|(_, names)| *names);
        names.is_some_and(|names| names.iter().any(|name| cells.contains(name)))
    };
    has("start") && has("job") && (has("seconds") || has("end"))
}

struct Reader<'a> {
    header: Vec<String>,
    zone: Option<Offset>,
    work: Option<usize>,
    line: u64,
    record: &'a csv::StringRecord,
}

impl Reader<'_> {
    fn cell(&self, field: &str) -> Option<(usize, &str)> {
        let names = COLUMNS.iter().find(|(name, _)| *name == field).map(|(_, names)| *names)?;
        names.iter().find_map(|name| {
            let at = self.header.iter().position(|column| column == name)?;
            let text = self.record.get(at)?.trim();
            (!matches!(text, "" | "-" | "None" | "nan" | "NaN" | "null")).then_some((at, text))
        })
    }

    fn text(&self, field: &str) -> Option<String> {
        self.cell(field).map(|(_, text)| text.to_owned())
    }

    fn unread(&self, at: usize, text: &str) -> RunTableError {
        let column = self.header.get(at).cloned().unwrap_or_default();
        RunTableError::Cell { line: self.line, column, text: text.to_owned() }
    }

    /// Reads a moment, or milliseconds since 1970 as MLflow's REST answers have them.
    fn moment(&self, field: &str) -> Result<Option<Timestamp>, RunTableError> {
        let Some((at, text)) = self.cell(field) else { return Ok(None) };
        let digits = text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_digit());
        if digits {
            let read = text.parse().ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
            return read.map(Some).ok_or_else(|| self.unread(at, text));
        }
        // Python writes `2026-11-02 08:00:00+00:00`.
        if let Ok(moment) = text.replacen(' ', "T", 1).parse() {
            return Ok(Some(moment));
        }
        if self.zone.is_none() && !states_zone(text) {
            return Err(RunTableError::NoZone { line: self.line, text: text.to_owned() });
        }
        let plain = text.split('.').next().unwrap_or(text);
        let read = moment(plain, self.zone.unwrap_or(Offset::UTC));
        read.map(Some).ok_or_else(|| self.unread(at, text))
    }

    /// Reads seconds: `3600`, `1:02:03`, `1.5h`, `20.4s`, `3d 2h`.
    fn seconds(&self) -> Result<Option<f64>, RunTableError> {
        let Some((at, text)) = self.cell("seconds") else { return Ok(None) };
        let read = plain_seconds(text).filter(|seconds| *seconds >= 0.0 && seconds.is_finite());
        read.map(Some).ok_or_else(|| self.unread(at, text))
    }

    fn run(&self) -> Result<Option<TableRun>, RunTableError> {
        let Some(start) = self.moment("start")? else { return Ok(None) };
        let state = self.text("state").unwrap_or_default().to_lowercase();
        let running = matches!(state.as_str(), "running" | "scheduled" | "pending");
        let end = match self.moment("end")? {
            Some(end) if !running => Some(end),
            _ => None,
        };
        let end = match (end, self.seconds()?) {
            (None, Some(seconds)) if !running => {
                #[expect(clippy::cast_possible_truncation, reason = "checked to be finite")]
                let whole = seconds.round() as i64;
                Timestamp::from_second(start.as_second().saturating_add(whole)).ok()
            }
            (end, _) => end,
        };
        if end.is_some_and(|end| end < start) {
            return Err(RunTableError::Backwards { line: self.line });
        }
        if end.is_none() && !running {
            return Ok(None);
        }
        let exit_code = match state.as_str() {
            "finished" | "completed" | "success" | "succeeded" => Some(0),
            "failed" | "crashed" | "killed" | "cancelled" | "preempted" => Some(1),
            _ => None,
        };
        let work = self.work.and_then(|at| self.record.get(at)).map(str::trim);
        let work = work.filter(|text| !text.is_empty());
        let work = work
            .map(|text| text.parse::<f64>().map_err(|_| self.unread(self.work.unwrap_or(0), text)));
        let cards = match self.cell("cards") {
            None => None,
            Some((at, text)) => {
                let whole = text.trim_end_matches(".0").parse();
                Some(whole.map_err(|_| self.unread(at, text))?)
            }
        };
        Ok(Some(TableRun {
            id: self.text("id").unwrap_or_else(|| digest(self.record)),
            job: self.text("job").unwrap_or_default(),
            person: self.text("person"),
            host: self.text("host"),
            card: self.text("card"),
            cards,
            start,
            end,
            exit_code,
            work: work.transpose()?,
        }))
    }
}

fn digest(record: &csv::StringRecord) -> String {
    let mut digest = Sha256::new();
    for cell in record {
        digest.update(cell.as_bytes());
        digest.update([0]);
    }
    digest.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn plain_seconds(text: &str) -> Option<f64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Some(seconds);
    }
    if text.contains(':') {
        return text
            .split(':')
            .try_fold(0.0, |sum, part| Some(sum * 60.0 + part.parse::<f64>().ok()?));
    }
    let mut sum = 0.0;
    for part in text.split_whitespace() {
        let unit = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number: f64 = part.strip_suffix(unit)?.parse().ok()?;
        sum += number
            * match unit {
                "d" => 86_400.0,
                "h" => 3_600.0,
                "min" | "m" => 60.0,
                "s" => 1.0,
                "ms" => 1e-3,
                _ => return None,
            };
    }
    Some(sum)
}

/// Reads a table. `zone` is for times without one; `work` names a column that counts work.
pub fn read(
    text: &str,
    zone: Option<Offset>,
    work: Option<&str>,
) -> Result<RunTable, RunTableError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header: Vec<String> = reader
        .headers()
        .map(|row| row.iter().map(|cell| cell.trim().to_lowercase()).collect())
        .unwrap_or_default();
    let starts =
        COLUMNS.iter().find(|(name, _)| *name == "start").map_or(&[][..], |(_, names)| *names);
    if !header.iter().any(|column| starts.contains(&column.as_str())) {
        return Err(RunTableError::NoStart);
    }
    let work = match work {
        None => None,
        Some(name) => {
            let at = header.iter().position(|column| *column == name.to_lowercase());
            Some(at.ok_or_else(|| RunTableError::NoWork(name.to_owned()))?)
        }
    };
    let mlflow = header.iter().any(|column| column == "run_id" || column.contains("mlflow"));
    let mut table =
        RunTable { origin: if mlflow { "mlflow" } else { "wandb" }, ..RunTable::default() };
    for record in reader.records() {
        let Ok(record) = record else {
            table.skipped += 1;
            continue;
        };
        let line = record.position().map_or(0, csv::Position::line);
        let row = Reader { header: header.clone(), zone, work, line, record: &record };
        match row.run()? {
            Some(run) => table.runs.push(run),
            None => table.skipped += 1,
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wandb_table_is_read_with_its_runtime_and_state() {
        let text = "Name,State,User,Created,Runtime,GPU Type,GPU Count,tokens
lora,finished,lin,2026-11-02T00:00:00.000Z,3600,NVIDIA A100,2,5e6
lora,crashed,lin,2026-11-02T02:00:00.000Z,0:10:00,NVIDIA A100,2,
lora,running,lin,2026-11-02T03:00:00.000Z,60,NVIDIA A100,2,
lora,finished,lin,,60,NVIDIA A100,2,
";
        assert!(is(text));
        let table = read(text, None, Some("tokens")).unwrap();
        assert_eq!((table.origin, table.runs.len(), table.skipped), ("wandb", 3, 1));
        let lasted = |run: &TableRun| run.end.map(|end| end.as_second() - run.start.as_second());
        let ends: Vec<_> = table.runs.iter().map(|run| (lasted(run), run.exit_code)).collect();
        assert_eq!(ends, [(Some(3600), Some(0)), (Some(600), Some(1)), (None, None)]);
        assert_eq!((table.runs[0].work, table.runs[0].cards), (Some(5e6), Some(2)));
    }

    #[test]
    fn an_mlflow_frame_without_zones_asks_for_one() {
        let text = "run_id,status,start_time,end_time,tags.mlflow.user,tags.mlflow.runName
a1,FINISHED,2026-11-02 08:00:00.123000,2026-11-02 09:00:00,wang,eval
";
        assert!(is(text));
        assert!(matches!(read(text, None, None), Err(RunTableError::NoZone { line: 2, .. })));
        let china = Offset::from_seconds(8 * 3600).unwrap();
        let table = read(text, Some(china), None).unwrap();
        assert_eq!(table.runs[0].start.to_string(), "2026-11-02T00:00:00Z");
        assert_eq!((table.origin, table.runs[0].job.as_str()), ("mlflow", "eval"));
        let zoned = text.replace(".123000", "+00:00").replace("09:00:00,", "09:00:00+00:00,");
        assert_eq!(read(&zoned, None, None).unwrap().runs[0].id, "a1");
        let backwards = text.replace("09:00", "07:00");
        assert_eq!(read(&backwards, Some(china), None), Err(RunTableError::Backwards { line: 2 }));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "(start_time|name|runtime|,|\n|[0-9:. -]{1,12}|.){0,40}") {
            drop(read(&text, None, None));
        }
    }
}
