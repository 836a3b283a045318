//! The transaction in which a table is read: it cannot write, and no statement lasts forever.

use std::time::Duration;

use rowkey_core::Backend;
use rowkey_tables::{Connection, Error};

/// What is undone at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Session {
    end: &'static str,
    after: &'static str,
}

const DOING: &str = "beginning a transaction that only reads";

impl Session {
    /// Begins a transaction that only reads, with a timeout for each statement where the server has
    /// one. Adds a sentence to `notes` where it has none.
    pub(super) async fn begin(
        connection: &mut Connection,
        timeout: Duration,
        notes: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let millis = timeout.as_millis().max(1);
        let (begin, timeout, end, after) = match connection.backend() {
            Backend::Postgres => (
                // To compile the queries on the catalogue takes longer than to read a million rows.
                "BEGIN; SET TRANSACTION READ ONLY; \
                 SELECT set_config(name, 'off', true) FROM pg_settings WHERE name = 'jit'",
                Some(format!("SET LOCAL statement_timeout = {millis}")),
                "ROLLBACK",
                "",
            ),
            Backend::MariaDb => (
                "START TRANSACTION READ ONLY",
                Some(format!(
                    "SET SESSION max_statement_time = {}",
                    millis.div_ceil(1_000)
                )),
                "ROLLBACK",
                "SET SESSION max_statement_time = 0",
            ),
            Backend::MySql => {
                let has_timeout = has_execution_time(connection.version());
                if !has_timeout {
                    let version = connection.version();
                    notes.push(format!("MySQL {version} has no timeout of statements."));
                }
                (
                    "START TRANSACTION READ ONLY",
                    has_timeout.then(|| format!("SET SESSION max_execution_time = {millis}")),
                    "ROLLBACK",
                    if has_timeout {
                        "SET SESSION max_execution_time = 0"
                    } else {
                        ""
                    },
                )
            }
            Backend::Sqlite => (
                "PRAGMA query_only = ON; BEGIN",
                None,
                "ROLLBACK",
                "PRAGMA query_only = OFF",
            ),
            Backend::SqlServer => (
                "BEGIN TRANSACTION",
                Some(format!("SET LOCK_TIMEOUT {millis}")),
                "ROLLBACK TRANSACTION",
                "SET LOCK_TIMEOUT -1",
            ),
        };
        connection.execute(DOING, begin).await?;
        let session = Self { end, after };
        if let Some(timeout) = timeout
            && let Err(error) = connection.execute(DOING, &timeout).await
        {
            session.end(connection).await?;
            return Err(error);
        }
        Ok(session)
    }

    /// Asks for rows in the order of their place on the disk. PostgreSQL gives them in this order
    /// only in a scan from the first block on.
    pub(super) async fn read_by_place(connection: &mut Connection) -> Result<(), Error> {
        if connection.backend() != Backend::Postgres {
            return Ok(());
        }
        let settings = "SET LOCAL synchronize_seqscans = off; SET LOCAL enable_indexscan = off; \
                        SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off; \
                        SET LOCAL max_parallel_workers_per_gather = 0";
        let doing = "choosing the order of the rows";
        connection.execute(doing, settings).await.map(|_| ())
    }

    /// Ends the transaction.
    pub(super) async fn end(self, connection: &mut Connection) -> Result<(), Error> {
        const DOING: &str = "ending a transaction that only reads";
        connection.execute(DOING, self.end).await?;
        if !self.after.is_empty() {
            connection.execute(DOING, self.after).await?;
        }
        Ok(())
    }
}

/// Whether a version of MySQL has `max_execution_time`, which came with 5.7.8.
fn has_execution_time(version: &str) -> bool {
    let mut numbers = version.split(|character: char| !character.is_ascii_digit());
    let mut number = || numbers.next().and_then(|digits| digits.parse::<u32>().ok());
    let version = [number(), number(), number()].map(|number| number.unwrap_or(0));
    version >= [5, 7, 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_have_no_timeout() {
        for (version, has_it) in [
            ("5.6.24", false),
            ("5.7.7-rc", false),
            ("5.7.8", true),
            ("8.4.2", true),
            ("9", true),
            ("", false),
        ] {
            assert_eq!(has_execution_time(version), has_it, "{version}");
        }
    }
}
