//! Series by the hour as CSV: how many cards were wanted, whether spot machines were there.
//!
//! The first column is the hour (a number or a date), the second the value; one header line. Rows
//! are in the order of time: a series that jumps or runs backwards would be read as another one.

use csv::{ReaderBuilder, StringRecord, Trim};
use jiff::{Timestamp, civil::DateTime, tz::Offset};
use kasuan_model::{Phrase, Phrased, Seconds};
use rust_decimal::{Decimal, RoundingStrategy, prelude::ToPrimitive as _};

/// Seconds of an hour.
const HOUR: i64 = 3600;

/// Why a series could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeriesError {
    /// The text is not CSV.
    #[error("line {line} is not CSV")]
    Csv {
        /// The line, from 1.
        line: u64,
    },
    /// A line has no second column.
    #[error("line {line} has no second column")]
    Short {
        /// The line, from 1.
        line: u64,
    },
    /// There is no row below the header.
    #[error("the series has no rows")]
    Empty,
    /// The first column is neither a number of hours nor a date.
    #[error("line {line}: `{text}` is neither a number of hours nor a date")]
    Hour {
        /// The line, from 1.
        line: u64,
        /// What stood there.
        text: String,
    },
    /// A row is not later than the one before.
    #[error("line {line}: `{text}` does not come after `{before}`")]
    Order {
        /// The line, from 1.
        line: u64,
        /// What stood there.
        text: String,
        /// The hour of the row before.
        before: String,
    },
    /// Rows are missing, or doubled within an hour.
    #[error("line {line}: `{text}` is not the next row after `{before}`")]
    Gap {
        /// The line, from 1.
        line: u64,
        /// What stood there.
        text: String,
        /// The hour of the row before.
        before: String,
    },
    /// A count is not a whole or decimal number of at least nothing.
    #[error("line {line}: `{text}` is not a number of cards")]
    Count {
        /// The line, from 1.
        line: u64,
        /// What stood there.
        text: String,
    },
    /// Whether machines were there is neither yes nor no.
    #[error("line {line}: `{text}` is neither 0 nor 1")]
    Flag {
        /// The line, from 1.
        line: u64,
        /// What stood there.
        text: String,
    },
}

impl Phrased for SeriesError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Csv { line } => Phrase::new("advise-error-csv").with("line", line),
            Self::Short { line } => Phrase::new("advise-error-column").with("line", line),
            Self::Empty => Phrase::new("advise-error-empty"),
            Self::Hour { line, text } => {
                Phrase::new("advise-error-hour").with("line", line).with("text", text)
            }
            Self::Order { line, text, before } => Phrase::new("advise-error-order")
                .with("line", line)
                .with("text", text)
                .with("before", before),
            Self::Gap { line, text, before } => Phrase::new("advise-error-gap")
                .with("line", line)
                .with("text", text)
                .with("before", before),
            Self::Count { line, text } => {
                Phrase::new("advise-error-count").with("line", line).with("text", text)
            }
            Self::Flag { line, text } => {
                Phrase::new("advise-error-flag").with("line", line).with("text", text)
            }
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Flag { .. } => vec![Phrase::new("advise-hint-availability")],
            Self::Order { .. } | Self::Gap { .. } | Self::Hour { .. } => {
                vec![Phrase::new("advise-hint-order")]
            }
            Self::Empty | Self::Csv { .. } | Self::Short { .. } | Self::Count { .. } => {
                vec![Phrase::new("advise-hint-demand")]
            }
        }
    }
}

/// Reads `hour,cards`: cards wanted in each hour, oldest first, one row for each hour; fractions
/// are rounded to the nearest card.
///
/// # Errors
///
/// Where there is nothing to read, and where rows are missing or out of order.
pub fn read_demand(text: &str) -> Result<Vec<u32>, SeriesError> {
    let rows = rows(text)?;
    for pair in rows.windows(2) {
        if pair[1].time - pair[0].time != HOUR {
            return Err(pair[1].gap(&pair[0]));
        }
    }
    rows.into_iter()
        .map(|row| {
            let count = row.value.parse::<Decimal>().ok().and_then(|count| {
                count.round_dp_with_strategy(0, RoundingStrategy::MidpointNearestEven).to_u32()
            });
            count.ok_or(SeriesError::Count { line: row.line, text: row.value })
        })
        .collect()
}

/// When spot machines were there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AvailabilitySeries {
    /// Whether they were there, oldest first.
    pub up: Vec<bool>,
    /// Time from one row to the next; `None` when there is only one.
    pub step: Option<Seconds>,
}

/// Reads `hour,available`: whether spot machines were there, oldest first, in even steps; a count
/// of machines means yes when it is above nothing.
///
/// # Errors
///
/// Where there is nothing to read, and where rows are missing or out of order.
pub fn read_availability(text: &str) -> Result<AvailabilitySeries, SeriesError> {
    let rows = rows(text)?;
    let mut series = AvailabilitySeries::default();
    if let [first, .., last] = rows.as_slice() {
        let steps = i64::try_from(rows.len() - 1).unwrap_or(i64::MAX);
        // Hours with few digits make steps uneven by rounding; a missing row doubles one.
        let usual = rows[1].time - first.time;
        for pair in rows.windows(2) {
            let step = pair[1].time - pair[0].time;
            if step * 2 <= usual || step * 2 >= usual * 3 {
                return Err(pair[1].gap(&pair[0]));
            }
        }
        let mean = (last.time - first.time + steps / 2) / steps;
        series.step = u64::try_from(mean).ok().filter(|step| *step > 0).map(Seconds::new);
    }
    for row in rows {
        series.up.push(match row.value.to_ascii_lowercase().as_str() {
            "yes" | "true" => true,
            "no" | "false" => false,
            number => match number.parse::<Decimal>() {
                Ok(count) if !count.is_sign_negative() => !count.is_zero(),
                _ => return Err(SeriesError::Flag { line: row.line, text: row.value }),
            },
        });
    }
    Ok(series)
}

