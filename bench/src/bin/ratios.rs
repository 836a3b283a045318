//! Prints rowkey next to its peers, from what the benchmarks `wall` and `instructions` have just
//! measured.

use anyhow::Result;
use rowkey_bench::comparison::{COMPARISONS, Comparison};
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
    print(&rows);
    let missed = rows.iter().filter(|row| row[9].contains("no")).count();
    println!(
        "\nNanoseconds are those of the fastest sample, instructions an average; both are per \
         operation and without the loop around it. Instructions inside of system calls do not \
         count, and under Valgrind reading a clock is one. Rows that miss an aim: {missed}."
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
    row[9] = joined(comparison.aims().map(|aim| match aim.is_met(rowkey, peer) {
        true => "yes".to_owned(),
        false => "no".to_owned(),
    }));
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

/// Prints a Markdown table with aligned columns.
fn print(rows: &[[String; 10]]) {
    let headlines = HEADLINES.map(str::to_owned);
    let widths: [usize; 10] = std::array::from_fn(|column| {
        let cells = rows.iter().chain([&headlines]).map(|row| row[column].len());
        cells.max().unwrap_or_default()
    });
    let dashes = widths.map(|width| "-".repeat(width));
    for cells in [&headlines, &dashes].into_iter().chain(rows) {
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            match column {
                // Words, and not figures.
                0 | 3 | 8 | 9 => print!("| {cell:<width$} "),
                _ => print!("| {cell:>width$} "),
            }
        }
        println!("|");
    }
}
