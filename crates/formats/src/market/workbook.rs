//! A workbook with a price card in it becomes the CSV that the price card is read from.
//!
//! Sheets that people make have a title above the header, merged cells and empty rows; files from
//! the internet may be made to exhaust memory. Line numbers stay those of the sheet.

use super::{ImportError, price_card::COLUMNS};
use calamine::{DataRef, Reader as _, Xlsx, open_workbook_from_rs};
use std::{
    collections::BTreeMap,
    io::{self, Cursor, Read as _},
};

/// No price list unpacks to more bytes than this.
const MAX_UNPACKED: u64 = 256 << 20;
/// No table that people make by hand unpacks to more bytes than this.
const MAX_TABLE: u64 = 32 << 20;
/// Nor has it more cells with something in them.
const MAX_CELLS: usize = 4_000_000;
/// Columns beyond this one are not looked at.
const MAX_COLUMNS: u32 = 256;
/// Rows beyond this one are not looked at; a sheet has no more.
const MAX_ROWS: u32 = 1 << 20;

/// Rows and columns of what stands in a sheet, from 0.
pub(crate) type Cells = BTreeMap<u32, BTreeMap<u32, String>>;

/// Returns the first sheet that has a price card in it as CSV, else the first with two rows.
pub(super) fn as_csv(bytes: &[u8]) -> Result<String, ImportError> {
    let mut book = open(bytes, MAX_UNPACKED)?;
    let mut other = None;
    for name in book.sheet_names() {
        let mut cells = read_cells(&mut book, &name)?;
        if cells.len() < 2 {
            continue;
        }
        for area in book.merge_cells_by_sheet_name(&name).map_err(|error| wrong(&error))? {
            fill(&mut cells, area.start, area.end);
        }
        match header(&cells) {
            Some(header) => return write(&cells, header),
            None => other = other.or(Some(cells)),
        }
    }
    let cells = other.ok_or(ImportError::Empty)?;
    let first = cells.keys().next().copied().unwrap_or(0);
    write(&cells, first)
}

/// Returns every sheet of a workbook that has something in it, with its name.
pub(crate) fn sheets(bytes: &[u8]) -> Result<Vec<(String, Cells)>, ImportError> {
    let mut book = open(bytes, MAX_TABLE)?;
    let mut sheets = Vec::new();
    for name in book.sheet_names() {
        let cells = read_cells(&mut book, &name)?;
        sheets.push((name, cells));
    }
    Ok(sheets)
}

/// Returns the rows of the first sheet with anything in it, cells as text; for a table that people
/// make by hand, such as a list of jobs.
///
/// # Errors
/// When it is no workbook, holds nothing, or unpacks to more than such a table can hold.
pub fn sheet_rows(bytes: &[u8]) -> Result<Vec<Vec<String>>, ImportError> {
    let mut book = open(bytes, MAX_TABLE)?;
    for name in book.sheet_names() {
        let cells = read_cells(&mut book, &name)?;
        if cells.is_empty() {
            continue;
        }
        let last =
            cells.values().filter_map(|row| row.keys().next_back()).max().copied().unwrap_or(0);
        let cell = |row: &BTreeMap<u32, String>, at: u32| row.get(&at).cloned().unwrap_or_default();
        return Ok(cells
            .values()
            .map(|row| (0..=last).map(|at| cell(row, at)).collect())
            .collect());
    }
    Err(ImportError::Empty)
}

/// Opens a workbook that unpacks to at most so many bytes.
fn open(bytes: &[u8], most: u64) -> Result<Xlsx<Cursor<&[u8]>>, ImportError> {
    check_size(bytes, most)?;
    open_workbook_from_rs(Cursor::new(bytes)).map_err(|error| wrong(&error))
}

fn wrong(error: &dyn std::fmt::Display) -> ImportError {
    ImportError::Workbook { what: error.to_string() }
}

