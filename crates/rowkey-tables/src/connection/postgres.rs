//! PostgreSQL, with sqlx.

use std::str::FromStr;

use futures_util::TryStreamExt;
use sqlx::postgres::{PgConnectOptions, PgRow, PgTypeInfo};
use sqlx::{
    Column as _, ConnectOptions, Executor as _, PgConnection, Postgres, Row as _, SqlSafeStr as _,
    Statement as _, TypeInfo, ValueRef,
};

use super::copy_out::{CopyOut, Malformed};
use super::statements::impl_statements;
use super::{Held, Row, Take, Value, tls};
use crate::address::Address;
use crate::error::Error;

pub(super) async fn open(address: &Address) -> Result<PgConnection, Error> {
    let options = PgConnectOptions::from_str(address.secret())
        .map_err(Error::database("the address of the database"))?;
    let options = options
        .application_name("rowkey")
        .disable_statement_logging();
    let mut connection = options.connect().await.map_err(tls::connecting(address))?;
    // The first for itself: it might not leave time for the others.
    for statement in ["SET statement_timeout = 0", OWN_FUNCTIONS, &settings()] {
        execute(&mut connection, "the settings of the session", statement).await?;
    }
    Ok(connection)
}

/// What addresses, roles and databases may have set otherwise. Statements rely on how literals are
/// read, the catalogue and the values on how they are written as text, and a change or a copy takes
/// the time that it takes. That a session may only read holds until something is to be written.
const SETTINGS: [(&str, &str); 17] = [
    ("standard_conforming_strings", "on"),
    ("array_nulls", "on"),
    ("transform_null_equals", "off"),
    ("xmloption", "content"),
    ("bytea_output", "hex"),
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("TimeZone", "UTC"),
    ("extra_float_digits", "3"),
    ("lc_numeric", "C"),
    ("quote_all_identifiers", "off"),
    ("default_transaction_isolation", "read committed"),
    ("default_transaction_deferrable", "off"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    // From 14 on, and from 17 on.
    ("idle_session_timeout", "0"),
    ("transaction_timeout", "0"),
];

/// A query that changes those settings that the server has.
fn settings() -> String {
    let settings = SETTINGS.map(|(name, value)| format!("('{name}', '{value}')"));
    format!(
        "SELECT pg_catalog.set_config(s.name, v.value, false) FROM pg_catalog.pg_settings s \
         JOIN (VALUES {}) AS v (name, value) ON s.name OPERATOR(pg_catalog.=) v.name",
        settings.join(", ")
    )
}

/// The searched schemas decide which tables there are, so they stay. Only `pg_catalog` goes back
/// to its default place at the front: no function or operator of another schema replaces its own.
const OWN_FUNCTIONS: &str = "
SELECT pg_catalog.set_config('search_path', (
  SELECT COALESCE(pg_catalog.string_agg(pg_catalog.quote_ident(name::text), ', ' ORDER BY place), '')
  FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS path (name, place)
  WHERE name OPERATOR(pg_catalog.<>) 'pg_catalog'), false)
WHERE 'pg_catalog' OPERATOR(pg_catalog.=) ANY (pg_catalog.current_schemas(false))";

/// Lets the session write, whatever its default is.
pub(super) async fn allow_writing(connection: &mut PgConnection, doing: &str) -> Result<(), Error> {
    let allow = "SET default_transaction_read_only = off";
    execute(connection, doing, allow).await.map(|_| ())
}

/// PostgreSQL's protocol has text for every value of a query that is not prepared.
const UNBOUND_AS_TEXT: bool = false;

/// After a table has changed, the server refuses a statement that was prepared before.
const KEPT: bool = false;

impl_statements!(Postgres, PgConnection, sqlx::postgres::PgArguments);

fn held(row: &PgRow, index: usize) -> Result<Held<'_>, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(Held::Null);
    }
    let bytes = raw.as_bytes().map_err(sqlx::Error::Decode)?;
    Shape::of(&raw.type_info())?.held(bytes)
}

/// As `for_each`, with COPY, which takes two thirds of the time.
pub(super) async fn scan(
    connection: &mut PgConnection,
    doing: &str,
    query: &str,
    take: &mut Take<'_>,
) -> Result<(), Error> {
    let prepared = connection
        .prepare(sqlx::AssertSqlSafe(query).into_sql_str())
        .await;
    let prepared = prepared.map_err(Error::database(doing))?;
    let shapes = prepared
        .columns()
        .iter()
        .map(|column| Shape::of(column.type_info()));
    let shapes: Vec<Shape> = shapes
        .collect::<Result<_, _>>()
        .map_err(Error::database(doing))?;
    let statement = format!("COPY ({query}) TO STDOUT (FORMAT binary)");
    let messages = connection.copy_out_raw(&statement).await;
    let mut messages = messages.map_err(Error::database(doing))?;
    let mut rows = CopyOut::default();
    let malformed = |Malformed| Error::Differs {
        what: doing.into(),
        found: "rows that are not in PostgreSQL's binary form".into(),
    };
    while let Some(message) = messages.try_next().await.map_err(Error::database(doing))? {
        rows.add(&message);
        while let Some(row) = rows.next_row(shapes.len()).map_err(malformed)? {
            let mut values = Held::NONE;
            for ((found, shape), value) in row.zip(&shapes).zip(&mut values) {
                if let Some(bytes) = found {
                    *value = shape.held(bytes).map_err(Error::database(doing))?;
                }
            }
            take(&values)?;
        }
    }
    match rows.is_ended() {
        true => Ok(()),
        false => Err(malformed(Malformed)),
    }
}

/// What a binary value of a type is.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Bool,
    Integer,
    Bytes,
    Text,
}

impl Shape {
    fn of(type_info: &PgTypeInfo) -> Result<Self, sqlx::Error> {
        Ok(match type_info.name() {
            "BOOL" => Self::Bool,
            "INT2" | "INT4" | "INT8" => Self::Integer,
            "UUID" | "BYTEA" => Self::Bytes,
            "TEXT" | "VARCHAR" | "CHAR" | "NAME" => Self::Text,
            other => {
                let message = format!("a value of type {other}, which the query has to cast");
                return Err(sqlx::Error::Decode(message.into()));
            }
        })
    }

    fn held(self, bytes: &[u8]) -> Result<Held<'_>, sqlx::Error> {
        Ok(match self {
            Self::Bool => Held::Integer((bytes != [0]).into()),
            Self::Integer => {
                let sign = if bytes.first().is_some_and(|first| first >> 7 == 1) {
                    -1
                } else {
                    0
                };
                let append = |number: i64, byte: &u8| number << 8 | i64::from(*byte);
                Held::Integer(bytes.iter().fold(sign, append))
            }
            Self::Bytes => Held::Bytes(bytes.into()),
            Self::Text => {
                let text =
                    str::from_utf8(bytes).map_err(|error| sqlx::Error::Decode(error.into()))?;
                Held::Text(text.into())
            }
        })
    }
}
