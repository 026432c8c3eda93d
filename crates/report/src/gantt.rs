//! The calendar as a picture: a bar for each run, a row for each job (SVG).

use crate::{Words, display_width};
use jiff::{
    ToSpan as _,
    civil::{Date, DateTime, Weekday},
};
use kasuan_model::{BillingMode, Phrase};
use kasuan_plan::{
    outcome::{CalendarEntry, Plan},
    workload::Workload,
};
use std::collections::{BTreeMap, BTreeSet};

/// Sizes in user units.
const ROW: u32 = 26;
const DAY: u32 = 28;
const LABELS: u32 = 190;
const HEAD: u32 = 62;
const FOOT: u32 = 40;

/// Columns of a label before it is cut; the whole name stands in the bar's title.
const LABEL_COLUMNS: usize = 24;

/// The narrowest bar that can be seen.
const LEAST_BAR: f64 = 2.0;

/// Fonts that have Chinese characters, on the usual systems.
const FONTS: &str =
    "Noto Sans CJK SC, Source Han Sans SC, PingFang SC, Microsoft YaHei, sans-serif";

/// Draws when the jobs of a plan run, at most so many of them, in the order of the workload.
///
/// The picture has a title and a description for those who do not see it, and needs no script and
/// nothing from elsewhere.
pub fn gantt(plan: &Plan, workload: &Workload, most: usize, words: &Words) -> String {
    let mut by_job: BTreeMap<&str, Vec<&CalendarEntry>> = BTreeMap::new();
    for entry in &plan.calendar {
        by_job.entry(&entry.job).or_default().push(entry);
    }
    let runs = |name: &str| by_job.get(name).cloned().unwrap_or_default();
    let rows: Vec<(&str, Vec<&CalendarEntry>)> = workload
        .jobs
        .iter()
        .map(|job| (job.name.as_str(), runs(&job.name)))
        .filter(|(_, runs)| !runs.is_empty())
        .collect();
    let left_out = rows.len().saturating_sub(most);
    let last = plan.calendar.iter().map(|entry| entry.end).max();
    let days = last.map_or(1, |last| days_between(workload.month, last));
    let picture = Picture { first: workload.month, days, words };
    picture.draw(&rows[..rows.len() - left_out], left_out)
}

/// Returns the days up to and with the one that a moment lies in.
fn days_between(first: Date, last: DateTime) -> u32 {
    let days = last.date().since(first).map_or(0, |span| span.get_days());
    let begun = i32::from(last.time() != jiff::civil::Time::midnight());
    u32::try_from(days + begun).unwrap_or(1).max(1)
}

struct Picture<'a> {
    first: Date,
    days: u32,
    words: &'a Words,
}

