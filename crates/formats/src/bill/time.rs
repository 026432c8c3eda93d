//! Times of bills: with a zone, without one, days, months, and ranges of two.

use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::Offset,
};

/// Reads a moment; a time without a zone is in `zone`, a day begins at midnight there.
pub fn moment(text: &str, zone: Offset) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    // Huawei writes `2020-08-23 22:00:00 GMT+08:00`.
    if let Some((civil, offset)) = text.split_once(" GMT") {
        return moment(civil, stated_offset(offset)?);
    }
    let civil = civil(&text.replace(['/', '.'], "-"))?;
    zone.to_timestamp(civil).ok()
}

/// As [`moment`], and whether the time states its zone itself.
pub(super) fn moment_and_zone(text: &str, zone: Offset) -> Option<(Timestamp, bool)> {
    match text.trim().parse::<Timestamp>() {
        Ok(moment) => Some((moment, true)),
        Err(_) => Some((moment(text, zone)?, states_zone(text))),
    }
}

/// Returns the month in `zone` that a moment lies in.
pub(super) fn month_of(moment: Timestamp, zone: Offset) -> Option<(Timestamp, Timestamp)> {
    let first = zone.to_datetime(moment).date().first_of_month();
    let next = first.last_of_month().tomorrow().ok()?;
    let start = zone.to_timestamp(first.to_datetime(Time::midnight())).ok()?;
    let end = zone.to_timestamp(next.to_datetime(Time::midnight())).ok()?;
    Some((start, end))
}

/// Says whether a time that was read states its zone itself.
pub fn states_zone(text: &str) -> bool {
    let text = text.trim();
    text.contains(" GMT") || text.parse::<Timestamp>().is_ok()
}

fn stated_offset(text: &str) -> Option<Offset> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Offset::UTC);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    Offset::from_seconds(sign * seconds).ok()
}

/// Reads `2026-12-01 08:00:00`, `2026-12-1 8:00`, `2026-12-01T08:00` or `20261201`.
fn civil(text: &str) -> Option<DateTime> {
    if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(day(text)?.to_datetime(Time::midnight()));
    }
    let (date, time) = text.split_once([' ', 'T']).unwrap_or((text, ""));
    let date = day(date)?;
    let mut parts = time.trim().trim_end_matches('Z').split(':');
    let mut part = || -> Option<i8> {
        match parts.next().map(str::trim) {
            None | Some("") => Some(0),
            // Fractions of a second do not matter to a bill.
            Some(text) => text.split('-').next()?.parse().ok(),
        }
    };
    let (hour, minute, second) = (part()?, part()?, part()?);
    if hour == 24 && minute == 0 && second == 0 {
        return Some(date.tomorrow().ok()?.to_datetime(Time::midnight()));
    }
    Some(date.to_datetime(Time::new(hour, minute, second, 0).ok()?))
}

/// Reads `2026-12-01`, `2026-12-1` or `20261201`.
fn day(text: &str) -> Option<Date> {
    let (year, month, day) = if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        (text.get(..4)?, text.get(4..6)?, text.get(6..)?)
    } else {
        let mut parts = text.splitn(3, '-');
        (parts.next()?, parts.next()?, parts.next()?)
    };
    // A two-digit year or `5-1-25` would be a guess.
    if year.len() != 4 {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Reads a month, `2026-12` or `202612`, as its first and last moments; the end is exclusive.
pub fn month(text: &str, zone: Offset) -> Option<(Timestamp, Timestamp)> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let (year, month) = (digits.get(..4)?, digits.get(4..6)?);
    if digits.len() > 8 {
        return None;
    }
    let first = Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?;
    let next = first.last_of_month().tomorrow().ok()?;
    let start = zone.to_timestamp(first.to_datetime(Time::midnight())).ok()?;
    let end = zone.to_timestamp(next.to_datetime(Time::midnight())).ok()?;
    Some((start, end))
}

/// Reads `START-END` where both have the same shape, as Huawei writes it.
pub(super) fn range(text: &str, zone: Offset) -> Option<(Timestamp, Timestamp)> {
    text.match_indices('-').find_map(|(at, _)| {
        let (start, end) = (text.get(..at)?, text.get(at + 1..)?);
        Some((moment(start, zone)?, moment(end, zone)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn times_are_read_in_the_shapes_that_bills_use() {
        let china = Offset::from_seconds(8 * 3600).unwrap();
        let expected = utc("2026-12-01T00:00:00Z");
        for text in [
            "2026-12-01 08:00:00",
            "2026/12/1 8:00",
            "2026-12-01T08:00:00+08:00",
            "2026-12-01T00:00:00Z",
            "2026-12-01 08:00:00 GMT+08:00",
        ] {
            assert_eq!(moment(text, china), Some(expected), "{text}");
        }
        assert_eq!(moment("20261201", china), Some(utc("2026-11-30T16:00:00Z")));
        assert_eq!(moment("2026-11-30 24:00:00", china), Some(utc("2026-11-30T16:00:00Z")));
        for text in ["5/1/25", "2026-02-30", "yesterday", "", "2026-13-01 00:00:00"] {
            assert_eq!(moment(text, china), None, "{text}");
        }
    }

    #[test]
    fn a_range_is_split_at_the_dash_that_separates_two_times() {
        let text = "2020-08-23 22:00:00 GMT+08:00-2020-08-23 23:00:00 GMT+08:00";
        let (start, end) = range(text, Offset::UTC).unwrap();
        assert_eq!(start, utc("2020-08-23T14:00:00Z"));
        assert_eq!(end, utc("2020-08-23T15:00:00Z"));
    }

    #[test]
    fn a_month_ends_where_the_next_begins() {
        let (start, end) = month("2026-12", Offset::UTC).unwrap();
        assert_eq!((start, end), (utc("2026-12-01T00:00:00Z"), utc("2027-01-01T00:00:00Z")));
        assert_eq!(month("202612", Offset::UTC), Some((start, end)));
        assert_eq!(month("2026-13", Offset::UTC), None);
    }
}
