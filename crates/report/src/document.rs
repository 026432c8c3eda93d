//! A report as sections of tables and lines, which every door shows in its own way.

use crate::{Paint, Table, Tone, display_width, pad_end, wrap};

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What it is about.
    pub title: String,
    /// The figure that matters most, behind the title.
    pub headline: String,
    /// A line or two below.
    pub summary: Vec<Line>,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// A section of a report.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// What it shows, in order.
    pub parts: Vec<Part>,
}

/// A part of a section.
#[derive(Clone, Debug)]
pub enum Part {
    /// A table.
    Table(Table),
    /// Separate lines.
    Lines(Vec<Line>),
    /// A picture, which a terminal leaves out: SVG without empty lines, so that Markdown keeps it
    /// as one block of HTML.
    Picture(String),
}

/// A line of text.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text.
    pub text: String,
    /// Its meaning.
    pub tone: Tone,
    /// How deep it is indented.
    pub depth: usize,
    /// Whether it is an item of a list.
    pub item: bool,
}

impl Line {
    /// Creates a line of ordinary text.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), tone: Tone::Plain, depth: 0, item: false }
    }

    /// Creates an item of a list.
    pub fn item(text: impl Into<String>) -> Self {
        Self { item: true, ..Self::plain(text) }
    }

    /// Gives the line a tone.
    #[must_use]
    pub const fn toned(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Indents the line.
    #[must_use]
    pub const fn deeper(mut self) -> Self {
        self.depth += 1;
        self
    }
}

/// Columns by which the parts of a section are indented on a terminal.
const INDENT: usize = 2;

impl Document {
    /// Adds a section, unless it shows nothing.
    pub fn push(&mut self, title: impl Into<String>, parts: Vec<Part>) {
        let shows = |part: &Part| match part {
            Part::Table(table) => !table.rows.is_empty(),
            Part::Lines(lines) => !lines.is_empty(),
            Part::Picture(svg) => !svg.is_empty(),
        };
        let parts: Vec<_> = parts.into_iter().filter(shows).collect();
        if !parts.is_empty() {
            self.sections.push(Section { title: title.into(), parts });
        }
    }

    /// Writes the report for a terminal of `width` columns.
    pub fn to_text(&self, paint: Paint, width: usize) -> String {
        let mut text = String::new();
        let gap = width.saturating_sub(display_width(&self.title) + display_width(&self.headline));
        let title = if self.headline.is_empty() {
            self.title.clone()
        } else {
            pad_end(&self.title, display_width(&self.title) + gap.clamp(2, 40))
        };
        text.push_str(&paint.paint(Tone::Strong, &title));
        text.push_str(&paint.paint(Tone::Strong, &self.headline));
        text.push('\n');
        write_lines(&mut text, &self.summary, paint, width, 0);
        for section in &self.sections {
            text.push('\n');
            text.push_str(&paint.paint(Tone::Strong, &section.title));
            text.push('\n');
            for part in &section.parts {
                match part {
                    Part::Table(table) => text.push_str(&table.to_text(paint, width, INDENT)),
                    Part::Lines(lines) => write_lines(&mut text, lines, paint, width, INDENT),
                    Part::Picture(_) => {}
                }
            }
        }
        text
    }

    /// Writes the report as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n\n", self.title);
        if !self.headline.is_empty() {
            text.push_str(&format!("**{}**\n\n", self.headline));
        }
        write_markdown(&mut text, &self.summary);
        for section in &self.sections {
            text.push_str(&format!("## {}\n\n", section.title));
            for part in &section.parts {
                match part {
                    Part::Table(table) => {
                        text.push_str(&table.to_markdown());
                        text.push('\n');
                    }
                    Part::Lines(lines) => write_markdown(&mut text, lines),
                    Part::Picture(svg) => {
                        text.push_str(svg);
                        text.push('\n');
                    }
                }
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

fn write_lines(text: &mut String, lines: &[Line], paint: Paint, width: usize, indent: usize) {
    for line in lines {
        let mark = if line.item { "· " } else { "" };
        let margin = indent + line.depth * INDENT;
        let room = width.saturating_sub(margin + display_width(mark));
        for (at, part) in wrap(&line.text, room).iter().enumerate() {
            let mark = if at == 0 { mark.to_owned() } else { " ".repeat(display_width(mark)) };
            text.push_str(&" ".repeat(margin));
            text.push_str(&mark);
            text.push_str(&paint.paint(line.tone, part));
            text.push('\n');
        }
    }
}

fn write_markdown(text: &mut String, lines: &[Line]) {
    for line in lines {
        let indent = "  ".repeat(line.depth);
        let end = if line.item || line.depth > 0 { "\n" } else { "\n\n" };
        let mark = if line.item || line.depth > 0 { "- " } else { "" };
        text.push_str(&format!("{indent}{mark}{}{end}", line.text));
    }
    if lines.last().is_some_and(|line| line.item || line.depth > 0) {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Column};

    #[test]
    fn one_report_reads_well_on_a_terminal_and_in_markdown() {
        let mut table = Table::new(vec![Column::words("a", "项目"), Column::figures("b", "金额")]);
        table.push(vec![Cell::new("存储"), Cell::new("¥100.00")]);
        let mut document = Document {
            title: "计划".to_owned(),
            headline: "¥100.00".to_owned(),
            ..Document::default()
        };
        document.push("预算", vec![Part::Table(table), Part::Lines(vec![Line::item("没有别的")])]);
        document.push("空的", vec![Part::Lines(Vec::new())]);
        assert_eq!(
            document.to_text(Paint::new(false), 20),
            "计划         ¥100.00\n\n预算\n  项目     金额\n  存储  ¥100.00\n  · 没有别的\n"
        );
        assert_eq!(
            document.to_markdown(),
            "# 计划\n\n**¥100.00**\n\n## 预算\n\n| 项目 | 金额 |\n| --- | ---: |\n| 存储 | ¥100.00 |\n\n\
             - 没有别的\n"
        );
    }
}
