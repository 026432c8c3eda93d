//! The tables inside the binary: each column as its distinct values and one index a row, written by
//! this crate's build script. Reading them is a look-up, where CSV would have to be scanned.

use crate::CatalogueError;
use flate2::read::DeflateDecoder;
use std::io::Read as _;

/// Uncompresses what the build script compressed.
pub(super) fn unpack(file: &'static str, packed: &[u8]) -> Result<Vec<u8>, CatalogueError> {
    let mut bytes = Vec::with_capacity(packed.len() * 8);
    let unpacked = DeflateDecoder::new(packed).read_to_end(&mut bytes);
    unpacked.map_err(|_| CatalogueError::Packed { file })?;
    Ok(bytes)
}

/// A table in memory.
#[derive(Debug)]
pub(super) struct Table<'a> {
    columns: Vec<Column<'a>>,
    rows: usize,
}

#[derive(Debug)]
struct Column<'a> {
    heading: &'a str,
    distinct: Vec<&'a str>,
    /// Two bytes a row.
    places: &'a [u8],
}

impl<'a> Table<'a> {
    /// Reads a table; `None` when it was not written whole.
    pub(super) fn read(mut bytes: &'a [u8]) -> Option<Self> {
        let count = number(&mut bytes)?;
        let rows = number(&mut bytes)?;
        let mut columns = Vec::with_capacity(count);
        for _ in 0..count {
            let heading = text(&mut bytes)?;
            let values = number(&mut bytes)?;
            let distinct = (0..values).map(|_| text(&mut bytes)).collect::<Option<Vec<_>>>()?;
            let (places, rest) = bytes.split_at_checked(rows * 2)?;
            bytes = rest;
            columns.push(Column { heading, distinct, places });
        }
        bytes.is_empty().then_some(Self { columns, rows })
    }

    /// Returns the headings.
    pub(super) fn headings(&self) -> impl Iterator<Item = &'a str> {
        self.columns.iter().map(|column| column.heading)
    }

    /// Returns how many rows stand below the headings.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns a cell; nothing where there is none.
    pub(super) fn cell(&self, row: usize, column: usize) -> &'a str {
        self.columns.get(column).and_then(|column| column.cell(row)).unwrap_or("")
    }
}

impl<'a> Column<'a> {
    fn cell(&self, row: usize) -> Option<&'a str> {
        let (place, _) = self.places.get(row * 2..)?.split_first_chunk()?;
        self.distinct.get(usize::from(u16::from_le_bytes(*place))).copied()
    }
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(usize::from(u16::from_le_bytes(*number)))
}

fn text<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let length = number(bytes)?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! file {
        ($name:literal) => {
            (
                $name,
                include_str!(concat!("../../../../data/market/", $name)),
                &include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".deflate"))[..],
            )
        };
    }

    #[test]
    fn the_packed_tables_hold_every_cell_of_the_files() {
        for (file, text, packed) in [
            file!("cards.csv"),
            file!("sources.csv"),
            file!("offers.csv"),
            file!("offers-cn.csv"),
            file!("history.csv"),
        ] {
            let bytes = unpack(file, packed).unwrap();
            let table = Table::read(&bytes).unwrap();
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            assert!(reader.headers().unwrap().iter().eq(table.headings()), "{file}");
            let mut rows = 0;
            for (row, record) in reader.records().enumerate() {
                for (column, cell) in record.unwrap().iter().enumerate() {
                    assert_eq!(table.cell(row, column), cell, "{file}, row {row}");
                }
                rows += 1;
            }
            assert_eq!(rows, table.rows(), "{file}");
        }
    }

    #[test]
    fn a_table_that_was_cut_off_is_refused_and_never_panics() {
        let (file, _, packed) = file!("sources.csv");
        let bytes = unpack(file, packed).unwrap();
        for length in 0..bytes.len() {
            assert!(Table::read(&bytes[..length]).is_none(), "{length} bytes");
        }
    }
}
