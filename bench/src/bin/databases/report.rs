//! The page of figures.

use std::fmt::Write;

use rowkey_bench::machine::Machine;

use crate::fill::{self, BATCH, Kind, RATE, TURNS, step_millis};
use crate::instructions::Instructions;
use crate::pair::{self, Pair, Times};
use crate::server::{Measured, Section};
use crate::statements::STATEMENTS;

/// The file name of the page.
pub(crate) const PAGE: &str = "databases.md";

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
            step = step_millis(RATE),
            rate = grouped(RATE),
            turns = TURNS,
            reference = Kind::Number.name(),
            plot = PLOT,
            fills = self.fills(),
            batches = self.batches(),
            turn = pair::TURN,
            rounds = pair::rounds(self.rows),
            times = self.pairs(|pair| times(&pair.insert) + &times(&pair.select)),
            statements = STATEMENTS,
            instructions = self.pairs(|pair| match pair.instructions {
                Some(Instructions { insert, select }) => sides(insert) + &sides(select),
                None => String::from(" skipped: valgrind is not installed |"),
            }),
        )
    }

    fn fills(&self) -> String {
        let rows = grouped(self.rows);
        self.lines(|measured| {
            let kinds = fill::kinds(&measured.fills).map(|(fill, ratio)| {
                let is_larger = match fill.index_bytes() > measured.cache_bytes as f64 {
                    true => "yes",
                    false => "no",
                };
                let ratio = match fill.kind {
                    Kind::Number => String::from("1"),
                    _ => ratio.to_text(2),
                };
                format!(
                    " {rows} | {} | {} | {ratio} | {:.1} | {is_larger} |",
                    fill.kind.name(),
                    fill.seconds().to_text(2),
                    fill.index_bytes() / 1e6,
                )
            });
            kinds.collect()
        })
    }

    /// A line for every rate: what sorting batches changes.
    fn batches(&self) -> String {
        self.lines(|measured| {
            let rates = fill::batches(&measured.fills).map(|[unsorted, sorted]| {
                format!(
                    " {} | {:.1} | {:.1} | {} |",
                    grouped(unsorted.rate),
                    unsorted.index_bytes() / 1e6,
                    sorted.index_bytes() / 1e6,
                    sorted.ratio(unsorted).to_text(2),
                )
            });
            rates.collect()
        })
    }

    /// A line for every pair, with these cells at its end.
    fn pairs(&self, cells: impl Fn(&Pair) -> String) -> String {
        self.lines(|measured| {
            let pairs = measured.pairs.iter();
            let cells = pairs.map(|pair| format!(" {} |{}", pair.types, cells(pair)));
            cells.collect()
        })
    }

    /// The cells of each database line by line, or why there are none.
    fn lines(&self, cells: impl Fn(&Measured) -> Vec<String>) -> String {
        let mut lines = String::new();
        for Section { name, measured } in &self.sections {
            let cells = match measured {
                Ok(measured) => cells(measured),
                Err(reason) => vec![format!(" skipped: {reason} |")],
            };
            for cells in cells {
                let _ = writeln!(lines, "| {name} |{cells}");
            }
        }
        lines
    }
}

fn database_line(Section { name, measured }: &Section) -> String {
    match measured {
        Ok(one) => format!("* {name} {}: {}\n", one.version, one.settings.join(", ")),
        Err(reason) => format!("* {name}: skipped, {reason}\n"),
    }
}

fn times(times: &Times) -> String {
    let [key, peer] = [times.key, times.peer].map(|time| time.as_secs_f64() * 1e6);
    let ratio = times.ratio.to_text(3);
    format!(" {key:.1} | {peer:.1} | {ratio} |")
}

fn sides([key, peer]: [f64; 2]) -> String {
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
