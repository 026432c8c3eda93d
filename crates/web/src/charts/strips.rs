//! Bars, stacks and time strips that lie in the cell of a table.

use super::{escape, per_cent};

/// Opens a strip that is as wide as its cell.
fn open(height: u32, label: &str) -> String {
    format!(
        "<svg class=\"strip\" width=\"100%\" height=\"{height}\" role=\"img\" aria-label=\"{}\">",
        escape(label)
    )
}

fn rect(class: &str, from: f64, to: f64, top: f64, height: f64) -> String {
    let width = (to - from).max(0.0);
    format!(
        "<rect class=\"{class}\" x=\"{from:.3}%\" y=\"{top:.2}\" width=\"{width:.3}%\" \
         height=\"{height:.2}\"/>"
    )
}

fn line(class: &str, at: f64, height: u32) -> String {
    format!("<line class=\"{class}\" x1=\"{at:.3}%\" x2=\"{at:.3}%\" y1=\"0\" y2=\"{height}\"/>")
}

/// A step of a waterfall: from what stood before it to what stands with it.
pub(crate) fn waterfall(before: f64, with: f64, whole: f64, class: &str, label: &str) -> String {
    let (from, to) = (per_cent(before, whole), per_cent(with, whole));
    // A cost that is not nothing shows something.
    let to = if with > before { to.max(from + 0.4) } else { to };
    format!("{}{}</svg>", open(18, label), rect(class, from.min(99.6), to, 3.0, 12.0))
}

/// Parts on top of each other against a limit.
pub(crate) struct Stack<'a> {
    /// The parts: class and size.
    pub(crate) parts: Vec<(&'static str, f64)>,
    /// The upper bound.
    pub(crate) upper: f64,
    /// What the card has.
    pub(crate) limit: f64,
    /// What the picture's width stands for.
    pub(crate) whole: f64,
    /// What it says.
    pub(crate) label: &'a str,
}

/// Draws parts against a limit.
pub(crate) fn stack(stack: &Stack<'_>) -> String {
    let mut text = open(22, stack.label);
    text.push_str(&rect("card-memory", 0.0, per_cent(stack.limit, stack.whole), 2.0, 18.0));
    let mut at = 0.0;
    for (class, size) in &stack.parts {
        let (from, to) = (per_cent(at, stack.whole), per_cent(at + size, stack.whole));
        text.push_str(&rect(class, from, to, 4.0, 14.0));
        at += size;
    }
    let (from, to) = (per_cent(at, stack.whole), per_cent(stack.upper, stack.whole));
    text.push_str(&rect("reserve", from, to, 4.0, 14.0));
    text.push_str(&line("limit", per_cent(stack.limit, stack.whole).min(99.8), 22));
    text.push_str("</svg>");
    text
}

/// A stretch of time.
pub(crate) struct Span {
    /// Where it starts, as a share of the whole.
    pub(crate) from: f64,
    /// Where it ends.
    pub(crate) to: f64,
    /// What it looks like.
    pub(crate) class: &'static str,
    /// What it says when pointed at.
    pub(crate) title: String,
}

/// Draws stretches of time on one line.
pub(crate) fn spans(spans: &[Span], days: u32, label: &str) -> String {
    let mut text = open(22, label);
    text.push_str(&grid(days, 22));
    for span in spans {
        let (from, to) = (per_cent(span.from, 1.0), per_cent(span.to, 1.0).max(0.15));
        let bar = rect(span.class, from, to.max(from + 0.25), 4.0, 14.0);
        let bar = bar.trim_end_matches("/>");
        text.push_str(&format!("{bar}><title>{}</title></rect>", escape(&span.title)));
    }
    text.push_str("</svg>");
    text
}

/// Draws the days of a month as a scale.
pub(crate) fn ticks(days: u32, label: &str) -> String {
    let mut text = open(18, label);
    text.push_str(&grid(days, 18));
    for day in (0..days).step_by(if days > 20 { 5 } else { 1 }) {
        let at = per_cent(f64::from(day), f64::from(days));
        text.push_str(&format!(
            "<text class=\"tick\" x=\"{at:.3}%\" dx=\"3\" y=\"13\">{}</text>",
            day + 1
        ));
    }
    text.push_str("</svg>");
    text
}

fn grid(days: u32, height: u32) -> String {
    (0..days)
        .step_by(if days > 20 { 5 } else { 1 })
        .map(|day| line("grid", per_cent(f64::from(day), f64::from(days)), height))
        .collect()
}

/// Draws cards wanted over cards committed, hour by hour.
pub(crate) fn steps(demand: &[u32], committed: &[u32], label: &str) -> String {
    const HEIGHT: f64 = 72.0;
    let hours = demand.len().max(committed.len()).max(1);
    let most = demand.iter().chain(committed).copied().max().unwrap_or(0).max(1);
    let up = |cards: u32| f64::from(cards) / f64::from(most) * (HEIGHT - 4.0);
    let mut text = open(HEIGHT as u32, label);
    text.push_str(&grid((hours / 24).max(1) as u32, HEIGHT as u32));
    let at = |hour: usize| per_cent(hour as f64, hours as f64);
    for (from, to, cards) in runs(committed) {
        text.push_str(&rect("committed", at(from), at(to), HEIGHT - up(cards), up(cards)));
    }
    let base: Vec<u32> = demand
        .iter()
        .enumerate()
        .map(|(hour, cards)| (*cards).min(committed.get(hour).copied().unwrap_or(0)))
        .collect();
    for (from, to, cards) in runs(&base) {
        text.push_str(&rect("base", at(from), at(to), HEIGHT - up(cards), up(cards)));
    }
    let mut hour = 0;
    while hour < demand.len() {
        let (wanted, paid) = (demand[hour], base[hour]);
        let same = |at: &usize| demand[*at] == wanted && base[*at] == paid;
        let end = (hour..demand.len()).take_while(same).last().unwrap_or(hour) + 1;
        if wanted > paid {
            let height = up(wanted) - up(paid);
            text.push_str(&rect("peak", at(hour), at(end), HEIGHT - up(wanted), height));
        }
        hour = end;
    }
    text.push_str("</svg>");
    text
}

/// Joins equal neighbours: from, to, value; nothing is left out but zeros.
fn runs(values: &[u32]) -> Vec<(usize, usize, u32)> {
    let mut found: Vec<(usize, usize, u32)> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        match found.last_mut() {
            Some((_, to, last)) if last == value => *to = at + 1,
            _ => found.push((at, at + 1, *value)),
        }
    }
    found.retain(|(_, _, value)| *value > 0);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_hours_are_drawn_as_one() {
        assert_eq!(runs(&[0, 2, 2, 1, 0]), [(1, 3, 2), (3, 4, 1)]);
        let drawn = steps(&[1, 1, 3, 0], &[1, 1, 1, 1], "x");
        assert_eq!(drawn.matches("class=\"peak\"").count(), 1);
        assert_eq!(drawn.matches("class=\"committed\"").count(), 1);
        assert!(steps(&[], &[], "x").ends_with("</svg>"));
    }

    #[test]
    fn what_is_said_cannot_leave_its_attribute() {
        let drawn = waterfall(0.0, 1.0, 1.0, "bar", "\"><script>");
        assert!(!drawn.contains("<script"), "{drawn}");
    }
}
