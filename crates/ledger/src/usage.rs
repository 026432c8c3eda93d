//! Hourly use: agents add to it, reviews sum it.

use crate::{
    Ledger, LedgerError,
    driver::{Driver, Row, Value},
    ledger::{Cells, seconds},
};
use jiff::Timestamp;
use kasuan_model::{CardId, UsageHour};

const SUMS: [&str; 9] = [
    "seen",
    "busy_known",
    "busy",
    "sm_known",
    "sm",
    "power_known",
    "energy",
    "memory_known",
    "memory",
];

/// What usage is summed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Everything together.
    All,
    /// Each job.
    Job,
    /// Each person.
    Person,
    /// Each card model.
    Card,
    /// Each host.
    Host,
    /// Each hour of the week, from Monday 00:00 UTC, as `0` to `167`.
    HourOfWeek,
}

/// Use summed over a span of time. Shares divide sums by the seconds for which they were known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageTotal {
    /// The job, person, card, host or hour that was summed; empty for all.
    pub name: String,
    /// Card-seconds for which anything was seen.
    pub seen: f64,
    /// Card-seconds for which the busy share was known, and the sum of busy seconds.
    pub busy_known: f64,
    /// Busy card-seconds.
    pub busy: f64,
    /// Card-seconds for which SM activity was known.
    pub sm_known: f64,
    /// SM activity times card-seconds.
    pub sm: f64,
    /// Card-seconds for which power was known.
    pub power_known: f64,
    /// Joules.
    pub energy: f64,
    /// Card-seconds for which memory was known.
    pub memory_known: f64,
    /// Bytes in use times card-seconds.
    pub memory: f64,
    /// Highest bytes in use of any card.
    pub memory_peak: f64,
    /// Largest card that was seen, in bytes; 0 when unknown.
    pub memory_total: f64,
}

impl UsageTotal {
    /// Returns the busy share of the time it was known; `None` when it never was.
    pub fn busy_share(&self) -> Option<f64> {
        (self.busy_known > 0.0).then(|| self.busy / self.busy_known)
    }

    /// Returns the SM activity of the time it was known; `None` when it never was.
    pub fn sm_share(&self) -> Option<f64> {
        (self.sm_known > 0.0).then(|| self.sm / self.sm_known)
    }
}

fn columns() -> Vec<&'static str> {
    let mut columns = vec!["hour_s", "host", "device", "job", "person", "card"];
    columns.extend(SUMS);
    columns.extend(["memory_peak", "memory_total"]);
    columns
}

fn row(hour: &UsageHour) -> Row {
    vec![
        seconds(hour.hour),
        Value::text(&hour.host),
        Value::text(&hour.device),
        Value::text(&hour.job),
        Value::text(&hour.person),
        Value::optional_text(hour.card.as_ref()),
        Value::Real(hour.seen),
        Value::Real(hour.busy_known),
        Value::Real(hour.busy),
        Value::Real(hour.sm_known),
        Value::Real(hour.sm),
        Value::Real(hour.power_known),
        Value::Real(hour.energy),
        Value::Real(hour.memory_known),
        Value::Real(hour.memory),
        Value::Real(hour.memory_peak),
        Value::Real(hour.memory_total),
    ]
}

fn add(driver: &mut dyn Driver, hour: &UsageHour) -> Result<(), LedgerError> {
    let sums: Vec<String> =
        SUMS.iter().map(|name| format!("{name} = usage_hours.{name} + excluded.{name}")).collect();
    let larger = |name: &str| {
        format!(
            "{name} = CASE WHEN excluded.{name} > usage_hours.{name} THEN excluded.{name} ELSE usage_hours.{name} END"
        )
    };
    let sql = format!(
        "INSERT INTO usage_hours (hour_s, host, device, job, person, card, {}, memory_peak, memory_total)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
         ON CONFLICT (hour_s, host, device, job, person) DO UPDATE SET
           card = COALESCE(excluded.card, usage_hours.card), {}, {}, {}",
        SUMS.join(", "),
        sums.join(", "),
        larger("memory_peak"),
        larger("memory_total"),
    );
    driver.execute(&sql, &row(hour)).map(drop)
}

