//! Packs the readable catalogue in `data/market/` so that the binary carries it small and reads it
//! fast: each column of a table as its distinct values and one index a row, the whole compressed.
//!
//! `src/catalogue/packed.rs` reads what is written here, and a test there compares it with the
//! files, cell by cell.

use flate2::{Compression, write::DeflateEncoder};
use std::{collections::BTreeMap, env, error::Error, fs, io::Write as _, path::Path};

/// The tables that travel inside the binary.
const TABLES: [&str; 5] =
    ["cards.csv", "sources.csv", "offers.csv", "offers-cn.csv", "history.csv"];

/// Other texts that do.
const TEXTS: [&str; 1] = ["terms.toml"];

#[expect(clippy::disallowed_methods, reason = "a build script is told its folders this way")]
fn main() -> Result<(), Box<dyn Error>> {
    let data = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../data/market");
    let out = env::var("OUT_DIR")?;
    for file in TABLES.iter().chain(&TEXTS) {
        let path = data.join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path)?;
        let bytes = if TABLES.contains(file) {
            packed(&rows(&text)?).map_err(|error| format!("{file}: {error}"))?
        } else {
            text.into_bytes()
        };
        let mut small = DeflateEncoder::new(Vec::new(), Compression::best());
        small.write_all(&bytes)?;
        fs::write(Path::new(&out).join(format!("{file}.deflate")), small.finish()?)?;
    }
    Ok(())
}

/// Splits a table into rows and cells (RFC 4180).
fn rows(text: &str) -> Result<Vec<Vec<String>>, String> {
    let mut rows = Vec::new();
    let (mut row, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other => cell.push(other),
        }
    }
    if quoted || !cell.is_empty() || !row.is_empty() {
        return Err("the last line has no end".to_owned());
    }
    Ok(rows)
}

/// Writes the number of rows, then for each column its heading, its distinct values, and which of
/// them stands in each row.
fn packed(rows: &[Vec<String>]) -> Result<Vec<u8>, Box<dyn Error>> {
    let (head, rows) = rows.split_first().ok_or("no heading")?;
    let mut bytes = Vec::new();
    let number = |bytes: &mut Vec<u8>, number: usize| -> Result<(), Box<dyn Error>> {
        bytes.extend(u16::try_from(number)?.to_le_bytes());
        Ok(())
    };
    let text = |bytes: &mut Vec<u8>, text: &str| -> Result<(), Box<dyn Error>> {
        number(bytes, text.len())?;
        bytes.extend(text.as_bytes());
        Ok(())
    };
    number(&mut bytes, head.len())?;
    number(&mut bytes, rows.len())?;
    for (column, heading) in head.iter().enumerate() {
        let mut distinct: Vec<&str> = Vec::new();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        let mut places = Vec::with_capacity(rows.len());
        for (line, row) in rows.iter().enumerate() {
            if row.len() != head.len() {
                return Err(format!("row {} has {} cells", line + 2, row.len()).into());
            }
            let cell = row[column].as_str();
            let place = *known.entry(cell).or_insert_with(|| {
                distinct.push(cell);
                distinct.len() - 1
            });
            places.push(place);
        }
        text(&mut bytes, heading)?;
        number(&mut bytes, distinct.len())?;
        for value in distinct {
            text(&mut bytes, value)?;
        }
        for place in places {
            number(&mut bytes, place)?;
        }
    }
    Ok(bytes)
}
