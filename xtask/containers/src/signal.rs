//! The signals that end a run early.

use std::{fmt, process::ExitCode};

use anyhow::Result;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The error of work that a signal ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interruption {
    #[cfg(unix)]
    signal: rustix::process::Signal,
}

impl Interruption {
    #[cfg(unix)]
    pub(crate) fn by_signal(signal: rustix::process::Signal) -> Self {
        Self { signal }
    }

    #[cfg(unix)]
    pub(crate) fn signal(self) -> rustix::process::Signal {
        self.signal
    }

    /// What shells make out of the number of the signal.
    pub(crate) fn exit_code(self) -> ExitCode {
        #[cfg(unix)]
        let number = self.signal.as_raw();
        #[cfg(not(unix))]
        let number = 2;
        u8::try_from(128 + number).map_or(ExitCode::FAILURE, ExitCode::from)
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
    #[cfg(unix)]
    quit: Signal,
}

impl Signals {
    #[cfg(unix)]
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
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
        use rustix::process::Signal;

        Interruption::by_signal(tokio::select! {
            _ = self.interrupt.recv() => Signal::INT,
            _ = self.terminate.recv() => Signal::TERM,
            _ = self.hang_up.recv() => Signal::HUP,
            _ = self.quit.recv() => Signal::QUIT,
        })
    }

    #[cfg(not(unix))]
    async fn next(&mut self) -> Interruption {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Interruption {},
            Err(_) => std::future::pending().await,
        }
    }
}
