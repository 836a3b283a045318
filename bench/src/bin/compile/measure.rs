//! What each crate takes, and with that each type in it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::rustc::{self, Figure};
use crate::subject::{self, Content, GROUPS, Group, TYPES};

/// Runs of each crate whose fastest counts.
pub(crate) const RUNS: usize = 10;

/// What rustc does to a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Check,
    /// In the `dev` profile.
    Build,
}

impl Mode {
    pub(crate) const ALL: [Self; 2] = [Self::Check, Self::Build];

    /// Cargo's command.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Build => "build",
        }
    }
}

/// What rustc takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) milliseconds: f64,
    /// Millions of instructions, unless Valgrind is not installed.
    pub(crate) instructions: Option<f64>,
}

impl Cost {
    fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self {
            milliseconds: change(self.milliseconds),
            instructions: self.instructions.map(change),
        }
    }

    fn with(self, other: Self, join: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            milliseconds: join(self.milliseconds, other.milliseconds),
            instructions: self
                .instructions
                .zip(other.instructions)
                .map(|(one, other)| join(one, other)),
        }
    }

    /// What it takes more than something else.
    fn beyond(self, less: Self) -> Self {
        self.with(less, |more, less| more - less)
    }

    /// How many times it takes what something else takes.
    pub(crate) fn over(self, other: Self) -> Self {
        self.with(other, |one, other| one / other)
    }
}

/// A crate's cost in each [`Mode`].
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) content: Content,
    pub(crate) costs: [Cost; 2],
}

/// The crates with the same drivers.
#[derive(Debug)]
pub(crate) struct MeasuredGroup {
    pub(crate) title: &'static str,
    pub(crate) crates: Vec<Measured>,
}

impl MeasuredGroup {
    /// What one type of a crate takes in each mode.
    pub(crate) fn per_type(&self, content: Content) -> Option<[Cost; 2]> {
        let of = |content| self.crates.iter().find(|one| one.content == content);
        let (types, nothing) = (of(content)?, of(Content::Nothing)?);
        let [check, build] = [0, 1].map(|mode| {
            let difference = types.costs[mode].beyond(nothing.costs[mode]);
            difference.map(|cost| cost / TYPES as f64)
        });
        Some([check, build])
    }
}

/// Measures all crates, which are in this folder.
pub(crate) fn all(work: &Path) -> Result<Vec<MeasuredGroup>> {
    GROUPS.iter().map(|group| measure(work, group)).collect()
}

fn measure(work: &Path, group: &Group) -> Result<MeasuredGroup> {
    println!("{}", group.title);
    let contents = group.contents;
    // The dependencies first, and everything that is only slow once.
    for mode in Mode::ALL {
        for content in contents {
            run(work, group, *content, mode, Figure::Time)?;
        }
    }
    let mut fastest = vec![[f64::INFINITY; 2]; contents.len()];
    // By turns, so that what else the machine does meets all alike.
    for _ in 0..RUNS {
        for (content, fastest) in contents.iter().zip(&mut fastest) {
            for (mode, fastest) in Mode::ALL.into_iter().zip(fastest) {
                let microseconds = run(work, group, *content, mode, Figure::Time)?;
                *fastest = fastest.min(microseconds as f64 / 1e3);
            }
        }
    }
    let has_valgrind = rustc::has_valgrind();
    let crates = contents.iter().zip(fastest).map(|(content, fastest)| {
        let mut costs = fastest.map(|milliseconds| Cost {
            milliseconds,
            instructions: None,
        });
        for (mode, cost) in Mode::ALL.into_iter().zip(&mut costs) {
            if has_valgrind {
                let count = run(work, group, *content, mode, Figure::Instructions)?;
                cost.instructions = Some(count as f64 / 1e6);
            }
        }
        Ok(Measured {
            content: *content,
            costs,
        })
    });
    Ok(MeasuredGroup {
        title: group.title,
        crates: crates.collect::<Result<_>>()?,
    })
}

/// Compiles a crate once.
fn run(work: &Path, group: &Group, content: Content, mode: Mode, figure: Figure) -> Result<u64> {
    let package = group.package(content);
    // Cargo compiles a crate again whose source is younger than its result.
    let source = subject::source_file(work, &package);
    let text = fs::read(&source)?;
    fs::write(&source, text)?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command
        .args([mode.command(), "--quiet", "--package", &package])
        .current_dir(work)
        .env("CARGO_TARGET_DIR", work.join("target"));
    rustc::measure(&mut command, work, figure)
        .with_context(|| format!("`cargo {}` of {package}", mode.command()))
}
