//! The page of figures.

use std::fmt::Write;

use rowkey_bench::machine::Machine;

use crate::fill::{BATCH, REFERENCE, REFERENCE_AGAIN, STEP_MILLIS, ratio};
use crate::instructions::{Instructions, STATEMENTS, Sides};
use crate::pair::{self, Pair, Ratio, Times};
use crate::server::{Measured, Outcome, Section};
use crate::statements::Kind;

/// The file name of the page.
pub(crate) const PAGE: &str = "benchmarks.md";

/// The file name of the plot.
pub(crate) const PLOT: &str = "index-inserts.svg";

/// Everything that was found.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) rows: u64,
    pub(crate) machine: Machine,
    pub(crate) sections: Vec<Section>,
}

impl Report {
    /// The page, with every figure of this run.
    pub(crate) fn to_markdown(&self) -> String {
        format!(
            include_str!("page.md"),
            machine = self
                .machine
                .describe("client and servers on the same machine"),
            databases = self.sections.iter().map(database_line).collect::<String>(),
            rows = grouped(self.rows),
            batch = grouped(BATCH),
            step = STEP_MILLIS,
            rows_per_minute = grouped(60_000 / STEP_MILLIS as u64),
            reference = REFERENCE,
            reference_again = REFERENCE_AGAIN,
            plot = PLOT,
            fills = self.fills(),
            turn = pair::TURN,
            rounds = pair::rounds(self.rows),
            times = self.pairs(|pair| times(&pair.insert) + &times(&pair.select)),
            statements = STATEMENTS,
            instructions = self.pairs(|pair| match pair.instructions {
                Some(Instructions { insert, select }) => sides(insert) + &sides(select),
                None => String::from(" skipped: valgrind is not installed | | | | | |"),
            }),
        )
    }

    fn fills(&self) -> String {
        let rows = grouped(self.rows);
        let mut lines = String::new();
        for (name, measured) in self.outcomes() {
            let measured = match measured {
                Ok(measured) => measured,
                Err(reason) => {
                    lines += &format!("| {name} | | skipped: {reason} | | | | |\n");
                    continue;
                }
            };
            for fill in &measured.fills {
                let is_larger = match fill.index_bytes > measured.cache_bytes {
                    true => "yes",
                    false => "no",
                };
                let _ = writeln!(
                    lines,
                    "| {name} | {rows} | {} | {:.2} | {:.2} | {:.1} | {is_larger} |",
                    fill.kind,
                    fill.elapsed.as_secs_f64(),
                    ratio(fill, &measured.fills),
                    fill.index_bytes as f64 / 1e6,
                );
            }
        }
        lines
    }

    /// A line for every pair, with these cells at its end.
    fn pairs(&self, cells: impl Fn(&Pair) -> String) -> String {
        let mut lines = String::new();
        for (name, measured) in self.outcomes() {
            let measured = match measured {
                Ok(measured) => measured,
                Err(reason) => {
                    lines += &format!("| {name} | skipped: {reason} | | | | | | | |\n");
                    continue;
                }
            };
            for pair in &measured.pairs {
                let types = match pair.kind {
                    Kind::Uuid => "short COMB key | `Uuid`",
                    Kind::Decimal => "DistributedId key | `Decimal` of rust_decimal",
                };
                lines += &format!("| {name} | {types} |{}\n", cells(pair));
            }
        }
        lines
    }

    /// Each database's figures, or why there are none.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (&'static str, Result<&Measured, &str>)> {
        self.sections.iter().map(|section| {
            let outcome = match &section.outcome {
                Outcome::Measured(measured) => Ok(&**measured),
                Outcome::Skipped(reason) => Err(reason.as_str()),
            };
            (section.name, outcome)
        })
    }
}

fn database_line(section: &Section) -> String {
    let name = section.name;
    match &section.outcome {
        Outcome::Measured(measured) => {
            let settings = measured.settings.join(", ");
            format!("* {name} {}: {settings}\n", measured.version)
        }
        Outcome::Skipped(reason) => format!("* {name}: skipped, {reason}\n"),
    }
}

fn times(times: &Times) -> String {
    let [key, peer] = [times.key, times.peer].map(|time| time.as_secs_f64() * 1e6);
    let Ratio { median, low, high } = times.ratio;
    format!(" {key:.1} | {peer:.1} | {median:.3} ({low:.3} to {high:.3}) |")
}

fn sides(Sides { key, peer }: Sides) -> String {
    format!(" {key:.0} | {peer:.0} | {:.3} |", key / peer)
}

/// A number with commas.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
