//! Text by the columns it takes on a terminal, where a Chinese character takes two.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Returns how many terminal columns a text takes.
pub fn display_width(text: &str) -> usize {
    text.width()
}

/// Fills up with spaces behind the text.
pub fn pad_end(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(display_width(text))))
}

/// Fills up with spaces before the text.
pub fn pad_start(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(display_width(text))))
}

/// Punctuation that must not begin a line.
const CLOSING: &str = "，。；：！？、）》」』”’,.;:!?)]}%";

/// Breaks a text into lines of at most `width` columns: at spaces, and anywhere between Chinese
/// characters; a word longer than the line is cut.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(4);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut columns = 0;
        for piece in pieces(paragraph) {
            let size = display_width(piece);
            if columns + display_width(piece.trim_end()) <= width {
                line.push_str(piece);
                columns += size;
                continue;
            }
            if columns > 0 {
                lines.push(line.trim_end().to_owned());
                line.clear();
                columns = 0;
            }
            for letter in piece.chars() {
                let size = letter.width().unwrap_or(0);
                if columns + size > width {
                    lines.push(line.trim_end().to_owned());
                    line.clear();
                    columns = 0;
                }
                line.push(letter);
                columns += size;
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Splits a text where a line may end: behind spaces and between wide characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut previous: Option<char> = None;
    for (at, letter) in text.char_indices() {
        let may_break = match previous {
            None => false,
            Some(' ') => letter != ' ',
            Some(before) => {
                let wide = |c: char| c.width() == Some(2);
                (wide(before) || wide(letter))
                    && !CLOSING.contains(letter)
                    && !"（《「“(".contains(before)
            }
        };
        if may_break {
            pieces.push(&text[start..at]);
            start = at;
        }
        previous = Some(letter);
    }
    pieces.push(&text[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_takes_two_columns_a_character() {
        assert_eq!(display_width("卡时 h"), 6);
        assert_eq!(pad_end("卡时", 6), "卡时  ");
        assert_eq!(pad_start("卡时", 6), "  卡时");
    }

    #[test]
    fn lines_break_at_spaces_and_between_characters_but_not_before_a_comma() {
        assert_eq!(wrap("rent one card now", 9), ["rent one", "card now"]);
        assert_eq!(wrap("租一张卡，再说", 8), ["租一张", "卡，再说"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 10), [""]);
    }
}
