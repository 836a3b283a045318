//! How often a call is tried.

use crate::Error;
use crate::failure::FailureKind;
use crate::session::Source;

/// A collision that a database reports at once means that another transaction made progress, so
/// attempts are rarely used up. If the database waits first, for a lock or for SQLite's file, an
/// attempt takes as long as its timeout.
///
/// There is no pause between attempts. A pause would need a timer, and so a runtime, which users
/// choose; and transactions that only wait for locks would gain nothing by it.
const MAX_ATTEMPTS: u32 = 10;

/// Connections that were left in a transaction do not count as attempts: each is closed when it is
/// found, and one call may find all such connections of its pool. The limit is for programs whose
/// new connections are in a transaction, too.
const MAX_LEFT_IN_TRANSACTION: u32 = 1_000;

#[derive(Debug)]
pub(crate) struct Attempts {
    made: u32,
    left_in_transaction: u32,
    reconnects: bool,
}

impl Attempts {
    pub(crate) fn on<S: Source>() -> Self {
        Self {
            made: 0,
            left_in_transaction: 0,
            reconnects: S::RECONNECTS,
        }
    }

    /// A connection for a look-up. After a failure, it has to see what other calls committed.
    pub(crate) async fn connect<S: Source>(&self, source: &mut S) -> Result<S::Connection, Error> {
        match self.made {
            0 => source.connect().await,
            _ => source.connect_afresh().await,
        }
    }

    pub(crate) fn count_failure(&mut self) {
        self.made += 1;
    }

    /// Whether to try again after a look-up has failed. A look-up is outside any transaction. If it
    /// fails because of one, the connection was left in that transaction.
    pub(crate) fn may_retry_after_look_up(&mut self, kind: FailureKind) -> bool {
        match kind {
            FailureKind::TransactionAborted => self.may_retry_after(FailureKind::LeftInTransaction),
            kind => self.may_retry_after(kind),
        }
    }

    pub(crate) fn may_retry_after(&mut self, kind: FailureKind) -> bool {
        if kind == FailureKind::LeftInTransaction {
            self.left_in_transaction += 1;
            return self.reconnects && self.left_in_transaction < MAX_LEFT_IN_TRANSACTION;
        }
        self.count_failure();
        let may_succeed = match kind {
            FailureKind::Collision => true,
            FailureKind::ConnectionLost => self.reconnects,
            FailureKind::Duplicate
            | FailureKind::LeftInTransaction
            | FailureKind::ReadOnly
            | FailureKind::Unavailable
            | FailureKind::TransactionAborted
            | FailureKind::Permanent => false,
        };
        may_succeed && self.made < MAX_ATTEMPTS
    }
}
