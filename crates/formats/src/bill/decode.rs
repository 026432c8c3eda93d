//! From bytes to a table of cells: encodings, web pages saved by mistake, separators.

use super::BillError;
use crate::columnar;
use encoding_rs::GB18030;

/// A row of cells with its line in the file.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) cells: Vec<String>,
}

/// The cells of a file.
pub(super) struct CellTable {
    pub(super) header: Vec<String>,
    pub(super) lines: Vec<Line>,
}

/// Decodes UTF-8 with or without a byte order mark, UTF-16 with one, or else GB18030, the superset
/// of GBK that Chinese exports and Excel write.
pub(super) fn text(file: &str, bytes: &[u8]) -> Result<String, BillError> {
    let decoded = match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => {
            let (text, _, damaged) = encoding.decode(bytes);
            (!damaged).then(|| text.into_owned())
        }
        None => match std::str::from_utf8(bytes) {
            Ok(text) => Some(text.to_owned()),
            Err(_) => GB18030
                .decode_without_bom_handling_and_without_replacement(bytes)
                .map(std::borrow::Cow::into_owned),
        },
    };
    let text = decoded.ok_or_else(|| BillError::Encoding { file: file.to_owned() })?;
    let start = text.trim_start().get(..64.min(text.trim_start().len())).unwrap_or("");
    let start = start.to_ascii_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        return Err(BillError::WebPage { file: file.to_owned() });
    }
    Ok(text)
}

/// Returns the separator that stands most often in the first line.
fn separator(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    [b',', b'\t', b';', b'|']
        .into_iter()
        .max_by_key(|separator| first.bytes().filter(|byte| byte == separator).count())
        .unwrap_or(b',')
}

/// Splits the text into cells. A header that is repeated further down is left out.
pub(super) fn table(file: &str, text: &str) -> Result<CellTable, BillError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator(text))
        .from_reader(text.as_bytes());
    let mut header: Option<Vec<String>> = None;
    let mut lines = Vec::new();
    for record in reader.records() {
        // Text that is UTF-8 and has flexible rows cannot fail to split.
        let Ok(record) = record else { continue };
        let number = record.position().map_or(0, csv::Position::line);
        // Excel marks long numbers as text with a tab or an apostrophe.
        let clean =
            |cell: &str| cell.trim().trim_start_matches(['\'', '\u{feff}']).trim().to_owned();
        let cells: Vec<String> = record.iter().map(clean).collect();
        if cells.iter().all(String::is_empty) {
            continue;
        }
        match &header {
            None => header = Some(cells),
            Some(header) if *header == cells => {}
            Some(_) => lines.push(Line { number, cells }),
        }
    }
    match header {
        Some(header) if !lines.is_empty() => Ok(CellTable { header, lines }),
        _ => Err(BillError::Empty { file: file.to_owned() }),
    }
}

/// Reads the cells of a Parquet file; the number of a line is that of its row.
pub(super) fn columns(file: &str, bytes: &[u8]) -> Result<CellTable, BillError> {
    let (header, rows) = columnar::table(bytes.to_vec()).map_err(|error| BillError::Columnar {
        file: file.to_owned(),
        reason: error.to_string(),
    })?;
    if rows.is_empty() {
        return Err(BillError::Empty { file: file.to_owned() });
    }
    let lines = rows.into_iter().zip(1..).map(|(cells, number)| Line { number, cells });
    Ok(CellTable { header, lines: lines.collect() })
}
