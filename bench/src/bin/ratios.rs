//! Prints rowkey next to its peers, from what the benchmarks `wall` and `instructions` have just
//! measured.

use anyhow::Result;
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use rowkey_bench::comparison::{Aim, COMPARISONS, Comparison};
use rowkey_bench::measurement::Measurements;

#[rustfmt::skip]
const HEADLINES: [&str; 10] = [
    "operation", "ns", "instr", "peer", "peer ns", "peer instr", "ratio ns", "ratio instr", "aim", "met",
];

/// A peer that costs less than this is too cheap to divide by.
const LEAST_DIVISOR: f64 = 0.5;

fn main() -> Result<()> {
    let measurements = Measurements::read()?;
    let rows = COMPARISONS
        .iter()
        .map(|comparison| row(&measurements, comparison))
        .collect::<Result<Vec<_>>>()?;
    let missed = rows.iter().filter(|row| row[9].contains("no")).count();
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(HEADLINES);
    // Figures, and not words.
    for index in [1, 2, 4, 5, 6, 7] {
        let column = table.column_mut(index).expect("the header has ten");
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!(
        "{}\n\nNanoseconds are those of the fastest sample, instructions an average; both are per \
         operation and without the loop around it. Instructions inside of system calls do not \
         count, and under Valgrind reading a clock is one. Rows that miss an aim: {missed}.",
        table.add_rows(rows),
    );
    Ok(())
}

fn row(measurements: &Measurements, comparison: &Comparison) -> Result<[String; 10]> {
    let mut row = [const { String::new() }; 10];
    row[0] = comparison.rowkey.to_owned();
    let peer = comparison.peer.unwrap_or_default();
    row[3] = peer.trim_start_matches("peer-").to_owned();
    if let Some(variable) = missing(comparison) {
        row[8] = format!("skipped: {variable} is not set");
        return Ok(row);
    }
    let rowkey = measurements.cost(comparison.rowkey)?;
    row[1] = figure(rowkey.nanoseconds);
    row[2] = figure(rowkey.instructions);
    let peer = comparison.peer.map(|peer| measurements.cost(peer));
    let peer = peer.transpose()?;
    if let Some(peer) = peer {
        row[4] = figure(peer.nanoseconds);
        row[5] = figure(peer.instructions);
        row[6] = ratio(rowkey.nanoseconds, peer.nanoseconds);
        row[7] = ratio(rowkey.instructions, peer.instructions);
    }
    row[8] = joined(comparison.aims().map(|aim| format!("<= {aim}")));
    let is_met = |aim: Aim| {
        if aim.is_met(rowkey, peer) {
            "yes"
        } else {
            "no"
        }
    };
    row[9] = joined(comparison.aims().map(|aim| is_met(aim).to_owned()));
    Ok(row)
}

/// The variable without which one of the two cannot be measured.
fn missing(comparison: &Comparison) -> Option<&'static str> {
    rowkey_bench::all_operations()
        .filter(|one| one.name == comparison.rowkey || Some(one.name) == comparison.peer)
        .find(|one| !one.is_possible())
        .and_then(|one| one.database)
}

fn figure(cost: f64) -> String {
    format!("{cost:.1}")
}

fn ratio(rowkey: f64, peer: f64) -> String {
    match peer < LEAST_DIVISOR {
        true => String::new(),
        false => format!("{:.2}", rowkey / peer),
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
