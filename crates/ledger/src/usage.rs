//! Hourly use: agents add to it, reviews sum it.

use crate::{
    Ledger, LedgerError,
    driver::{Driver, Row, Seen, Value},
    ledger::{Cells, damaged, seconds},
};
use indexmap::{IndexMap, IndexSet};
use jiff::Timestamp;
use kasuan_model::{CardId, UsageHour};
use std::sync::Arc;

pub(crate) const SUMS: [&str; 9] = [
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

pub(crate) fn columns() -> Vec<&'static str> {
    let mut columns = vec!["hour_s", "host", "device", "job", "person", "card"];
    columns.extend(SUMS);
    columns.extend(["memory_peak", "memory_total"]);
    columns
}

pub(crate) fn row(hour: &UsageHour) -> Row {
    vec![
        seconds(hour.hour),
        Value::text(&*hour.host),
        Value::text(&*hour.device),
        Value::text(&*hour.job),
        Value::text(&*hour.person),
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
           card = COALESCE(excluded.card, usage_hours.card), minutes = NULL, {}, {}, {}",
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
        let mut hours = Vec::new();
        let mut names = Names::default();
        self.driver.each(&sql, &[seconds(from), seconds(to)], &mut |row| {
            hours.push(usage_hour(row, &mut names)?);
            Ok(())
        })?;
        Ok(hours)
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

/// Names that were read, each kept once.
#[derive(Default)]
struct Names {
    texts: IndexSet<Arc<str>>,
    cards: IndexMap<String, CardId>,
}

impl Names {
    fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&new));
        new
    }

    fn card(&mut self, id: &str) -> CardId {
        if let Some(known) = self.cards.get(id) {
            return known.clone();
        }
        let new = CardId::new(id);
        self.cards.insert(id.to_owned(), new.clone());
        new
    }
}

fn usage_hour(row: &[Seen<'_>], names: &mut Names) -> Result<UsageHour, LedgerError> {
    let mut cells = row.iter();
    let hour = match cells.next() {
        Some(Seen::Integer(second)) => {
            Timestamp::from_second(*second).map_err(|_| damaged(&second.to_string(), "a time"))?
        }
        _ => return Err(damaged("", "a time")),
    };
    let mut text = |names: &mut Names| match cells.next() {
        Some(Seen::Text(text)) => Ok(names.text(text)),
        _ => Err(damaged("", "a name")),
    };
    let (host, device, job, person) = (text(names)?, text(names)?, text(names)?, text(names)?);
    let card = match cells.next() {
        Some(Seen::Text(id)) => Some(names.card(id)),
        _ => None,
    };
    let mut sum = || match cells.next() {
        Some(Seen::Real(number)) => Ok(*number),
        #[expect(clippy::cast_precision_loss, reason = "a sum that happens to be whole")]
        Some(Seen::Integer(number)) => Ok(*number as f64),
        _ => Err(damaged("", "a sum")),
    };
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
