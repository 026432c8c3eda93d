//! Reports as HTML: the tables and lines that the terminal shows, for a page.

use crate::charts::escape;
use kasuan_report::{Align, Cell, Line, Part, Section, Table, Tone};

/// Returns the class of a tone.
pub(crate) const fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Strong => "strong",
        Tone::Faint => "faint",
        Tone::Name => "name",
        Tone::Good => "good",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
    }
}

/// Writes a table; `caption` tells those who hear it what it is.
pub(crate) fn table(table: &Table, caption: &str) -> String {
    let mut text = open_table(caption, "");
    text.push_str("<thead><tr>");
    for column in &table.columns {
        text.push_str(&format!(
            "<th scope=\"col\"{}>{}</th>",
            figure(column.align),
            escape(&column.heading)
        ));
    }
    text.push_str("</tr></thead><tbody>");
    for row in &table.rows {
        text.push_str("<tr>");
        for (at, (column, cell)) in table.columns.iter().zip(row).enumerate() {
            text.push_str(&tabled(cell, column.align, &column.heading, at == 0));
        }
        text.push_str("</tr>");
    }
    text.push_str("</tbody></table></div>");
    text
}

/// Opens a table that scrolls by itself where the window is narrow.
pub(crate) fn open_table(caption: &str, class: &str) -> String {
    let caption = escape(caption);
    format!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\
         <table class=\"{class}\"><caption class=\"hidden\">{caption}</caption>"
    )
}

const fn figure(align: Align) -> &'static str {
    match align {
        Align::Left => "",
        Align::Right => " class=\"figure\"",
    }
}

fn tabled(cell: &Cell, align: Align, heading: &str, is_first: bool) -> String {
    let shown = escape(&cell.shown).replace('\n', "<br>");
    let tone = class(cell.tone);
    let shown =
        if tone.is_empty() { shown } else { format!("<span class=\"{tone}\">{shown}</span>") };
    let heading = escape(heading);
    if is_first {
        format!("<th scope=\"row\"{} data-label=\"{heading}\">{shown}</th>", figure(align))
    } else {
        format!("<td{} data-label=\"{heading}\">{shown}</td>", figure(align))
    }
}

/// Writes a heading of figures or words.
pub(crate) fn heading(text: &str, is_figure: bool) -> String {
    let align = if is_figure { Align::Right } else { Align::Left };
    format!("<th scope=\"col\"{}>{}</th>", figure(align), escape(text))
}

/// Writes a cell of figures.
pub(crate) fn figures(text: &str) -> String {
    format!("<td class=\"figure\">{}</td>", escape(text))
}

/// Writes lines as paragraphs and lists.
pub(crate) fn lines(lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        let mut classes = vec![class(line.tone)];
        if line.item || line.depth > 0 {
            classes.push("item");
        }
        if line.depth > 0 {
            classes.push("deeper");
        }
        text.push_str(&format!(
            "<p class=\"{}\">{}</p>",
            classes.join(" ").trim(),
            escape(&line.text)
        ));
    }
    text
}

/// Writes a section of a report.
pub(crate) fn section(section: &Section) -> String {
    let mut text = String::new();
    for part in &section.parts {
        match part {
            Part::Table(shown) => text.push_str(&table(shown, &section.title)),
            Part::Lines(shown) => text.push_str(&lines(shown)),
            // Pages draw their own, which follow the window's width and the reader's colours.
            Part::Picture(_) => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_report::Column;

    #[test]
    fn what_a_cell_holds_is_text_and_never_markup() {
        let mut one = Table::new(vec![Column::words("a", "<b>")]);
        one.push(vec![Cell::new("<img src=x onerror=alert(1)>").toned(Tone::Warn)]);
        let html = table(&one, "\"><script>");
        assert!(!html.contains("<img") && !html.contains("<b>") && !html.contains("<script"));
        assert!(html.contains("&lt;img"));
    }
}
