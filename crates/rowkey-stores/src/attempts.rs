//! How often something is tried.

use crate::Error;
use crate::failure::Nature;
use crate::session::Source;

/// Each collision that a database reports at once means that another transaction got on, so these
/// are rarely used up. Where it waits first, for a lock or for SQLite's file, each of them takes as
/// long as the database is told to wait.
///
/// There is no pause between them: it would need a timer, and so a runtime, which is for users to
/// choose; and transactions that only wait for a lock, which is what those of this crate do, gain
/// nothing by it.
const MAX_ATTEMPTS: u32 = 10;

/// Connections that were left in a transaction take no attempt. Each is closed when it is met, and one
/// call may meet all of its pool's. There is an end for programs whose new connections are in one, too.
const MAX_LEFTOVERS: u32 = 1_000;

/// The attempts at one creation.
#[derive(Debug)]
pub(crate) struct Attempts {
    made: u32,
    leftovers: u32,
    reconnects: bool,
}

impl Attempts {
    pub(crate) fn on<S: Source>() -> Self {
        Self {
            made: 0,
            leftovers: 0,
            reconnects: S::RECONNECTS,
        }
    }

    /// A connection for a look-up, which has to show after a failure who was faster.
    pub(crate) async fn connect<S: Source>(&self, source: &mut S) -> Result<S::Connection, Error> {
        match self.made {
            0 => source.connect().await,
            _ => source.connect_afresh().await,
        }
    }

    /// Counts an attempt that has failed.
    pub(crate) fn failed(&mut self) {
        self.made += 1;
    }

    /// Whether to try again after a look-up has failed. One that fails because of a transaction has met a
    /// connection that was left in it.
    pub(crate) fn another_after_look_up(&mut self, nature: Nature) -> bool {
        match nature {
            Nature::Aborted => self.another_after(Nature::LeftInTransaction),
            nature => self.another_after(nature),
        }
    }

    /// Whether to try again after a failure. A duplicate would be one again.
    pub(crate) fn another_after(&mut self, nature: Nature) -> bool {
        if nature == Nature::LeftInTransaction {
            self.leftovers += 1;
            return self.reconnects && self.leftovers < MAX_LEFTOVERS;
        }
        self.failed();
        let sensible = match nature {
            Nature::Collision => true,
            Nature::ConnectionLost => self.reconnects,
            Nature::Duplicate
            | Nature::LeftInTransaction
            | Nature::ReadOnly
            | Nature::Unavailable
            | Nature::Aborted
            | Nature::Lasting => false,
        };
        sensible && self.made < MAX_ATTEMPTS
    }
}
