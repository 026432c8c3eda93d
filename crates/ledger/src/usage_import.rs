//! Hours that others measured: pages of a server's history, and logs of samples.

use crate::{
    Ledger, LedgerError,
    driver::{Driver, Row, Value},
    ledger::seconds,
    usage::{SUMS, columns, row},
};
use jiff::Timestamp;
use kasuan_model::UsageHour;

/// An hour that was summed from a log, with the minutes of it that the log saw.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedHour {
    /// The sums.
    pub hour: UsageHour,
    /// Bit `n` is set when the log has a sample for minute `n` of the hour.
    pub minutes: u64,
}

impl Ledger {
    /// Imports hours of which the source knows all that there is, for example from Prometheus, and
    /// notes in the same transaction that `source` has been read until `until`. An hour that is there
    /// already stays, unless the new one saw the card for longer. Returns how many were written.
    pub fn import_page(
        &mut self,
        source: &str,
        until: Timestamp,
        hours: impl IntoIterator<Item = UsageHour>,
    ) -> Result<u64, LedgerError> {
        let columns = columns();
        let taken = columns.iter().skip(5).map(|name| format!("{name} = excluded.{name}"));
        let longer = format!(
            "(hour_s, host, device, job, person) DO UPDATE SET {}
             WHERE excluded.seen > usage_hours.seen",
            taken.collect::<Vec<_>>().join(", ")
        );
        self.atomically(|driver| {
            let mut rows = hours.into_iter().map(|hour| row(&hour));
            let written = driver.insert_many("usage_hours", &columns, &longer, &mut rows)?;
            let sql = "INSERT INTO progress (source, until_s) VALUES ($1, $2)
                 ON CONFLICT (source) DO UPDATE SET until_s = excluded.until_s";
            driver.execute(sql, &[Value::text(source), seconds(until)])?;
            Ok(written)
        })
    }

    /// Imports hours of logs. Two logs of one hour add up by their minutes: what both saw counts once,
    /// so a log that was cut in the middle of an hour, one that overlaps the next, and one that has
    /// grown since it was imported all end in the same sums. Hours that an agent wrote stay as they
    /// are. Returns how many rows were written.
    pub fn import_logs(
        &mut self,
        hours: impl IntoIterator<Item = LoggedHour>,
    ) -> Result<u64, LedgerError> {
        self.atomically(|driver| {
            let mut written = 0;
            for hour in hours {
                written += u64::from(import_log(driver, &hour)?);
            }
            Ok(written)
        })
    }
}

const THIS: &str = "hour_s = $1 AND host = $2 AND device = $3 AND job = $4 AND person = $5";

fn import_log(driver: &mut dyn Driver, logged: &LoggedHour) -> Result<bool, LedgerError> {
    let new = row(&logged.hour);
    let key: Row = new.iter().take(5).cloned().collect();
    let columns = columns();
    let known = format!("SELECT minutes, {} FROM usage_hours WHERE {THIS}", columns.join(", "));
    let Some(known) = driver.query(&known, &key)?.into_iter().next() else {
        write(driver, &columns, new, logged.minutes)?;
        return Ok(true);
    };
    let Some((Value::Integer(minutes), before)) = known.split_first() else { return Ok(false) };
    let before_minutes = minutes.cast_unsigned();
    let fresh = (logged.minutes & !before_minutes).count_ones();
    if fresh == 0 {
        return Ok(false);
    }
    let replaces = before_minutes & !logged.minutes == 0;
    let share = f64::from(fresh) / f64::from(logged.minutes.count_ones());
    let sums: Row = columns
        .iter()
        .zip(before)
        .zip(new)
        .map(|((name, before), now)| match (before.as_real(), now.as_real()) {
            (Some(before), Some(now)) if !replaces && SUMS.contains(name) => {
                Value::Real(before + now * share)
            }
            (Some(before), Some(now)) if name.starts_with("memory_") && !SUMS.contains(name) => {
                Value::Real(before.max(now))
            }
            _ => now,
        })
        .collect();
    driver.execute(&format!("DELETE FROM usage_hours WHERE {THIS}"), &key)?;
    write(driver, &columns, sums, before_minutes | logged.minutes)?;
    Ok(true)
}

fn write(
    driver: &mut dyn Driver,
    columns: &[&str],
    mut row: Row,
    minutes: u64,
) -> Result<(), LedgerError> {
    row.push(Value::Integer(minutes.cast_signed()));
    let places: Vec<String> = (1..=row.len()).map(|at| format!("${at}")).collect();
    let sql = format!(
        "INSERT INTO usage_hours ({}, minutes) VALUES ({})",
        columns.join(", "),
        places.join(", ")
    );
    driver.execute(&sql, &row).map(drop)
}
