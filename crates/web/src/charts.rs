//! Pictures as SVG, drawn on the server: no script, no inline style, sharp on paper.
//!
//! Bars measure in per cent of their cell, so that they fit a phone; each stands in a row of the
//! table that holds its figures, so that nothing is said by a picture alone.

mod curves;
mod strips;

pub(crate) use curves::{Curve, Mark, curves};
pub(crate) use strips::{Span, Stack, spans, stack, steps, ticks, waterfall};

/// Writes text that stands between tags or in an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(letter),
        }
    }
    safe
}

/// Returns a part of a whole in per cent, within the picture.
pub(crate) fn per_cent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 && part.is_finite() { (part / whole * 100.0).clamp(0.0, 100.0) } else { 0.0 }
}