/// Refuses an archive that unpacks to more than a price list can hold, without keeping any of it;
/// what the archive says of its own sizes is not believed.
fn check_size(bytes: &[u8], most: u64) -> Result<(), ImportError> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| wrong(&error))?;
    let mut left = most;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(|error| wrong(&error))?;
        let unpacked = io::copy(&mut entry.take(left + 1), &mut io::sink());
        let unpacked = unpacked.map_err(|error| wrong(&error))?;
        left = left.checked_sub(unpacked).ok_or(ImportError::Large { limit: most >> 20 })?;
    }
    Ok(())
}

fn read_cells(book: &mut Xlsx<Cursor<&[u8]>>, name: &str) -> Result<Cells, ImportError> {
    let mut cells = Cells::new();
    let mut count = 0;
    let mut reader = book.worksheet_cells_reader(name).map_err(|error| wrong(&error))?;
    while let Some(cell) = reader.next_cell().map_err(|error| wrong(&error))? {
        let (row, column) = cell.get_position();
        let text = text(cell.get_value());
        if text.is_empty() || column >= MAX_COLUMNS || row >= MAX_ROWS {
            continue;
        }
        count += 1;
        if count > MAX_CELLS {
            return Err(ImportError::Large { limit: MAX_UNPACKED >> 20 });
        }
        cells.entry(row).or_default().insert(column, text);
    }
    Ok(cells)
}

/// Puts the text of a merged area into each of its rows: a provider merged over its offers is the
/// provider of each. Rows with nothing of their own stay empty.
fn fill(cells: &mut Cells, start: (u32, u32), end: (u32, u32)) {
    let Some(text) = cells.get(&start.0).and_then(|row| row.get(&start.1)).cloned() else { return };
    for (_, row) in cells.range_mut(start.0..=end.0.max(start.0)) {
        row.entry(start.1).or_insert_with(|| text.clone());
    }
}

/// Returns the first row that names at least three columns of a price card.
fn header(cells: &Cells) -> Option<u32> {
    let known = |text: &String| {
        let same = |name: &str| name.eq_ignore_ascii_case(text.trim());
        COLUMNS.iter().any(|column| same(column.name) || column.aliases.iter().any(|it| same(it)))
    };
    let named = |row: &BTreeMap<u32, String>| row.values().filter(|text| known(text)).count();
    cells.iter().find(|(_, row)| named(row) >= 3).map(|(at, _)| *at)
}

/// Writes the rows from the header on; those above and empty ones are empty lines.
fn write(cells: &Cells, header: u32) -> Result<String, ImportError> {
    let last = cells.values().filter_map(|row| row.keys().next_back()).max().copied().unwrap_or(0);
    let mut text = String::new();
    let mut next = 0;
    for (at, row) in cells.range(header..) {
        while next < *at {
            text.push('\n');
            next += 1;
        }
        next = at + 1;
        let mut writer = csv::Writer::from_writer(Vec::new());
        let empty = String::new();
        let line = (0..=last).map(|column| row.get(&column).unwrap_or(&empty));
        writer.write_record(line).map_err(|error| wrong(&error))?;
        let bytes = writer.into_inner().map_err(|error| wrong(&error))?;
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    Ok(text)
}

fn text(data: &DataRef<'_>) -> String {
    match data {
        DataRef::Empty => String::new(),
        // A line break within a cell would be a line of the CSV.
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.trim().replace(['\r', '\n'], " ")
        }
        DataRef::SharedString(text) => text.trim().replace(['\r', '\n'], " "),
        // A whole number is written without a point, so that counts read as counts.
        DataRef::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            format!("{}", *number as i64)
        }
        DataRef::Float(number) => format!("{number}"),
        DataRef::Int(number) => number.to_string(),
        DataRef::Bool(value) => value.to_string(),
        // Days since 1899-12-30, the way spreadsheets keep dates.
        DataRef::DateTime(moment) => jiff::civil::date(1899, 12, 30)
            .checked_add(jiff::Span::new().days((moment.as_f64() as i64).clamp(0, 3_000_000)))
            .map_or_else(|_| String::new(), |day| day.to_string()),
        DataRef::Error(error) => format!("{error:?}"),
    }
}
