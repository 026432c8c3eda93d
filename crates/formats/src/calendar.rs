//! The calendar of a plan for other programs: iCalendar, crontab, and Slurm submissions.
//!
//! A plan's times are the wall clock of the place where the jobs run. Without a time zone they are
//! written as such; with one they are written as moments in UTC, which no reader can mistake.

mod cron;
mod icalendar;
mod slurm;

pub use cron::crontab;
pub use icalendar::icalendar;
pub use slurm::submissions;

use jiff::{
    civil::{Date, DateTime},
    tz::{Offset, TimeZone},
};
use kasuan_model::Phrase;
use kasuan_plan::{
    outcome::{CalendarEntry, Plan},
    workload::Workload,
};

/// Puts a phrase into the reader's words.
pub type Say<'a> = &'a dyn Fn(&Phrase) -> String;

/// What a calendar is written from.
#[derive(Clone, Debug)]
pub struct Agenda<'a> {
    /// The plan whose runs are written.
    pub plan: &'a Plan,
    /// What was asked for, for who waits for whom.
    pub workload: &'a Workload,
    /// The day on which the plan was made.
    pub made: Date,
    /// The time zone of the plan's times; `None` leaves them as wall clock.
    pub zone: Option<TimeZone>,
}

impl Agenda<'_> {
    /// Returns a moment as it is written: in UTC where the zone is known, as it is where not.
    ///
    /// A wall clock that the zone skips or has twice is read as RFC 5545 reads it.
    fn written(&self, moment: DateTime) -> DateTime {
        let Some(zone) = &self.zone else { return moment };
        self.seconds(zone, moment).map_or(moment, |at| Offset::UTC.to_datetime(at))
    }

    fn seconds(&self, zone: &TimeZone, moment: DateTime) -> Option<jiff::Timestamp> {
        zone.to_ambiguous_zoned_datetime(moment).compatible().ok().map(|zoned| zoned.timestamp())
    }

    /// Returns each entry with the number of the part it is of its run, from 1.
    fn parts(&self) -> Vec<(usize, &CalendarEntry)> {
        let mut seen: std::collections::BTreeMap<(&str, u32), usize> = Default::default();
        let parts = self.plan.calendar.iter().map(|entry| {
            let part = seen.entry((entry.job.as_str(), entry.run)).or_default();
            *part += 1;
            (*part, entry)
        });
        parts.collect()
    }
}

/// Writes a word for a shell, so that nothing in it is taken for anything else.
fn quoted(word: &str) -> String {
    format!("'{}'", one_line(word).replace('\'', r"'\''"))
}

/// Puts a text on one line and takes control characters out.
fn one_line(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}

/// Writes lines as comments of a script.
fn comments(text: &str) -> String {
    text.lines().map(|line| format!("# {}\n", one_line(line))).collect()
}
