//! The signals that end a run early.

use std::{fmt, process::ExitCode};

use anyhow::Result;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The error of work that a signal ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interruption {
    exit_code: u8,
}

impl Interruption {
    /// By its number, out of which shells make the exit code as well.
    fn by_signal(number: u8) -> Self {
        Self {
            exit_code: 128 + number,
        }
    }

    pub(crate) fn exit_code(self) -> ExitCode {
        self.exit_code.into()
    }
}

impl fmt::Display for Interruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interruption {}

/// The signals that would end the process if nobody listened to them.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    hang_up: Signal,
}

impl Signals {
    #[cfg(unix)]
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {})
    }

    /// Does the work unless a signal comes before it is done.
    pub(crate) async fn unless_interrupted<T>(
        &mut self,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        tokio::select! {
            // First: work that the same signal ended is interrupted work.
            biased;
            interruption = self.next() => Err(interruption.into()),
            outcome = work => outcome,
        }
    }

    #[cfg(unix)]
    async fn next(&mut self) -> Interruption {
        tokio::select! {
            _ = self.interrupt.recv() => Interruption::by_signal(2),
            _ = self.terminate.recv() => Interruption::by_signal(15),
            _ = self.hang_up.recv() => Interruption::by_signal(1),
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) -> Interruption {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Interruption::by_signal(2),
            Err(_) => std::future::pending().await,
        }
    }
}
