//! What the two benchmarks have written.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

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

/// The samples of a Criterion benchmark: rounds and the nanoseconds that they took together.
#[derive(Debug, Deserialize)]
struct Samples {
    iters: Vec<f64>,
    times: Vec<f64>,
}

/// Nanoseconds of the fastest round: what else the machine does only ever adds to them.
fn nanoseconds(target: &Path, built: SystemTime, operation: &Operation) -> Result<f64> {
    let path = target
        .join("criterion")
        .join(WALL_GROUP)
        .join(operation.name)
        .join("new")
        .join("sample.json");
    let samples: Samples = figures(&path, built, "wall")?;
    samples
        .times
        .iter()
        .zip(&samples.iters)
        .map(|(time, rounds)| time / rounds)
        .min_by(f64::total_cmp)
        .with_context(|| format!("{} has no samples", path.display()))
}

/// The parts of a Gungraun summary that matter here.
#[derive(Debug, Deserialize)]
struct Summary {
    profiles: Vec<Profile>,
}

#[derive(Debug, Deserialize)]
struct Profile {
    data: ProfileData,
}

#[derive(Debug, Deserialize)]
struct ProfileData {
    total: Total,
}

#[derive(Debug, Deserialize)]
struct Total {
    metrics: HashMap<String, Metric>,
}

#[derive(Debug, Deserialize)]
struct Metric {
    values: Values,
}

#[derive(Debug, Deserialize)]
struct Values {
    new: f64,
}

/// Instructions of one round.
fn instructions(
    target: &Path,
    built: SystemTime,
    number: usize,
    operation: &Operation,
) -> Result<f64> {
    let path: PathBuf = target
        .join("gungraun")
        .join(env!("CARGO_PKG_NAME"))
        .join("instructions")
        .join("counts")
        .join(format!("operation.number_{number}"))
        .join("summary.json");
    let summary: Summary = figures(&path, built, "instructions")?;
    let count = summary
        .profiles
        .iter()
        .find_map(|profile| profile.data.total.metrics.get("Ir"))
        .with_context(|| format!("{} has no count of instructions", path.display()))?;
    Ok(count.values.new / operation.rounds_for(COUNTED_OPERATIONS) as f64)
}

/// Reads a file of figures that a benchmark has written since it was built.
fn figures<T: DeserializeOwned>(path: &Path, built: SystemTime, benchmark: &str) -> Result<T> {
    let advice = || {
        format!(
            "run the benchmark `{benchmark}` first: no {}",
            path.display()
        )
    };
    let written = fs::metadata(path).with_context(advice)?.modified()?;
    ensure!(
        written >= built,
        "run the benchmark `{benchmark}` again: {} is older than the code",
        path.display()
    );
    let json = fs::read_to_string(path).with_context(advice)?;
    serde_json::from_str(&json).with_context(|| format!("{} is unreadable", path.display()))
}
