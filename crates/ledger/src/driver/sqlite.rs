//! SQLite: the embedded default, one file beside the user's other data.

use super::{Driver, Row, Seen, Value};
use crate::LedgerError;
use rusqlite::{Connection, params_from_iter, types::ValueRef};
use std::{path::Path, time::Duration};

/// How long a writer waits for another process to finish its transaction.
const BUSY_WAIT: Duration = Duration::from_secs(30);

pub(crate) struct Sqlite(Connection);

fn failed(doing: &'static str) -> impl Fn(rusqlite::Error) -> LedgerError {
    move |error| LedgerError::Store { doing, source: error.into() }
}

impl Sqlite {
    /// Opens or creates a ledger file.
    pub(crate) fn open(path: &Path) -> Result<Self, LedgerError> {
        let unopened = |error: rusqlite::Error| LedgerError::Open {
            place: path.display().to_string(),
            source: error.into(),
        };
        let connection = Connection::open(path).map_err(unopened)?;
        connection.busy_timeout(BUSY_WAIT).map_err(unopened)?;
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                 PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536;",
            )
            .map_err(unopened)?;
        Ok(Self(connection))
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(rusqlite::types::ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

fn value(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Value::Text(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

/// SQLite takes `$2` for a name and numbers names as they appear; `?2` is the second value anywhere.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

impl Driver for Sqlite {
    fn batch(&mut self, sql: &str) -> Result<(), LedgerError> {
        let sql = sql.replace("/* clustered */", "WITHOUT ROWID");
        self.0.execute_batch(&sql).map_err(failed("run its statements"))
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, LedgerError> {
        let mut statement =
            self.0.prepare_cached(&numbered(sql)).map_err(failed("prepare a statement"))?;
        let changed = statement.execute(params_from_iter(values)).map_err(failed("write"))?;
        Ok(changed as u64)
    }

    fn execute_many(
        &mut self,
        sql: &str,
        rows: &mut dyn Iterator<Item = Row>,
    ) -> Result<(), LedgerError> {
        let mut statement =
            self.0.prepare_cached(&numbered(sql)).map_err(failed("prepare a statement"))?;
        for row in rows {
            statement.execute(params_from_iter(&row)).map_err(failed("write"))?;
        }
        Ok(())
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, LedgerError> {
        let mut statement =
            self.0.prepare_cached(&numbered(sql)).map_err(failed("prepare a query"))?;
        let width = statement.column_count();
        let mut answer = Vec::new();
        let mut rows = statement.query(params_from_iter(values)).map_err(failed("read"))?;
        while let Some(row) = rows.next().map_err(failed("read"))? {
            let cells = (0..width).map(|at| row.get_ref(at).map(value));
            answer.push(cells.collect::<Result<Row, _>>().map_err(failed("read"))?);
        }
        Ok(answer)
    }

    fn each(
        &mut self,
        sql: &str,
        values: &[Value],
        row: &mut dyn FnMut(&[Seen<'_>]) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let mut statement =
            self.0.prepare_cached(&numbered(sql)).map_err(failed("prepare a query"))?;
        let width = statement.column_count();
        let mut rows = statement.query(params_from_iter(values)).map_err(failed("read"))?;
        while let Some(found) = rows.next().map_err(failed("read"))? {
            let mut cells = Vec::with_capacity(width);
            for at in 0..width {
                cells.push(match found.get_ref(at).map_err(failed("read"))? {
                    ValueRef::Null => Seen::Null,
                    ValueRef::Integer(number) => Seen::Integer(number),
                    ValueRef::Real(number) => Seen::Real(number),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                        let text = std::str::from_utf8(bytes).map_err(|error| {
                            LedgerError::Store { doing: "read", source: error.into() }
                        })?;
                        Seen::Text(text)
                    }
                });
            }
            row(&cells)?;
        }
        Ok(())
    }

    fn insert_many(
        &mut self,
        table: &str,
        columns: &[&str],
        conflict: &str,
        rows: &mut dyn Iterator<Item = Row>,
    ) -> Result<u64, LedgerError> {
        let places: Vec<String> = (1..=columns.len()).map(|at| format!("${at}")).collect();
        let sql = format!(
            "INSERT INTO {table} ({}) VALUES ({}) ON CONFLICT {conflict}",
            columns.join(", "),
            places.join(", ")
        );
        let mut statement =
            self.0.prepare_cached(&numbered(&sql)).map_err(failed("prepare an import"))?;
        let mut new = 0;
        for row in rows {
            new += statement.execute(params_from_iter(&row)).map_err(failed("import a row"))?;
        }
        Ok(new as u64)
    }

    fn begin_statement(&self) -> &'static str {
        // Takes the write lock at once: a transaction that starts by reading and then writes
        // could otherwise be refused after another writer came between.
        "BEGIN IMMEDIATE"
    }

    fn clock_query(&self) -> Option<&'static str> {
        None
    }
}
