//! Prints rowkey next to its peers, from what the benchmark has just counted in both profiles, and
//! fails if a row has fallen behind its recorded ratio or is missing.
//!
//! `ratios <file of recorded ratios> [--plain | --record <page>]`. With `--plain`, only the plain
//! profile has been counted; `--record` writes the file, and a page of it.

mod record;

use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use rowkey_bench::comparison::{Comparison, comparisons};
use rowkey_bench::measurement::{Measurements, Profile};

use record::Ratios;

#[rustfmt::skip]
const HEADLINES: [&str; 10] = [
    "operation", "thin LTO", "plain", "peer", "thin LTO", "plain", "ratio", "plain", "aim", "met",
];

/// A peer that costs less than this is too cheap to divide by.
const LEAST_DIVISOR: f64 = 0.5;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let (path, is_plain, page) = match arguments[..] {
        [path] => (path, false, None),
        [path, "--plain"] => (path, true, None),
        [path, "--record", page] => (path, false, Some(page)),
        _ => bail!("usage: ratios <file of recorded ratios> [--plain | --record <page>]"),
    };
    let thin = match is_plain {
        true => None,
        false => Some(Measurements::read(Profile::Thin)?),
    };
    let measurements = [thin, Some(Measurements::read(Profile::Plain)?)];
    let comparisons = comparisons();
    let mut rows = Vec::new();
    let mut ratios = Ratios::new();
    for comparison in comparisons.iter().filter(|one| one.is_built()) {
        let row = row(&measurements, comparison)?;
        if let [.., thin, plain, _, _] = &row
            && !plain.is_empty()
        {
            ratios.insert(comparison.name(), [thin.clone(), plain.clone()]);
        }
        rows.push(row);
    }
    let missed = rows.iter().filter(|row| row[9].contains("no")).count();
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(HEADLINES);
    // Figures, and not words.
    for index in [1, 2, 4, 5, 6, 7] {
        let column = table.column_mut(index).expect("the header has ten");
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!(
        "{}\n\nInstructions are averages per operation, without the loop around it. Those inside of \
         system calls do not count, and under Valgrind reading a clock is one. Rows that miss an \
         aim: {missed}.",
        table.add_rows(rows),
    );
    if let Some(page) = page {
        ensure!(
            !comparisons.iter().any(|one| missing(one).is_some()),
            "only a run with drivers and databases is recorded"
        );
        fs::write(page, record::page(&comparisons, &ratios))?;
        return Ok(fs::write(
            path,
            serde_json::to_string_pretty(&ratios)? + "\n",
        )?);
    }
    let recorded = serde_json::from_str(&fs::read_to_string(path)?);
    record::check(
        &comparisons,
        &recorded.context("the record is unreadable")?,
        &ratios,
    )
}

fn row(measurements: &[Option<Measurements>; 2], comparison: &Comparison) -> Result<[String; 10]> {
    let mut row = [const { String::new() }; 10];
    row[0] = comparison.rowkey.to_owned();
    row[3] = comparison.shown_peer().to_owned();
    if let Some(variable) = missing(comparison) {
        row[8] = format!("skipped: {variable} is not set");
        return Ok(row);
    }
    let mut met = Vec::new();
    for (index, profile) in measurements.iter().enumerate() {
        let Some(profile) = profile else {
            continue;
        };
        let rowkey = profile.instructions(comparison.rowkey)?;
        row[1 + index] = format!("{rowkey:.1}");
        let Some(peer) = comparison.peer else {
            continue;
        };
        let peer = profile.instructions(peer)?;
        row[4 + index] = format!("{peer:.1}");
        if peer >= LEAST_DIVISOR {
            row[6 + index] = format!("{:.2}", rowkey / peer);
        }
        let is_met = comparison.aim.map(|aim| aim.is_met(rowkey, peer));
        met.extend(is_met.map(|is_met| if is_met { "yes" } else { "no" }));
    }
    row[8] = comparison
        .aim
        .map_or_else(String::new, |aim| format!("<= {aim}"));
    row[9] = met.join(", ");
    Ok(row)
}

/// The variable without which one of the two cannot be measured.
fn missing(comparison: &Comparison) -> Option<&'static str> {
    rowkey_bench::all_operations()
        .filter(|one| one.name == comparison.rowkey || Some(one.name) == comparison.peer)
        .find(|one| !one.is_possible())
        .and_then(|one| one.database)
}
