//! A table that every door can show: aligned text, Markdown, CSV or JSON.

use crate::{Paint, Tone, display_width, pad_end, pad_start, wrap};

/// On which side a column's text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Figures.
    Right,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The stable name in JSON and CSV.
    pub key: &'static str,
    /// The heading in the reader's language.
    pub heading: String,
    /// On which side its text stands.
    pub align: Align,
    /// Whether its text may be broken into lines when the terminal is narrow.
    pub wraps: bool,
}

impl Column {
    /// Creates a column of words.
    pub fn words(key: &'static str, heading: impl Into<String>) -> Self {
        Self { key, heading: heading.into(), align: Align::Left, wraps: true }
    }

    /// Creates a column of figures, which are never broken.
    pub fn figures(key: &'static str, heading: impl Into<String>) -> Self {
        Self { key, heading: heading.into(), align: Align::Right, wraps: false }
    }
}

/// A cell: what a person reads, what a program reads, and its tone.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// What a person reads.
    pub shown: String,
    /// What a program reads, in JSON and CSV; `None` is unknown.
    pub raw: Option<String>,
    /// Its colour's meaning.
    pub tone: Tone,
}

impl Cell {
    /// Creates a cell that reads the same for people and programs.
    pub fn new(text: impl Into<String>) -> Self {
        let shown = text.into();
        Self { raw: Some(shown.clone()), shown, tone: Tone::Plain }
    }

    /// Creates a cell with a separate text for programs.
    pub fn with_raw(shown: impl Into<String>, raw: impl Into<String>) -> Self {
        Self { shown: shown.into(), raw: Some(raw.into()), tone: Tone::Plain }
    }

    /// Creates a cell for something unknown.
    pub fn unknown(shown: impl Into<String>) -> Self {
        Self { shown: shown.into(), raw: None, tone: Tone::Faint }
    }

    /// Gives the cell a tone.
    #[must_use]
    pub const fn toned(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

/// Spaces between two columns.
const GAP: usize = 2;
/// A column of words is not made narrower than this.
const NARROWEST: usize = 12;

impl Table {
    /// Creates a table without rows.
    pub const fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    /// Writes aligned text for a terminal of `width` columns, indented by `indent`.
    pub fn to_text(&self, paint: Paint, width: usize, indent: usize) -> String {
        let widths = self.widths(width.saturating_sub(indent));
        let margin = " ".repeat(indent);
        let mut text = String::new();
        let heading: Vec<Cell> =
            self.columns.iter().map(|c| Cell::new(&c.heading).toned(Tone::Faint)).collect();
        for row in std::iter::once(&heading).chain(&self.rows) {
            for line in self.lines(row, &widths, paint) {
                text.push_str(&margin);
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }

    /// Writes a Markdown table.
    pub fn to_markdown(&self) -> String {
        let escape = |text: &str| text.replace('|', "\\|").replace('\n', "<br>");
        let mut text = String::new();
        let mut line = |cells: Vec<String>| {
            text.push_str("| ");
            text.push_str(&cells.join(" | "));
            text.push_str(" |\n");
        };
        line(self.columns.iter().map(|c| escape(&c.heading)).collect());
        let rule = |c: &Column| if c.align == Align::Right { "---:" } else { "---" };
        line(self.columns.iter().map(|c| rule(c).to_owned()).collect());
        for row in &self.rows {
            line(row.iter().map(|cell| escape(&cell.shown)).collect());
        }
        text
    }

    /// Writes comma-separated values (RFC 4180) with the stable names as header; unknown is empty.
    ///
    /// A text that a spreadsheet would take for a formula gets an apostrophe in front.
    pub fn to_csv(&self) -> String {
        let mut text = String::new();
        let mut line = |cells: Vec<String>| {
            text.push_str(&cells.join(","));
            text.push('\n');
        };
        line(self.columns.iter().map(|c| c.key.to_owned()).collect());
        for row in &self.rows {
            line(row.iter().map(|cell| csv_field(cell.raw.as_deref().unwrap_or(""))).collect());
        }
        text
    }

    /// Returns a JSON array of objects; figures stay text, unknown is null.
    pub fn to_json(&self) -> serde_json::Value {
        let object = |row: &Vec<Cell>| {
            let fields = self.columns.iter().zip(row);
            let fields =
                fields.map(|(column, cell)| (column.key.to_owned(), cell.raw.clone().into()));
            serde_json::Value::Object(fields.collect())
        };
        self.rows.iter().map(object).collect()
    }

    /// Chooses the width of each column: what it needs, or less for words when they do not fit.
    fn widths(&self, available: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            let longest = |text: &str| text.split('\n').map(display_width).max().unwrap_or(0);
            let widest = cells.map(|cell| longest(&cell.shown)).max().unwrap_or(0);
            widths.push(widest.max(display_width(&column.heading)));
        }
        let gaps = GAP * self.columns.len().saturating_sub(1);
        let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(available);
        while excess > 0 {
            // Take one column of width from the widest column that may still give.
            let giver = (0..widths.len())
                .filter(|at| self.columns[*at].wraps && widths[*at] > NARROWEST)
                .max_by_key(|at| widths[*at]);
            let Some(giver) = giver else { break };
            widths[giver] -= 1;
            excess -= 1;
        }
        widths
    }

    fn lines(&self, row: &[Cell], widths: &[usize], paint: Paint) -> Vec<String> {
        let broken: Vec<Vec<String>> =
            row.iter().zip(widths).map(|(cell, width)| wrap(&cell.shown, *width)).collect();
        let height = broken.iter().map(Vec::len).max().unwrap_or(0);
        let mut lines = Vec::new();
        for at in 0..height {
            let mut line = String::new();
            for (index, cell) in row.iter().enumerate() {
                if index > 0 {
                    line.push_str(&" ".repeat(GAP));
                }
                let part = broken[index].get(at).map_or("", String::as_str);
                let padded = match self.columns[index].align {
                    Align::Left => pad_end(part, widths[index]),
                    Align::Right => pad_start(part, widths[index]),
                };
                line.push_str(&paint.paint(cell.tone, &padded));
            }
            lines.push(line);
        }
        lines
    }
}

/// Quotes a field where it must be, and disarms what a spreadsheet would run as a formula.
fn csv_field(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let risky = text.starts_with(['=', '+', '-', '@', '\t']) && !is_number;
    let text = if risky { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prices() -> Table {
        let mut table =
            Table::new(vec![Column::words("card", "卡型"), Column::figures("price", "单价")]);
        table.push(vec![Cell::new("RTX 4090"), Cell::with_raw("¥6.00", "6")]);
        table.push(vec![Cell::new("昇腾, 910B"), Cell::unknown("未知")]);
        table
    }

    #[test]
    fn chinese_and_figures_line_up() {
        let text = prices().to_text(Paint::new(false), 80, 0);
        assert_eq!(text, "卡型         单价\nRTX 4090    ¥6.00\n昇腾, 910B   未知\n");
    }

    #[test]
    fn programs_get_raw_values_and_unknown_is_not_zero() {
        assert_eq!(prices().to_csv(), "card,price\nRTX 4090,6\n\"昇腾, 910B\",\n");
        assert!(prices().to_json()[1]["price"].is_null());
        assert_eq!(csv_field("=1+1"), "'=1+1");
        assert_eq!(csv_field("-3.5"), "-3.5");
    }

    #[test]
    fn a_narrow_terminal_breaks_words_but_never_figures() {
        let text = prices().to_text(Paint::new(false), 4, 0);
        assert!(text.contains("¥6.00"), "{text}");
    }
}
