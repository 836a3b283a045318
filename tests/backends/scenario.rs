//! A scenario and the way to run it.

use std::pin::Pin;

use anyhow::Result;

use crate::driver::{Assumption, Driver, Session};

/// A test with its own database.
pub(crate) struct Scenario<D: Driver> {
    pub(crate) name: String,
    pub(crate) assumes: Option<Assumption>,
    pub(crate) run: Run<D>,
}

/// A scenario, to be run once.
pub(crate) type Run<D> = Box<dyn for<'s> FnOnce(&'s mut Session<D>) -> Outcome<'s> + Send>;

/// What a scenario ends with.
pub(crate) type Outcome<'s> = Pin<Box<dyn Future<Output = Result<()>> + 's>>;

impl<D: Driver> Scenario<D> {
    pub(crate) fn new(
        name: impl Into<String>,
        run: impl for<'s> FnOnce(&'s mut Session<D>) -> Outcome<'s> + Send + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            assumes: None,
            run: Box::new(run),
        }
    }

    /// The scenario, which says nothing about a server that does otherwise.
    pub(crate) fn assuming(self, assumption: Assumption) -> Self {
        Self {
            assumes: Some(assumption),
            ..self
        }
    }
}
