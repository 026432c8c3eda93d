//! The tables, once for both stores, and how an older ledger is brought up to date.

use crate::{
    LedgerError,
    driver::{Driver, Value},
};

/// Each entry brings a ledger from the schema before it to the next; entries are never changed
/// once released, only added.
///
/// `/* clustered */` keeps a table's rows in key order where the store can (SQLite's
/// `WITHOUT ROWID`), so that a month's usage is one contiguous read.
const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE runs (
  id TEXT NOT NULL PRIMARY KEY, job TEXT NOT NULL, person TEXT, host TEXT NOT NULL, card TEXT,
  cards BIGINT NOT NULL, start_s BIGINT NOT NULL, end_s BIGINT, exit_code BIGINT,
  work DOUBLE PRECISION, work_unit TEXT, peak_memory BIGINT, origin TEXT NOT NULL
);
CREATE INDEX runs_by_start ON runs (start_s);
CREATE TABLE usage_hours (
  hour_s BIGINT NOT NULL, host TEXT NOT NULL, device TEXT NOT NULL, job TEXT NOT NULL,
  person TEXT NOT NULL, card TEXT,
  seen DOUBLE PRECISION NOT NULL,
  busy_known DOUBLE PRECISION NOT NULL, busy DOUBLE PRECISION NOT NULL,
  sm_known DOUBLE PRECISION NOT NULL, sm DOUBLE PRECISION NOT NULL,
  power_known DOUBLE PRECISION NOT NULL, energy DOUBLE PRECISION NOT NULL,
  memory_known DOUBLE PRECISION NOT NULL, memory DOUBLE PRECISION NOT NULL,
  memory_peak DOUBLE PRECISION NOT NULL, memory_total DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (hour_s, host, device, job, person)
) /* clustered */;
CREATE TABLE batches (
  agent TEXT NOT NULL, sequence BIGINT NOT NULL, PRIMARY KEY (agent, sequence)
) /* clustered */;
CREATE TABLE imports (
  fingerprint TEXT NOT NULL PRIMARY KEY, file TEXT NOT NULL, kind TEXT NOT NULL,
  at_s BIGINT NOT NULL, row_count BIGINT NOT NULL, new_count BIGINT NOT NULL
);
CREATE TABLE charges (
  provider TEXT NOT NULL, row_key TEXT NOT NULL, account TEXT NOT NULL,
  bill_start_s BIGINT NOT NULL, bill_end_s BIGINT NOT NULL,
  charge_start_s BIGINT NOT NULL, charge_end_s BIGINT NOT NULL,
  category TEXT NOT NULL, pricing TEXT NOT NULL, payment TEXT NOT NULL,
  description TEXT NOT NULL, service TEXT NOT NULL, resource TEXT, region TEXT, card TEXT,
  cards BIGINT, quantity TEXT, unit TEXT, currency TEXT NOT NULL, billed TEXT NOT NULL,
  effective TEXT NOT NULL, list_price TEXT, invoice TEXT, tags TEXT NOT NULL,
  PRIMARY KEY (provider, row_key)
) /* clustered */;
CREATE INDEX charges_by_period ON charges (charge_start_s);
CREATE TABLE storage_items (
  id TEXT NOT NULL PRIMARY KEY, place TEXT NOT NULL, kind TEXT NOT NULL, bytes BIGINT NOT NULL,
  last_used_s BIGINT, seen_s BIGINT NOT NULL, used_by TEXT
);
CREATE TABLE budgets (
  month TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, currency TEXT NOT NULL,
  amount TEXT NOT NULL, PRIMARY KEY (month, scope, name)
);
CREATE TABLE baselines (
  job TEXT NOT NULL, card TEXT NOT NULL, recorded_s BIGINT NOT NULL, environment TEXT NOT NULL,
  figures TEXT NOT NULL, PRIMARY KEY (job, card, recorded_s)
);
CREATE TABLE decisions (
  at_s BIGINT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, told TEXT NOT NULL,
  PRIMARY KEY (at_s, kind, subject)
);
",
    "
CREATE INDEX charges_by_bill ON charges (bill_start_s);
ALTER TABLE budgets ADD COLUMN quantity DOUBLE PRECISION;
CREATE TABLE rentals (
  host TEXT NOT NULL, card TEXT NOT NULL, from_s BIGINT NOT NULL, to_s BIGINT NOT NULL,
  cards BIGINT NOT NULL, currency TEXT NOT NULL, card_hour TEXT NOT NULL, prepaid BIGINT NOT NULL,
  origin TEXT NOT NULL, PRIMARY KEY (host, card, from_s)
);
CREATE TABLE agents (
  name TEXT NOT NULL PRIMARY KEY, seen_s BIGINT NOT NULL, idle_s BIGINT, told TEXT NOT NULL
);
CREATE TABLE alerts (
  channel TEXT NOT NULL, alert TEXT NOT NULL, at_s BIGINT NOT NULL, PRIMARY KEY (channel, alert)
);
CREATE TABLE progress (source TEXT NOT NULL PRIMARY KEY, until_s BIGINT NOT NULL);
",
    "
CREATE TABLE prices (
  provider TEXT NOT NULL, product TEXT NOT NULL, card TEXT NOT NULL, tier TEXT NOT NULL,
  mode TEXT NOT NULL, currency TEXT NOT NULL, day TEXT NOT NULL, dated BIGINT NOT NULL,
  card_hour TEXT NOT NULL, source TEXT NOT NULL,
  PRIMARY KEY (provider, product, card, tier, mode, currency, day)
) /* clustered */;
",
    // Which minutes of the hour logs have seen; unknown for what agents add to.
    "
ALTER TABLE usage_hours ADD COLUMN minutes BIGINT;
",
];

/// Creates or updates the tables; several processes may do it at once.
pub(crate) fn migrate(driver: &mut dyn Driver) -> Result<(), LedgerError> {
    driver.batch(
        "CREATE TABLE IF NOT EXISTS schema_version (only_row BIGINT NOT NULL PRIMARY KEY, version BIGINT NOT NULL);
         INSERT INTO schema_version (only_row, version) VALUES (1, 0) ON CONFLICT DO NOTHING;",
    )?;
    if version(driver)? == MIGRATIONS.len() as i64 {
        return Ok(());
    }
    driver.batch(driver.begin_statement())?;
    let migrated = migrate_inside(driver);
    let end = if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" };
    driver.batch(end).and(migrated)
}

fn migrate_inside(driver: &mut dyn Driver) -> Result<(), LedgerError> {
    // Updating the row takes its lock, so a second process waits here and then finds the work done.
    driver.execute("UPDATE schema_version SET version = version WHERE only_row = 1", &[])?;
    let found = version(driver)?;
    let known = MIGRATIONS.len() as i64;
    if found > known {
        return Err(LedgerError::TooNew { found, known });
    }
    for migration in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        driver.batch(migration)?;
    }
    driver.execute(
        "UPDATE schema_version SET version = $1 WHERE only_row = 1",
        &[Value::Integer(known)],
    )?;
    Ok(())
}

fn version(driver: &mut dyn Driver) -> Result<i64, LedgerError> {
    let rows = driver.query("SELECT version FROM schema_version WHERE only_row = 1", &[])?;
    Ok(rows.first().and_then(|row| row.first()).and_then(Value::as_integer).unwrap_or(0))
}
