//! A workbook with a price card in it becomes the CSV that the price card is read from.

use super::ImportError;
use calamine::{Data, Reader as _, Xlsx, open_workbook_from_rs};
use std::io::Cursor;

/// Returns the first sheet that has rows as CSV.
pub(super) fn as_csv(bytes: &[u8]) -> Result<String, ImportError> {
    let wrong = |what: String| ImportError::Workbook { what };
    let mut book: Xlsx<_> =
        open_workbook_from_rs(Cursor::new(bytes)).map_err(|error| wrong(format!("{error}")))?;
    for name in book.sheet_names() {
        let sheet = book.worksheet_range(&name).map_err(|error| wrong(format!("{error}")))?;
        if sheet.height() < 2 {
            continue;
        }
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        for row in sheet.rows() {
            let cells: Vec<String> = row.iter().map(cell).collect();
            writer.write_record(&cells).map_err(|error| wrong(format!("{error}")))?;
        }
        let bytes = writer.into_inner().map_err(|error| wrong(format!("{error}")))?;
        return String::from_utf8(bytes).map_err(|error| wrong(format!("{error}")));
    }
    Err(ImportError::Empty)
}

fn cell(data: &Data) -> String {
    match data {
        Data::Empty => String::new(),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        // A whole number is written without a point, so that counts read as counts.
        Data::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            format!("{}", *number as i64)
        }
        Data::Float(number) => format!("{number}"),
        Data::Int(number) => number.to_string(),
        Data::Bool(value) => value.to_string(),
        // Days since 1899-12-30, the way spreadsheets keep dates.
        Data::DateTime(moment) => jiff::civil::date(1899, 12, 30)
            .checked_add(jiff::Span::new().days(moment.as_f64() as i64))
            .map_or_else(|_| String::new(), |day| day.to_string()),
        Data::Error(error) => format!("{error:?}"),
    }
}
