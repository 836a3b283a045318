//! The folder `migrations/sqlserver` of the workspace, compiled in and applied.
//!
//! sqlx, which does this on the other backends, has no driver for SQL Server. Here a table counts the
//! migrations that have been applied, and all that are missing go into one transaction: SQL Server
//! rolls back tables with it. Changes of files that have been applied are not detected.

use std::error::Error as StdError;

use super::pool::Connection;

/// In the order in which they are applied; the first one has the number 1.
const MIGRATIONS: [&str; 4] = [
    include_str!("../../../../migrations/sqlserver/0001_customers.sql"),
    include_str!("../../../../migrations/sqlserver/0002_invoices.sql"),
    include_str!("../../../../migrations/sqlserver/0003_creation_identifiers.sql"),
    include_str!("../../../../migrations/sqlserver/0004_key_blocks.sql"),
];

/// Keeps other processes from migrating the same database until the transaction ends, and waits for them
/// up to 20 seconds.
const LOCK: &str = "\
    DECLARE @outcome int;
    EXEC @outcome = sp_getapplock @Resource = 'migrate', @LockMode = 'Exclusive', @LockTimeout = 20000;
    SELECT @outcome;";

const APPLIED: &str = "\
    IF OBJECT_ID('applied_migrations') IS NULL
        CREATE TABLE applied_migrations (version int NOT NULL PRIMARY KEY);
    SELECT MAX(version) FROM applied_migrations;";

/// Applies the missing migrations, all or none.
///
/// A transaction that an error has left open ends with the connection.
pub(super) async fn apply(
    connection: &mut Connection,
) -> Result<(), Box<dyn StdError + Send + Sync>> {
    connection.begin_transaction().await?;
    if number(connection, LOCK).await? < Some(0) {
        return Err("another process has been migrating for 20 seconds".into());
    }
    let applied = number(connection, APPLIED).await?.unwrap_or(0);
    let applied = usize::try_from(applied)?;
    let Some(missing) = MIGRATIONS.get(applied..) else {
        return Err(format!(
            "migration {applied} was previously applied but is missing in the resolved migrations"
        )
        .into());
    };
    for (migration, version) in missing.iter().zip(applied + 1..) {
        let answer = connection.simple_query(*migration).await?;
        answer.into_results().await?;
        let count = format!("INSERT INTO applied_migrations (version) VALUES ({version})");
        connection.simple_query(count).await?.into_results().await?;
    }
    Ok(connection.commit_transaction().await?)
}

/// The only value of a batch's result.
async fn number(connection: &mut Connection, sql: &str) -> tiberius::Result<Option<i32>> {
    match connection.simple_query(sql).await?.into_row().await? {
        Some(row) => row.try_get(0),
        None => Ok(None),
    }
}
