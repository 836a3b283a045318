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
        let mut page = String::from(
            "# Benchmarks\n\n\
             `cargo xtask bench` counts instructions and takes the time of every operation next to \
             its peers, and prints a table of ratios and aims. This page is about the databases; \
             `cargo xtask bench --databases` has written all of it in one run.\n\n",
        );
        let machine = self
            .machine
            .describe("client and servers on the same machine");
        let _ = writeln!(page, "{machine}\n");
        for section in &self.sections {
            let _ = match &section.outcome {
                Outcome::Measured(measured) => writeln!(
                    page,
                    "* {} {}: {}",
                    section.name,
                    measured.version,
                    measured.settings.join(", ")
                ),
                Outcome::Skipped(reason) => writeln!(page, "* {}: skipped, {reason}", section.name),
            };
        }
        self.write_fills(&mut page);
        self.write_pairs(&mut page);
        page
    }

    fn write_fills(&self, page: &mut String) {
        let rows = grouped(self.rows);
        let _ = write!(
            page,
            "\n## Formats in an index\n\n\
             {rows} rows of an id, the primary key, and an integer. A statement of {} rows is a \
             transaction of its own. Ids are made with a clock that advances {STEP_MILLIS} ms from \
             row to row, as if {} rows came in every minute; making them is not in the time. In \
             MariaDB and SQLite (WITHOUT ROWID) the index is the table.\n\n\
             Time is that of one pass, after a pass that does not count. bigint is measured first \
             and last, and the mean of the two is the ratio 1: how far `{REFERENCE}` and \
             `{REFERENCE_AGAIN}` are apart tells how rough the other ratios are.\n\n\
             Ids in random order cost most where the index does not fit into the database's cache. \
             The caches of MariaDB and SQLite are made small for that; PostgreSQL reads the size \
             of its cache only when it starts, so that one is as it was found. The files may still \
             be in the memory of the operating system.\n\n\
             ![Time of each format]({PLOT})\n\n\
             | database | rows | ids | seconds | ratio | index MB | index larger than cache |\n\
             |---|--:|---|--:|--:|--:|---|\n",
            grouped(BATCH),
            grouped(60_000 / STEP_MILLIS as u64),
        );
        for (name, measured) in self.outcomes() {
            match measured {
                Ok(measured) => {
                    for fill in &measured.fills {
                        let is_larger = match fill.index_bytes > measured.cache_bytes {
                            true => "yes",
                            false => "no",
                        };
                        let _ = writeln!(
                            page,
                            "| {name} | {rows} | {} | {:.2} | {:.2} | {:.1} | {is_larger} |",
                            fill.kind,
                            fill.elapsed.as_secs_f64(),
                            ratio(fill, &measured.fills),
                            fill.index_bytes as f64 / 1e6,
                        );
                    }
                }
                Err(reason) => {
                    let _ = writeln!(page, "| {name} | | skipped: {reason} | | | | |");
                }
            }
        }
    }

    fn write_pairs(&self, page: &mut String) {
        let _ = write!(
            page,
            "\n## Typed keys end to end\n\n\
             A typed key next to the driver's own type in the same column of the same table: one \
             statement a row, which inserts an id or finds a row by it and reads the id. The two \
             take turns of {} statements, in the order key, type, type, key and then the other way \
             round, so that what else the machine does meets both alike. Such a round gives one \
             ratio. Shown is the median of {} ratios, with the interval that the true median lies \
             in with a probability of 95 %: if 1 is inside, the two do not differ measurably. \
             Microseconds are medians per statement; most of them are the way to the server and \
             back.\n\n\
             | database | key | driver's type | insert | its | ratio | select | its | ratio |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|\n",
            pair::TURN,
            pair::rounds(self.rows),
        );
        self.write_each_pair(page, |pair| {
            let times = |times: &Times| {
                let [key, peer] = [times.key, times.peer].map(|time| time.as_secs_f64() * 1e6);
                let Ratio { median, low, high } = times.ratio;
                format!(" {key:.1} | {peer:.1} | {median:.3} ({low:.3} to {high:.3}) |")
            };
            times(&pair.insert) + &times(&pair.select)
        });
        let _ = write!(
            page,
            "\nThe client's part of that, in instructions per statement: all that the thread does \
             that sends the statement and reads the row, but neither waiting nor the system, nor \
             the thread that SQLite runs on. Counted with Callgrind over {STATEMENTS} statements \
             of each sort; on a busy machine it asks in vain more often, and they scatter by a few \
             percent.\n\n\
             | database | key | driver's type | insert | its | ratio | select | its | ratio |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|\n",
        );
        self.write_each_pair(page, |pair| match pair.instructions {
            Some(Instructions { insert, select }) => {
                let sides = |Sides { key, peer }: Sides| {
                    format!(" {key:.0} | {peer:.0} | {:.3} |", key / peer)
                };
                sides(insert) + &sides(select)
            }
            None => String::from(" skipped: valgrind is not installed | | | | | |"),
        });
        page.push_str("\nsqlx has no `Decimal` for SQLite, so there is nothing to compare with.\n");
    }

    /// Writes a line for every pair, with these cells at its end.
    fn write_each_pair(&self, page: &mut String, cells: impl Fn(&Pair) -> String) {
        for (name, measured) in self.outcomes() {
            match measured {
                Ok(measured) => {
                    for pair in &measured.pairs {
                        let (key, peer) = match pair.kind {
                            Kind::Uuid => ("short COMB key", "`Uuid`"),
                            Kind::Decimal => ("DistributedId key", "`Decimal` of rust_decimal"),
                        };
                        let _ = writeln!(page, "| {name} | {key} | {peer} |{}", cells(pair));
                    }
                }
                Err(reason) => {
                    let _ = writeln!(page, "| {name} | skipped: {reason} | | | | | | | |");
                }
            }
        }
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
