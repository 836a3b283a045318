//! What both connections are told before the first row.

use std::time::Duration;

use rowkey_core::Backend;
use rowkey_tables::advisory_lock::AdvisoryLock;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::{Connection, Error};

use crate::side::Side;

/// How long to wait for another process with the same plan.
const PATIENCE: Duration = Duration::from_secs(30);

/// Begins to see the source as it is now, until the connection ends.
pub(crate) async fn begin_reading(source: &mut Connection) -> Result<(), Error> {
    let statements: &[&str] = match source.backend() {
        Backend::Postgres => &[
            // A query that row-level security would shorten is refused.
            "SET row_security = off",
            "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        ],
        Backend::MySql | Backend::MariaDb => &["START TRANSACTION WITH CONSISTENT SNAPSHOT"],
        Backend::SqlServer if sees_one_moment(source).await? => &[
            "SET TRANSACTION ISOLATION LEVEL SNAPSHOT",
            "BEGIN TRANSACTION",
        ],
        // Each query sees what is committed while it runs.
        Backend::SqlServer => &[],
        _ => &["BEGIN"],
    };
    for statement in statements {
        source.execute(VIEW, statement).await?;
    }
    Ok(())
}

/// Whether all queries of a source can see it at the same moment.
pub(super) async fn sees_one_moment(source: &mut Connection) -> Result<bool, Error> {
    if source.backend() != Backend::SqlServer {
        return Ok(true);
    }
    let query = "SELECT snapshot_isolation_state FROM sys.databases WHERE database_id = DB_ID()";
    let rows = source.query(VIEW, query, &[]).await?;
    rows.first()
        .map_or(Ok(false), |row| Ok(row.optional_integer(0)? == Some(1)))
}

/// What a person should know about a source that is not seen at one moment.
pub(super) const NO_MOMENT: &str = "the database of the source does not allow snapshots, so that its rows were \
     not all read as they were at one moment: let nobody write meanwhile, or let its owner run ALTER DATABASE \
     CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON before; `rowkey verify` says whether both sides are equal";

/// Begins to see some tables of the source as they are now, and so do as many others, which see the
/// same.
pub(super) async fn begin_reading_together(
    source: &mut Connection,
    others: u32,
    tables: &[Side],
) -> Result<Vec<Connection>, Error> {
    let mut opened = Vec::new();
    for _ in 0..others {
        opened.push(source.another().await?);
    }
    match source.backend() {
        Backend::Postgres => {
            begin_reading(source).await?;
            let query = "SELECT pg_export_snapshot()";
            let row = source.one_row(VIEW, query, &[]).await?;
            let snapshot = row.text(0)?;
            let share = format!(
                "SET TRANSACTION SNAPSHOT {}",
                text_literal(Backend::Postgres, snapshot)
            );
            for other in &mut opened {
                begin_reading(other).await?;
                other.execute(VIEW, &share).await?;
            }
        }
        _ => {
            let lock = match others {
                0 => None,
                _ => Some(lock_tables(source, tables).await?),
            };
            for connection in [source].into_iter().chain(&mut opened) {
                begin_reading(connection).await?;
                begin_snapshot(connection, tables).await?;
            }
            if let Some(mut lock) = lock {
                let unlock = match lock.backend() {
                    Backend::SqlServer => "ROLLBACK",
                    _ => "UNLOCK TABLES",
                };
                lock.execute(VIEW, unlock).await?;
            }
        }
    }
    Ok(opened)
}

const VIEW: &str = "the view of the source";

/// In SQL Server, a view begins with the first row that is asked for.
async fn begin_snapshot(source: &mut Connection, tables: &[Side]) -> Result<(), Error> {
    if let (Backend::SqlServer, Some(table)) = (source.backend(), tables.first()) {
        let query = format!("SELECT TOP (1) 1 FROM {}", table.quoted()?);
        source.query(VIEW, &query, &[]).await?;
    }
    Ok(())
}

/// Lets nobody write some tables, where views that begin one after the other would differ, until
/// the connection unlocks them.
async fn lock_tables(source: &Connection, tables: &[Side]) -> Result<Connection, Error> {
    if source.backend() == Backend::SqlServer {
        return share_tables(source, tables).await;
    }
    let names = tables
        .iter()
        .map(|side| Ok(format!("{} READ", side.quoted()?)));
    let names: Vec<String> = names.collect::<Result<_, Error>>()?;
    let mut lock = source.another().await?;
    // Without autocommit, it waits for rows that cascades have changed, too.
    let patience = format!(
        "SET SESSION autocommit = 0, lock_wait_timeout = {PATIENCE_SECONDS}, \
         innodb_lock_wait_timeout = {PATIENCE_SECONDS}"
    );
    lock.execute(VIEW, &patience).await?;
    let locked = lock
        .execute(VIEW, &format!("LOCK TABLES {}", names.join(", ")))
        .await;
    match locked {
        Ok(_) => Ok(lock),
        Err(error) => Err(Error::refused(
            "a copy with several jobs",
            format!(
                "for a moment, nobody may write the tables of the source, so that all readers see the \
                 same, and that failed: {}",
                error.reason()
            ),
            "grant LOCK TABLES, wait for the end of long transactions, or copy with one job",
        )),
    }
}

/// The same for SQL Server, which has such a lock in a transaction.
async fn share_tables(source: &Connection, tables: &[Side]) -> Result<Connection, Error> {
    let mut lock = source.another().await?;
    let begin = format!(
        "SET LOCK_TIMEOUT {}; BEGIN TRANSACTION",
        PATIENCE_SECONDS * 1_000
    );
    lock.execute(VIEW, &begin).await?;
    for side in tables {
        // Without a row to look for, the server need not touch the table.
        let share = format!(
            "SELECT TOP (1) 1 FROM {} WITH (TABLOCK, HOLDLOCK)",
            side.quoted()?
        );
        lock.execute(VIEW, &share).await.map_err(|error| {
            Error::refused(
                "a copy with several jobs",
                format!(
                    "for a moment, nobody may write the tables of the source, so that all readers see the \
                     same, and that failed: {}",
                    error.reason()
                ),
                "wait for the end of long transactions, or copy with one job",
            )
        })?;
    }
    Ok(lock)
}

/// How long programs that write may wait behind one that does not commit.
const PATIENCE_SECONDS: u32 = 5;

/// Remembers where the view of the source is, because PostgreSQL ends it at a query that it
/// refuses.
pub(super) async fn mark(source: &mut Connection) -> Result<(), Error> {
    if source.backend() == Backend::Postgres {
        source.execute(VIEW, "SAVEPOINT rowkey").await?;
    }
    Ok(())
}

/// Goes on with the view of the source behind a query that was refused.
pub(super) async fn back_to_mark(source: &mut Connection) -> Result<(), Error> {
    if source.backend() == Backend::Postgres {
        source.execute(VIEW, "ROLLBACK TO SAVEPOINT rowkey").await?;
    }
    Ok(())
}

/// Makes the target refuse what it would otherwise change.
pub(crate) async fn begin_writing(target: &mut Connection, job: &str) -> Result<(), Error> {
    set_target(target).await?;
    lock(target, job).await
}

/// The settings of the session that writes.
pub(super) async fn set_target(target: &mut Connection) -> Result<(), Error> {
    target.allow_writing().await?;
    let set = match target.backend() {
        Backend::Postgres => "SET client_min_messages = warning",
        Backend::MySql | Backend::MariaDb => return Ok(()),
        // An error ends the transaction.
        Backend::SqlServer => "SET XACT_ABORT ON",
        // References are checked at the end, because rows may refer to later ones.
        Backend::Sqlite => "PRAGMA foreign_keys = OFF",
    };
    target.execute("the session of the target", set).await?;
    Ok(())
}

/// Makes sure that a job has one process.
async fn lock(target: &mut Connection, job: &str) -> Result<(), Error> {
    let name = format!("rowkey_copy_{}", &job[..32]);
    let number = i64::from_str_radix(&job[..15], 16).expect("a job is a hash in hexadecimal");
    let lock = AdvisoryLock {
        numbers: number.to_string(),
        name: match target.backend() {
            // Each transaction locks the file, and checks that the last one was its own.
            Backend::Sqlite => return Ok(()),
            Backend::SqlServer => name,
            _ => format!("'{name}'"),
        },
    };
    match lock.take(target, "the lock of the copy", PATIENCE).await? {
        true => Ok(()),
        false => Err(Error::refused(
            "the plan",
            "another process copies with it",
            "wait until that has ended",
        )),
    }
}

/// The statement that begins a transaction that writes.
pub(crate) fn begin(backend: Backend) -> &'static str {
    match backend {
        Backend::Sqlite => "BEGIN IMMEDIATE",
        Backend::SqlServer => "BEGIN TRANSACTION",
        _ => "BEGIN",
    }
}
