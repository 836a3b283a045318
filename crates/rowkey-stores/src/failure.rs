//! Which errors of databases justify another attempt.

use std::error::Error as StdError;

/// The kind of failure that an error reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "some are constructed by drivers only")]
pub enum FailureKind {
    /// A unique index already contains the value.
    Duplicate,
    /// Transactions collided, and this one was rolled back. Another attempt may succeed.
    Collision,
    /// The connection is gone, and with it the transaction, unless it was just being committed.
    ConnectionLost,
    /// The server is read-only: usually a former primary, after a failover. An immediate attempt
    /// would fail as well, as would any on the same connection.
    ReadOnly,
    /// No connection is available for now.
    Unavailable,
    /// The transaction was already aborted. In this crate's calls, a closure ignored an error.
    TransactionAborted,
    /// The connection was left in a transaction that its pool does not know of.
    LeftInTransaction,
    /// Another attempt would fail as well, even later.
    Permanent,
}

/// Whether an error, or one of its sources, says that a database is temporarily unavailable: status
/// 503 in HTTP. The client may send the same command again later.
///
/// A database is unavailable if
///
/// * the connection was lost, or none could be opened: the server is down, starting or stopping,
///   has no connection left, or the pool has none or is closed;
/// * the server is read-only, as the former primary is after a failover (PostgreSQL's 25006,
///   MySQL's and MariaDB's 1836, and 1290 if its message names `read-only`; SQL Server's 3906);
/// * transactions kept colliding (deadlocks, lock timeouts, a locked SQLite file).
///
/// A function of this crate that returns the error of a read-only server has closed the pool's
/// connection to it. After your own statements, close the connection yourself, by sqlx's
/// `PoolConnection::close_on_drop`.
///
/// ```
/// use std::error::Error;
///
/// use rowkey_stores::is_unavailable;
///
/// /// The status of an error that has none of its own.
/// fn status(error: &(dyn Error + 'static)) -> u16 {
///     if is_unavailable(error) { 503 } else { 500 }
/// }
///
/// assert_eq!(status(&sqlx::Error::PoolTimedOut), 503);
/// assert_eq!(status(&sqlx::Error::RowNotFound), 500);
/// ```
pub fn is_unavailable(error: &(dyn StdError + 'static)) -> bool {
    match FailureKind::of(error) {
        FailureKind::Collision
        | FailureKind::ConnectionLost
        | FailureKind::LeftInTransaction
        | FailureKind::ReadOnly
        | FailureKind::Unavailable => true,
        FailureKind::Duplicate | FailureKind::TransactionAborted | FailureKind::Permanent => false,
    }
}

pub(crate) trait Failure {
    fn kind(&self) -> FailureKind;
}

impl FailureKind {
    /// The kind of the driver's error, wherever in the chain of sources it is.
    pub(crate) fn of(error: &(dyn StdError + 'static)) -> Self {
        let mut link = Some(error);
        while let Some(error) = link {
            if let Some(kind) = of_driver(error) {
                return kind;
            }
            link = error.source();
        }
        Self::Permanent
    }
}

#[cfg(test)]
#[derive(Debug, thiserror::Error)]
#[error("the connection is lost")]
pub(crate) struct ConnectionLost;

fn of_driver(error: &(dyn StdError + 'static)) -> Option<FailureKind> {
    #[cfg(any(
        feature = "sqlx-postgres",
        feature = "sqlx-mysql",
        feature = "sqlx-sqlite"
    ))]
    if let Some(kind) = sqlx::kind(error) {
        return Some(kind);
    }
    #[cfg(feature = "_sea-orm")]
    if let Some(kind) = sea_orm::kind(error) {
        return Some(kind);
    }
    #[cfg(feature = "_diesel")]
    if let Some(kind) = diesel::kind(error) {
        return Some(kind);
    }
    #[cfg(feature = "tiberius")]
    if let Some(kind) = tiberius::kind(error) {
        return Some(kind);
    }
    #[cfg(test)]
    if error.is::<ConnectionLost>() {
        return Some(FailureKind::ConnectionLost);
    }
    // Any other I/O error may come from a closure's own connection, say to a mail server, and the
    // mail must not be sent ten times.
    let _ = error;
    None
}

#[cfg(any(
    feature = "sqlx-postgres",
    feature = "sqlx-mysql",
    feature = "sqlx-sqlite"
))]
pub(crate) mod sqlx {
    use sqlx::error::{DatabaseError, Error};

    use super::{FailureKind, StdError};

