//! Keys written into SQL text.

use std::cmp::Ordering;

use anyhow::{Result, ensure};

use crate::driver::{Driver, Session};
use crate::samples::samples;
use crate::table::{Record, Table, distinct_cases};

/// The database puts literals and stored keys in the order that `Column::compare` has, whichever
/// side the literal is on.
pub(crate) async fn literals_compare_like_keys<D: Driver>(session: &mut Session<D>) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let table = Table::create(session, &case).await?;
        let ids = samples(case.format());
        let (pivots, others) = (&ids[..3], &ids[3..40]);
        let near = pivots.iter().flat_map(|id| {
            [Some(*id), id.checked_add(1), id.checked_sub(1)]
                .into_iter()
                .flatten()
        });
        let mut stored: Vec<u128> = others.iter().copied().chain(near).collect();
        stored.retain(|id| (case.admits)(*id).is_ok());
        stored.sort_unstable();
        stored.dedup();
        let records = Record::numbered(stored);
        table.insert(session, &records).await?;

        for pivot in pivots {
            let literal = column.literal(*pivot);
            for (condition, wanted) in [
                (format!("id < {literal}"), &[Ordering::Less][..]),
                (format!("{literal} > id"), &[Ordering::Less]),
                (format!("id = {literal}"), &[Ordering::Equal]),
                (format!("{literal} = id"), &[Ordering::Equal]),
                (
                    format!("id >= {literal}"),
                    &[Ordering::Equal, Ordering::Greater],
                ),
                (format!("{literal} < id"), &[Ordering::Greater]),
                (
                    format!("id <> {literal}"),
                    &[Ordering::Less, Ordering::Greater],
                ),
            ] {
                let expected: Vec<i64> = records
                    .iter()
                    .filter(|record| wanted.contains(&column.compare(record.id, *pivot)))
                    .map(|record| record.n)
                    .collect();
                let sql = format!(
                    "SELECT n FROM {} WHERE {condition} ORDER BY n",
                    table.name()
                );
                let found = session
                    .fetch_text(sql, |row| D::get_integer(row, "n"))
                    .await?;
                ensure!(
                    found == expected,
                    "{column:?}: {condition} finds {} rows instead of {}",
                    found.len(),
                    expected.len()
                );
            }
        }
    }
    Ok(())
}
