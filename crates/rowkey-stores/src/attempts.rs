//! How often something is tried.

use std::error::Error as StdError;

use crate::failure::Nature;
use crate::session::Source;
use crate::{CreateError, Error};

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

    /// Whether to try again after the statements of a store have failed.
    pub(crate) fn another_after(&mut self, error: &Error) -> bool {
        self.another(Nature::of(error))
    }

    /// Whether to try again after a creation has failed. A duplicate is a reason only where a store
    /// has met it: what a closure has met is its own business.
    pub(crate) fn another_creation_after<E>(&mut self, error: &CreateError<E>) -> bool
    where
        E: StdError + 'static,
    {
        match error {
            CreateError::Store(error) => self.another(Nature::of(error)),
            CreateError::Closure(error) => match Nature::of(error) {
                Nature::Duplicate => false,
                nature => self.another(nature),
            },
        }
    }

    fn another(&mut self, nature: Nature) -> bool {
        self.failed();
        let sensible = match nature {
            Nature::Duplicate | Nature::Collision => true,
            Nature::ConnectionLost => self.reconnects,
            Nature::Lasting => false,
        };
        sensible && self.made < MAX_ATTEMPTS
    }
}