impl Picture<'_> {
    fn draw(&self, rows: &[(&str, Vec<&CalendarEntry>)], left_out: usize) -> String {
        let height = HEAD + ROW * count(rows.len()) + FOOT;
        let width = LABELS + DAY * self.days + 10;
        let title = Phrase::new("calendar-title")
            .with("year", self.first.year().to_string())
            .with("month", self.first.month());
        let title = self.words.say(&title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" \
             aria-labelledby=\"gantt-title gantt-text\" font-family=\"{FONTS}\" font-size=\"12\">\n\
             <title id=\"gantt-title\">{}</title>\n<desc id=\"gantt-text\">{}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
             <text x=\"8\" y=\"22\" font-size=\"15\" font-weight=\"bold\" fill=\"#1f2328\">{}</text>\n",
            escaped(&title),
            escaped(&self.described(rows, left_out)),
            escaped(&title),
        );
        self.axis(&mut svg, height - FOOT);
        for (at, (name, runs)) in rows.iter().enumerate() {
            let top = HEAD + ROW * count(at);
            svg.push_str(&format!(
                "<text x=\"8\" y=\"{}\" fill=\"#1f2328\">{}</text>\n",
                top + 17,
                escaped(&cut(name, LABEL_COLUMNS))
            ));
            for run in runs {
                self.bar(&mut svg, run, top);
            }
        }
        self.legend(&mut svg, rows, height - FOOT + 26);
        if left_out > 0 {
            let more = Phrase::new("calendar-more").with("count", left_out);
            svg.push_str(&format!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#59636e\">{}</text>\n",
                width - 10,
                height - FOOT + 26,
                escaped(&self.words.say(&more))
            ));
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Draws the days, weekends shaded.
    fn axis(&self, svg: &mut String, bottom: u32) {
        for day in 0..self.days {
            let Ok(date) = self.first.checked_add(i64::from(day).days()) else { break };
            let x = LABELS + DAY * day;
            if matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday) {
                svg.push_str(&format!(
                    "<rect x=\"{x}\" y=\"{}\" width=\"{DAY}\" height=\"{}\" fill=\"#f2f4f7\"/>\n",
                    HEAD - 18,
                    bottom - HEAD + 18
                ));
            }
            svg.push_str(&format!(
                "<line x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#d9dee3\"/>\n\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"10\" fill=\"#59636e\">{}</text>\n",
                HEAD - 18,
                x + DAY / 2,
                HEAD - 6,
                date.day()
            ));
        }
    }

    fn bar(&self, svg: &mut String, run: &CalendarEntry, top: u32) {
        let start = self.x(run.start);
        let width = (self.x(run.end) - start).max(LEAST_BAR);
        let told = Phrase::new("calendar-bar")
            .with("job", &run.job)
            .with("from", run.start.strftime("%m-%d %H:%M"))
            .with("until", run.end.strftime("%m-%d %H:%M"))
            .with("cards", run.cards)
            .with("card", run.card.as_str())
            .with("mode", self.words.mode(run.mode));
        svg.push_str(&format!(
            "<rect x=\"{start:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"{}\" rx=\"2\" fill=\"{}\">\
             <title>{}</title></rect>\n",
            top + 4,
            ROW - 8,
            colour(run.mode),
            escaped(&self.words.say(&told))
        ));
    }

    fn legend(&self, svg: &mut String, rows: &[(&str, Vec<&CalendarEntry>)], y: u32) {
        let modes: BTreeSet<BillingMode> =
            rows.iter().flat_map(|(_, runs)| runs.iter().map(|run| run.mode)).collect();
        let mut x = LABELS;
        for mode in modes {
            let word = self.words.mode(mode);
            svg.push_str(&format!(
                "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\
                 <text x=\"{}\" y=\"{y}\" fill=\"#1f2328\">{}</text>\n",
                y - 11,
                colour(mode),
                x + 17,
                escaped(&word)
            ));
            x += 40 + 8 * count(display_width(&word));
        }
    }

    /// Says in a sentence for each job what the picture shows.
    fn described(&self, rows: &[(&str, Vec<&CalendarEntry>)], left_out: usize) -> String {
        let mut said = Vec::new();
        for (name, runs) in rows {
            let (Some(first), Some(last)) = (runs.first(), runs.last()) else { continue };
            let phrase = Phrase::new("calendar-described")
                .with("job", *name)
                .with("runs", runs.len())
                .with("from", first.start.strftime("%m-%d %H:%M"))
                .with("until", last.end.strftime("%m-%d %H:%M"));
            said.push(self.words.say(&phrase));
        }
        if left_out > 0 {
            said.push(self.words.say(&Phrase::new("calendar-more").with("count", left_out)));
        }
        said.join("\n")
    }

    fn x(&self, moment: DateTime) -> f64 {
        let days = moment.date().since(self.first).map_or(0, |span| span.get_days());
        let time = moment.time();
        let seconds = i32::from(time.hour()) * 3600
            + i32::from(time.minute()) * 60
            + i32::from(time.second());
        let day = f64::from(days) + f64::from(seconds) / 86_400.0;
        f64::from(LABELS) + f64::from(DAY) * day.clamp(0.0, f64::from(self.days))
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX / 1000)
}

/// Colours that can be told apart with any common colour blindness (Okabe and Ito, 2008).
const fn colour(mode: BillingMode) -> &'static str {
    match mode {
        BillingMode::OnDemand => "#0072b2",
        BillingMode::Spot => "#d55e00",
        BillingMode::Daily => "#56b4e9",
        BillingMode::Weekly => "#cc79a7",
        BillingMode::Monthly => "#009e73",
        BillingMode::Yearly => "#e69f00",
        BillingMode::Reserved { .. } => "#999999",
    }
}

/// Cuts a text to so many columns, a Chinese character taking two.
fn cut(text: &str, columns: usize) -> String {
    if display_width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    for sign in text.chars() {
        if display_width(&short) + display_width(sign.encode_utf8(&mut [0; 4])) >= columns {
            break;
        }
        short.push(sign);
    }
    short.push('…');
    short
}

/// Escapes a text for XML; what XML cannot hold becomes a space.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(' '),
            '\n' => escaped.push('\n'),
            sign if sign.is_control() => escaped.push(' '),
            sign => escaped.push(sign),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_by_the_columns_it_takes() {
        assert_eq!(cut("在线问答", 8), "在线问答");
        assert_eq!(cut("在线问答服务", 8), "在线问…");
        assert_eq!(cut("abcdefgh", 5), "abcd…");
    }

    #[test]
    fn nothing_in_a_name_can_break_the_picture() {
        assert_eq!(escaped("a<b>&\"c\u{0}"), "a&lt;b&gt;&amp;&quot;c ");
    }
}
