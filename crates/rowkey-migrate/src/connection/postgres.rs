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
    options.connect().await.map_err(tls::connecting(address))
}

/// Its protocol has text for every value of a query that is not prepared.
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
