//! Prints rowkey next to its peers, from what the benchmark has just counted in both profiles, and
//! fails if a row has fallen behind its recorded ratio.
//!
//! `ratios <file of recorded ratios> [--record]`

use std::collections::BTreeMap;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use rowkey_bench::comparison::{COMPARISONS, Comparison};
use rowkey_bench::measurement::{Measurements, Profile};

#[rustfmt::skip]
const HEADLINES: [&str; 10] = [
    "operation", "thin LTO", "plain", "peer", "thin LTO", "plain", "ratio", "plain", "aim", "met",
];

/// How far a ratio may be above the recorded one: what instructions of a generator differ by, whose
/// reseeding falls into a count or not.
const NOISE: f64 = 0.03;

/// A peer that costs less than this is too cheap to divide by.
const LEAST_DIVISOR: f64 = 0.5;

fn main() -> Result<()> {
    let [thin, plain] = Profile::ALL.map(Measurements::read);
    let measurements = [thin?, plain?];
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
        "{}\n\nInstructions are averages per operation, without the loop around it. Those inside of \
         system calls do not count, and under Valgrind reading a clock is one. Rows that miss an \
         aim: {missed}.",
        table.add_rows(rows.clone()),
    );
    let mut arguments = env::args_os().skip(1);
    let path = arguments
        .next()
        .context("name the file of recorded ratios")?;
    let ratios: BTreeMap<String, [String; 2]> = rows
        .into_iter()
        .filter(|row| !row[6].is_empty() && !row[7].is_empty())
        .map(|[rowkey, _, _, peer, _, _, thin, plain, ..]| {
            (format!("{rowkey} / {peer}"), [thin, plain])
        })
        .collect();
    if arguments
        .next()
        .is_some_and(|argument| argument == "--record")
    {
        return Ok(fs::write(
            path,
            serde_json::to_string_pretty(&ratios)? + "\n",
        )?);
    }
    let recorded: BTreeMap<String, [String; 2]> = serde_json::from_str(&fs::read_to_string(path)?)?;
    let number = |ratio: &String| ratio.parse().unwrap_or(f64::NAN);
    let behind = recorded.iter().filter(|(row, before)| {
        let now = ratios.get(*row).into_iter().flatten();
        now.zip(*before)
            .any(|(now, before)| number(now) > number(before) * (1.0 + NOISE) + NOISE)
    });
    let behind: Vec<_> = behind.collect();
    ensure!(
        behind.is_empty(),
        "behind their recorded ratios: {behind:#?}"
    );
    Ok(())
}

fn row(measurements: &[Measurements; 2], comparison: &Comparison) -> Result<[String; 10]> {
    let mut row = [const { String::new() }; 10];
    row[0] = comparison.rowkey.to_owned();
    let peer = comparison.peer.unwrap_or_default();
    row[3] = peer.trim_start_matches("peer-").to_owned();
    if let Some(variable) = missing(comparison) {
        row[8] = format!("skipped: {variable} is not set");
        return Ok(row);
    }
    let mut met = Vec::new();
    for (index, profile) in measurements.iter().enumerate() {
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
