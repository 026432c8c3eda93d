//! Files as text: byte order marks, GBK, and the formats that are no text at all.

use csv::{Reader, ReaderBuilder, StringRecord};

/// What a file is, before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Text, with the encoding it came in when that was not UTF-8.
    Text(String, Option<&'static str>),
    /// A ZIP archive, which an XLSX workbook is.
    Zip,
    /// A web page.
    Html,
    /// Neither UTF-8 nor GBK.
    Unreadable,
    /// Nothing.
    Empty,
}

/// Looks at the bytes of a file.
pub(super) fn content(bytes: &[u8]) -> Content {
    if bytes.starts_with(b"PK\x03\x04") {
        return Content::Zip;
    }
    let (text, encoding) = match decode(bytes) {
        Some(decoded) => decoded,
        None => return Content::Unreadable,
    };
    let start = text.trim_start();
    if start.is_empty() {
        return Content::Empty;
    }
    let head: String = start.chars().take(200).collect::<String>().to_lowercase();
    if ["<!doctype", "<html", "<head", "<body"].iter().any(|tag| head.starts_with(tag)) {
        return Content::Html;
    }
    Content::Text(text, encoding)
}

fn decode(bytes: &[u8]) -> Option<(String, Option<&'static str>)> {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        let (text, _, broken) = encoding.decode(bytes);
        let name = (encoding != encoding_rs::UTF_8).then(|| encoding.name());
        return (!broken).then(|| (text.into_owned(), name));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some((text.to_owned(), None));
    }
    let (text, _, broken) = encoding_rs::GB18030.decode(bytes);
    (!broken).then(|| (text.into_owned(), Some("GBK")))
}

/// The records of a CSV with their lines, read into one buffer; a broken record is an error of its
/// own.
pub(super) struct Records<'a> {
    reader: Reader<&'a [u8]>,
    record: StringRecord,
}

impl<'a> Records<'a> {
    /// Starts at the first record.
    pub(super) fn new(text: &'a str) -> Self {
        let reader =
            ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        Self { reader, record: StringRecord::new() }
    }

    /// Reads the next record.
    pub(super) fn next(&mut self) -> Option<(u64, Result<&StringRecord, String>)> {
        match self.reader.read_record(&mut self.record) {
            Ok(true) => {
                let line = self.record.position().map_or(0, csv::Position::line);
                Some((line, Ok(&self.record)))
            }
            Ok(false) => None,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                Some((line, Err(error.to_string())))
            }
        }
    }
}

/// Walks the records of a CSV, each of its own.
pub(super) fn csv_records(text: &str) -> impl Iterator<Item = (u64, Result<StringRecord, String>)> {
    let mut records = Records::new(text);
    std::iter::from_fn(move || records.next().map(|(line, record)| (line, record.cloned())))
}
