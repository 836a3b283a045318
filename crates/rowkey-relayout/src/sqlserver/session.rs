//! Statements that wait for locks only shortly, so that programs do not queue behind them.

use rowkey_tables::Error;

use crate::runner::Runner;
use crate::work::Work;

/// Triggers keep two of these settings, without which they fail on tables with filtered indexes.
/// With the third, a deadlock ends the change's transaction rather than a program's.
pub(super) async fn prepare(runner: &mut Runner<'_>) -> Result<(), Error> {
    let settings = "SET QUOTED_IDENTIFIER ON; SET ANSI_NULLS ON; SET DEADLOCK_PRIORITY LOW";
    runner.run("the session", settings).await.map(|_| ())
}

/// Statements in a transaction, which does nothing if they are done.
///
/// All of it is one batch: round trips would prolong the locks, and a tool that goes on after an
/// error would run the rest outside of the transaction.
pub(super) async fn in_transaction(
    runner: &mut Runner<'_>,
    work: &Work,
    doing: &str,
    is_done: &str,
    statements: &[String],
) -> Result<(), Error> {
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
    runner.run(doing, &batch).await?;
    let forever = "SET LOCK_TIMEOUT -1";
    runner.run("the session", forever).await.map(|_| ())
}
