//! Statements that wait for locks only shortly, so that programs do not queue behind them.

use std::time::{Duration, Instant};

use rowkey_tables::Error;

use crate::runner::Runner;
use crate::work::Work;

/// The pause after a lock was not granted.
const PAUSE: Duration = Duration::from_millis(100);

/// The server's numbers of errors: a deadlock's victim, and a lock that was not granted in time.
const LOCK_FAILURES: [u32; 2] = [1205, 1222];

/// Triggers keep two of these settings, without which they fail on tables with filtered indexes.
/// With the third, a deadlock ends the change's transaction rather than a program's.
pub(super) async fn prepare(runner: &mut Runner<'_>) -> Result<(), Error> {
    let settings = "SET QUOTED_IDENTIFIER ON; SET ANSI_NULLS ON; SET DEADLOCK_PRIORITY LOW";
    runner.run("the session", settings).await.map(|_| ())
}

/// Runs statements in a transaction unless they are done, which is repeated if a lock is not
/// granted in time. Returns how long the last attempt took.
///
/// All of it is one batch: round trips would prolong the locks, and a tool that goes on after an
/// error would run the rest outside of the transaction.
pub(super) async fn in_transaction(
    runner: &mut Runner<'_>,
    work: &Work,
    doing: &str,
    is_done: &str,
    statements: &[String],
) -> Result<Duration, Error> {
    let batch = format!(
        "SET XACT_ABORT ON; SET LOCK_TIMEOUT {};\n\
         BEGIN TRY\n\
         BEGIN TRANSACTION;\n\
         IF NOT ({is_done})\n\
         BEGIN\n\
         {};\n\
         END\n\
         COMMIT TRANSACTION;\n\
         END TRY\n\
         BEGIN CATCH\n\
         IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;\n\
         THROW;\n\
         END CATCH",
        work.policy.lock_timeout_ms,
        statements.join(";\n")
    );
    let taken = with_attempts(runner, work, doing, &batch).await?;
    runner.run("the session", "SET LOCK_TIMEOUT -1").await?;
    Ok(taken)
}

/// Runs a batch, again if it did not get a lock in time.
pub(super) async fn with_attempts(
    runner: &mut Runner<'_>,
    work: &Work,
    doing: &str,
    batch: &str,
) -> Result<Duration, Error> {
    for _ in 0..work.policy.lock_attempts {
        let started = Instant::now();
        match runner.run(doing, batch).await {
            Err(error) if is_lock_failure(&error) => tokio::time::sleep(PAUSE).await,
            outcome => return outcome.map(|_| started.elapsed()),
        }
    }
    Err(Error::refused(
        doing,
        format!(
            "the locks were not granted in {} attempts",
            work.policy.lock_attempts
        ),
        "look for long transactions in sys.dm_tran_active_transactions, then repeat the command: it goes on",
    ))
}

/// Whether a statement failed only because it did not get a lock.
fn is_lock_failure(error: &Error) -> bool {
    let Error::Database { source, .. } = error else {
        return false;
    };
    let error = source.downcast_ref::<tiberius::error::Error>();
    let code = error.and_then(tiberius::error::Error::code);
    code.is_some_and(|code| LOCK_FAILURES.contains(&code))
}
