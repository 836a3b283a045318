//! The session of a change: its settings, and its patience with locks.

use std::time::Duration;

use crate::runner::Runner;
use crate::work::Work;
use rowkey_tables::{Error, Row};

use crate::plan::Policy;

/// The modes of the session, which triggers keep: strict, so that nothing is cut off or replaced,
/// but with every date that the tables may already contain.
const SQL_MODE: &str =
    "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES";

/// How long to rest between two attempts to get a lock.
const REST: Duration = Duration::from_millis(200);

/// Prepares the session. Times are read and written in UTC, where no hour happens twice. MySQL 8
/// and later would tell counters as they were up to a day ago.
pub(super) async fn prepare(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    let seconds = work.policy.lock_timeout_ms.div_ceil(1_000).max(1);
    let set = format!(
        "SET SESSION sql_mode = '{SQL_MODE}', time_zone = '+00:00', foreign_key_checks = 1, \
         unique_checks = 1, lock_wait_timeout = {seconds}, innodb_lock_wait_timeout = {seconds} \
         /*!80000 , information_schema_stats_expiry = 0 */"
    );
    runner.run("the settings of the session", &set).await?;
    // Reads that lock have to keep others from inserting between the rows.
    let isolate = "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ";
    runner.run("the settings of the session", isolate).await?;
    Ok(())
}

/// Runs a statement that locks. If others hold the lock, it is given up soon, so that programs do
/// not queue behind it, and tried again.
pub(super) async fn patiently(
    runner: &mut Runner<'_>,
    policy: &Policy,
    doing: &str,
    statement: &str,
) -> Result<u64, Error> {
    patiently_all(runner, policy.lock_attempts, doing, &[statement]).await
}

/// Runs a transaction, again if others hold its locks; how many rows its last statement affected.
pub(super) async fn transaction(
    runner: &mut Runner<'_>,
    policy: &Policy,
    doing: &str,
    statements: &[&str],
) -> Result<u64, Error> {
    transaction_within(runner, policy.lock_attempts, doing, statements).await
}

/// Runs a transaction, with so many attempts if others hold its locks.
pub(super) async fn transaction_within(
    runner: &mut Runner<'_>,
    attempts: u32,
    doing: &str,
    statements: &[&str],
) -> Result<u64, Error> {
    let all = [&["START TRANSACTION"], statements].concat();
    let affected = patiently_all(runner, attempts, doing, &all).await?;
    runner.run(doing, "COMMIT").await?;
    Ok(affected)
}

async fn patiently_all(
    runner: &mut Runner<'_>,
    most: u32,
    doing: &str,
    statements: &[&str],
) -> Result<u64, Error> {
    let mut attempts = 1;
    loop {
        match run_all(runner, doing, statements).await {
            Err(error) if is_lock(&error) => {
                let is_transaction = statements.len() > 1;
                if is_transaction {
                    runner.run(doing, "ROLLBACK").await?;
                }
                if attempts >= most {
                    return Err(error);
                }
            }
            outcome => {
                if outcome.is_err() && statements.len() > 1 {
                    // The first error says more than one of the connection's loss.
                    let _ = runner.run(doing, "ROLLBACK").await;
                }
                return outcome;
            }
        }
        attempts += 1;
        rest().await;
    }
}

/// The pause between two attempts to get a lock.
pub(super) async fn rest() {
    tokio::time::sleep(REST).await;
}

async fn run_all(runner: &mut Runner<'_>, doing: &str, statements: &[&str]) -> Result<u64, Error> {
    let mut affected = 0;
    for statement in statements {
        affected = runner.run(doing, statement).await?;
    }
    Ok(affected)
}

/// Whether another transaction had the lock for too long, the two waited for each other, or it has
/// changed a row since the snapshot of this one, which MariaDB refuses from 11.6 on.
pub(super) fn is_lock(error: &Error) -> bool {
    matches!(error.mysql_number(), Some(1020 | 1205 | 1213))
}

/// The names in the first column of a query.
pub(super) async fn names(
    runner: &mut Runner<'_>,
    doing: &str,
    query: &str,
) -> Result<Vec<String>, Error> {
    let rows = runner.query(doing, query, &[]).await?;
    let name = |row: &Row| row.text(0).map(ToOwned::to_owned);
    rows.iter().map(name).collect()
}

/// What a change has made so far. DDL commits by itself, so only the catalogue knows.
#[derive(Debug)]
pub(super) struct Made {
    tables: Vec<String>,
    triggers: Vec<String>,
    foreign_keys: Vec<String>,
}

impl Made {
    pub(super) async fn read(runner: &mut Runner<'_>) -> Result<Self, Error> {
        let doing = "what the change has made so far";
        let tables = "SELECT table_name FROM information_schema.tables \
                      WHERE table_schema = DATABASE()";
        let triggers = "SELECT trigger_name FROM information_schema.triggers \
                        WHERE trigger_schema = DATABASE()";
        let foreign_keys = "SELECT constraint_name FROM information_schema.referential_constraints \
                            WHERE constraint_schema = DATABASE()";
        Ok(Self {
            tables: names(runner, doing, tables).await?,
            triggers: names(runner, doing, triggers).await?,
            foreign_keys: names(runner, doing, foreign_keys).await?,
        })
    }

    pub(super) fn has_table(&self, name: &str) -> bool {
        self.tables.iter().any(|table| table == name)
    }

    pub(super) fn has_trigger(&self, name: &str) -> bool {
        self.triggers.iter().any(|trigger| trigger == name)
    }

    pub(super) fn has_foreign_key(&self, name: &str) -> bool {
        self.foreign_keys.iter().any(|key| key == name)
    }
}
