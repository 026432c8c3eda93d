//! Rows of a truth file, with every measured column dropped as they are read.

use csv::StringRecord;

/// Columns that hold or reveal what was measured, or where; they are never kept.
const DROPPED: &[&str] = &[
    "value",
    "unit",
    "quote",
    "value_gib",
    "lo_gib",
    "hi_gib",
    "confidence",
    "settings_complete",
    "split",
    "group",
    "source",
];

/// All rows of a file.
pub(super) struct Rows {
    headers: StringRecord,
    rows: Vec<StringRecord>,
}

/// One row; a missing column reads as empty.
pub(super) struct Row<'a> {
    headers: &'a StringRecord,
    cells: &'a StringRecord,
}

impl Rows {
    /// Reads a file and drops the measured columns.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
        let all = reader.headers().map_err(|error| error.to_string())?.clone();
        let keep = |record: &StringRecord| -> StringRecord {
            all.iter()
                .enumerate()
                .filter(|(_, name)| !DROPPED.contains(name))
                .map(|(at, _)| record.get(at).unwrap_or(""))
                .collect()
        };
        let mut rows = Vec::new();
        for record in reader.records() {
            rows.push(keep(&record.map_err(|error| error.to_string())?));
        }
        let headers = keep(&all);
        if !headers.iter().any(|name| name == "id") {
            return Err("the file has no column `id`".to_owned());
        }
        Ok(Self { headers, rows })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { headers: &self.headers, cells })
    }
}

impl<'a> Row<'a> {
    /// Returns a cell's text.
    pub(super) fn get(&self, name: &str) -> &'a str {
        let at = self.headers.iter().position(|header| header == name);
        at.and_then(|at| self.cells.get(at)).unwrap_or("").trim()
    }

    /// Returns a cell's text in lower case.
    pub(super) fn lower(&self, name: &str) -> String {
        self.get(name).to_lowercase()
    }

    /// Returns a cell's number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.get(name).parse().ok()
    }

    /// Returns a cell's whole number.
    pub(super) fn whole(&self, name: &str) -> Option<u32> {
        self.get(name).parse().ok()
    }

    /// Returns the value of a setting `key=value` or `key value` in the notes, up to the next `;`,
    /// `,` or space.
    pub(super) fn note(&self, key: &str) -> Option<&'a str> {
        let notes = self.get("notes");
        let start = notes.find(key)? + key.len();
        let rest = notes.get(start..)?.trim_start_matches(['=', ' ']);
        Some(rest.split([';', ',', ' ']).next().unwrap_or(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_columns_are_gone_after_reading() {
        let file =
            b"id,value,model,value_gib,quote,notes\na,1.5,m,1.5,took 1.5,n_ubatch 512; x=2\n";
        let rows = Rows::read(file).unwrap();
        let row = rows.iter().next().unwrap();
        for column in DROPPED {
            assert_eq!(row.get(column), "");
        }
        assert_eq!(row.get("model"), "m");
        assert_eq!(row.note("n_ubatch"), Some("512"));
        assert_eq!(row.note("x"), Some("2"));
    }
}
