//! The page of figures.

use std::fmt::Write;

use rowkey_bench::machine::Machine;

use crate::measure::{Costs, MeasuredGroup, RUNS, join};
use crate::subject::{Content, TYPES};

/// The file name of the page.
pub(crate) const PAGE: &str = "compile-cost.md";

/// Milliseconds of `cargo check` that a key with all drivers of a backend may take.
const AIM: f64 = 17.0;

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
        let machine = self.machine.describe("compiled by one of them at a time");
        let mut page = format!(
            "# What keys cost to compile\n\n\
             `cargo xtask bench --compile` has written this page.\n\n\
             {machine} {}.\n\n\
             A crate declares {TYPES} keys, over `ShortPrefixComb`, `UuidV7` and `DistributedId` \
             in turn, and nothing else; another one declares nothing, and loads the same \
             dependencies. What rustc takes more for the first, divided by {TYPES}, is the cost of \
             a key. The newtypes are `pub struct CustomerId(pub Uuid)` with what others derive for \
             the same drivers: `#[sqlx(transparent)]`, diesel-derive-newtype and SeaORM's \
             `DeriveValueType`. They have the standard traits, serde, `Display` and `FromStr` as \
             keys have them, but generate, check and rearrange nothing.\n\n\
             Only rustc's run for that crate counts; the dependencies are there already. Builds \
             are of the `dev` profile, nothing is incremental. Milliseconds are those that the \
             processor worked, for all threads and the system's part included, in the fastest of \
             {RUNS} runs, for which the crates took turns. Instructions, in millions, were counted \
             by Cachegrind in one more run, without the system's part: other work on the machine \
             does not change them.\n\n\
             ## Per key\n\n\
             | drivers | | check ms | check instr | build ms | build instr |\n\
             |---|---|--:|--:|--:|--:|\n",
            self.rustc,
        );
        for group in &self.groups {
            let [keys, newtypes] =
                [Content::Keys, Content::Newtypes].map(|content| group.per_type(content));
            if let Some(keys) = keys {
                let _ = writeln!(page, "| {} | key | {} |", group.title, cells(keys, 1));
            }
            if let (Some(keys), Some(newtypes)) = (keys, newtypes) {
                let ratio = join(keys, newtypes, |key, newtype| key / newtype);
                let _ = writeln!(page, "| | newtype | {} |", cells(newtypes, 1));
                let _ = writeln!(page, "| | ratio | {} |", cells(ratio, 2));
            }
        }
        let keys = self
            .groups
            .iter()
            .map(|group| group.per_type(Content::Keys));
        let most = keys.filter_map(|costs| costs?[0]);
        let is_met = match most.fold(0.0, f64::max) <= AIM {
            true => "met",
            false => "missed",
        };
        let _ = write!(
            page,
            "\nThe aim, {AIM} ms of `cargo check` for a key with all drivers of a backend, is {is_met}.\n\n\
             ## Per crate\n\n\
             | drivers | | check ms | check instr | build ms | build instr |\n\
             |---|---|--:|--:|--:|--:|\n",
        );
        for group in &self.groups {
            for (index, (content, costs)) in group.crates.iter().enumerate() {
                let title = if index == 0 { group.title } else { "" };
                let content = match content {
                    Content::Nothing => "nothing".to_owned(),
                    Content::Keys => format!("{TYPES} keys"),
                    Content::Newtypes => format!("{TYPES} newtypes"),
                };
                let costs = cells(*costs, 0);
                let _ = writeln!(page, "| {title} | {content} | {costs} |");
            }
        }
        page
    }
}

fn cells(costs: Costs, decimals: usize) -> String {
    let cells = costs.map(|cost| match cost {
        Some(cost) => format!("{cost:.decimals$}"),
        None => "skipped: valgrind is not installed".to_owned(),
    });
    cells.join(" | ")
}
