//! Colour for terminals, by meaning; off everywhere else.

/// What a piece of text means, which decides its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Ordinary text.
    #[default]
    Plain,
    /// A heading or the figure that matters.
    Strong,
    /// Secondary text.
    Faint,
    /// Good news: a saving, a pass.
    Good,
    /// Something to look at.
    Warn,
    /// Bad news: over budget, a failure.
    Bad,
    /// A name that can be looked up.
    Name,
}

/// Paints text when switched on, leaves it alone when not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Creates a painter.
    pub const fn new(on: bool) -> Self {
        Self { on }
    }

    /// Wraps text in the escape codes of its tone. Pad first: codes have no width.
    pub fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Plain => return text.to_owned(),
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Good => "32",
            Tone::Warn => "33",
            Tone::Bad => "31",
            Tone::Name => "36",
        };
        if self.on && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
