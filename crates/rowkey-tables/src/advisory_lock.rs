//! Locks that a session holds until it ends, and that lock nothing but each other.

use std::time::Duration;

use rowkey_core::Backend;
use tokio::time::{Instant, sleep};

use crate::connection::{Connection, Value};
use crate::dialect::Dialect;
use crate::error::Error;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// What a lock is called. SQLite has none.
#[derive(Clone, Debug)]
pub struct AdvisoryLock {
    /// In PostgreSQL, its numbers, as SQL.
    pub numbers: String,
    /// Elsewhere its name: in MySQL and MariaDB as SQL, in SQL Server as it is.
    pub name: String,
}

impl AdvisoryLock {
    /// Takes the lock, retrying for `patience`: the server may not have noticed yet that a killed
    /// process is gone. False if another session still has the lock.
    ///
    /// Polls instead of waiting in the server: a waiting session holds a snapshot, and an index
    /// that another session builds concurrently would in turn wait for the end of that snapshot.
    pub async fn take(
        &self,
        connection: &mut Connection,
        doing: &str,
        patience: Duration,
    ) -> Result<bool, Error> {
        let backend = connection.backend();
        let query = backend.try_lock(&self.numbers, &self.name);
        let end = Instant::now() + patience;
        loop {
            let rows = connection.query(doing, &query, &[]).await?;
            let answer = rows.first().and_then(|row| row.0.first());
            if is_granted(backend, doing, answer)? {
                return Ok(true);
            }
            if Instant::now() >= end {
                return Ok(false);
            }
            sleep(PAUSE).await;
        }
    }

    /// A statement that gives the lock back.
    pub fn release(&self, backend: Backend) -> String {
        backend.unlock(&self.numbers, &self.name)
    }
}

/// Whether a server has given a lock; false only if another session has it.
fn is_granted(backend: Backend, doing: &str, answer: Option<&Value>) -> Result<bool, Error> {
    let answer = match answer {
        Some(Value::Integer(number)) => Some(*number),
        _ => None,
    };
    let why = match backend.is_locked(answer) {
        Ok(is_locked) => return Ok(is_locked),
        Err(why) => why,
    };
    Err(Error::Differs {
        what: doing.into(),
        found: format!(
            "the server could not give it, and not because another session has it: {why}"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lock_of_another_session_is_taken() {
        use Backend::{MariaDb, MySql, Postgres, SqlServer};
        let granted = |backend, answer: Value| is_granted(backend, "the lock", Some(&answer));
        for (backend, answer, expected) in [
            (Postgres, 1, true),
            (Postgres, 0, false),
            (MySql, 1, true),
            (MariaDb, 0, false),
            (SqlServer, 0, true),
            // After others had given it back.
            (SqlServer, 1, true),
            (SqlServer, -1, false),
        ] {
            let found = granted(backend, Value::Integer(answer)).unwrap();
            assert_eq!(found, expected, "{backend} {answer}");
        }
        for (backend, answer, expected) in [
            (MySql, Value::Null, "GET_LOCK gave NULL"),
            (SqlServer, Value::Integer(-2), "cancelled"),
            (SqlServer, Value::Integer(-3), "a deadlock"),
            (SqlServer, Value::Integer(-999), "answered -999"),
            (Postgres, Value::Null, "no answer"),
        ] {
            let error = granted(backend, answer).unwrap_err().to_string();
            assert!(
                error.starts_with("the lock: ") && error.contains(expected),
                "{error}"
            );
        }
    }
}
