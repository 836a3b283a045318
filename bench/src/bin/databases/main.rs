//! Measures typed keys on databases, and writes a page and a plot of it.
//!
//! `databases <rows> <directory>`; `cargo xtask bench --databases` calls it, and it calls itself to
//! count instructions. Every server gets a database of its own, which goes at the end, also if a
//! signal asks to end early.

mod driver;
mod fill;
mod instructions;
mod pair;
mod plot;
mod report;
mod server;
mod statements;
mod table;

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use rowkey_bench::machine::Machine;

use report::Report;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (rows, directory) = match arguments[..] {
        [statements::COMMAND, work] => {
            return statements::run(serde_json::from_str(work)?).await;
        }
        [rows, directory] => {
            let number = rows.parse::<u64>();
            let number = number.with_context(|| format!("`{rows}` is no number of rows"))?;
            (number, PathBuf::from(directory))
        }
        _ => bail!("usage: databases <rows> <directory>"),
    };
    ensure!(
        rows >= fill::MIN_ROWS,
        "{rows} rows are too few to measure anything; take at least {}",
        fill::MIN_ROWS
    );
    let (page_file, plot_file) = (directory.join(report::PAGE), directory.join(report::PLOT));
    // Before the run, which takes minutes.
    fs::create_dir_all(&directory)
        .with_context(|| format!("could not create the folder {}", directory.display()))?;
    for file in [&page_file, &plot_file] {
        let opened = fs::File::options().append(true).create(true).open(file);
        opened.with_context(|| cannot_write(file))?;
    }

    let machine = Machine::look();
    let report = Report {
        rows,
        machine,
        sections: server::measure_all(rows).await?,
    };

    let page = report.to_markdown();
    print!("{page}");
    fs::write(&page_file, page).with_context(|| cannot_write(&page_file))?;
    plot::draw(&report, &plot_file)
}

fn cannot_write(file: &Path) -> String {
    format!("could not write {}", file.display())
}
