//! The calendar of a plan as a file for other programs, or as a picture.

use crate::{context::Context, error::CommandError};
use jiff::tz::{Offset, TimeZone};
use kasuan_formats::calendar::{self, Agenda};
use kasuan_model::Phrase;
use kasuan_report::{PlanReport, gantt};

/// What a calendar is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CalendarKind {
    /// iCalendar.
    Ics,
    /// A crontab.
    Cron,
    /// A script of `sbatch` calls.
    Slurm,
    /// A picture.
    Svg,
}

impl CalendarKind {
    /// Returns the kind that a file's extension stands for.
    pub(crate) fn from_extension(extension: &str) -> Option<Self> {
        match extension {
            "ics" => Some(Self::Ics),
            "cron" | "crontab" => Some(Self::Cron),
            "sh" | "sbatch" => Some(Self::Slurm),
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }
}

/// Writes the calendar of a plan.
pub(crate) fn written(
    kind: CalendarKind,
    zone: Option<&TimeZone>,
    report: &PlanReport<'_>,
    context: &Context,
) -> String {
    let agenda = Agenda {
        plan: report.plan,
        workload: report.workload,
        made: report.today,
        zone: zone.cloned(),
    };
    let say = |phrase: &Phrase| context.say(phrase);
    match kind {
        CalendarKind::Ics => calendar::icalendar(&agenda, &say),
        CalendarKind::Cron => calendar::crontab(&agenda, &say),
        CalendarKind::Slurm => calendar::submissions(&agenda, &say),
        CalendarKind::Svg => gantt(report.plan, report.workload, usize::MAX, &context.words),
    }
}

/// Reads a time zone: a name such as `Asia/Shanghai`, or an offset such as `+08:00`.
pub(crate) fn zone(text: &str) -> Result<TimeZone, CommandError> {
    if text.eq_ignore_ascii_case("utc") || text == "Z" {
        return Ok(TimeZone::UTC);
    }
    if let Some(offset) = offset(text) {
        return Ok(TimeZone::fixed(offset));
    }
    TimeZone::get(text).map_err(|_| {
        CommandError::user(Phrase::new("error-time-zone").with("text", text))
            .hint(Phrase::new("hint-time-zone"))
    })
}

fn offset(text: &str) -> Option<Offset> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits = text.get(1..)?;
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let (hours, minutes) = (hours.parse::<u8>().ok()?, minutes.parse::<u8>().ok()?);
    if minutes >= 60 {
        return None;
    }
    let seconds = i32::from(hours) * 3600 + i32::from(minutes) * 60;
    Offset::from_seconds(sign * seconds).ok()
}
