//! What both connections are told before the first row.

use rowkey_core::Backend;

use crate::connection::{Connection, Value};
use crate::error::Error;

/// Begins to see the source as it is now, until the connection ends.
pub(super) async fn begin_reading(source: &mut Connection) -> Result<(), Error> {
    let statements: &[&str] = match source.backend() {
        Backend::Postgres => &["BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"],
        Backend::MySql | Backend::MariaDb => &[
            "SET SESSION time_zone = '+00:00'",
            // A target that is slower than the source makes the server wait.
            "SET SESSION net_write_timeout = 3600",
            "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "START TRANSACTION WITH CONSISTENT SNAPSHOT",
        ],
        _ => &["BEGIN"],
    };
    for statement in statements {
        source.execute("the view of the source", statement).await?;
    }
    Ok(())
}

/// Remembers where the view of the source is, because PostgreSQL ends it at a query that it refuses.
pub(super) async fn mark(source: &mut Connection) -> Result<(), Error> {
    if source.backend() == Backend::Postgres {
        source
            .execute("the view of the source", "SAVEPOINT rowkey")
            .await?;
    }
    Ok(())
}

/// Goes on with the view of the source behind a query that was refused.
pub(super) async fn back_to_mark(source: &mut Connection) -> Result<(), Error> {
    if source.backend() == Backend::Postgres {
        source
            .execute("the view of the source", "ROLLBACK TO SAVEPOINT rowkey")
            .await?;
    }
    Ok(())
}

/// Makes the target refuse what it would otherwise change.
pub(super) async fn begin_writing(target: &mut Connection, job: &str) -> Result<(), Error> {
    set_target(target).await?;
    lock(target, job).await
}

/// The settings of the session that writes.
pub(super) async fn set_target(target: &mut Connection) -> Result<(), Error> {
    let doing = "the session of the target";
    match target.backend() {
        Backend::Postgres => {
            target
                .execute(doing, "SET client_min_messages = warning")
                .await?;
        }
        Backend::MySql | Backend::MariaDb => {
            target
                .execute(
                    doing,
                    "SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,\
                     NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'",
                )
                .await?;
        }
        _ => {
            // They are checked at the end, because rows may refer to later ones.
            target.execute(doing, "PRAGMA foreign_keys = OFF").await?;
        }
    }
    Ok(())
}

/// Makes sure that a job has one process. A killed one is noticed by its server, which may take a while.
async fn lock(target: &mut Connection, job: &str) -> Result<(), Error> {
    let doing = "the lock of the copy";
    let refused = || {
        Error::refused(
            "the plan",
            "another process copies with it",
            "wait until that has ended",
        )
    };
    match target.backend() {
        Backend::Postgres => {
            let number = i64::from_str_radix(job.get(..15).unwrap_or_default(), 16).unwrap_or(0);
            target.execute(doing, "SET lock_timeout = '30s'").await?;
            let query = format!("SELECT pg_advisory_lock({number})::text");
            if target.query(doing, &query, &[]).await.is_err() {
                return Err(refused());
            }
            target.execute(doing, "SET lock_timeout = 0").await?;
        }
        Backend::MySql | Backend::MariaDb => {
            let name = format!("rowkey_copy_{}", job.get(..32).unwrap_or_default());
            let query = format!("SELECT GET_LOCK('{name}', 30)");
            let rows = target.query(doing, &query, &[]).await?;
            if rows.first().and_then(|row| row.0.first()) != Some(&Value::Integer(1)) {
                return Err(refused());
            }
        }
        // Each transaction locks the file, and checks that the last one was its own.
        _ => {}
    }
    Ok(())
}

/// The statement that begins a transaction that writes.
pub(super) fn begin(backend: Backend) -> &'static str {
    match backend {
        Backend::Sqlite => "BEGIN IMMEDIATE",
        _ => "BEGIN",
    }
}
