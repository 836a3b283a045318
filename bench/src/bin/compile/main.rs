//! Measures what keys cost the compiler, and writes a page of it.
//!
//! `compile <folder of the page> <folder for crates>`; `cargo xtask bench --compile` calls it, and
//! cargo calls it in the place of rustc.

mod measure;
mod report;
mod rustc;
mod subject;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use rowkey_bench::machine::Machine;

use report::Report;

fn main() -> Result<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    if rustc::is_wrapped() {
        return rustc::run(arguments);
    }
    let (Some(folder), Some(work), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        bail!("usage: compile <folder of the page> <folder for crates>");
    };
    let (folder, work) = (PathBuf::from(folder), PathBuf::from(work));
    // Before the run, which takes minutes.
    fs::create_dir_all(&folder)
        .with_context(|| format!("could not create the folder {}", folder.display()))?;

    let machine = Machine::look();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("the package is in a workspace")?;
    subject::write_all(&work, root)?;
    let report = Report {
        machine,
        rustc: rustc::version()?,
        groups: measure::all(&work)?,
    };

    let page = report.to_markdown();
    let file = folder.join(report::PAGE);
    fs::write(&file, &page).with_context(|| format!("could not write {}", file.display()))?;
    println!("\n{page}\nwritten to {}", file.display());
    Ok(ExitCode::SUCCESS)
}
