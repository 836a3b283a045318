//! SQLite, with sqlx.

use std::str::FromStr;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{ConnectOptions, Row as _, Sqlite, SqliteConnection, TypeInfo, ValueRef};

use super::statements::impl_statements;
use super::{Held, Row, Take, Value};
use crate::address::Address;
use crate::error::Error;

/// How long to wait for the lock of another program.
const PATIENCE: Duration = Duration::from_secs(10);

/// Opens the file, which has to exist. Statements see foreign keys as the file's programs do:
/// SQLite's default is not to enforce them.
pub(super) async fn open(address: &Address) -> Result<SqliteConnection, Error> {
    let options = SqliteConnectOptions::from_str(address.secret())
        .map_err(Error::database("the address of the database"))?;
    let options = options.busy_timeout(PATIENCE).disable_statement_logging();
    let doing = format!("opening {address}");
    let is_missing = !options.get_filename().exists();
    options.connect().await.map_err(|error| match error {
        sqlx::Error::Database(_) if is_missing => Error::refused(
            address.to_string(),
            "the file does not exist",
            "correct its path; for a target, write `?mode=rwc` behind the address, which makes it in a folder that exists",
        ),
        other => Error::unreachable(&doing)(other),
    })
}

/// A connection may write unless its file may not be written.
pub(super) async fn allow_writing(_: &mut SqliteConnection, _: &str) -> Result<(), Error> {
    Ok(())
}

/// In a file, both are the same.
const UNBOUND_AS_TEXT: bool = false;

/// It costs little to prepare them again.
const KEPT: bool = false;

impl_statements!(Sqlite, SqliteConnection, sqlx::sqlite::SqliteArguments);

pub(super) async fn scan(
    connection: &mut SqliteConnection,
    doing: &str,
    query: &str,
    take: &mut Take<'_>,
) -> Result<(), Error> {
    use futures_util::TryStreamExt;

    let mut rows = bound(query, &[]).fetch(connection);
    while let Some(row) = rows.try_next().await.map_err(Error::database(doing))? {
        let mut values = Held::NONE;
        for (index, value) in (0..row.len()).zip(&mut values) {
            *value = held(&row, index).map_err(Error::database(doing))?;
        }
        take(&values)?;
    }
    Ok(())
}

/// Each value has a type of its own, whatever its column declares.
fn held(row: &SqliteRow, index: usize) -> Result<Held<'_>, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(Held::Null);
    }
    Ok(match raw.type_info().name() {
        "INTEGER" => Held::Integer(row.try_get_unchecked(index)?),
        "BLOB" => Held::Bytes(row.try_get_unchecked::<&[u8], _>(index)?.into()),
        "REAL" => Held::Real(row.try_get_unchecked(index)?),
        // Whatever a program has written.
        _ => match row.try_get_unchecked::<&str, _>(index) {
            Ok(text) => Held::Text(text.into()),
            Err(_) => Held::Bytes(row.try_get_unchecked::<&[u8], _>(index)?.into()),
        },
    })
}
