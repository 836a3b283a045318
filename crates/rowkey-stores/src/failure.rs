//! What the errors of databases mean for another attempt.

use std::error::Error as StdError;

/// What kind of failure an error tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// A unique index has the value already.
    Duplicate,
    /// Transactions were in each other's way, and this one has lost. Another attempt may do.
    Collision,
    /// The connection is gone, and with it the transaction, unless it was just being committed.
    #[allow(dead_code, reason = "without a driver there are none")]
    ConnectionLost,
    /// Another attempt would fail as well.
    Lasting,
}

impl Nature {
    /// What the error of a driver says, wherever in the chain of sources it is.
    pub(crate) fn of(error: &(dyn StdError + 'static)) -> Self {
        let mut link = Some(error);
        while let Some(error) = link {
            if let Some(nature) = of_driver(error) {
                return nature;
            }
            link = error.source();
        }
        Self::Lasting
    }
}

fn of_driver(error: &(dyn StdError + 'static)) -> Option<Nature> {
    #[cfg(any(
        feature = "sqlx-postgres",
        feature = "sqlx-mysql",
        feature = "sqlx-sqlite"
    ))]
    if let Some(nature) = sqlx::nature(error) {
        return Some(nature);
    }
    #[cfg(feature = "tiberius")]
    if let Some(nature) = tiberius::nature(error) {
        return Some(nature);
    }
    #[cfg(test)]
    if error.is::<crate::fake_store::ConnectionLost>() {
        return Some(Nature::ConnectionLost);
    }
    // Any other error of input and output may be that of a closure's own connection, to a mail
    // server say, and its letter is not to be sent ten times.
    let _ = error;
    None
}

#[cfg(any(
    feature = "sqlx-postgres",
    feature = "sqlx-mysql",
    feature = "sqlx-sqlite"
))]
mod sqlx {
    use sqlx::error::{DatabaseError, Error};

    use super::{Nature, StdError};

    pub(super) fn nature(error: &(dyn StdError + 'static)) -> Option<Nature> {
        if let Some(error) = error.downcast_ref::<Error>() {
            return Some(match error {
                Error::Database(error) => of_database(&**error),
                Error::Io(_) | Error::WorkerCrashed => Nature::ConnectionLost,
                _ => Nature::Lasting,
            });
        }
        // Under an error that is transparent, or that has only kept the source.
        let error = error.downcast_ref::<Box<dyn DatabaseError>>()?;
        Some(of_database(&**error))
    }

    fn of_database(error: &dyn DatabaseError) -> Nature {
        if error.is_unique_violation() {
            return Nature::Duplicate;
        }
        #[cfg(feature = "sqlx-mysql")]
        if let Some(error) = error.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>() {
            return of_mysql(error.number());
        }
        let code = error.code().unwrap_or_default();
        #[cfg(feature = "sqlx-postgres")]
        if error
            .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
            .is_some()
        {
            return of_postgres(&code);
        }
        #[cfg(feature = "sqlx-sqlite")]
        if error
            .try_downcast_ref::<sqlx::sqlite::SqliteError>()
            .is_some()
        {
            return of_sqlite(&code);
        }
        let _ = code;
        Nature::Lasting
    }

    #[cfg(feature = "sqlx-postgres")]
    pub(super) fn of_postgres(state: &str) -> Nature {
        match state {
            // serialization_failure, deadlock_detected, lock_not_available
            "40001" | "40P01" | "55P03" => Nature::Collision,
            // admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout,
            // idle_in_transaction_session_timeout, transaction_timeout, and connections
            "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "25P04" => Nature::ConnectionLost,
            _ if state.starts_with("08") => Nature::ConnectionLost,
            _ => Nature::Lasting,
        }
    }

    #[cfg(feature = "sqlx-mysql")]
    pub(super) fn of_mysql(number: u16) -> Nature {
        match number {
            // ER_CHECKREAD (MariaDB: the row has changed since the snapshot),
            // ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK
            1020 | 1205 | 1213 => Nature::Collision,
            // ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED, CR_SERVER_GONE_ERROR, CR_SERVER_LOST
            1053 | 1927 | 2006 | 2013 => Nature::ConnectionLost,
            _ => Nature::Lasting,
        }
    }

    #[cfg(feature = "sqlx-sqlite")]
    pub(super) fn of_sqlite(extended_code: &str) -> Nature {
        // The low byte is the code; the others tell more.
        match extended_code.parse::<u32>().map(|code| code & 0xff) {
            // SQLITE_BUSY, SQLITE_LOCKED
            Ok(5 | 6) => Nature::Collision,
            _ => Nature::Lasting,
        }
    }
}

#[cfg(feature = "tiberius")]
mod tiberius {
    use tiberius::error::Error;

