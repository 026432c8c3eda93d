//! A Parquet file as a table of text, so that a bill reads the same from either format.

use super::ColumnarError;
use bytes::Bytes;
use jiff::Timestamp;
use parquet::{
    file::reader::{FileReader as _, SerializedFileReader},
    record::Field,
};
use serde_json::Value;

/// No bill of a month has more rows; a file may say that it has.
const MOST_ROWS: i64 = 50_000_000;

/// Says whether bytes begin as Parquet does.
pub(crate) fn is(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1")
}

/// Returns the names of the columns, and the cells of each row; nothing is an empty cell.
pub(crate) fn table(bytes: Vec<u8>) -> Result<(Vec<String>, Vec<Vec<String>>), ColumnarError> {
    let reader = SerializedFileReader::new(Bytes::from(bytes))?;
    let metadata = reader.metadata().file_metadata();
    if metadata.num_rows() > MOST_ROWS {
        return Err(ColumnarError(format!("{} rows", metadata.num_rows())));
    }
    let fields = metadata.schema_descr().root_schema().get_fields();
    let header = fields.iter().map(|field| field.name().to_owned()).collect();
    let mut rows = Vec::new();
    for row in reader.get_row_iter(None)? {
        let row = row?;
        rows.push(row.get_column_iter().map(|(_, field)| cell(field)).collect());
    }
    Ok((header, rows))
}

fn cell(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        // Plain digits, which a decimal is read from exactly.
        Field::Double(value) => value.to_string(),
        Field::Float(value) => value.to_string(),
        Field::Bytes(bytes) => String::from_utf8_lossy(bytes.data()).into_owned(),
        Field::Date(days) => {
            let midnight = Timestamp::from_second(i64::from(*days) * 86_400);
            midnight.map(|day| day.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
        }
        Field::TimestampMillis(at) => time(Timestamp::from_millisecond(*at)),
        Field::TimestampMicros(at) => time(Timestamp::from_microsecond(*at)),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => json(field).to_string(),
        other => other.to_string(),
    }
}

fn time(at: Result<Timestamp, jiff::Error>) -> String {
    at.map(|at| at.to_string()).unwrap_or_default()
}

/// What is nested, as CSV exports write it: tags and price details are JSON there.
fn json(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => (*value).into(),
        Field::Group(row) => row
            .get_column_iter()
            .map(|(name, field)| (name.clone(), json(field)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Field::ListInternal(list) => list.elements().iter().map(json).collect::<Vec<_>>().into(),
        Field::MapInternal(map) => map
            .entries()
            .iter()
            .map(|(key, value)| (cell(key), json(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => cell(other).into(),
    }
}
