//! The counts of an earlier run, whose ratios a run is held to.

use std::collections::BTreeMap;

use rowkey_bench::comparison::Comparison;
use serde::{Deserialize, Serialize};

use crate::row::{Counts, Row};

/// The counts of each row that has a ratio, by its name.
pub(crate) type Record = BTreeMap<String, Recorded>;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recorded {
    thin: Counts,
    plain: Counts,
}

/// What is to be recorded of a run in both profiles.
pub(crate) fn of(rows: &[Row<'_>]) -> Record {
    let recorded = rows.iter().filter_map(|row| {
        let [thin, plain] = row.counts;
        let (thin, plain) = (thin?, plain?);
        plain.ratio()?;
        Some((row.comparison.name(), Recorded { thin, plain }))
    });
    recorded.collect()
}

/// The rows that are behind their record, were not measured although this build could, or have no
/// record. Rows whose database is missing are none of them.
pub(crate) fn behind(
    comparisons: &[Comparison],
    recorded: &Record,
    now: &[Row<'_>],
) -> Vec<String> {
    let mut behind = Vec::new();
    for row in now.iter().filter(|row| row.skipped.is_none()) {
        let name = row.comparison.name();
        match recorded.get(&name) {
            Some(recorded) => behind.extend(losses(row, recorded)),
            None if row.comparison.peer.is_some() => behind.push(format!("{name}: has no record")),
            None => {}
        }
    }
    for name in recorded.keys() {
        let is_measured = now.iter().any(|row| row.comparison.name() == *name);
        match comparisons.iter().find(|one| one.name() == *name) {
            None => behind.push(format!("{name}: recorded, but no longer compared")),
            Some(one) if one.is_built() && !is_measured => {
                behind.push(format!("{name}: not measured"));
            }
            Some(_) => {}
        }
    }
    behind
}

/// In which profile a row is behind, of those that were counted.
fn losses(row: &Row<'_>, recorded: &Recorded) -> Vec<String> {
    let name = row.comparison.name();
    let profiles = [("with thin LTO", recorded.thin), ("plain", recorded.plain)];
    let ratios = profiles
        .into_iter()
        .zip(row.counts)
        .filter_map(|((profile, before), now)| {
            let (before, now) = (before.ratio()?, now?.ratio()?);
            let is_behind = now > before * (1.0 + row.comparison.noise);
            is_behind.then(|| format!("{name}, {profile}: {now:.3}, recorded {before:.3}"))
        });
    ratios.collect()
}

#[cfg(test)]
mod tests {
    use rowkey_bench::comparison::comparisons;

    use super::*;
    use crate::row::tests::row;

    #[test]
    fn rows_behind_or_missing_are_named() {
        let comparisons = comparisons();
        let named = |name| comparisons.iter().find(|one| one.name() == name);
        let parse = named("key-parse / uuid-parse").expect("keys are parsed");
        let recorded = of(&[row(parse, 90.0, 100.0)]);
        let behind = |recorded: &Record, rows: &[Row<'_>]| behind(&comparisons, recorded, rows);

        assert!(behind(&recorded, &[row(parse, 91.0, 100.0)]).is_empty());
        let lost = behind(&recorded, &[row(parse, 92.0, 100.0)]);
        assert_eq!(
            lost,
            ["with thin LTO", "plain"]
                .map(|profile| format!("key-parse / uuid-parse, {profile}: 0.920, recorded 0.900"))
        );
        assert_eq!(
            behind(&recorded, &[]),
            ["key-parse / uuid-parse: not measured"]
        );
        let unknown = behind(&Record::new(), &[row(parse, 1.0, 1.0)]);
        assert_eq!(unknown, ["key-parse / uuid-parse: has no record"]);

        let counts = Counts {
            rowkey: 1.0,
            peer: Some(1.0),
        };
        let others = |name: &str| {
            let recorded = Recorded {
                thin: counts,
                plain: counts,
            };
            behind(&Record::from([(name.to_owned(), recorded)]), &[])
        };
        assert_eq!(others("a / b"), ["a / b: recorded, but no longer compared"]);
        let of_drivers = others("sqlx-mysql-key / sqlx-mysql-uuid");
        assert_eq!(of_drivers.is_empty(), !cfg!(feature = "drivers"));
    }
}