    use super::{Nature, StdError};

    pub(super) fn nature(error: &(dyn StdError + 'static)) -> Option<Nature> {
        let error = error.downcast_ref::<Error>()?;
        Some(match (error, error.code()) {
            // Of a constraint, of an index.
            (_, Some(2627 | 2601)) => Nature::Duplicate,
            // Deadlock, lock timeout, conflict of snapshots.
            (_, Some(1205 | 1222 | 3960)) => Nature::Collision,
            (Error::Io { .. }, _) => Nature::ConnectionLost,
            _ => Nature::Lasting,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::fake_store::ConnectionLost;

    #[derive(Debug, thiserror::Error)]
    enum ShopError {
        #[error("no offer")]
        WithSource(#[source] Box<dyn StdError + Send + Sync>),
        #[error("sold out")]
        Other,
    }

    #[test]
    fn the_drivers_error_is_found_along_the_sources() {
        let inner = ShopError::WithSource(Box::new(ConnectionLost));
        let outer = ShopError::WithSource(Box::new(inner));
        assert_eq!(Nature::of(&outer), Nature::ConnectionLost);
        assert_eq!(Nature::of(&ShopError::Other), Nature::Lasting);
    }

    #[test]
    fn connections_to_others_are_the_closures_own() {
        let mail = io::Error::from(io::ErrorKind::ConnectionReset);
        assert_eq!(Nature::of(&mail), Nature::Lasting);
        let wrapped = ShopError::WithSource(Box::new(mail));
        assert_eq!(Nature::of(&wrapped), Nature::Lasting);
    }

    #[cfg(feature = "sqlx-sqlite")]
    #[test]
    fn connections_of_sqlx_are_lost() {
        let lost = || ::sqlx::Error::Io(io::ErrorKind::UnexpectedEof.into());
        assert_eq!(Nature::of(&lost()), Nature::ConnectionLost);
        let wrapped = ShopError::WithSource(Box::new(lost()));
        assert_eq!(Nature::of(&wrapped), Nature::ConnectionLost);
        assert_eq!(Nature::of(&::sqlx::Error::PoolTimedOut), Nature::Lasting);
    }

    #[cfg(feature = "sqlx-postgres")]
    #[test]
    fn states_of_postgres() {
        for state in ["40001", "40P01", "55P03"] {
            assert_eq!(sqlx::of_postgres(state), Nature::Collision, "{state}");
        }
        for state in [
            "08000", "08003", "08006", "25P03", "25P04", "57P01", "57P02", "57P03", "57P05",
        ] {
            assert_eq!(sqlx::of_postgres(state), Nature::ConnectionLost, "{state}");
        }
        // syntax_error, in_failed_sql_transaction, query_canceled, check_violation
        for state in ["42601", "25P02", "57014", "23514", ""] {
            assert_eq!(sqlx::of_postgres(state), Nature::Lasting, "{state}");
        }
    }

    #[cfg(feature = "sqlx-mysql")]
    #[test]
    fn numbers_of_mysql() {
        for number in [1020, 1205, 1213] {
            assert_eq!(sqlx::of_mysql(number), Nature::Collision, "{number}");
        }
        for number in [1053, 1927, 2006, 2013] {
            assert_eq!(sqlx::of_mysql(number), Nature::ConnectionLost, "{number}");
        }
        // ER_PARSE_ERROR, ER_NO_SUCH_TABLE
        for number in [1064, 1146] {
            assert_eq!(sqlx::of_mysql(number), Nature::Lasting, "{number}");
        }
    }

    #[cfg(feature = "sqlx-sqlite")]
    #[test]
    fn codes_of_sqlite() {
        // SQLITE_BUSY, SQLITE_LOCKED, SQLITE_BUSY_RECOVERY, SQLITE_BUSY_SNAPSHOT
        for code in ["5", "6", "261", "517"] {
            assert_eq!(sqlx::of_sqlite(code), Nature::Collision, "{code}");
        }
        // SQLITE_ERROR, SQLITE_READONLY, SQLITE_FULL, SQLITE_CONSTRAINT_CHECK
        for code in ["1", "8", "13", "275", ""] {
            assert_eq!(sqlx::of_sqlite(code), Nature::Lasting, "{code}");
        }
    }
}
