//! Processes that are killed while programs write.

use std::env;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rowkey_migrate::plan::Plan;
use rowkey_testkit::Suite;
use tokio::task::JoinHandle;

use crate::add_proven;
use crate::interrupted;
use crate::journal::{Counts, Writer, write_stubbornly};
use crate::rows::{Random, Rows};
use crate::shop::{NEW, Names, OLD, Shop};

/// How many transactions each program has to do after the swap.
const AFTERWARDS: u64 = 20;

/// How long the whole may take.
const PATIENCE: Duration = Duration::from_secs(1_200);

pub(crate) fn add_tests(suite: &mut Suite) {
    add_proven(suite, "chaos_loses_no_write", chaos);
}

/// How large the tables are, and how often the process is killed.
struct Size {
    rows: u64,
    kills: u32,
    /// The longest time until the process is killed.
    window: Duration,
}

/// Whether the long tests are to run.
pub(crate) fn is_large() -> bool {
    env::var_os("ROWKEY_CHAOS").is_some_and(|value| value == "1")
}

impl Size {
    fn from_env() -> Self {
        match is_large() {
            true => Self {
                rows: 300_000,
                kills: 20,
                window: Duration::from_millis(3_000),
            },
            false => Self {
                rows: 3_000,
                kills: 2,
                window: Duration::from_millis(300),
            },
        }
    }
}

async fn chaos(shop: Shop) -> Result<()> {
    let size = Size::from_env();
    shop.create(OLD).await?;
    let mut rows = shop.fill_from(OLD, 0, size.rows, 31).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("plan.toml");
    std::fs::write(&file, plan.to_toml()?)?;

    let stop = Arc::new(AtomicBool::new(false));
    let mut programs = Programs::start(&shop, &plan, &stop).await?;
    let outcome = killed_and_finished(&shop, &file, &size, &programs).await;
    stop.store(true, Ordering::Relaxed);
    for program in programs.running.drain(..) {
        rows.extend(program.await??);
    }
    let report = outcome?;
    shop.expect(&rows, NEW, Names::after(&plan)).await?;
    eprintln!("{}: {report}; {programs}", shop.dialect.backend);
    Ok(())
}

/// The programs that write.
struct Programs {
    running: Vec<JoinHandle<Result<Rows>>>,
    counts: Vec<Arc<Counts>>,
    /// How many statements of the old program failed after the swap.
    refused: Arc<AtomicU64>,
}

impl Programs {
    async fn start(shop: &Shop, plan: &Plan, stop: &Arc<AtomicBool>) -> Result<Self> {
        let mut programs = Self {
            running: Vec::new(),
            counts: Vec::new(),
            refused: Arc::default(),
        };
        for place in 1..=3 {
            let first = place * 10_000_000;
            let rows = shop.fill_from(OLD, first, 200, place as u64).await?;
            let writer = Writer::new(shop, [OLD, NEW], Names::after(plan), first)?.with_rows(rows);
            programs.counts.push(writer.counts());
            programs
                .running
                .push(tokio::spawn(writer.write(Arc::clone(stop))));
        }
        let refused = Arc::clone(&programs.refused);
        let stubborn = write_stubbornly(shop.clone(), OLD, Arc::clone(stop), refused);
        programs.running.push(tokio::spawn(stubborn));
        Ok(programs)
    }

    /// Whether all of them wrote before and after the swap, and the old one was refused.
    fn have_written(&self) -> bool {
        let mut counts = self.counts.iter();
        counts.all(|counts| counts.new.load(Ordering::Relaxed) >= AFTERWARDS)
            && self.refused.load(Ordering::Relaxed) >= AFTERWARDS
    }
}

impl std::fmt::Display for Programs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sum = |count: fn(&Counts) -> &AtomicU64| -> u64 {
            let counts = self.counts.iter();
            counts.map(|one| count(one).load(Ordering::Relaxed)).sum()
        };
        write!(
            f,
            "{} transactions before and {} after the swap, {} failed; {} of the old program refused",
            sum(|counts| &counts.old),
            sum(|counts| &counts.new),
            sum(|counts| &counts.failed),
            self.refused.load(Ordering::Relaxed),
        )
    }
}

/// Kills the process again and again, and lets the last one finish; what it said.
async fn killed_and_finished(
    shop: &Shop,
    plan: &Path,
    size: &Size,
    programs: &Programs,
) -> Result<String> {
    let address = shop.url.as_str();
    let started = Instant::now();
    let mut random = Random(u64::from(size.kills));
    let mut killed = 0;
    while killed < size.kills {
        let mut process = interrupted::start(address, plan)?;
        let moment = random.below(size.window.as_millis() as u64);
        tokio::time::sleep(Duration::from_millis(moment)).await;
        if let Some(status) = process.try_wait()? {
            let output = process.wait_with_output()?;
            ensure!(
                !status.success(),
                "it was done before it was killed {killed} times"
            );
            only_locked(&output)?;
            continue;
        }
        process.kill()?;
        process.wait()?;
        killed += 1;
    }
    loop {
        let process = interrupted::start(address, plan)?;
        let output = tokio::task::spawn_blocking(|| process.wait_with_output()).await??;
        if output.status.success() {
            let notes = String::from_utf8_lossy(&output.stdout)
                .trim()
                .replace('\n', ", ");
            wait_for(programs).await?;
            let seconds = started.elapsed().as_secs_f64();
            return Ok(format!("killed {killed} times, {seconds:.1} s, {notes}"));
        }
        only_locked(&output)?;
        ensure!(started.elapsed() < PATIENCE, "it never ended");
    }
}

/// The server may not have noticed yet that the process before is gone.
fn only_locked(output: &Output) -> Result<()> {
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(message.contains("another process"), "{message}");
    Ok(())
}

/// Waits until the programs have written after the swap.
async fn wait_for(programs: &Programs) -> Result<()> {
    let started = Instant::now();
    while !programs.have_written() {
        if started.elapsed() > Duration::from_secs(60) {
            bail!("the programs do not write any more: {programs}");
        }
        if programs.running.iter().any(JoinHandle::is_finished) {
            return Err(anyhow::anyhow!("a program has ended")).context(programs.to_string());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}
