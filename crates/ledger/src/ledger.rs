//! The ledger itself: opening a store, and transactions around what the other files do.

use crate::{
    LedgerError,
    driver::{Driver, Postgres, Row, Sqlite, Value},
    schema,
};
use jiff::Timestamp;
use std::path::Path;

/// An open ledger.
pub struct Ledger {
    pub(crate) driver: Box<dyn Driver>,
}

impl Ledger {
    /// Opens `postgres://...` as a server and anything else as a SQLite file, creating the tables
    /// where they are missing.
    pub fn open(place: &str) -> Result<Self, LedgerError> {
        if place.starts_with("postgres://") || place.starts_with("postgresql://") {
            Self::with(Box::new(Postgres::open(place)?))
        } else {
            Self::open_file(Path::new(place))
        }
    }

    /// Opens or creates a SQLite file.
    pub fn open_file(path: &Path) -> Result<Self, LedgerError> {
        Self::with(Box::new(Sqlite::open(path)?))
    }

    fn with(mut driver: Box<dyn Driver>) -> Result<Self, LedgerError> {
        schema::migrate(driver.as_mut())?;
        Ok(Self { driver })
    }

    /// Runs `work` in one transaction: all of it is there afterwards, or nothing.
    pub(crate) fn atomically<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Driver) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.atomically_if(|driver| work(driver).map(|done| (done, true)))
    }

    /// As [`Self::atomically`], with `work` saying whether what it did shall stay.
    pub(crate) fn atomically_if<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Driver) -> Result<(T, bool), LedgerError>,
    ) -> Result<T, LedgerError> {
        let driver = self.driver.as_mut();
        driver.batch(driver.begin_statement())?;
        match work(driver) {
            Ok((done, true)) => {
                driver.batch("COMMIT")?;
                Ok(done)
            }
            Ok((done, false)) => {
                driver.batch("ROLLBACK")?;
                Ok(done)
            }
            Err(error) => {
                // The first error is the one to tell; a failing rollback ends with the connection.
                drop(driver.batch("ROLLBACK"));
                Err(error)
            }
        }
    }

    /// Returns how far this machine's clock, which says `now`, is ahead of the store's in seconds;
    /// `None` where the store has no clock of its own.
    pub fn clock_skew(&mut self, now: Timestamp) -> Result<Option<i64>, LedgerError> {
        let Some(sql) = self.driver.clock_query() else { return Ok(None) };
        let rows = self.driver.query(sql, &[])?;
        let there = rows.first().and_then(|row| row.first()).and_then(Value::as_integer);
        Ok(there.map(|there| now.as_second() - there))
    }
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").finish_non_exhaustive()
    }
}

/// Reads cells of a row in order, saying what was expected where one is damaged.
pub(crate) struct Cells<'a>(std::slice::Iter<'a, Value>);

impl<'a> Cells<'a> {
    pub(crate) fn of(row: &'a Row) -> Self {
        Self(row.iter())
    }

    pub(crate) fn text(&mut self, expected: &'static str) -> Result<String, LedgerError> {
        self.optional_text().ok_or_else(|| damaged("", expected))
    }

    pub(crate) fn optional_text(&mut self) -> Option<String> {
        self.0.next().and_then(Value::as_text).map(str::to_owned)
    }

    pub(crate) fn integer(&mut self, expected: &'static str) -> Result<i64, LedgerError> {
        self.optional_integer().ok_or_else(|| damaged("", expected))
    }

    pub(crate) fn optional_integer(&mut self) -> Option<i64> {
        self.0.next().and_then(Value::as_integer)
    }

    pub(crate) fn real(&mut self, expected: &'static str) -> Result<f64, LedgerError> {
        self.optional_real().ok_or_else(|| damaged("", expected))
    }

    pub(crate) fn optional_real(&mut self) -> Option<f64> {
        self.0.next().and_then(Value::as_real)
    }

    pub(crate) fn time(&mut self) -> Result<Timestamp, LedgerError> {
        let seconds = self.integer("a time")?;
        Timestamp::from_second(seconds).map_err(|_| damaged(&seconds.to_string(), "a time"))
    }

    pub(crate) fn parsed<T: std::str::FromStr>(
        &mut self,
        expected: &'static str,
    ) -> Result<T, LedgerError> {
        let text = self.text(expected)?;
        text.parse().map_err(|_| damaged(&text, expected))
    }

    pub(crate) fn optional_parsed<T: std::str::FromStr>(
        &mut self,
        expected: &'static str,
    ) -> Result<Option<T>, LedgerError> {
        match self.optional_text() {
            None => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| damaged(&text, expected)),
        }
    }
}

pub(crate) fn damaged(text: &str, expected: &'static str) -> LedgerError {
    LedgerError::Damaged { text: text.to_owned(), expected }
}

/// A time as the stores keep it.
pub(crate) fn seconds(time: Timestamp) -> Value {
    Value::Integer(time.as_second())
}

/// A count as the stores keep it; what does not fit is the largest that does.
pub(crate) fn count(number: impl TryInto<i64>) -> Value {
    Value::Integer(number.try_into().unwrap_or(i64::MAX))
}
