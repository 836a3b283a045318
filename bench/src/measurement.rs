//! What the benchmark has written.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::{Build, Operation};

/// How many operations a count of instructions is made of, at least: as many as the thread's
/// generator makes ids from one seed, so that reseeding has its share in the count.
pub const COUNTED_OPERATIONS: u64 = 4_096;

/// How the code is compiled, which is the name of a profile of cargo.
#[derive(Clone, Copy, Debug)]
pub enum Profile {
    /// `bench`: thin link-time optimisation in one unit.
    Thin,
    /// `plain`: what `cargo build --release` does unless told otherwise.
    Plain,
}

impl Profile {
    /// The folder of the counts within the target directory.
    const fn folder(self, build: Build) -> &'static str {
        match (self, build) {
            (Self::Thin, Build::CoarseClock) => "instructions/bench",
            (Self::Thin, Build::SystemClock) => "instructions/bench-system-clock",
            (Self::Plain, Build::CoarseClock) => "instructions/plain",
            (Self::Plain, Build::SystemClock) => "instructions/plain-system-clock",
        }
    }
}

/// The instructions of one run of the benchmark.
#[derive(Debug)]
pub struct Measurements {
    rounds: HashMap<&'static str, f64>,
}

impl Measurements {
    /// Reads the figures next to the running executable.
    ///
    /// # Errors
    ///
    /// If a figure is missing, or older than the executable and therefore of other code.
    pub fn read(profile: Profile) -> Result<Self> {
        let executable = env::current_exe()?;
        let built = fs::metadata(&executable)?.modified()?;
        let Some(target) = executable.ancestors().nth(2) else {
            bail!("{} is not in a target directory", executable.display());
        };
        let mut rounds = HashMap::new();
        for build in [Build::CoarseClock, Build::SystemClock] {
            let folder = target.join(profile.folder(build));
            for (number, operation) in crate::operations_of(build).enumerate() {
                let count = instructions(&folder, built, number, operation)?;
                rounds.insert(operation.name, count);
            }
        }
        Ok(Self { rounds })
    }

    /// The instructions that one operation retires, on average and without the loop around it.
    ///
    /// Valgrind does not see what a system call does, nor that reading a clock is none outside of
    /// it.
    ///
    /// # Errors
    ///
    /// If no operation has this name.
    pub fn instructions(&self, name: &str) -> Result<f64> {
        let operation = crate::all_operations()
            .find(|operation| operation.name == name)
            .with_context(|| format!("no operation is called {name}"))?;
        let (round, empty) = (self.rounds[name], self.rounds[operation.baseline]);
        // An operation can be as cheap as the noise.
        Ok((round - empty).max(0.0) / operation.per_round as f64)
    }
}

/// Instructions of one round.
fn instructions(
    folder: &Path,
    built: SystemTime,
    number: usize,
    operation: &Operation,
) -> Result<f64> {
    let package = env!("CARGO_PKG_NAME");
    let path = format!("{package}/instructions/counts/operation.number_{number}/summary.json");
    let summary = figures(&folder.join(&path), built)?;
    let mut profiles = summary["profiles"].as_array().into_iter().flatten();
    let count = profiles
        .find_map(|profile| profile["data"]["total"]["metrics"]["Ir"]["values"]["new"].as_f64())
        .with_context(|| format!("{path} has no count of instructions"))?;
    Ok(count / operation.rounds_for(COUNTED_OPERATIONS) as f64)
}

/// Reads a file of figures that a benchmark has written since it was built.
fn figures(path: &Path, built: SystemTime) -> Result<Value> {
    let shown = path.display();
    let advice = || format!("run `cargo xtask bench`: no {shown}");
    let written = fs::metadata(path).with_context(advice)?.modified()?;
    ensure!(
        written >= built,
        "run `cargo xtask bench` again: {shown} is older than the code"
    );
    let json = fs::read_to_string(path).with_context(advice)?;
    serde_json::from_str(&json).with_context(|| format!("{shown} is unreadable"))
}
