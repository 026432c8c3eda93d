//! PostgreSQL: one ledger for a team, by URL.

use super::{Driver, Row, Seen, Value};
use crate::LedgerError;
use bytes::BytesMut;
use postgres::{
    Client, NoTls,
    fallible_iterator::FallibleIterator as _,
    types::{FromSql, IsNull, ToSql, Type, to_sql_checked},
};
use std::{error::Error, io::Write as _};

pub(crate) struct Postgres(Client);

fn failed(doing: &'static str) -> impl Fn(postgres::Error) -> LedgerError {
    move |error| {
        // The driver's own text is only `db error`; the server's message is its cause.
        let told = match error.as_db_error() {
            Some(told) => told.to_string(),
            None => error.to_string(),
        };
        LedgerError::Store { doing, source: told.into() }
    }
}

/// Hides the password of `postgres://user:password@host/name`.
pub(crate) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "postgres".to_owned() };
    match rest.rsplit_once('@') {
        Some((login, place)) => {
            let user = login.split(':').next().unwrap_or("");
            format!("{scheme}://{user}@{place}")
        }
        None => url.to_owned(),
    }
}

impl Postgres {
    /// Connects to a server.
    pub(crate) fn open(url: &str) -> Result<Self, LedgerError> {
        let unopened = |error: postgres::Error| LedgerError::Open {
            place: without_password(url),
            source: match error.as_db_error() {
                Some(told) => told.to_string().into(),
                None => error.into(),
            },
        };
        let mut client = Client::connect(url, NoTls).map_err(unopened)?;
        client.batch_execute("SET synchronous_commit = on").map_err(unopened)?;
        Ok(Self(client))
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) if *kind == Type::FLOAT8 => (*number as f64).to_sql(kind, out),
            Self::Integer(number) => number.to_sql(kind, out),
            Self::Real(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::FLOAT8, Type::TEXT].contains(kind)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        match *kind {
            Type::INT8 => i64::from_sql(kind, raw).map(Self::Integer),
            Type::INT4 => i32::from_sql(kind, raw).map(|number| Self::Integer(number.into())),
            Type::FLOAT8 => f64::from_sql(kind, raw).map(Self::Real),
            _ => String::from_sql(kind, raw).map(Self::Text),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::INT4, Type::FLOAT8, Type::TEXT, Type::VARCHAR, Type::NAME].contains(kind)
    }
}

/// Writes a value as a cell of `COPY ... FROM STDIN` in text format.
fn copy_cell(value: &Value, line: &mut String) {
    match value {
        Value::Null => line.push_str("\\N"),
        Value::Integer(number) => line.push_str(&number.to_string()),
        Value::Real(number) => line.push_str(&number.to_string()),
        Value::Text(text) => {
            for character in text.chars() {
                match character {
                    '\\' => line.push_str("\\\\"),
                    '\t' => line.push_str("\\t"),
                    '\n' => line.push_str("\\n"),
                    '\r' => line.push_str("\\r"),
                    // PostgreSQL's text cannot hold it.
                    '\0' => {}
                    other => line.push(other),
                }
            }
        }
    }
}

impl Driver for Postgres {
    fn batch(&mut self, sql: &str) -> Result<(), LedgerError> {
        self.0.batch_execute(sql).map_err(failed("run its statements"))
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, LedgerError> {
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|v| v as _).collect();
        self.0.execute(sql, &values).map_err(failed("write"))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, LedgerError> {
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|v| v as _).collect();
        let rows = self.0.query(sql, &values).map_err(failed("read"))?;
        let cells = |row: &postgres::Row| -> Result<Row, postgres::Error> {
            (0..row.len()).map(|at| row.try_get(at)).collect()
        };
        rows.iter().map(|row| cells(row).map_err(failed("read"))).collect()
    }

    fn each(
        &mut self,
        sql: &str,
        values: &[Value],
        row: &mut dyn FnMut(&[Seen<'_>]) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let values = values.iter().map(|value| value as &(dyn ToSql + Sync));
        let mut rows = self.0.query_raw(sql, values).map_err(failed("read"))?;
        while let Some(found) = rows.next().map_err(failed("read"))? {
            let cells: Result<Row, postgres::Error> =
                (0..found.len()).map(|at| found.try_get(at)).collect();
            let cells = cells.map_err(failed("read"))?;
            let seen: Vec<Seen<'_>> = cells.iter().map(Value::seen).collect();
            row(&seen)?;
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
        let columns = columns.join(", ");
        let staging = format!("staging_{table}");
        self.batch(&format!(
            "CREATE TEMP TABLE IF NOT EXISTS {staging} (LIKE {table}) ON COMMIT DELETE ROWS;
             DELETE FROM {staging};"
        ))?;
        let copy = format!("COPY {staging} ({columns}) FROM STDIN");
        let mut writer = self.0.copy_in(&copy).map_err(failed("start an import"))?;
        let broken = |error: std::io::Error| LedgerError::Store {
            doing: "import a row",
            source: error.into(),
        };
        let mut line = String::new();
        for row in rows {
            line.clear();
            for (at, cell) in row.iter().enumerate() {
                if at > 0 {
                    line.push('\t');
                }
                copy_cell(cell, &mut line);
            }
            line.push('\n');
            writer.write_all(line.as_bytes()).map_err(broken)?;
        }
        writer.finish().map_err(failed("finish an import"))?;
        let merge = format!(
            "INSERT INTO {table} ({columns}) SELECT {columns} FROM {staging} ON CONFLICT {conflict}"
        );
        self.execute(&merge, &[])
    }

    fn begin_statement(&self) -> &'static str {
        "BEGIN"
    }

    fn clock_query(&self) -> Option<&'static str> {
        Some("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let url = "postgres://kasuan:s@cret@db.example:5432/team";
        assert_eq!(without_password(url), "postgres://kasuan@db.example:5432/team");
        assert_eq!(without_password("postgres://localhost/x"), "postgres://localhost/x");
    }

    #[test]
    fn text_with_separators_survives_a_bulk_import() {
        let mut line = String::new();
        copy_cell(&Value::text("a\tb\\c\nd"), &mut line);
        assert_eq!(line, "a\\tb\\\\c\\nd");
    }
}