    /// A connection was left in a transaction. The pool has other connections.
    #[derive(Debug, thiserror::Error)]
    #[error("the connection was left in the middle of a transaction")]
    pub(crate) struct LeftInTransaction(#[source] pub(crate) Error);

    pub(super) fn kind(error: &(dyn StdError + 'static)) -> Option<FailureKind> {
        if let Some(error) = error.downcast_ref::<Error>() {
            return Some(match error {
                Error::Database(error) => of_database(&**error),
                Error::Io(_) | Error::WorkerCrashed => FailureKind::ConnectionLost,
                Error::Tls(_) | Error::PoolTimedOut | Error::PoolClosed => FailureKind::Unavailable,
                _ => FailureKind::Permanent,
            });
        }
        if error.is::<LeftInTransaction>() {
            return Some(FailureKind::LeftInTransaction);
        }
        // For a transparent error, or one that has kept only the source.
        let error = error.downcast_ref::<Box<dyn DatabaseError>>()?;
        Some(of_database(&**error))
    }

    fn of_database(error: &dyn DatabaseError) -> FailureKind {
        if error.is_unique_violation() {
            return FailureKind::Duplicate;
        }
        #[cfg(feature = "sqlx-mysql")]
        if let Some(error) = error.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>() {
            return of_mysql(error.number(), error.message());
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
        FailureKind::Permanent
    }

    #[cfg(feature = "sqlx-postgres")]
    pub(super) fn of_postgres(state: &str) -> FailureKind {
        match state {
            // serialization_failure, deadlock_detected, lock_not_available
            "40001" | "40P01" | "55P03" => FailureKind::Collision,
            // admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout,
            // idle_in_transaction_session_timeout, transaction_timeout, and connections
            "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "25P04" => {
                FailureKind::ConnectionLost
            }
            _ if state.starts_with("08") => FailureKind::ConnectionLost,
            // read_only_sql_transaction
            "25006" => FailureKind::ReadOnly,
            // too_many_connections
            "53300" => FailureKind::Unavailable,
            // in_failed_sql_transaction; active_sql_transaction, of BEGIN with another isolation
            "25P02" | "25001" => FailureKind::TransactionAborted,
            _ => FailureKind::Permanent,
        }
    }

    #[cfg(feature = "sqlx-mysql")]
    pub(super) fn of_mysql(number: u16, message: &str) -> FailureKind {
        match number {
            // ER_CHECKREAD (MariaDB: the row has changed since the snapshot),
            // ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK
            1020 | 1205 | 1213 => FailureKind::Collision,
            // ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED, CR_SERVER_GONE_ERROR, CR_SERVER_LOST,
            // ER_CLIENT_INTERACTION_TIMEOUT (MySQL since 8.0: the reason, before it hangs up)
            1053 | 1927 | 2006 | 2013 | 4031 => FailureKind::ConnectionLost,
            // ER_CON_COUNT_ERROR, ER_TOO_MANY_USER_CONNECTIONS
            1040 | 1203 => FailureKind::Unavailable,
            // ER_READ_ONLY_MODE
            1836 => FailureKind::ReadOnly,
            // ER_OPTION_PREVENTS_STATEMENT: also for --skip-grant-tables and others.
            1290 if message.contains("read-only") => FailureKind::ReadOnly,
            _ => FailureKind::Permanent,
        }
    }

    #[cfg(feature = "sqlx-sqlite")]
    pub(super) fn of_sqlite(extended_code: &str) -> FailureKind {
        // The low byte is the primary code.
        match extended_code.parse::<u32>().map(|code| code & 0xff) {
            // SQLITE_BUSY, SQLITE_LOCKED
            Ok(5 | 6) => FailureKind::Collision,
            _ => FailureKind::Permanent,
        }
    }
}

#[cfg(feature = "_sea-orm")]
mod sea_orm {
    use sea_orm::{DbErr, RuntimeErr};

    use super::{FailureKind, StdError, sqlx};

    pub(super) fn kind(error: &(dyn StdError + 'static)) -> Option<FailureKind> {
        let runtime = match error.downcast_ref::<DbErr>() {
            Some(DbErr::ConnectionAcquire(_)) => return Some(FailureKind::Unavailable),
            Some(DbErr::Conn(error) | DbErr::Exec(error) | DbErr::Query(error)) => error,
            // For a transparent error, which has kept only the source.
            _ => error.downcast_ref::<RuntimeErr>()?,
        };
        match runtime {
            RuntimeErr::SqlxError(error) => sqlx::kind(&**error),
            _ => None,
        }
    }
}

/// Diesel has kinds of errors, but none for most of what matters here, and hides the codes. So the
/// messages are read, which are English if the server's `lc_messages` is.
#[cfg(feature = "_diesel")]
mod diesel {
    use diesel::ConnectionError;
    use diesel::result::{DatabaseErrorKind, Error};

    use super::{FailureKind, StdError};

    /// How messages begin, by database, in the order of `of_postgres`, `of_mysql` and `of_sqlite`
    /// of sqlx's errors.
    const MESSAGES: &[(&str, FailureKind)] = &[
        // PostgreSQL
        ("deadlock detected", FailureKind::Collision),
        (
            "canceling statement due to lock timeout",
            FailureKind::Collision,
        ),
        ("could not obtain lock on ", FailureKind::Collision),
        ("terminating connection ", FailureKind::ConnectionLost),
        ("the database system is ", FailureKind::ConnectionLost),
        ("server closed the connection ", FailureKind::ConnectionLost),
        ("sorry, too many clients already", FailureKind::Unavailable),
        (
            "remaining connection slots are reserved ",
            FailureKind::Unavailable,
        ),
        ("too many connections for ", FailureKind::Unavailable),
        (
            "current transaction is aborted",
            FailureKind::TransactionAborted,
        ),
        // Diesel does not know of a transaction that a program has begun by raw SQL.
        (
            "SET TRANSACTION ISOLATION LEVEL must be called before ",
            FailureKind::LeftInTransaction,
        ),
        // MySQL and MariaDB
        ("Duplicate entry ", FailureKind::Duplicate),
        (
            "Record has changed since last read ",
            FailureKind::Collision,
        ),
        ("Lock wait timeout exceeded", FailureKind::Collision),
        (
            "Deadlock found when trying to get lock",
            FailureKind::Collision,
        ),
        ("Server shutdown in progress", FailureKind::ConnectionLost),
        ("Connection was killed", FailureKind::ConnectionLost),
        ("MySQL server has gone away", FailureKind::ConnectionLost),
        ("Server has gone away", FailureKind::ConnectionLost),
        ("Lost connection to ", FailureKind::ConnectionLost),
        (
            "The client was disconnected by the server ",
            FailureKind::ConnectionLost,
        ),
        ("Too many connections", FailureKind::Unavailable),
        ("Running in read-only mode", FailureKind::ReadOnly),
        // diesel-async on MySQL
        ("Input/output error: ", FailureKind::ConnectionLost),
        (
            "Driver error: `Connection to the server is closed",
            FailureKind::ConnectionLost,
        ),
        // SQLite
        ("UNIQUE constraint failed: ", FailureKind::Duplicate),
        ("database is locked", FailureKind::Collision),
        ("database table is locked", FailureKind::Collision),
        ("database schema is locked", FailureKind::Collision),
    ];

    pub(super) fn kind(error: &(dyn StdError + 'static)) -> Option<FailureKind> {
        if let Some(error) = error.downcast_ref::<Error>() {
            return Some(of_error(error));
        }
        if let Some(error) = error.downcast_ref::<ConnectionError>() {
            return Some(of_connection(error));
        }
        #[cfg(feature = "_diesel-blocking")]
        if error.is::<diesel::r2d2::PoolError>() {
            return Some(FailureKind::Unavailable);
        }
        #[cfg(feature = "_diesel-async")]
        if error.is::<diesel_async::pooled_connection::deadpool::PoolError>() {
            return Some(FailureKind::Unavailable);
        }
        None
    }

    fn of_connection(error: &ConnectionError) -> FailureKind {
        match error {
            ConnectionError::BadConnection(_) => FailureKind::ConnectionLost,
            ConnectionError::CouldntSetupConfiguration(error) => of_error(error),
            _ => FailureKind::Permanent,
        }
    }

    fn of_error(error: &Error) -> FailureKind {
        let (kind, information) = match error {
            Error::DatabaseError(kind, information) => (kind, information),
            Error::RollbackErrorOnCommit { commit_error, .. } => return of_error(commit_error),
            // Diesel has lost track of the connection's transactions.
            Error::BrokenTransactionManager => return FailureKind::LeftInTransaction,
            _ => return FailureKind::Permanent,
        };
        match kind {
            DatabaseErrorKind::UniqueViolation => FailureKind::Duplicate,
            DatabaseErrorKind::SerializationFailure => FailureKind::Collision,
            DatabaseErrorKind::ReadOnlyTransaction => FailureKind::ReadOnly,
            DatabaseErrorKind::ClosedConnection => FailureKind::ConnectionLost,
            // Of libpq, also for a statement that cannot be sent on any connection.
            DatabaseErrorKind::UnableToSendCommand
                if !information.message().starts_with("number of parameters ") =>
            {
                FailureKind::ConnectionLost
            }
            _ => of_message(information.message()),
        }
    }

    pub(super) fn of_message(message: &str) -> FailureKind {
        // Of MySQL: also for --skip-grant-tables and others.
        if message.contains("is running with the --") && message.contains("read-only") {
            return FailureKind::ReadOnly;
        }
        let known = MESSAGES
            .iter()
            .find(|(begin, _)| message.starts_with(begin));
        known.map_or(FailureKind::Permanent, |(_, kind)| *kind)
    }
}

#[cfg(feature = "tiberius")]
mod tiberius {
    use tiberius::error::Error;

    use super::{FailureKind, StdError};

    pub(super) fn kind(error: &(dyn StdError + 'static)) -> Option<FailureKind> {
        Some(match error.downcast_ref::<Error>()? {
            Error::Server(error) => of_sql_server(error.code(), error.class()),
            Error::Io { .. } => FailureKind::ConnectionLost,
            Error::Tls(_) => FailureKind::Unavailable,
            _ => FailureKind::Permanent,
        })
    }

    /// The class is the error's severity.
    pub(super) fn of_sql_server(number: u32, class: u8) -> FailureKind {
        match number {
            // A constraint, an index.
            2627 | 2601 => FailureKind::Duplicate,
            // Deadlock, lock timeout, snapshot conflict.
            1205 | 1222 | 3960 => FailureKind::Collision,
            // Azure: the service has failed over, the database is not there yet, the service is
            // busy, a limit of the database or of its server is reached.
            40197 | 40613 | 40501 | 10928 | 10929 => FailureKind::ConnectionLost,
            // The database is read-only.
            3906 => FailureKind::ReadOnly,
            // The server closes the connection, as with 596 when a session is killed.
            _ if class >= 20 => FailureKind::ConnectionLost,
            _ => FailureKind::Permanent,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

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
        assert_eq!(FailureKind::of(&outer), FailureKind::ConnectionLost);
        assert_eq!(FailureKind::of(&ShopError::Other), FailureKind::Permanent);
    }

    #[test]
    fn lost_connections_to_other_services_are_permanent_failures() {
        let mail = io::Error::from(io::ErrorKind::ConnectionReset);
        assert_eq!(FailureKind::of(&mail), FailureKind::Permanent);
        let wrapped = ShopError::WithSource(Box::new(mail));
        assert_eq!(FailureKind::of(&wrapped), FailureKind::Permanent);
    }

    #[cfg(feature = "sqlx-sqlite")]
    #[test]
    fn lost_connections_of_sqlx_are_recognised() {
        let lost = || ::sqlx::Error::Io(io::ErrorKind::UnexpectedEof.into());
        assert_eq!(FailureKind::of(&lost()), FailureKind::ConnectionLost);
        let wrapped = ShopError::WithSource(Box::new(lost()));
        assert_eq!(FailureKind::of(&wrapped), FailureKind::ConnectionLost);
        let no_connection = ::sqlx::Error::PoolTimedOut;
        assert_eq!(FailureKind::of(&no_connection), FailureKind::Unavailable);
    }

    #[cfg(feature = "sqlx-sqlite")]
    #[test]
    fn a_database_that_may_work_later_is_unavailable() {
        use ::sqlx::Error::{Io, PoolTimedOut, RowNotFound};

        use crate::CreateError::{self, Closure, Store};

        let error = |error| crate::Error::Database(Box::new(error));
        let lost = Io(io::ErrorKind::UnexpectedEof.into());
        assert!(CreateError::<io::Error>::from(error(lost)).is_unavailable());
        assert!(Closure(PoolTimedOut).is_unavailable());
        assert!(!Closure(RowNotFound).is_unavailable());
        let error: CreateError<io::Error> = Store(error(RowNotFound));
        assert!(!error.is_unavailable());
    }

    #[cfg(feature = "sqlx-postgres")]
    #[test]
    fn states_of_postgres() {
        for state in ["40001", "40P01", "55P03"] {
            assert_eq!(sqlx::of_postgres(state), FailureKind::Collision, "{state}");
        }
        for state in [
            "08000", "08003", "08006", "25P03", "25P04", "57P01", "57P02", "57P03", "57P05",
        ] {
            assert_eq!(
                sqlx::of_postgres(state),
                FailureKind::ConnectionLost,
                "{state}"
            );
        }
        assert_eq!(sqlx::of_postgres("25006"), FailureKind::ReadOnly);
        assert_eq!(sqlx::of_postgres("53300"), FailureKind::Unavailable);
        for state in ["25P02", "25001"] {
            assert_eq!(
                sqlx::of_postgres(state),
                FailureKind::TransactionAborted,
                "{state}"
            );
        }
        // syntax_error, query_canceled, check_violation
        for state in ["42601", "57014", "23514", ""] {
            assert_eq!(sqlx::of_postgres(state), FailureKind::Permanent, "{state}");
        }
    }

    #[cfg(feature = "sqlx-mysql")]
    #[test]
    fn numbers_of_mysql() {
        let kind = |number| sqlx::of_mysql(number, "");
        for number in [1020, 1205, 1213] {
            assert_eq!(kind(number), FailureKind::Collision, "{number}");
        }
        for number in [1053, 1927, 2006, 2013, 4031] {
            assert_eq!(kind(number), FailureKind::ConnectionLost, "{number}");
        }
        for number in [1040, 1203] {
            assert_eq!(kind(number), FailureKind::Unavailable, "{number}");
        }
        assert_eq!(kind(1836), FailureKind::ReadOnly);
        // ER_PARSE_ERROR, ER_NO_SUCH_TABLE, ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
        for number in [1064, 1146, 1792] {
            assert_eq!(kind(number), FailureKind::Permanent, "{number}");
        }
    }

    /// One error number for every option of the server that forbids something.
    #[cfg(feature = "sqlx-mysql")]
    #[test]
    fn a_read_only_mysql_server_is_recognised_by_the_message() {
        let message = |option: &str| {
            format!(
                "The MySQL server is running with the {option} option so it cannot execute this \
                 statement"
            )
        };
        for option in ["--read-only", "--super-read-only"] {
            let kind = sqlx::of_mysql(1290, &message(option));
            assert_eq!(kind, FailureKind::ReadOnly, "{option}");
        }
        for option in ["--skip-grant-tables", "--secure-file-priv"] {
            let kind = sqlx::of_mysql(1290, &message(option));
            assert_eq!(kind, FailureKind::Permanent, "{option}");
        }
    }

    #[cfg(feature = "tiberius")]
    #[test]
    fn errors_of_sql_server() {
        for number in [2627, 2601] {
            let kind = tiberius::of_sql_server(number, 14);
            assert_eq!(kind, FailureKind::Duplicate, "{number}");
        }
        for number in [1205, 1222, 3960] {
            let kind = tiberius::of_sql_server(number, 16);
            assert_eq!(kind, FailureKind::Collision, "{number}");
        }
        for number in [40197, 40613, 40501, 10928, 10929] {
            let kind = tiberius::of_sql_server(number, 16);
            assert_eq!(kind, FailureKind::ConnectionLost, "{number}");
        }
        assert_eq!(tiberius::of_sql_server(3906, 16), FailureKind::ReadOnly);
        // The session was killed; a fatal error of the server.
        for (number, class) in [(596, 21), (823, 24), (4014, 20)] {
            let kind = tiberius::of_sql_server(number, class);
            assert_eq!(kind, FailureKind::ConnectionLost, "{number}");
        }
        // Syntax, no such object, a value that is NULL, no space in the database.
        for (number, class) in [(102, 15), (208, 16), (515, 16), (1105, 17)] {
            let kind = tiberius::of_sql_server(number, class);
            assert_eq!(kind, FailureKind::Permanent, "{number}");
        }
    }

    #[cfg(feature = "sqlx-sqlite")]
    #[test]
    fn codes_of_sqlite() {
        // SQLITE_BUSY, SQLITE_LOCKED, SQLITE_BUSY_RECOVERY, SQLITE_BUSY_SNAPSHOT
        for code in ["5", "6", "261", "517"] {
            assert_eq!(sqlx::of_sqlite(code), FailureKind::Collision, "{code}");
        }
        // SQLITE_ERROR, SQLITE_READONLY, SQLITE_FULL, SQLITE_CONSTRAINT_CHECK
        for code in ["1", "8", "13", "275", ""] {
            assert_eq!(sqlx::of_sqlite(code), FailureKind::Permanent, "{code}");
        }
    }
}
