//! PostgreSQL, with sqlx.

use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::{ConnectOptions, PgConnection, Postgres, Row as _, TypeInfo, ValueRef};

use super::statements::impl_statements;
use super::{Row, Value};
use crate::address::Address;
use crate::error::Error;

pub(super) async fn open(address: &Address) -> Result<PgConnection, Error> {
    let options = PgConnectOptions::from_str(address.secret())
        .map_err(Error::database("the address of the database"))?;
    let options = options
        .application_name("rowkey")
        .disable_statement_logging();
    let doing = format!("connecting to {address}");
    options.connect().await.map_err(Error::database(&doing))
}

/// Its protocol has text for every value of a query that is not prepared.
const UNBOUND_AS_TEXT: bool = false;

/// After a table has changed, the server refuses a statement that was prepared before.
const KEPT: bool = false;

impl_statements!(Postgres, PgConnection, sqlx::postgres::PgArguments);

fn value_of(row: &PgRow, index: usize) -> Result<Value, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(Value::Null);
    }
    let decoding = sqlx::Error::Decode;
    Ok(match raw.type_info().name() {
        "BOOL" => Value::Integer(i64::from(row.try_get::<bool, _>(index)?)),
        "INT2" => Value::Integer(i64::from(row.try_get::<i16, _>(index)?)),
        "INT4" => Value::Integer(i64::from(row.try_get::<i32, _>(index)?)),
        "INT8" => Value::Integer(row.try_get(index)?),
        "UUID" | "BYTEA" => Value::Bytes(raw.as_bytes().map_err(decoding)?.to_vec()),
        "TEXT" | "VARCHAR" | "CHAR" | "NAME" => {
            Value::Text(raw.as_str().map_err(decoding)?.to_owned())
        }
        other => {
            let message = format!("a value of type {other}, which the query has to cast");
            return Err(sqlx::Error::Decode(message.into()));
        }
    })
}
