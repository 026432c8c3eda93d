//! A month and the zone that it begins and ends in.

use jiff::{Timestamp, civil::Date, tz::Offset};
use std::{fmt, str::FromStr};

/// The text is not in the form that was asked for.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not in the form that was asked for")]
pub(crate) struct Malformed;

/// A month, `2026-11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Month(Date);

impl Month {
    /// Returns the month before a day's.
    pub(crate) fn before(day: Date) -> Self {
        let first = day.first_of_month();
        Self(first.yesterday().map_or(first, Date::first_of_month))
    }

    /// Returns the month of a day.
    pub(crate) fn of(day: Date) -> Self {
        Self(day.first_of_month())
    }

    /// Returns the month after this one.
    pub(crate) fn next(self) -> Self {
        Self(self.0.last_of_month().tomorrow().unwrap_or(self.0))
    }

    /// Returns its first moment, and the first moment after it.
    pub(crate) fn span(self, zone: Zone) -> Option<(Timestamp, Timestamp)> {
        let start = |day: Date| zone.0.to_timestamp(day.at(0, 0, 0, 0)).ok();
        Some((start(self.0)?, start(self.next().0)?))
    }
}

impl FromStr for Month {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let (year, month) = text.split_once('-').ok_or(Malformed)?;
        if year.len() != 4 {
            return Err(Malformed);
        }
        let (year, month) =
            (year.parse().map_err(|_| Malformed)?, month.parse().map_err(|_| Malformed)?);
        Date::new(year, month, 1).map(Self).map_err(|_| Malformed)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0.year(), self.0.month())
    }
}

/// A fixed distance from UTC: `+08:00`, `UTC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zone(pub(crate) Offset);

impl FromStr for Zone {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let text = text.trim();
        if matches!(text, "UTC" | "utc" | "Z") {
            return Ok(Self(Offset::UTC));
        }
        let (sign, rest) = match text.split_at_checked(1) {
            Some(("+", rest)) => (1, rest),
            Some(("-", rest)) => (-1, rest),
            _ => return Err(Malformed),
        };
        let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
        let hours: i32 = hours.parse().map_err(|_| Malformed)?;
        let minutes: i32 = minutes.parse().map_err(|_| Malformed)?;
        if !(0..=14).contains(&hours) || !(0..60).contains(&minutes) {
            return Err(Malformed);
        }
        Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).map(Self).map_err(|_| Malformed)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.seconds();
        let sign = if seconds < 0 { '-' } else { '+' };
        let minutes = seconds.abs() / 60;
        write!(f, "UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_begins_at_midnight_of_its_zone() {
        let zone: Zone = "+08:00".parse().unwrap();
        let (from, to) = "2026-12".parse::<Month>().unwrap().span(zone).unwrap();
        assert_eq!(from.to_string(), "2026-11-30T16:00:00Z");
        assert_eq!(to.to_string(), "2026-12-31T16:00:00Z");
        for text in ["2026", "26-12", "2026-13", "2026-12-01", "十二月"] {
            assert!(text.parse::<Month>().is_err(), "{text}");
        }
        assert_eq!(zone.to_string(), "UTC+08:00");
        assert!("+25:00".parse::<Zone>().is_err() && "8".parse::<Zone>().is_err());
    }
}
