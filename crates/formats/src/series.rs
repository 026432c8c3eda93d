//! Series by the hour as CSV: how many cards were wanted, whether spot machines were there.
//!
//! The first column is the hour (a number or a date), the second the value; one header line.

use csv::{ReaderBuilder, StringRecord, Trim};
use kasuan_model::{Phrase, Phrased, Seconds};
use rust_decimal::{Decimal, RoundingStrategy, prelude::ToPrimitive as _};

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
            Self::Csv { .. } | Self::Short { .. } | Self::Count { .. } => {
                vec![Phrase::new("advise-hint-demand")]
            }
        }
    }
}

/// Reads `hour,cards`: cards wanted in each hour, oldest first; fractions are rounded to the
/// nearest card.
pub fn read_demand(text: &str) -> Result<Vec<u32>, SeriesError> {
    rows(text)?
        .into_iter()
        .map(|(line, _, value)| {
            let count = value.parse::<Decimal>().ok().and_then(|count| {
                count.round_dp_with_strategy(0, RoundingStrategy::MidpointNearestEven).to_u32()
            });
            count.ok_or(SeriesError::Count { line, text: value })
        })
        .collect()
}

/// When spot machines were there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AvailabilitySeries {
    /// Whether they were there, oldest first.
    pub up: Vec<bool>,
    /// Time from one row to the next; `None` when there are fewer than two or the first column is
    /// no number of hours.
    pub step: Option<Seconds>,
}

/// Reads `hour,available`: whether spot machines were there, oldest first; a count of machines
/// means yes when it is above nothing.
pub fn read_availability(text: &str) -> Result<AvailabilitySeries, SeriesError> {
    let mut series = AvailabilitySeries::default();
    let mut hours = Vec::new();
    for (line, hour, value) in rows(text)? {
        let up = match value.to_ascii_lowercase().as_str() {
            "yes" | "true" => true,
            "no" | "false" => false,
            number => match number.parse::<Decimal>() {
                Ok(count) if !count.is_sign_negative() => !count.is_zero(),
                _ => return Err(SeriesError::Flag { line, text: value }),
            },
        };
        series.up.push(up);
        if hours.len() < 2 {
            hours.push(hour.parse::<Decimal>().ok());
        }
    }
    if let [Some(first), Some(second)] = hours.as_slice() {
        let step = second.checked_sub(*first).and_then(Seconds::from_decimal_hours);
        series.step = step.filter(|step| *step > Seconds::ZERO);
    }
    Ok(series)
}

/// Returns line number and the first two columns of every row below the header.
fn rows(text: &str) -> Result<Vec<(u64, String, String)>, SeriesError> {
    let mut reader =
        ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(text.as_bytes());
    let mut rows = Vec::new();
    let mut record = StringRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_record(&mut record) {
            Ok(false) => return Ok(rows),
            Ok(true) => {
                let line = record.position().map_or(line, csv::Position::line);
                let (Some(hour), Some(value)) = (record.get(0), record.get(1)) else {
                    return Err(SeriesError::Short { line });
                };
                rows.push((line, hour.to_owned(), value.to_owned()));
            }
            Err(_) => return Err(SeriesError::Csv { line }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demand_is_read_in_order_and_rounded_to_cards() {
        assert_eq!(read_demand("hour,cards\n0,3\n1,2.6\n2,0\n"), Ok(vec![3, 3, 0]));
        assert_eq!(read_demand("hour,cards\n2026-12-01 08:00, 4\n"), Ok(vec![4]));
        assert_eq!(read_demand("hour,cards\n"), Ok(Vec::new()));
        assert_eq!(read_demand(""), Ok(Vec::new()));
    }

    #[test]
    fn a_wrong_row_is_named() {
        let count = read_demand("hour,cards\n0,3\n1,many\n");
        assert_eq!(count, Err(SeriesError::Count { line: 3, text: "many".to_owned() }));
        assert_eq!(read_demand("hour\n0\n"), Err(SeriesError::Short { line: 2 }));
        assert!(read_demand("hour,cards\n0,-1\n").is_err());
        assert!(read_demand("hour,cards\n0,99999999999\n").is_err());
        assert!(read_availability("hour,available\n0,maybe\n").is_err());
    }

    #[test]
    fn availability_knows_its_step() {
        let series = read_availability("hour,available\n0.0,1\n0.5,0\n1.0,3\n").unwrap();
        assert_eq!(series.up, [true, false, true]);
        assert_eq!(series.step, Some(Seconds::from_minutes(30)));
        assert_eq!(read_availability("hour,available\n0,yes\n").unwrap().step, None);
    }
}