/// A row of a series.
struct Row {
    line: u64,
    hour: String,
    /// The hour in seconds from some fixed moment.
    time: i64,
    value: String,
}

impl Row {
    fn gap(&self, before: &Self) -> SeriesError {
        let (line, text, before) = (self.line, self.hour.clone(), before.hour.clone());
        SeriesError::Gap { line, text, before }
    }
}

/// Returns every row below the header, in rising order of time.
fn rows(text: &str) -> Result<Vec<Row>, SeriesError> {
    let mut reader =
        ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(text.as_bytes());
    let mut rows: Vec<Row> = Vec::new();
    let mut record = StringRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_record(&mut record) {
            Ok(false) if rows.is_empty() => return Err(SeriesError::Empty),
            Ok(false) => return Ok(rows),
            Ok(true) => {
                let line = record.position().map_or(line, csv::Position::line);
                let (Some(hour), Some(value)) = (record.get(0), record.get(1)) else {
                    return Err(SeriesError::Short { line });
                };
                let (hour, value) = (hour.to_owned(), value.to_owned());
                let Some(time) = seconds(&hour) else {
                    return Err(SeriesError::Hour { line, text: hour });
                };
                if let Some(before) = rows.last().filter(|before| before.time >= time) {
                    let before = before.hour.clone();
                    return Err(SeriesError::Order { line, text: hour, before });
                }
                rows.push(Row { line, hour, time, value });
            }
            Err(_) => return Err(SeriesError::Csv { line }),
        }
    }
}

/// Reads a number of hours, a moment with its zone, or a date with or without a time.
fn seconds(text: &str) -> Option<i64> {
    if let Ok(hours) = text.parse::<Decimal>() {
        return hours.checked_mul(Decimal::from(HOUR))?.round().to_i64();
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_second());
    }
    let moment: DateTime = text.parse().ok()?;
    Some(Offset::UTC.to_timestamp(moment).ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demand_is_read_in_order_and_rounded_to_cards() {
        assert_eq!(read_demand("hour,cards\n0,3\n1,2.6\n2,0\n"), Ok(vec![3, 3, 0]));
        let dated = "hour,cards\n2026-12-01 08:00, 4\n2026-12-01 09:00, 5\n";
        assert_eq!(read_demand(dated), Ok(vec![4, 5]));
        let zoned = "hour,cards\n2026-12-01T08:00+08:00,4\n2026-12-01T01:00Z,5\n";
        assert_eq!(read_demand(zoned), Ok(vec![4, 5]));
    }

    #[test]
    fn a_wrong_row_is_named() {
        let count = read_demand("hour,cards\n0,3\n1,many\n");
        assert_eq!(count, Err(SeriesError::Count { line: 3, text: "many".to_owned() }));
        assert_eq!(read_demand("hour\n0\n"), Err(SeriesError::Short { line: 2 }));
        assert!(read_demand("hour,cards\n0,-1\n").is_err());
        assert!(read_demand("hour,cards\n0,99999999999\n").is_err());
        assert!(read_availability("hour,available\n0,maybe\n").is_err());
        let hour = read_demand("hour,cards\nmonday,3\n");
        assert_eq!(hour, Err(SeriesError::Hour { line: 2, text: "monday".to_owned() }));
    }

    #[test]
    fn a_file_without_rows_is_refused() {
        for text in ["", "hour,cards\n", "hour,cards\n\n"] {
            assert_eq!(read_demand(text), Err(SeriesError::Empty));
            assert_eq!(read_availability(text), Err(SeriesError::Empty));
        }
    }

    #[test]
    fn rows_that_run_backwards_repeat_or_miss_an_hour_are_named() {
        let text = |of: &str| of.to_owned();
        assert_eq!(
            read_demand("hour,cards\n5,1\n4,1\n"),
            Err(SeriesError::Order { line: 3, text: text("4"), before: text("5") })
        );
        assert!(matches!(
            read_demand("hour,cards\n5,1\n5,1\n"),
            Err(SeriesError::Order { line: 3, .. })
        ));
        assert_eq!(
            read_demand("hour,cards\n2026-12-01 08:00,4\n2026-12-01 10:00,5\n"),
            Err(SeriesError::Gap {
                line: 3,
                text: text("2026-12-01 10:00"),
                before: text("2026-12-01 08:00")
            })
        );
        assert!(matches!(
            read_availability("hour,available\n0,1\n0.5,1\n1.5,1\n"),
            Err(SeriesError::Gap { line: 4, .. })
        ));
    }

    #[test]
    fn availability_knows_its_step() {
        let series = read_availability("hour,available\n0.0,1\n0.5,0\n1.0,3\n").unwrap();
        assert_eq!(series.up, [true, false, true]);
        assert_eq!(series.step, Some(Seconds::from_minutes(30)));
        assert_eq!(read_availability("hour,available\n0,yes\n").unwrap().step, None);
        // Ten minutes as hours with two digits.
        let rounded = "hour,available\n0,1\n0.17,1\n0.33,1\n0.5,1\n0.67,1\n0.83,1\n1,1\n";
        assert_eq!(read_availability(rounded).unwrap().step, Some(Seconds::from_minutes(10)));
    }
}
