//! What Spark has written down about a job.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::cluster::Worker;

/// What the tasks of a job did.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The rows that were read by tasks that succeeded, by worker.
    rows: BTreeMap<String, u64>,
    /// The workers that ended while they had a task.
    lost: Vec<String>,
}

impl Events {
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let mut files = fs::read_dir(folder.join("events"))?;
        let file = files.next().context("Spark has written no events")??;
        let mut events = Self::default();
        for line in fs::read_to_string(file.path())?.lines() {
            let event: Value = serde_json::from_str(line)?;
            if event["Event"] != "SparkListenerTaskEnd" {
                continue;
            }
            let worker = event["Task Info"]["Executor ID"].as_str();
            let worker = worker.context("a task has a worker")?.to_owned();
            match event["Task End Reason"]["Reason"].as_str() {
                Some("Success") => {
                    let rows = &event["Task Metrics"]["Input Metrics"]["Records Read"];
                    let rows = rows.as_u64().context("a task has read rows")?;
                    *events.rows.entry(worker).or_default() += rows;
                }
                Some("ExecutorLostFailure") => events.lost.push(worker),
                reason => anyhow::bail!("a task ended with {reason:?}"),
            }
        }
        Ok(events)
    }

    /// Every worker has copied rows. If the first one was killed, it had a task then, and no other
    /// was lost.
    pub(crate) fn check(&self, workers: &[Worker], is_killed: bool) -> Result<()> {
        for worker in workers {
            let rows = self.rows.get(&worker.id).copied().unwrap_or(0);
            ensure!(rows > 0, "{} has copied no row: {self:?}", worker.id);
        }
        let killed = workers.first().filter(|_| is_killed);
        let killed: Vec<&str> = killed
            .map(|worker| worker.id.as_str())
            .into_iter()
            .collect();
        ensure!(self.lost == killed, "{killed:?} was killed: {self:?}");
        Ok(())
    }
}
