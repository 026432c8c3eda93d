//! Lines over two scales: cost against hours, prices against days.

use super::escape;
use std::fmt::Write as _;

/// One line.
pub(crate) struct Curve {
    /// What it is called; stands at its end.
    pub(crate) name: String,
    /// Its points.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A place worth looking at.
pub(crate) struct Mark {
    /// Where.
    pub(crate) at: f64,
    /// What it says.
    pub(crate) label: String,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
/// Room for the scale at the left, the names at the right, and the scale below.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 132.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 28.0;

/// Draws lines with marks and a band; `x` and `y` write the scales.
pub(crate) fn curves(
    curves: &[Curve],
    marks: &[Mark],
    band: Option<(f64, f64)>,
    label: &str,
    x: &dyn Fn(f64) -> String,
    y: &dyn Fn(f64) -> String,
) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let first = points().map(|(x, _)| *x).fold(f64::INFINITY, f64::min);
    let last = points().map(|(x, _)| *x).fold(f64::NEG_INFINITY, f64::max);
    let top = points().map(|(_, y)| *y).fold(0.0, f64::max);
    if !(last > first && top > 0.0) {
        return String::new();
    }
    let top = round_up(top);
    let across = |at: f64| LEFT + (at - first) / (last - first) * (WIDTH - LEFT - RIGHT);
    let down = |at: f64| HEIGHT - BOTTOM - at / top * (HEIGHT - TOP - BOTTOM);
    let mut text = format!(
        "<svg class=\"curves\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escape(label)
    );
    if let Some((from, to)) = band {
        let (from, to) = (across(from.clamp(first, last)), across(to.clamp(first, last)));
        let width = (to - from).max(2.0);
        let height = HEIGHT - TOP - BOTTOM;
        let _ = write!(
            text,
            "<rect class=\"band\" x=\"{from:.1}\" y=\"{TOP}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/>"
        );
    }
    for step in 0..=4 {
        let at = top * f64::from(step) / 4.0;
        let (right, height) = (WIDTH - RIGHT, down(at));
        let _ = write!(
            text,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{height:.1}\" \
             y2=\"{height:.1}\"/><text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT - 6.0,
            height + 4.0,
            escape(&y(at))
        );
        let at = first + (last - first) * f64::from(step) / 4.0;
        let _ = write!(
            text,
            "<text class=\"tick middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            across(at),
            HEIGHT - 8.0,
            escape(&x(at))
        );
    }
    for mark in marks.iter().filter(|mark| (first..=last).contains(&mark.at)) {
        let at = across(mark.at);
        let _ = write!(
            text,
            "<line class=\"mark\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>\
             <text class=\"tick middle\" x=\"{at:.1}\" y=\"14\">{}</text>",
            HEIGHT - BOTTOM,
            escape(&mark.label)
        );
    }
    let mut taken: Vec<f64> = Vec::new();
    for (number, curve) in curves.iter().enumerate() {
        let class = number % 6;
        let points: Vec<_> = curve
            .points
            .iter()
            .map(|(x, y)| format!("{:.1},{:.1}", across(*x), down(*y)))
            .collect();
        let _ =
            write!(text, "<polyline class=\"curve k{class}\" points=\"{}\"/>", points.join(" "));
        let Some((_, end)) = curve.points.last() else { continue };
        // Names that would lie on each other move apart.
        let mut height = down(*end) + 4.0;
        while taken.iter().any(|other| (other - height).abs() < 13.0) {
            height -= 13.0;
        }
        taken.push(height);
        let _ = write!(
            text,
            "<text class=\"name k{class}\" x=\"{:.1}\" y=\"{height:.1}\">{}</text>",
            WIDTH - RIGHT + 6.0,
            escape(&curve.name)
        );
    }
    text.push_str("</svg>");
    text
}

/// Returns the next figure of 1, 2, 2.5, 4, 5 or 10 with zeros, for the top of a scale.
fn round_up(most: f64) -> f64 {
    let unit = 10_f64.powf(most.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * unit).find(|top| *top >= most).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_just_above_the_highest_point() {
        assert!((round_up(1999.0) - 2000.0).abs() < 1e-9);
        assert!((round_up(0.7) - 0.8).abs() < 1e-9);
    }

    #[test]
    fn nothing_to_draw_draws_nothing() {
        let plain = |at: f64| at.to_string();
        assert!(curves(&[], &[], None, "", &plain, &plain).is_empty());
    }
}