impl Ledger {
    /// Adds an agent's batch to the hours it covers, once: a batch whose number the ledger knows
    /// already changes nothing, so an agent may send again whatever was not acknowledged. Returns
    /// whether the batch was new.
    pub fn add_usage(
        &mut self,
        agent: &str,
        sequence: i64,
        hours: &[UsageHour],
    ) -> Result<bool, LedgerError> {
        self.atomically(|driver| {
            let key = [Value::text(agent), Value::Integer(sequence)];
            let sql =
                "INSERT INTO batches (agent, sequence) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            if driver.execute(sql, &key)? == 0 {
                return Ok(false);
            }
            for hour in hours {
                add(driver, hour)?;
            }
            Ok(true)
        })
    }

    /// Imports whole hours, for example from Prometheus; hours that are there already stay as they
    /// are. Returns how many were new.
    pub fn import_usage(
        &mut self,
        hours: impl IntoIterator<Item = UsageHour>,
    ) -> Result<u64, LedgerError> {
        self.atomically(|driver| {
            let mut rows = hours.into_iter().map(|hour| row(&hour));
            driver.insert_many("usage_hours", &columns(), &mut rows)
        })
    }

    /// As [`Self::import_usage`], and notes in the same transaction that `source` has been read until
    /// `until`.
    pub fn import_page(
        &mut self,
        source: &str,
        until: Timestamp,
        hours: impl IntoIterator<Item = UsageHour>,
    ) -> Result<u64, LedgerError> {
        self.atomically(|driver| {
            let mut rows = hours.into_iter().map(|hour| row(&hour));
            let new = driver.insert_many("usage_hours", &columns(), &mut rows)?;
            let sql = "INSERT INTO progress (source, until_s) VALUES ($1, $2)
                 ON CONFLICT (source) DO UPDATE SET until_s = excluded.until_s";
            driver.execute(sql, &[Value::text(source), seconds(until)])?;
            Ok(new)
        })
    }

    /// Sums usage from `from` to before `to`, by name.
    pub fn usage(
        &mut self,
        from: Timestamp,
        to: Timestamp,
        group: Group,
    ) -> Result<Vec<UsageTotal>, LedgerError> {
        // 1970-01-01 was a Thursday: 72 hours after a Monday.
        let name = match group {
            Group::All => "''",
            Group::Job => "job",
            Group::Person => "person",
            Group::Card => "COALESCE(card, '')",
            Group::Host => "host",
            Group::HourOfWeek => "CAST((hour_s / 3600 + 72) % 168 AS TEXT)",
        };
        let sums: Vec<String> = SUMS.iter().map(|column| format!("SUM({column})")).collect();
        let sql = format!(
            "SELECT {name}, {}, MAX(memory_peak), MAX(memory_total) FROM usage_hours
             WHERE hour_s >= $1 AND hour_s < $2 GROUP BY 1 ORDER BY 1",
            sums.join(", ")
        );
        let rows = self.driver.query(&sql, &[seconds(from), seconds(to)])?;
        rows.iter().map(total).collect()
    }

    /// Returns the hours themselves, in order.
    pub fn usage_hours(
        &mut self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<UsageHour>, LedgerError> {
        let sql = format!(
            "SELECT hour_s, host, device, job, person, card, {}, memory_peak, memory_total
             FROM usage_hours WHERE hour_s >= $1 AND hour_s < $2
             ORDER BY hour_s, host, device, job, person",
            SUMS.join(", ")
        );
        let rows = self.driver.query(&sql, &[seconds(from), seconds(to)])?;
        rows.iter().map(usage_hour).collect()
    }
}

fn total(row: &Row) -> Result<UsageTotal, LedgerError> {
    let mut cells = Cells::of(row);
    let name = cells.text("a name")?;
    let mut sum = || cells.real("a sum");
    Ok(UsageTotal {
        name,
        seen: sum()?,
        busy_known: sum()?,
        busy: sum()?,
        sm_known: sum()?,
        sm: sum()?,
        power_known: sum()?,
        energy: sum()?,
        memory_known: sum()?,
        memory: sum()?,
        memory_peak: sum()?,
        memory_total: sum()?,
    })
}

fn usage_hour(row: &Row) -> Result<UsageHour, LedgerError> {
    let mut cells = Cells::of(row);
    let hour = cells.time()?;
    let host = cells.text("a host")?;
    let device = cells.text("a device")?;
    let job = cells.text("a job")?;
    let person = cells.text("a person")?;
    let card = cells.optional_text().map(|id| CardId::new(&id));
    let mut sum = || cells.real("a sum");
    Ok(UsageHour {
        hour,
        host,
        device,
        card,
        job,
        person,
        seen: sum()?,
        busy_known: sum()?,
        busy: sum()?,
        sm_known: sum()?,
        sm: sum()?,
        power_known: sum()?,
        energy: sum()?,
        memory_known: sum()?,
        memory: sum()?,
        memory_peak: sum()?,
        memory_total: sum()?,
    })
}
