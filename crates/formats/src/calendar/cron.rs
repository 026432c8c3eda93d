//! A crontab that starts and stops jobs: one line for each job and time of day, with its days.

use super::{Agenda, Say, comments, quoted};
use jiff::{ToSpan as _, civil::DateTime};
use kasuan_model::Phrase;
use std::collections::{BTreeMap, BTreeSet};

/// What a line does, to which job, on what: `start 'job' rtx-4090 2`.
type Call = (String, &'static str);

/// When a line runs, days apart: year, month, hour, minute.
type When = (i16, i8, i8, i8);

/// Writes the runs of a plan as a crontab.
///
/// Cron knows no year, so each line asks for its own; times are rounded up to the minute, so that
/// nothing starts before what it waits for has ended.
pub fn crontab(agenda: &Agenda<'_>, say: Say<'_>) -> String {
    let mut days: BTreeMap<(When, Call), BTreeSet<i8>> = BTreeMap::new();
    let mut note = |moment: DateTime, action: &'static str, call: &str| {
        let at = whole_minute(agenda.written(moment));
        let when = (at.year(), at.month(), at.hour(), at.minute());
        days.entry((when, (call.to_owned(), action))).or_default().insert(at.day());
    };
    for entry in &agenda.plan.calendar {
        let call = format!("{} {} {}", quoted(&entry.job), entry.card, entry.cards);
        note(entry.start, "start", &call);
        note(entry.end, "stop", &call);
    }
    let mut text = comments(&say(&Phrase::new("calendar-cron-head")));
    text.push_str("SHELL=/bin/sh\n");
    if agenda.zone.is_some() {
        text.push_str("CRON_TZ=UTC\n");
    }
    text.push_str("KASUAN_HOOK=/usr/local/bin/kasuan-hook\n");
    for (((year, month, hour, minute), (call, action)), days) in &days {
        // A bare % is a line break to cron.
        let command = format!(r#"[ "$(date +%Y)" = {year} ] && "$KASUAN_HOOK" {action} {call}"#);
        let command = command.replace('%', r"\%");
        text.push_str(&format!("{minute} {hour} {} {month} * {command}\n", ranges(days)));
    }
    text
}

/// Returns the first full minute that is not before a moment.
fn whole_minute(moment: DateTime) -> DateTime {
    let past = i64::from(moment.second());
    if past == 0 { moment } else { moment.checked_add((60 - past).seconds()).unwrap_or(moment) }
}

/// Writes days as cron does: `1-5,8`.
fn ranges(days: &BTreeSet<i8>) -> String {
    let mut ranges: Vec<(i8, i8)> = Vec::new();
    for day in days {
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == *day => last.1 = *day,
            _ => ranges.push((*day, *day)),
        }
    }
    let written = ranges.iter().map(|(first, last)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    });
    written.collect::<Vec<_>>().join(",")
}
