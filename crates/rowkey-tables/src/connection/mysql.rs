//! MySQL and MariaDB, with sqlx.

use std::str::FromStr;

use sqlx::error::BoxDynError;
use sqlx::mysql::{MySqlConnectOptions, MySqlRow, MySqlValueRef};
use sqlx::{
    Column as _, ConnectOptions, Decode, Either, Executor as _, MySql, MySqlConnection, Row as _,
    Type, TypeInfo, ValueRef,
};

use super::statements::impl_statements;
use super::{Held, Row, Take, Value, tls};
use crate::address::Address;
use crate::error::Error;

pub(super) async fn open(address: &Address) -> Result<MySqlConnection, Error> {
    let url = address.secret().replacen("mariadb:", "mysql:", 1);
    let options = MySqlConnectOptions::from_str(&url)
        .map_err(Error::database("the address of the database"))?;
    let options = options
        .disable_statement_logging()
        .statement_cache_capacity(KEPT_STATEMENTS);
    let mut connection = options.connect().await.map_err(tls::connecting(address))?;
    for statement in [SETTINGS, ISOLATION] {
        execute(&mut connection, "the settings of the session", statement).await?;
    }
    Ok(connection)
}

/// What the server, or an account's statement at the beginning of a session, may have set
/// otherwise: how literals are read, which values are refused, what NULL is compared with, how many
/// rows a query has, how long it may take, and how long the other side of a copy may.
///
/// MySQL 8 and later cache numbers of rows and counters for a day. MariaDB ignores comments for
/// MySQL 5.7 and later, and MySQL ignores comments for MariaDB.
const SETTINGS: &str = "
SET NAMES utf8mb4, SESSION sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION',
  time_zone = '+00:00', autocommit = 1, completion_type = 0,
  sql_select_limit = 18446744073709551615, sql_big_selects = 1, sql_safe_updates = 0, sql_auto_is_null = 0,
  sql_quote_show_create = 1, group_concat_max_len = 67108864, div_precision_increment = 4,
  foreign_key_checks = 1, unique_checks = 1,
  wait_timeout = 604800, net_read_timeout = 3600, net_write_timeout = 3600
  /*M!100101 , max_statement_time = 0 */
  /*M!100301 , idle_transaction_timeout = 0, idle_readonly_transaction_timeout = 0,
    idle_write_transaction_timeout = 0 */
  /*!50708 , max_execution_time = 0 */
  /*!80000 , information_schema_stats_expiry = 0 */";

const ISOLATION: &str = "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ";

/// Lets the session write, whatever its default is.
pub(super) async fn allow_writing(
    connection: &mut MySqlConnection,
    doing: &str,
) -> Result<(), Error> {
    let allow = "SET SESSION TRANSACTION READ WRITE";
    execute(connection, doing, allow).await.map(|_| ())
}

/// When the driver closes a prepared statement, the server does not answer. The next message then
/// waits for an acknowledgement, which takes 40 ms where the system delays those.
const UNBOUND_AS_TEXT: bool = true;

/// For the same reason. The server prepares it again by itself after a table has changed.
const KEPT: bool = true;

/// A look at each table of a large schema has a statement of its own, and a server has 16,382 for all
/// connections by default.
const KEPT_STATEMENTS: usize = 1_000;

impl_statements!(MySql, MySqlConnection, sqlx::mysql::MySqlArguments);
pub(super) async fn scan(
    connection: &mut MySqlConnection,
    doing: &str,
    query: &str,
    take: &mut Take<'_>,
) -> Result<(), Error> {
    use futures_util::TryStreamExt;

    let mut rows = connection.fetch_many(bound(query, &[]));
    let mut readings: Option<Vec<ReadAs>> = None;
    while let Some(item) = rows.try_next().await.map_err(Error::database(doing))? {
        let Either::Right(row) = item else {
            continue;
        };
        let mut values = Held::NONE;
        let readings = match &mut readings {
            Some(readings) => readings,
            None => readings.insert(readings_of(&row).map_err(Error::database(doing))?),
        };
        for ((index, reading), value) in readings.iter().enumerate().zip(&mut values) {
            *value = reading.held(&row, index).map_err(Error::database(doing))?;
        }
        take(&values)?;
    }
    Ok(())
}

fn held(row: &MySqlRow, index: usize) -> Result<Held<'_>, sqlx::Error> {
    ReadAs::of(row, index)?.held(row, index)
}

/// What the values of a column are read as.
#[derive(Clone, Copy, Debug)]
enum ReadAs {
    Text,
    Bytes,
    Unsigned,
    Integer,
    Other,
}

fn readings_of(row: &MySqlRow) -> Result<Vec<ReadAs>, sqlx::Error> {
    (0..row.len()).map(|index| ReadAs::of(row, index)).collect()
}

impl ReadAs {
    /// By the column's type, which is the same in all rows.
    fn of(row: &MySqlRow, index: usize) -> Result<Self, sqlx::Error> {
        let type_info = row.try_column(index)?.type_info();
        let name = type_info.name();
        Ok(match name {
            // By its name, text with a binary collation would be bytes.
            _ if <str as Type<MySql>>::compatible(type_info) => Self::Text,
            _ if name.ends_with("BINARY") || name.ends_with("BLOB") => Self::Bytes,
            _ if name.ends_with("UNSIGNED") => Self::Unsigned,
            _ if name.ends_with("INT") || name == "BOOLEAN" => Self::Integer,
            // MySQL's protocol writes decimal numbers, sets and documents as text.
            "DECIMAL" | "SET" | "JSON" => Self::Text,
            _ => Self::Other,
        })
    }

    fn held(self, row: &MySqlRow, index: usize) -> Result<Held<'_>, sqlx::Error> {
        let value = row.try_get_raw(index)?;
        if value.is_null() {
            return Ok(Held::Null);
        }
        let held = match self {
            Self::Text => decode(value).map(|text: &str| Held::Text(text.into())),
            Self::Bytes => decode(value).map(|bytes: &[u8]| Held::Bytes(bytes.into())),
            Self::Unsigned => decode(value).map(|number: u64| {
                i64::try_from(number)
                    .map_or_else(|_| Held::Text(number.to_string().into()), Held::Integer)
            }),
            Self::Integer => decode(value).map(Held::Integer),
            Self::Other => {
                let type_info = value.type_info();
                let name = type_info.name();
                Err(format!("a value of type {name}, which the query has to cast").into())
            }
        };
        held.map_err(sqlx::Error::Decode)
    }
}

fn decode<'r, T: Decode<'r, MySql>>(value: MySqlValueRef<'r>) -> Result<T, BoxDynError> {
    T::decode(value)
}
