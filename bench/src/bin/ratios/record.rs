//! The ratios of an earlier run: what a run is held to, and the page of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Result, ensure};
use rowkey_bench::comparison::Comparison;

/// Ratios by the name of their row, with thin LTO and plain.
pub(crate) type Ratios = BTreeMap<String, [String; 2]>;

/// How far a ratio may be above the recorded one: what instructions of a generator differ by, whose
/// reseeding falls into a count or not.
const NOISE: f64 = 0.03;

/// Fails if a row is behind its record, was not measured although this build could, or has no
/// record.
pub(crate) fn check(comparisons: &[Comparison], recorded: &Ratios, now: &Ratios) -> Result<()> {
    // What was not counted now is behind nothing.
    let number = |ratio: &String| ratio.parse().unwrap_or(f64::NAN);
    let mut wrong = Vec::new();
    for (row, before) in recorded {
        let known = comparisons.iter().find(|one| one.name() == *row);
        let Some(now) = now.get(row) else {
            match known {
                None => wrong.push(format!("{row}: recorded, but no longer compared")),
                Some(one) if one.is_built() => wrong.push(format!("{row}: not measured")),
                Some(_) => {}
            }
            continue;
        };
        let mut pairs = now.iter().zip(before);
        if pairs.any(|(now, before)| number(now) > number(before) * (1.0 + NOISE) + NOISE) {
            wrong.push(format!("{row}: {now:?}, recorded {before:?}"));
        }
    }
    let unknown = now.keys().filter(|row| !recorded.contains_key(*row));
    wrong.extend(unknown.map(|row| format!("{row}: has no record")));
    ensure!(
        wrong.is_empty(),
        "not as recorded, with thin LTO and plain; `cargo xtask bench --record` records anew:\n{}",
        wrong.join("\n")
    );
    Ok(())
}

/// A page of what is recorded.
pub(crate) fn page(comparisons: &[Comparison], ratios: &Ratios) -> String {
    let (aims, others): (Vec<_>, Vec<_>) = comparisons
        .iter()
        .filter(|one| ratios.contains_key(&one.name()))
        .partition(|one| one.before.is_some());
    let [aims, others] = [aims, others].map(|rows| lines(&rows, ratios));
    format!(include_str!("page.md"), aims = aims, others = others)
}

fn lines(rows: &[&Comparison], ratios: &Ratios) -> String {
    let mut lines = String::new();
    for one in rows {
        let [thin, plain] = &ratios[&one.name()];
        let met = |ratio: &String| {
            let is_met = one.aim?.is_met_by_ratio(ratio.parse().ok()?)?;
            Some(if is_met { "met" } else { "missed" })
        };
        let _ = writeln!(
            lines,
            "| {} | {} | {} | {thin} | {plain} | {} | {} |",
            one.rowkey,
            one.shown_peer(),
            one.before.unwrap_or_default(),
            one.aim.map(|aim| format!("≤ {aim}")).unwrap_or_default(),
            match [met(thin), met(plain)] {
                [Some(thin), Some(plain)] if thin == plain => thin.to_owned(),
                [Some(thin), Some(plain)] => format!("{thin}, plain {plain}"),
                _ => String::new(),
            },
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(rows: &[(&str, &str)]) -> Ratios {
        let pair = |ratio: &str| [ratio.to_owned(), ratio.to_owned()];
        let rows = rows
            .iter()
            .map(|(row, ratio)| (row.to_string(), pair(ratio)));
        rows.collect()
    }

    #[test]
    fn rows_behind_or_missing_are_named() {
        let comparisons = rowkey_bench::comparison::comparisons();
        let check = |recorded: &[(&str, &str)], now: &[(&str, &str)]| {
            let result = check(&comparisons, &ratios(recorded), &ratios(now));
            result
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default()
        };
        let row = "key-parse / uuid-parse";
        assert_eq!(check(&[(row, "1.00")], &[(row, "1.05")]), "");
        assert!(check(&[(row, "1.00")], &[(row, "1.08")]).contains(row));
        assert!(check(&[(row, "1.00")], &[]).contains("key-parse / uuid-parse: not measured"));
        assert!(check(&[], &[(row, "1.00")]).contains("has no record"));
        assert!(check(&[("a / b", "1.00")], &[]).contains("no longer compared"));
        let of_drivers = check(&[("sqlx-mysql-key / sqlx-mysql-uuid", "1.00")], &[]);
        assert_eq!(of_drivers.is_empty(), !cfg!(feature = "drivers"));
    }

    #[test]
    fn the_page_says_what_is_met() {
        let comparisons = rowkey_bench::comparison::comparisons();
        let page = page(&comparisons, &ratios(&[("key-parse / uuid-parse", "1.20")]));
        let line = "| key-parse | uuid-parse | 1.52 | 1.20 | 1.20 | ≤ 1.1x | missed |";
        assert!(page.contains(line), "{page}");
    }
}
