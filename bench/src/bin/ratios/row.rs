//! A row of the table, which is the same in the terminal and on the page.

use std::array;

use anyhow::Result;
use rowkey_bench::comparison::Comparison;
use rowkey_bench::measurement::Measurements;
use serde::{Deserialize, Serialize};

pub(crate) const HEADLINES: [&str; 11] = [
    "operation",
    "thin LTO",
    "plain",
    "peer",
    "thin LTO",
    "plain",
    "before",
    "ratio, thin LTO",
    "ratio, plain",
    "aim",
    "",
];

/// The columns with figures, and not words.
pub(crate) const NUMBERS: [usize; 7] = [1, 2, 4, 5, 6, 7, 8];

/// What was counted in one profile, per operation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) rowkey: f64,
    pub(crate) peer: Option<f64>,
}

impl Counts {
    /// rowkey's by the peer's.
    pub(crate) fn ratio(self) -> Option<f64> {
        Some(self.rowkey / self.peer?)
    }
}

/// A comparison, and what was counted with thin LTO and plain.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) comparison: &'a Comparison,
    pub(crate) counts: [Option<Counts>; 2],
    /// The variable without which it could not be measured.
    pub(crate) skipped: Option<&'static str>,
}

impl<'a> Row<'a> {
    pub(crate) fn of(
        comparison: &'a Comparison,
        measurements: &[Option<Measurements>; 2],
    ) -> Result<Self> {
        let mut row = Self {
            comparison,
            counts: [None; 2],
            skipped: missing(comparison),
        };
        if row.skipped.is_some() {
            return Ok(row);
        }
        for (counts, profile) in row.counts.iter_mut().zip(measurements) {
            let Some(profile) = profile else {
                continue;
            };
            // A tenth is what two runs differ by.
            let count =
                |name| Ok::<_, anyhow::Error>((profile.instructions(name)? * 10.0).round() / 10.0);
            *counts = Some(Counts {
                rowkey: count(comparison.rowkey)?,
                peer: comparison.peer.map(count).transpose()?,
            });
        }
        Ok(row)
    }

    pub(crate) fn misses(&self) -> bool {
        self.is_met().contains(&Some(false))
    }

    fn is_met(&self) -> [Option<bool>; 2] {
        self.counts.map(|counts| {
            let Counts { rowkey, peer } = counts?;
            Some(self.comparison.aim?.is_met(rowkey, peer?))
        })
    }

    pub(crate) fn cells(&self) -> [String; 11] {
        let Self {
            comparison, counts, ..
        } = self;
        let cell = |number: fn(Counts) -> Option<String>| {
            counts.map(|counts| counts.and_then(number).unwrap_or_default())
        };
        let [thin, plain] = cell(|counts| Some(format!("{:.1}", counts.rowkey)));
        let [peer_thin, peer_plain] = cell(|counts| Some(format!("{:.1}", counts.peer?)));
        let [ratio_thin, ratio_plain] = cell(|counts| Some(format!("{:.2}", counts.ratio()?)));
        let aim = match self.skipped {
            Some(variable) => format!("skipped: {variable} is not set"),
            None => comparison
                .aim
                .map(|aim| format!("≤ {aim}"))
                .unwrap_or_default(),
        };
        let word = |is_met| if is_met { "met" } else { "missed" };
        let met = match self.is_met() {
            [Some(thin), Some(plain)] if thin != plain => {
                format!("{}, plain {}", word(thin), word(plain))
            }
            [is_met, other] => is_met.or(other).map(word).unwrap_or_default().to_owned(),
        };
        [
            comparison.rowkey.to_owned(),
            thin,
            plain,
            comparison.shown_peer().to_owned(),
            peer_thin,
            peer_plain,
            comparison.before.unwrap_or_default().to_owned(),
            ratio_thin,
            ratio_plain,
            aim,
            met,
        ]
    }

    /// As a row of Markdown.
    pub(crate) fn line(&self) -> String {
        format!("| {} |\n", self.cells().join(" | "))
    }
}

/// The head of a table in Markdown.
pub(crate) fn head() -> String {
    let kinds: [&str; HEADLINES.len()] = array::from_fn(|index| {
        if NUMBERS.contains(&index) {
            "--:"
        } else {
            "---"
        }
    });
    format!("| {} |\n|{}|\n", HEADLINES.join(" | "), kinds.join("|"))
}

/// The variable without which one of the two cannot be measured.
fn missing(comparison: &Comparison) -> Option<&'static str> {
    rowkey_bench::all_operations()
        .filter(|one| one.name == comparison.rowkey || Some(one.name) == comparison.peer)
        .find(|one| !one.is_possible())
        .and_then(|one| one.database)
}

#[cfg(test)]
pub(crate) mod tests {
    use rowkey_bench::comparison::comparisons;

    use super::*;

    /// The row of this name with these counts in both profiles.
    pub(crate) fn row(comparison: &Comparison, rowkey: f64, peer: f64) -> Row<'_> {
        Row {
            comparison,
            counts: [Some(Counts {
                rowkey,
                peer: Some(peer),
            }); 2],
            skipped: None,
        }
    }

    #[test]
    fn a_row_says_in_which_profile_its_aim_is_met() {
        let comparisons = comparisons();
        let parse = comparisons
            .iter()
            .find(|one| one.name() == "key-parse / uuid-parse");
        let mut row = row(parse.expect("keys are parsed"), 120.0, 100.0);
        let counts = "| key-parse | 120.0 | 120.0 | uuid-parse | 100.0 | 100.0 | 1.52 |";
        assert_eq!(
            row.line(),
            format!("{counts} 1.20 | 1.20 | ≤ 1.1x | missed |\n")
        );
        assert!(row.misses());
        row.counts[1] = Some(Counts {
            rowkey: 110.0,
            peer: Some(100.0),
        });
        assert!(
            row.line()
                .ends_with("| 1.20 | 1.10 | ≤ 1.1x | missed, plain met |\n")
        );
        row.counts[0] = None;
        assert!(row.line().ends_with("|  | 1.10 | ≤ 1.1x | met |\n"));
    }
}
