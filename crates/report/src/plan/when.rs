//! When a job runs, said as shortly as its runs allow and never more regularly than they are.

use crate::Words;
use jiff::{
    ToSpan as _,
    civil::{Date, Time, Weekday},
};
use kasuan_model::Phrase;
use kasuan_plan::outcome::CalendarEntry;
use std::collections::BTreeSet;

/// Starts that are written out one by one.
const ONE_BY_ONE: usize = 4;

/// Days that are written out where only the hours are the same.
const DAYS: usize = 12;

/// Counts runs; one that is cut into parts counts once.
pub(super) fn runs(parts: &[&CalendarEntry]) -> usize {
    parts.iter().map(|part| part.run).collect::<BTreeSet<_>>().len()
}

/// Says when a job runs; `None` when it never does.
pub(super) fn told(parts: &[&CalendarEntry], words: &Words) -> Option<String> {
    let (first, last) = (parts.first()?, parts.last()?);
    let (from, until) = (day(first.start.date()), day(last.start.date()));
    if let [always] = parts
        && always.start.time() == Time::midnight()
        && always.end.time() == Time::midnight()
        && always.start.date().tomorrow().is_ok_and(|next| always.end.date() > next)
    {
        let until = always.end.date().yesterday().unwrap_or(always.end.date());
        let phrase = Phrase::new("report-around-the-clock")
            .with("first", day(always.start.date()))
            .with("last", day(until));
        return Some(words.say(&phrase));
    }
    if parts.len() <= ONE_BY_ONE {
        let comma = words.word("report-comma");
        return Some(parts.iter().map(|part| one(part)).collect::<Vec<_>>().join(&comma));
    }
    let hours: BTreeSet<_> = parts.iter().map(|part| clock(part)).collect();
    let whole = runs(parts) == parts.len();
    if whole && hours.len() == 1 {
        let starts: Vec<Date> = parts.iter().map(|part| part.start.date()).collect();
        let is_workday =
            |date: &Date| !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday);
        if is_every(&starts, |_| true) {
            let phrase = Phrase::new("report-same-hours")
                .with("first", from)
                .with("last", until)
                .with("clock", clock(first));
            return Some(words.say(&phrase));
        }
        if is_every(&starts, is_workday) {
            let phrase = Phrase::new("report-workdays")
                .with("first", from)
                .with("last", until)
                .with("clock", clock(first));
            return Some(words.say(&phrase));
        }
        if starts.len() <= DAYS {
            let listed: Vec<_> = starts.into_iter().map(day).collect();
            let phrase = Phrase::new("report-on-days")
                .with("clock", clock(first))
                .with("days", listed.join(&words.word("report-list-comma")));
            return Some(words.say(&phrase));
        }
    }
    let phrase = if whole {
        Phrase::new("report-first-and-last").with("first", one(first)).with("last", one(last))
    } else {
        Phrase::new("report-parts")
            .with("parts", parts.len())
            .with("first", one(first))
            .with("last", one(last))
    };
    Some(words.say(&phrase))
}

/// Says whether the days are all days of a kind from the first to the last, each once.
fn is_every(days: &[Date], of_kind: impl Fn(&Date) -> bool) -> bool {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return false };
    let all = first.series(1.day()).take_while(|date| date <= last).filter(|date| of_kind(date));
    all.eq(days.iter().copied())
}

fn day(date: Date) -> String {
    date.strftime("%m-%d").to_string()
}

fn clock(part: &CalendarEntry) -> String {
    format!("{}–{}", part.start.strftime("%H:%M"), part.end.strftime("%H:%M"))
}

fn one(part: &CalendarEntry) -> String {
    let end = if part.start.date() == part.end.date() { "%H:%M" } else { "%m-%d %H:%M" };
    format!("{}–{}", part.start.strftime("%m-%d %H:%M"), part.end.strftime(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use jiff::civil::date;
    use kasuan_model::{BillingMode, CardId};

    fn part(run: u32, day: i8, from: i8, until: i8) -> CalendarEntry {
        CalendarEntry {
            job: "job".to_owned(),
            run,
            start: date(2026, 12, day).at(from, 0, 0, 0),
            end: date(2026, 12, day).at(until, 0, 0, 0),
            card: CardId::new("rtx-4090"),
            cards: 1,
            mode: BillingMode::OnDemand,
        }
    }

    fn said(days: &[i8]) -> String {
        let parts: Vec<_> =
            days.iter().enumerate().map(|(at, day)| part(at as u32 + 1, *day, 9, 12)).collect();
        told(&parts.iter().collect::<Vec<_>>(), &Words::new(Language::Chinese)).unwrap()
    }

    #[test]
    fn only_what_runs_every_day_is_called_daily() {
        // 2026-12-01 is a Tuesday.
        assert_eq!(said(&[1, 2, 3, 4, 5]), "12-01 到 12-05 每天 09:00–12:00");
        assert_eq!(said(&[1, 2, 3, 4, 7, 8]), "12-01 到 12-08 每个工作日 09:00–12:00");
        assert_eq!(said(&[1, 4, 8, 11, 15]), "09:00–12:00，日期 12-01、12-04、12-08、12-11、12-15");
        // A workday is missing, and one day stands twice.
        assert!(!said(&[1, 2, 4, 7, 8]).contains("工作日"));
        assert!(!said(&[1, 2, 3, 3, 4]).contains("每天"));
    }

    #[test]
    fn a_run_in_parts_counts_once() {
        let parts: Vec<_> = (0..6).map(|at| part(at / 2 + 1, at as i8 + 1, 1, 7)).collect();
        let parts: Vec<_> = parts.iter().collect();
        assert_eq!(runs(&parts), 3);
        let said = told(&parts, &Words::new(Language::Chinese)).unwrap();
        assert!(said.starts_with("分 6 段"), "{said}");
    }

    #[test]
    fn a_service_that_is_never_down_is_around_the_clock() {
        let mut always = part(1, 1, 0, 0);
        always.end = date(2027, 1, 1).at(0, 0, 0, 0);
        let said = told(&[&always], &Words::new(Language::Chinese)).unwrap();
        assert_eq!(said, "12-01 到 12-31 全天不停");
    }
}
