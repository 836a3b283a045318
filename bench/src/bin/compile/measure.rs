//! What each crate takes, and with that each type in it.

use std::path::Path;
use std::process::Command;
use std::{array, env, fs};

use anyhow::{Context, Result};
use rowkey_bench::valgrind;

use crate::rustc::{self, Figure};
use crate::subject::{self, Content, GROUPS, Group, TYPES};

/// Runs of each crate whose fastest counts.
pub(crate) const RUNS: usize = 10;

/// Cargo's commands that are measured, of which `build` is of the `dev` profile.
const COMMANDS: [&str; 2] = ["check", "build"];

/// What rustc takes for each of [`COMMANDS`]: milliseconds, and millions of instructions unless
/// Valgrind is not installed.
pub(crate) type Costs = [Option<f64>; 4];

/// Each figure of two crates made into one.
pub(crate) fn join(one: Costs, other: Costs, join: impl Fn(f64, f64) -> f64) -> Costs {
    array::from_fn(|index| Some(join(one[index]?, other[index]?)))
}

/// The crates with the same drivers.
#[derive(Debug)]
pub(crate) struct MeasuredGroup {
    pub(crate) title: &'static str,
    pub(crate) crates: Vec<(Content, Costs)>,
}

impl MeasuredGroup {
    /// What one type of a crate takes.
    pub(crate) fn per_type(&self, content: Content) -> Option<Costs> {
        let of = |content| self.crates.iter().find(|(known, _)| *known == content);
        let ((_, types), (_, nothing)) = (of(content)?, of(Content::Nothing)?);
        let per_type = |types, nothing| (types - nothing) / TYPES as f64;
        Some(join(*types, *nothing, per_type))
    }
}

/// Measures all crates, which are in this folder.
pub(crate) fn all(work: &Path) -> Result<Vec<MeasuredGroup>> {
    GROUPS.iter().map(|group| measure(work, group)).collect()
}

fn measure(work: &Path, group: &Group) -> Result<MeasuredGroup> {
    println!("{}", group.title);
    let contents = group.contents.iter();
    let mut crates: Vec<_> = contents.map(|content| (*content, [None; 4])).collect();
    let mut all = |figure, keep: fn(&mut Option<f64>, f64)| {
        for (content, costs) in &mut crates {
            for (command, costs) in COMMANDS.iter().zip(costs.chunks_exact_mut(2)) {
                let measured = run(work, group, *content, command, figure)?;
                keep(&mut costs[figure as usize], measured as f64);
            }
        }
        anyhow::Ok(())
    };
    // The dependencies first, and everything that is only slow once.
    all(Figure::Time, |_, _| ())?;
    // By turns, so that what else the machine does meets all alike.
    for _ in 0..RUNS {
        all(Figure::Time, |fastest, microseconds| {
            *fastest = Some(fastest.unwrap_or(f64::INFINITY).min(microseconds / 1e3));
        })?;
    }
    if valgrind::is_installed()? {
        all(Figure::Instructions, |cost, count| {
            *cost = Some(count / 1e6)
        })?;
    }
    Ok(MeasuredGroup {
        title: group.title,
        crates,
    })
}

/// Compiles a crate once.
fn run(work: &Path, group: &Group, content: Content, command: &str, figure: Figure) -> Result<u64> {
    let package = group.package(content);
    // Cargo compiles a crate again whose source is younger than its result.
    let source = subject::source_file(work, &package);
    let text = fs::read(&source)?;
    fs::write(&source, text)?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args([command, "--quiet", "--package", &package])
        .current_dir(work)
        .env("CARGO_TARGET_DIR", work.join("target"));
    rustc::measure(&mut cargo, work, figure)
        .with_context(|| format!("`cargo {command}` of {package}"))
}
