//! The page of figures.

use std::fmt::Write;

use rowkey_bench::machine::Machine;

use crate::measure::{Costs, MeasuredGroup, RUNS, join};
use crate::subject::{Content, TYPES};

/// The file name of the page.
pub(crate) const PAGE: &str = "compile-cost.md";

/// Milliseconds of `cargo check` that a key with all drivers of a backend may take.
const AIM: f64 = 16.0;

/// Everything that was found.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) rustc: String,
    pub(crate) groups: Vec<MeasuredGroup>,
}

impl Report {
    /// The page, with every figure of this run.
    pub(crate) fn to_markdown(&self) -> String {
        let groups = self.groups.iter();
        let keys = groups.map(|group| group.per_type(Content::Keys));
        let most = keys.filter_map(|costs| costs?[0]).fold(0.0, f64::max);
        format!(
            include_str!("page.md"),
            machine = self.machine.describe("compiled by one of them at a time"),
            rustc = self.rustc,
            types = TYPES,
            runs = RUNS,
            per_type = self.per_type(),
            aim = AIM,
            is_met = if most <= AIM { "met" } else { "missed" },
            per_crate = self.per_crate(),
        )
    }

    fn per_type(&self) -> String {
        let mut lines = String::new();
        for group in &self.groups {
            let [keys, newtypes] =
                [Content::Keys, Content::Newtypes].map(|content| group.per_type(content));
            if let Some(keys) = keys {
                let _ = writeln!(lines, "| {} | key | {} |", group.title, cells(keys, 1));
            }
            if let (Some(keys), Some(newtypes)) = (keys, newtypes) {
                let ratio = join(keys, newtypes, |key, newtype| key / newtype);
                let _ = writeln!(lines, "| | newtype | {} |", cells(newtypes, 1));
                let _ = writeln!(lines, "| | ratio | {} |", cells(ratio, 2));
            }
        }
        lines
    }

    fn per_crate(&self) -> String {
        let mut lines = String::new();
        for group in &self.groups {
            let mut title = group.title;
            for (content, costs) in &group.crates {
                let content = match content {
                    Content::Nothing => "nothing".to_owned(),
                    Content::Keys => format!("{TYPES} keys"),
                    Content::Newtypes => format!("{TYPES} newtypes"),
                };
                let _ = writeln!(lines, "| {title} | {content} | {} |", cells(*costs, 0));
                title = "";
            }
        }
        lines
    }
}

fn cells(costs: Costs, decimals: usize) -> String {
    let cells = costs.map(|cost| match cost {
        Some(cost) => format!("{cost:.decimals$}"),
        None => "skipped: valgrind is not installed".to_owned(),
    });
    cells.join(" | ")
}
