//! Runs: recorded when they start, completed when they end, never lost in between.

use crate::{
    Ledger, LedgerError,
    driver::{KEEP, Row, Value},
    ledger::{Cells, count, seconds},
};
use jiff::Timestamp;
use kasuan_model::{CardId, Run};
use std::collections::BTreeSet;

const COLUMNS: &str = "id, job, person, host, card, cards, start_s, end_s, exit_code, work, \
                       work_unit, peak_memory, origin";

fn row(run: &Run) -> Row {
    vec![
        Value::text(&run.id),
        Value::text(&run.job),
        Value::optional_text(run.person.as_ref()),
        Value::text(&run.host),
        Value::optional_text(run.card.as_ref()),
        count(run.cards),
        seconds(run.start),
        run.end.map_or(Value::Null, seconds),
        run.exit_code.map_or(Value::Null, |code| Value::Integer(code.into())),
        run.work.map_or(Value::Null, Value::Real),
        Value::optional_text(run.work_unit.as_ref()),
        run.peak_memory.map_or(Value::Null, count),
        Value::text(&run.origin),
    ]
}

fn run(row: &Row) -> Result<Run, LedgerError> {
    let mut cells = Cells::of(row);
    Ok(Run {
        id: cells.text("a run's id")?,
        job: cells.text("a job")?,
        person: cells.optional_text(),
        host: cells.text("a host")?,
        card: cells.optional_text().map(|id| CardId::new(&id)),
        cards: u32::try_from(cells.integer("a count of cards")?).unwrap_or(u32::MAX),
        start: cells.time()?,
        end: cells.optional_integer().and_then(|s| Timestamp::from_second(s).ok()),
        exit_code: cells.optional_integer().and_then(|code| i32::try_from(code).ok()),
        work: cells.optional_real(),
        work_unit: cells.optional_text(),
        peak_memory: cells.optional_integer().and_then(|bytes| u64::try_from(bytes).ok()),
        origin: cells.text("an origin")?,
    })
}

impl Ledger {
    /// Records a run, or completes one that was recorded when it started. What is known already
    /// and missing in `run` stays.
    pub fn record_run(&mut self, recorded: &Run) -> Result<(), LedgerError> {
        let sql = format!(
            "INSERT INTO runs ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
             ON CONFLICT (id) DO UPDATE SET
               person = COALESCE(excluded.person, runs.person),
               card = COALESCE(excluded.card, runs.card),
               cards = CASE WHEN excluded.cards > 0 THEN excluded.cards ELSE runs.cards END,
               end_s = COALESCE(excluded.end_s, runs.end_s),
               exit_code = COALESCE(excluded.exit_code, runs.exit_code),
               work = COALESCE(excluded.work, runs.work),
               work_unit = COALESCE(excluded.work_unit, runs.work_unit),
               peak_memory = COALESCE(excluded.peak_memory, runs.peak_memory)"
        );
        self.driver.execute(&sql, &row(recorded)).map(drop)
    }

    /// Imports runs in one transaction; runs that are there already are left as they are. Returns
    /// how many were new.
    pub fn import_runs(&mut self, runs: impl IntoIterator<Item = Run>) -> Result<u64, LedgerError> {
        let columns: Vec<&str> = COLUMNS.split(", ").collect();
        self.atomically(|driver| {
            driver.insert_many("runs", &columns, KEEP, &mut runs.into_iter().map(|run| row(&run)))
        })
    }

    /// Returns the runs that were alive at any moment from `from` to before `to`, oldest first.
    pub fn runs(&mut self, from: Timestamp, to: Timestamp) -> Result<Vec<Run>, LedgerError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs
             WHERE start_s < $1 AND (end_s IS NULL OR end_s >= $2) ORDER BY start_s, id"
        );
        let rows = self.driver.query(&sql, &[seconds(to), seconds(from)])?;
        rows.iter().map(run).collect()
    }

    /// Returns which of these runs the ledger has already, by id.
    pub fn known_runs(&mut self, runs: &[Run]) -> Result<BTreeSet<String>, LedgerError> {
        let mut known = BTreeSet::new();
        for run in runs {
            let id = [Value::text(&run.id)];
            if !self.driver.query("SELECT 1 FROM runs WHERE id = $1", &id)?.is_empty() {
                known.insert(run.id.clone());
            }
        }
        Ok(known)
    }
}
