//! MySQL and MariaDB, with sqlx.

use std::str::FromStr;

use sqlx::mysql::{MySqlConnectOptions, MySqlRow};
use sqlx::{ConnectOptions, MySql, MySqlConnection, Row as _, Type, TypeInfo, ValueRef};

use super::statements::{impl_scan, impl_statements};
use super::{Held, Row, Take, Value};
use crate::address::Address;
use crate::error::Error;

pub(super) async fn open(address: &Address) -> Result<MySqlConnection, Error> {
    let url = address.secret().replacen("mariadb:", "mysql:", 1);
    let options = MySqlConnectOptions::from_str(&url)
        .map_err(Error::database("the address of the database"))?;
    let options = options.disable_statement_logging();
    let doing = format!("connecting to {address}");
    options.connect().await.map_err(Error::database(&doing))
}

/// After a prepared statement that it does not keep, the driver sends its end, to which the server does not
/// answer; the next message then waits for an acknowledgement, which takes 40 ms where the system delays
/// those.
const UNBOUND_AS_TEXT: bool = true;

/// For the same reason. The server prepares it again by itself after a table has changed.
const KEPT: bool = true;

impl_statements!(MySql, MySqlConnection, sqlx::mysql::MySqlArguments);
impl_scan!(MySqlConnection);

fn held(row: &MySqlRow, index: usize) -> Result<Held<'_>, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(Held::Null);
    }
    let type_info = raw.type_info();
    let name = type_info.name();
    Ok(match name {
        // By its name, text with a binary collation would be bytes.
        _ if <str as Type<MySql>>::compatible(&type_info) => {
            Held::Text(row.try_get_unchecked::<&str, _>(index)?.into())
        }
        _ if name.ends_with("BINARY") || name.ends_with("BLOB") => {
            Held::Bytes(row.try_get_unchecked::<&[u8], _>(index)?.into())
        }
        _ if name.ends_with("UNSIGNED") => {
            let number: u64 = row.try_get_unchecked(index)?;
            i64::try_from(number)
                .map_or_else(|_| Held::Text(number.to_string().into()), Held::Integer)
        }
        _ if name.ends_with("INT") || name == "BOOLEAN" => {
            Held::Integer(row.try_get_unchecked(index)?)
        }
        // Its protocol writes decimal numbers, sets and documents as text.
        "DECIMAL" | "SET" | "JSON" => Held::Text(row.try_get_unchecked::<&str, _>(index)?.into()),
        other => {
            let message = format!("a value of type {other}, which the query has to cast");
            return Err(sqlx::Error::Decode(message.into()));
        }
    })
}
