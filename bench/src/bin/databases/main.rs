//! Measures typed keys on databases, and writes a page and a plot of it.
//!
//! `databases <rows> <directory>`; `cargo xtask bench --databases` calls it, and it calls itself to
//! count instructions. Every server gets a
//! database of its own, which goes at the end, whatever the end is.

mod driver;
mod fill;
mod instructions;
mod pair;
mod plot;
mod report;
mod server;
mod statements;

use std::path::PathBuf;
use std::{env, fs};

use anyhow::{Result, bail};

use report::{Machine, Report};

fn main() -> Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (rows, directory) = match arguments[..] {
        [statements::COMMAND, database, work] => {
            return runtime.block_on(statements::run(database, serde_json::from_str(work)?));
        }
        [rows, directory] => (rows.parse()?, PathBuf::from(directory)),
        _ => bail!("usage: databases <rows> <directory>"),
    };

    let machine = Machine::look();
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
