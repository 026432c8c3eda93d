//! What a run has cost so far and when it will end: a line kept at the bottom of a terminal, or a
//! plain line now and then.
//!
//! The bottom line lies outside of the terminal's scrolling region, as package managers do it; it is
//! drawn only when the command's last output ended a line, so that no escape of its is cut in two.

use kasuan_report::display_width;
use std::{
    io::{self, IsTerminal as _, Write},
    sync::{Mutex, PoisonError},
};

/// The terminal that the command and the bottom line share.
#[derive(Debug)]
pub(super) struct Screen(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Rows and columns while the bottom line is on.
    size: Option<(u16, u16)>,
    /// Whether the last output ended a line.
    between_lines: bool,
    shown: String,
}

impl Screen {
    /// Takes the terminal as it is, without a bottom line.
    pub(super) fn new() -> Self {
        Self(Mutex::new(State { size: None, between_lines: true, shown: String::new() }))
    }

    /// Says whether a bottom line can be kept here: both outputs go to one terminal that knows
    /// escapes and is not tiny.
    pub(super) fn can_keep_a_line() -> bool {
        let able = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
        let rows = terminal_size::terminal_size().map_or(0, |(_, height)| height.0);
        able && rows >= 8 && io::stdout().is_terminal() && io::stderr().is_terminal()
    }

    /// Sets the last row aside, or, after a change of the window's size, the new last row.
    pub(super) fn set_aside(&self) {
        let Some((width, height)) = terminal_size::terminal_size() else { return };
        let (columns, rows) = (width.0, height.0);
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let region = rows.saturating_sub(1).max(1);
        // The new line makes room when the cursor stands in the last row.
        let text = format!("\n\x1b[1A\x1b7\x1b[1;{region}r\x1b8");
        write(&text);
        state.size = Some((rows, columns));
        state.shown.clear();
    }

    /// Shows a text in the last row.
    pub(super) fn show(&self, text: &str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((rows, columns)) = state.size else { return };
        if !state.between_lines || state.shown == text {
            return;
        }
        let cut = cut(text, usize::from(columns));
        write(&format!("\x1b7\x1b[{rows};1H\x1b[2K\x1b[2m{cut}\x1b[0m\x1b8"));
        text.clone_into(&mut state.shown);
    }

    /// Gives the last row back.
    pub(super) fn give_back(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((rows, _)) = state.size.take() {
            write(&format!("\x1b7\x1b[1;{rows}r\x1b[{rows};1H\x1b[2K\x1b8"));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl Write for &Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()?;
        if let Some(last) = bytes.last() {
            state.between_lines = matches!(last, b'\n' | b'\r');
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write(text: &str) {
    let mut stdout = io::stdout().lock();
    // A terminal that went away cannot show how far the run is.
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Cuts a text to a width on the screen.
fn cut(text: &str, columns: usize) -> String {
    let mut width = 0;
    text.chars()
        .take_while(|character| {
            width += display_width(character.encode_utf8(&mut [0; 4]));
            width < columns
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_line_is_cut_between_wide_characters() {
        assert_eq!(cut("训练 ¥3.20", 6), "训练 ");
        assert_eq!(cut("run", 80), "run");
    }
}
