//! What the two benchmarks have written.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::Operation;

/// The directory of the wall-clock figures within Criterion's.
pub const WALL_GROUP: &str = "operations";

/// How many operations a count of instructions is made of, at least: as many as the thread's
/// generator makes ids from one seed, so that reseeding has its share in the count.
pub const COUNTED_OPERATIONS: u64 = 4_096;

/// What one operation costs, without the loop around it.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Nanoseconds, in the fastest sample.
    pub nanoseconds: f64,
    /// Instructions retired, on average. Valgrind does not see what a system call does, nor that
    /// reading a clock is none outside of it.
    pub instructions: f64,
}

/// The figures of one run of both benchmarks.
#[derive(Debug)]
pub struct Measurements {
    rounds: HashMap<&'static str, Cost>,
}

impl Measurements {
    /// Reads the figures next to the running executable, which was built with the benchmarks.
    ///
    /// # Errors
    ///
    /// If a figure is missing, or older than the executable and therefore of other code.
    pub fn read() -> Result<Self> {
        let executable = env::current_exe()?;
        let built = fs::metadata(&executable)?.modified()?;
        let Some(target) = executable.ancestors().nth(2) else {
            bail!("{} is not in a target directory", executable.display());
        };
        let rounds = crate::operations()
            .enumerate()
            .map(|(number, operation)| {
                let cost = Cost {
                    nanoseconds: nanoseconds(target, built, operation)?,
                    instructions: instructions(target, built, number, operation)?,
                };
                Ok((operation.name, cost))
            })
            .collect::<Result<_>>()?;
        Ok(Self { rounds })
    }

    /// What one operation costs.
    ///
    /// # Errors
    ///
    /// If no operation has this name.
    pub fn cost(&self, name: &str) -> Result<Cost> {
        let operation = crate::operations()
            .find(|operation| operation.name == name)
            .with_context(|| format!("no operation is called {name}"))?;
        let (round, empty) = (self.rounds[name], self.rounds[operation.baseline]);
        let per_operation = |round: f64, empty: f64| {
            // An operation can be as cheap as the noise.
            (round - empty).max(0.0) / operation.per_round as f64
        };
        Ok(Cost {
            nanoseconds: per_operation(round.nanoseconds, empty.nanoseconds),
            instructions: per_operation(round.instructions, empty.instructions),
        })
    }
}

/// Nanoseconds of the fastest round: what else the machine does only ever adds to them.
fn nanoseconds(target: &Path, built: SystemTime, operation: &Operation) -> Result<f64> {
    let path = format!("criterion/{WALL_GROUP}/{}/new/sample.json", operation.name);
    let samples = figures(&target.join(&path), built, "wall")?;
    // Rounds, and the nanoseconds that they took together.
    let [rounds, times] = ["iters", "times"].map(|name| samples[name].as_array());
    let samples = times
        .into_iter()
        .flatten()
        .zip(rounds.into_iter().flatten());
    samples
        .filter_map(|(time, rounds)| Some(time.as_f64()? / rounds.as_f64()?))
        .min_by(f64::total_cmp)
        .with_context(|| format!("{path} has no samples"))
}

/// Instructions of one round.
fn instructions(
    target: &Path,
    built: SystemTime,
    number: usize,
    operation: &Operation,
) -> Result<f64> {
    let package = env!("CARGO_PKG_NAME");
    let path =
        format!("gungraun/{package}/instructions/counts/operation.number_{number}/summary.json");
    let summary = figures(&target.join(&path), built, "instructions")?;
    let mut profiles = summary["profiles"].as_array().into_iter().flatten();
    let count = profiles
        .find_map(|profile| profile["data"]["total"]["metrics"]["Ir"]["values"]["new"].as_f64())
        .with_context(|| format!("{path} has no count of instructions"))?;
    Ok(count / operation.rounds_for(COUNTED_OPERATIONS) as f64)
}

/// Reads a file of figures that a benchmark has written since it was built.
fn figures(path: &Path, built: SystemTime, benchmark: &str) -> Result<Value> {
    let shown = path.display();
    let advice = || format!("run the benchmark `{benchmark}` first: no {shown}");
    let written = fs::metadata(path).with_context(advice)?.modified()?;
    ensure!(
        written >= built,
        "run the benchmark `{benchmark}` again: {shown} is older than the code"
    );
    let json = fs::read_to_string(path).with_context(advice)?;
    serde_json::from_str(&json).with_context(|| format!("{shown} is unreadable"))
}
