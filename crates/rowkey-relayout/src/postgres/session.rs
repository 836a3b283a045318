//! Statements that wait for locks only shortly, so that programs do not queue behind them.

use std::time::{Duration, Instant};

use rowkey_tables::Error;

use crate::runner::Runner;
use crate::work::Work;

/// The pause after a lock was not granted.
const PAUSE: Duration = Duration::from_millis(100);

/// Statements of a phase may take long, and they see all rows or fail.
pub(super) async fn prepare(runner: &mut Runner<'_>) -> Result<(), Error> {
    let settings = "SET statement_timeout = 0; SET lock_timeout = 0; \
                    SET idle_in_transaction_session_timeout = 0; SET row_security = off; \
                    SET standard_conforming_strings = on; SET bytea_output = hex; \
                    SET DateStyle = 'ISO, MDY'; SET IntervalStyle = postgres; SET TimeZone = 'UTC'; \
                    SET extra_float_digits = 3; SET default_transaction_isolation = 'read committed'; \
                    SET default_transaction_read_only = off";
    runner.run("the session", settings).await.map(|_| ())
}

/// The settings of a function that triggers call in the sessions of programs. If it reads `old_ids`
/// as text, the text must be the same in all of them.
pub(super) fn of_function(reads_old_ids: bool) -> &'static str {
    match reads_old_ids {
        false => "SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on",
        true => {
            "SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on \
             SET bytea_output = hex SET DateStyle = 'ISO, MDY' SET IntervalStyle = postgres \
             SET TimeZone = 'UTC' SET extra_float_digits = 3"
        }
    }
}

/// Runs statements in a transaction, which is repeated if a lock is not granted in time.
pub(super) async fn in_transaction(
    runner: &mut Runner<'_>,
    work: &Work,
    doing: &str,
    statements: &[String],
) -> Result<(), Error> {
    with_locks(runner, work, doing, None, statements)
        .await
        .map(|_| ())
}

/// How long a transaction took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LockTimes {
    /// For waiting for its locks, while programs queued behind it.
    pub(super) waited: Duration,
    /// With its locks.
    pub(super) exclusive: Duration,
}

/// Like [`in_transaction`], with a statement that takes all locks at first.
pub(super) async fn with_locks(
    runner: &mut Runner<'_>,
    work: &Work,
    doing: &str,
    lock: Option<&str>,
    statements: &[String],
) -> Result<LockTimes, Error> {
    let begin = format!(
        "BEGIN; SET LOCAL lock_timeout = {}",
        lock_timeout(runner, work).await?
    );
    for _ in 0..work.policy.lock_attempts {
        match attempt(runner, doing, &begin, lock, statements).await {
            Err(error) if is_lock_failure(&error) => {
                runner.run("the end of an attempt", "ROLLBACK").await?;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => {
                // The first error is the one to tell.
                let _ = runner.run("the end of an attempt", "ROLLBACK").await;
                return Err(error);
            }
            Ok(times) => return Ok(times),
        }
    }
    Err(Error::refused(
        doing,
        format!(
            "the locks were not granted in {} attempts",
            work.policy.lock_attempts
        ),
        "look for long transactions in pg_stat_activity, then repeat the command: it goes on",
    ))
}

async fn attempt(
    runner: &mut Runner<'_>,
    doing: &str,
    begin: &str,
    lock: Option<&str>,
    statements: &[String],
) -> Result<LockTimes, Error> {
    runner.run(doing, begin).await?;
    let started = Instant::now();
    if let Some(lock) = lock {
        runner.run(doing, lock).await?;
    }
    let waited = started.elapsed();
    // In one message, because each round trip would prolong the lock.
    runner.run(doing, &statements.join(";\n")).await?;
    runner.run(doing, "COMMIT").await?;
    Ok(LockTimes {
        waited,
        exclusive: started.elapsed() - waited,
    })
}

/// How long to wait for a lock, in milliseconds. It is shorter than the server's time until it
/// looks for deadlocks, so that it is never a program that is ended for one.
pub(super) async fn lock_timeout(runner: &mut Runner<'_>, work: &Work) -> Result<i64, Error> {
    let query = "SELECT setting::bigint FROM pg_settings WHERE name = 'deadlock_timeout'";
    let row = runner.one_row("the time of deadlocks", query, &[]).await?;
    let deadlock = row.integer(0)?;
    Ok(i64::from(work.policy.lock_timeout_ms)
        .min(deadlock / 2)
        .max(1))
}

/// Whether a statement failed only because it did not get a lock.
pub(super) fn is_lock_failure(error: &Error) -> bool {
    // lock_not_available, deadlock_detected
    matches!(error.sql_state().as_deref(), Some("55P03" | "40P01"))
}
