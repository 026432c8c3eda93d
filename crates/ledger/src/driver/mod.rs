//! The narrow door to a store: statements with numbered parameters, and plain values.

mod postgres;
mod sqlite;

use crate::LedgerError;
pub(crate) use postgres::Postgres;
pub(crate) use sqlite::Sqlite;

/// A value of a row. Money and other exact numbers are text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Nothing.
    Null,
    /// A whole number, also seconds since 1970 UTC.
    Integer(i64),
    /// A measured quantity.
    Real(f64),
    /// Text.
    Text(String),
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn optional_text(text: Option<impl ToString>) -> Self {
        text.map_or(Self::Null, |text| Self::Text(text.to_string()))
    }

    pub(crate) fn seen(&self) -> Seen<'_> {
        match self {
            Self::Null => Seen::Null,
            Self::Integer(number) => Seen::Integer(*number),
            Self::Real(number) => Seen::Real(*number),
            Self::Text(text) => Seen::Text(text),
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(number) = self { Some(*number) } else { None }
    }

    pub(crate) fn as_real(&self) -> Option<f64> {
        match self {
            Self::Real(number) => Some(*number),
            Self::Integer(number) => Some(*number as f64),
            _ => None,
        }
    }
}

/// Rows whose key is there already are left out.
pub(crate) const KEEP: &str = "DO NOTHING";

/// A value of a row that is only looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seen<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A measured quantity.
    Real(f64),
    /// Text.
    Text(&'a str),
}

/// A row of an answer.
pub(crate) type Row = Vec<Value>;

/// A store. Parameters are written `$1`, `$2`... in the order of the slice.
pub(crate) trait Driver: Send {
    /// Runs statements without parameters.
    fn batch(&mut self, sql: &str) -> Result<(), LedgerError>;

    /// Runs one statement and returns how many rows it changed.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, LedgerError>;

    /// Runs one statement for each row.
    fn execute_many(
        &mut self,
        sql: &str,
        rows: &mut dyn Iterator<Item = Row>,
    ) -> Result<(), LedgerError> {
        for row in rows {
            self.execute(sql, &row)?;
        }
        Ok(())
    }

    /// Runs one query and returns its rows.
    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, LedgerError>;

    /// Runs one query and hands each row to `row` as it comes.
    fn each(
        &mut self,
        sql: &str,
        values: &[Value],
        row: &mut dyn FnMut(&[Seen<'_>]) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError>;

    /// Inserts rows and returns how many were written. `conflict` says what becomes of those whose key
    /// is there already, as it stands after `ON CONFLICT`.
    fn insert_many(
        &mut self,
        table: &str,
        columns: &[&str],
        conflict: &str,
        rows: &mut dyn Iterator<Item = Row>,
    ) -> Result<u64, LedgerError>;

    /// The statement that starts a transaction which will write.
    fn begin_statement(&self) -> &'static str;

    /// The query that asks the store for its time; `None` where the store is this machine.
    fn clock_query(&self) -> Option<&'static str>;
}
