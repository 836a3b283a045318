//! The folder `migrations/refinery/sqlserver` of the workspace, compiled in and applied.
//!
//! sqlx, which does this on the other backends, has no driver for SQL Server. refinery has one over
//! tiberius. It does not wait for other processes, so a lock of the database does.

use std::error::Error as StdError;

use super::pool::Connection;

mod embedded {
    refinery::embed_migrations!("../../migrations/refinery/sqlserver");
}

/// Keeps other processes from migrating the same database while the connection is open, and waits
/// for them up to 20 seconds.
const LOCK: &str = "\
    DECLARE @outcome int;
    EXEC @outcome = sp_getapplock @Resource = 'migrate', @LockMode = 'Exclusive', \
        @LockOwner = 'Session', @LockTimeout = 20000;
    SELECT @outcome;";

/// Applies the missing migrations, all or none, and closes the connection, which releases the lock.
pub(super) async fn apply(
    mut connection: Connection,
) -> Result<(), Box<dyn StdError + Send + Sync>> {
    let answer = connection.simple_query(LOCK).await?.into_row().await?;
    let outcome: Option<i32> = answer.map(|row| row.try_get(0)).transpose()?.flatten();
    if outcome < Some(0) {
        return Err("another process has been migrating for 20 seconds".into());
    }
    let runner = embedded::migrations::runner().set_grouped(true);
    runner.run_async(&mut connection).await?;
    Ok(connection.close().await?)
}
