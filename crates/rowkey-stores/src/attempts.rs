//! How often something is tried.

use crate::Error;
use crate::failure::Nature;
use crate::session::Source;

/// Each collision means that another transaction got on, so this is not reached by being slow.
const MAX_ATTEMPTS: u32 = 10;

/// The attempts at one creation.
#[derive(Debug)]
pub(crate) struct Attempts {
    made: u32,
    reconnects: bool,
}

impl Attempts {
    pub(crate) fn on<S: Source>() -> Self {
        Self {
            made: 0,
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

    /// Whether to try again after a failure. A duplicate would be one again.
    pub(crate) fn another_after(&mut self, nature: Nature) -> bool {
        self.failed();
        let sensible = match nature {
            Nature::Collision => true,
            Nature::ConnectionLost => self.reconnects,
            Nature::Duplicate | Nature::Lasting => false,
        };
        sensible && self.made < MAX_ATTEMPTS
    }
}
