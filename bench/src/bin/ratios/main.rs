//! Prints rowkey next to its peers, from what the benchmark has just counted in both profiles, and
//! fails if a row has fallen behind its recorded ratio or is missing.
//!
//! `ratios <file of recorded counts> [--plain | --record <page>]`. With `--plain`, only the plain
//! profile has been counted; `--record` writes the file, and a page of it.

mod page;
mod record;
mod row;

use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use rowkey_bench::comparison::comparisons;
use rowkey_bench::measurement::{Measurements, Profile};

use record::Record;
use row::{HEADLINES, NUMBERS, Row};

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let (path, is_plain, page) = match arguments[..] {
        [path] => (path, false, None),
        [path, "--plain"] => (path, true, None),
        [path, "--record", page] => (path, false, Some(page)),
        _ => bail!("usage: ratios <file of recorded counts> [--plain | --record <page>]"),
    };
    let thin = match is_plain {
        true => None,
        false => Some(Measurements::read(Profile::Thin)?),
    };
    let measurements = [thin, Some(Measurements::read(Profile::Plain)?)];
    let comparisons = comparisons();
    let built = comparisons.iter().filter(|one| one.is_built());
    let rows = built.map(|one| Row::of(one, &measurements));
    let rows = rows.collect::<Result<Vec<_>>>()?;
    print(&rows);

    let recorded = fs::read_to_string(path).context("there is no record");
    let recorded = recorded.and_then(|record| {
        serde_json::from_str::<Record>(&record).context("the record is unreadable")
    });
    let Some(page) = page else {
        let behind = record::behind(&comparisons, &recorded?, &rows);
        ensure!(
            behind.is_empty(),
            "not as recorded; `cargo xtask bench --record` records anew:\n{}",
            behind.join("\n")
        );
        return Ok(());
    };
    ensure!(
        rows.len() == comparisons.len() && rows.iter().all(|row| row.skipped.is_none()),
        "only a run with drivers and databases is recorded"
    );
    fs::write(page, page::page(&rows)?)?;
    let counts = serde_json::to_string_pretty(&record::of(&rows))? + "\n";
    fs::write(path, counts)?;
    match recorded {
        Ok(recorded) => {
            for row in record::behind(&comparisons, &recorded, &rows) {
                println!("Next to the earlier record: {row}");
            }
        }
        Err(error) => println!("Nothing earlier to compare with: {error}."),
    }
    Ok(())
}

fn print(rows: &[Row<'_>]) {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(HEADLINES);
    for index in NUMBERS {
        let column = table
            .column_mut(index)
            .expect("the header has a cell for each");
        column.set_cell_alignment(CellAlignment::Right);
    }
    let missed = rows.iter().filter(|row| row.misses()).count();
    println!(
        "{}\n\nInstructions are averages per operation, without the loop around it. Those inside of \
         system calls do not count, and under Valgrind reading a clock is one. Rows that miss an \
         aim: {missed}.",
        table.add_rows(rows.iter().map(Row::cells)),
    );
}
