//! Measures typed keys on databases, and writes a page and a plot of it.
//!
//! `databases <rows> <directory>`; `cargo xtask bench --databases` calls it. Every server gets a
//! database of its own, which goes at the end, whatever the end is.

mod driver;
mod fill;
mod pair;
mod plot;
mod report;
mod server;

use std::path::PathBuf;
use std::{env, fs};

use anyhow::{Context, Result};

use report::{Machine, Report};

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let usage = "usage: databases <rows> <directory>";
    let rows = arguments.next().context(usage)?.parse().context(usage)?;
    let directory = PathBuf::from(arguments.next().context(usage)?);

    let machine = Machine::look();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let report = Report {
        rows,
        machine,
        sections: runtime.block_on(server::measure_all(rows))?,
    };

    let page = report.to_markdown();
    print!("{page}");
    fs::create_dir_all(&directory)?;
    fs::write(directory.join("benchmarks.md"), page)?;
    plot::draw(&report, &directory.join(report::PLOT))
}
