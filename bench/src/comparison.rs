//! What is compared with what, and the aims; `comparisons.txt` has the rows.

use std::fmt;

/// An operation of rowkey, perhaps next to what a peer does instead.
#[derive(Debug)]
pub struct Comparison {
    /// The operation of rowkey.
    pub rowkey: &'static str,
    /// The operation of the peer.
    pub peer: Option<&'static str>,
    /// What is to be reached.
    pub aim: Option<Aim>,
    /// What was measured before work on the aim began.
    pub before: Option<&'static str>,
    /// By which part of it the ratio may be above the recorded one.
    pub noise: f64,
    /// Whether the feature `drivers` has to be on.
    pub of_drivers: bool,
}

impl Comparison {
    /// The name of the row in records and tables.
    pub fn name(&self) -> String {
        format!("{} / {}", self.rowkey, self.shown_peer())
    }

    /// The peer without the prefix that it has among operations.
    pub fn shown_peer(&self) -> &'static str {
        self.peer.unwrap_or_default().trim_start_matches("peer-")
    }

    /// Whether this build can measure it.
    pub fn is_built(&self) -> bool {
        cfg!(feature = "drivers") || !self.of_drivers
    }
}

/// An upper limit of instructions, as a multiple of the peer's as in `1.05x`, or besides those of
/// the peer as in `peer+13`.
#[derive(Clone, Copy, Debug)]
pub struct Aim(&'static str);

impl Aim {
    /// Whether the instructions are within the limit.
    pub fn is_met(self, rowkey: f64, peer: f64) -> bool {
        let number = |text: &str| text.parse::<f64>().expect("an aim has a number");
        let limit = match (self.0.strip_suffix('x'), self.0.strip_prefix("peer+")) {
            (Some(times), _) => number(times) * peer,
            (_, Some(more)) => peer + number(more),
            _ => panic!("`{self}` is no aim"),
        };
        rowkey <= limit
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The noise of rows that name none. The same program counts the same, but a change anywhere makes
/// the compiler inline and order other things a little differently.
const NOISE: f64 = 0.02;

fn percent(noise: &str) -> f64 {
    let number = noise
        .strip_suffix('%')
        .and_then(|text| text.parse::<f64>().ok());
    number.unwrap_or_else(|| panic!("`{noise}` is no noise")) / 100.0
}

/// Every row of the table, in its order.
pub fn comparisons() -> Vec<Comparison> {
    let mut of_drivers = false;
    let mut rows = Vec::new();
    for line in include_str!("comparisons.txt").lines() {
        of_drivers |= line == "[drivers]";
        if line.is_empty() || line.starts_with(['#', '[']) {
            continue;
        }
        let columns: Vec<_> = line.split_whitespace().collect();
        let (rowkey, peer, aim, before, noise) = match columns[..] {
            [rowkey, peer, aim, before] => (rowkey, peer, aim, before, NOISE),
            [rowkey, peer, aim, before, noise] => (rowkey, peer, aim, before, percent(noise)),
            _ => panic!("`{line}` has not four columns, and perhaps a fifth"),
        };
        let given = |column| Some(column).filter(|column| *column != "-");
        rows.push(Comparison {
            rowkey,
            peer: given(peer),
            aim: given(aim).map(Aim),
            before: given(before),
            noise,
            of_drivers,
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aims_are_limits() {
        let is_met = |aim| Aim(aim).is_met(108.0, 90.0);
        assert!(is_met("1.2x") && is_met("peer+20"));
        assert!(!is_met("1.1x") && !is_met("peer+10"));
        for aim in comparisons().iter().filter_map(|one| one.aim) {
            aim.is_met(1.0, 1.0);
        }
    }
}
