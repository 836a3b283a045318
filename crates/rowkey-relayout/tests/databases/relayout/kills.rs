//! Processes of a change that are killed at random moments, each followed by one that goes on.

use std::path::Path;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rowkey_relayout as relayout;

use crate::relayout::interrupted::{self, Way};
use crate::relayout::rows::Random;
use crate::relayout::shop::Shop;

/// How long the whole may take.
const PATIENCE: Duration = Duration::from_secs(1_200);

/// Kills the processes that go one way with a plan.
pub(crate) struct Killer<'k> {
    pub(crate) shop: &'k Shop,
    /// The file of the plan.
    pub(crate) plan: &'k Path,
    pub(crate) way: Way,
    /// The longest time from the beginning of a process's first phase until it is killed.
    pub(crate) window: Duration,
    pub(crate) random: Random,
}

impl Killer<'_> {
    /// Kills processes until one is done, but not more than so many; how many there were.
    pub(crate) async fn kill(&mut self, most: u32) -> Result<u32> {
        let mut killed = 0;
        while killed < most && !self.is_over().await? {
            let mut process = self.start()?;
            process = tokio::task::spawn_blocking(move || {
                interrupted::begins(&mut process).map(|_| process)
            })
            .await??;
            let moment = self.random.below(self.window.as_micros() as u64);
            tokio::time::sleep(Duration::from_micros(moment)).await;
            if let Some(status) = process.try_wait()? {
                let output = process.wait_with_output()?;
                if status.success() {
                    break;
                }
                only_locked(&output)?;
                continue;
            }
            process.kill()?;
            process.wait()?;
            killed += 1;
        }
        Ok(killed)
    }

    /// Lets a process go on to the end; what it said.
    pub(crate) async fn finish(&self) -> Result<String> {
        let started = Instant::now();
        while !self.is_over().await? {
            let process = self.start()?;
            let output = tokio::task::spawn_blocking(|| process.wait_with_output()).await??;
            if output.status.success() {
                return Ok(interrupted::notes(&output.stdout));
            }
            only_locked(&output)?;
            ensure!(started.elapsed() < PATIENCE, "it never ended");
        }
        Ok(String::new())
    }

    fn start(&self) -> Result<Child> {
        interrupted::start(self.way, &self.shop.url, self.plan)
    }

    /// Whether the change is gone: there is nothing more to undo or to contract.
    async fn is_over(&self) -> Result<bool> {
        let mut connection = self.shop.connect().await?;
        Ok(self.way != Way::ToSwap && relayout::begun(&mut connection).await?.is_none())
    }
}

/// A statement of a killed process may go on for a while, with its locks.
fn only_locked(output: &Output) -> Result<()> {
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(message.contains("another process"), "{message}");
    Ok(())
}
