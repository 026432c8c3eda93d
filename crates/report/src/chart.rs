//! Lines over days as text: a sparkline in a table's cell, and a chart with its axes.

/// Draws values as bars, from the lowest to the highest of them; unchanging ones are a flat line.
pub fn sparkline(values: &[f64], width: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (low, high) = ends(values.iter().copied());
    let width = width.min(values.len());
    (0..width)
        // The first and the last value are always seen.
        .filter_map(|at| values.get(place(at, width, values.len())))
        .map(|value| {
            let height = if high > low { (value - low) / (high - low) * 7.0 } else { 3.0 };
            BARS.get(height.round() as usize).copied().unwrap_or('▁')
        })
        .collect()
}

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct ChartLine {
    /// What marks it.
    pub mark: char,
    /// Its values, one for each day; `None` where there is none.
    pub values: Vec<Option<f64>>,
}

/// A chart of lines over the same days.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The lines; a later one is drawn over an earlier one.
    pub lines: Vec<ChartLine>,
    /// Label of the first day.
    pub first: String,
    /// Label of the last day.
    pub last: String,
}

impl Chart {
    /// Draws the chart; `label` writes a value of the axis. Nothing where there is no value.
    pub fn draw(&self, width: usize, height: usize, label: impl Fn(f64) -> String) -> String {
        let values = self.lines.iter().flat_map(|line| line.values.iter().flatten().copied());
        let (low, high) = ends(values);
        let days = self.lines.iter().map(|line| line.values.len()).max().unwrap_or(0);
        if days == 0 || !low.is_finite() || height < 2 {
            return String::new();
        }
        // A price that never moves stands in the middle and not on the axis.
        let (low, high) = if high > low { (low, high) } else { (low * 0.9, high * 1.1 + 1e-9) };
        let labels: Vec<String> = (0..height)
            .map(|row| {
                let share = 1.0 - row as f64 / (height - 1) as f64;
                label(low + (high - low) * share)
            })
            .collect();
        let margin = labels.iter().map(|label| crate::display_width(label)).max().unwrap_or(0);
        let width = width.saturating_sub(margin + 2).clamp(8, days.max(8));
        let mut rows = vec![vec![' '; width]; height];
        for line in &self.lines {
            for column in 0..width {
                let at = place(column, width, days);
                let Some(value) = line.values.get(at).copied().flatten() else { continue };
                let share = (value - low) / (high - low);
                let row = ((1.0 - share) * (height - 1) as f64).round() as usize;
                if let Some(cell) = rows.get_mut(row).and_then(|row| row.get_mut(column)) {
                    *cell = line.mark;
                }
            }
        }
        let mut text = String::new();
        for (row, label) in rows.iter().zip(&labels) {
            let line: String = row.iter().collect();
            text.push_str(&crate::pad_start(label, margin));
            text.push_str(" ┤");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push_str(&" ".repeat(margin + 1));
        text.push('└');
        text.push_str(&"─".repeat(width));
        text.push('\n');
        text.push_str(&" ".repeat(margin + 2));
        let gap = width.saturating_sub(self.first.len() + self.last.len()).max(1);
        text.push_str(&self.first);
        if self.first != self.last {
            text.push_str(&" ".repeat(gap));
            text.push_str(&self.last);
        }
        text.push('\n');
        text
    }
}

/// Returns the lowest and the highest value.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// Returns the value that stands in a column, so that the first and the last are always seen.
const fn place(column: usize, width: usize, values: usize) -> usize {
    if width <= 1 { 0 } else { column * values.saturating_sub(1) / (width - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_rises_with_the_values_and_is_flat_without_change() {
        let values: Vec<f64> = (0..8).map(f64::from).collect();
        assert_eq!(sparkline(&values, 8), "▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&[1.0; 3], 8), "▄▄▄");
        assert_eq!(sparkline(&[], 8), "");
        let ends = sparkline(&[5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0], 3);
        assert_eq!(ends, "▅▁█");
    }

    #[test]
    fn a_chart_shows_both_ends_of_both_axes() {
        let values = (0..20).map(|day| Some(f64::from(day))).collect();
        let chart = Chart {
            lines: vec![ChartLine { mark: '●', values }],
            first: "07-05".to_owned(),
            last: "07-24".to_owned(),
        };
        let text = chart.draw(40, 5, |value| format!("{value:.0}"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7);
        assert!(lines[0].starts_with("19 ┤") && lines[0].ends_with('●'), "{text}");
        assert!(lines[4].starts_with(" 0 ┤●"), "{text}");
        assert!(
            lines[6].trim_start().starts_with("07-05") && lines[6].ends_with("07-24"),
            "{text}"
        );
        let empty = Chart { lines: Vec::new(), first: String::new(), last: String::new() };
        assert_eq!(empty.draw(40, 5, |value| value.to_string()), "");
    }
}
