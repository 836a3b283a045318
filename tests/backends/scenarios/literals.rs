//! Keys written into SQL text.

use std::cmp::Ordering;

use anyhow::{Result, ensure};
use rowkey::storage::{Column, Storage};

use crate::cases::Cases;
use crate::driver::Session;
use crate::keys::Case;
use crate::samples::samples;
use crate::table::{Record, Table, distinct_cases, distinct_cases_of};

/// How a literal is compared with a column, with `?` for the literal, and the keys that are
/// selected by where they are in its order.
type Comparison = (&'static str, &'static [Ordering]);

/// A literal is equal to the same key and to no other, whichever side it is on.
pub(crate) async fn literals_are_equal_to_keys<D: Cases>(session: &mut Session<D>) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        check_literals(
            session,
            &case,
            column,
            &[
                ("id = ?", &[Ordering::Equal]),
                ("? = id", &[Ordering::Equal]),
                ("id <> ?", &[Ordering::Less, Ordering::Greater]),
            ],
        )
        .await?;
    }
    Ok(())
}

/// The database puts literals and stored keys in the order that `Column::compare` has, whichever
/// side the literal is on.
pub(crate) async fn literals_around<D: Cases>(
    session: &mut Session<D>,
    storage: Storage,
) -> Result<()> {
    for (case, column) in distinct_cases_of(session, storage) {
        check_literals(
            session,
            &case,
            column,
            &[
                ("id < ?", &[Ordering::Less]),
                ("? > id", &[Ordering::Less]),
                ("id >= ?", &[Ordering::Equal, Ordering::Greater]),
                ("? < id", &[Ordering::Greater]),
            ],
        )
        .await?;
    }
    Ok(())
}

async fn check_literals<D: Cases>(
    session: &mut Session<D>,
    case: &Case<D>,
    column: Column,
    comparisons: &[Comparison],
) -> Result<()> {
    let table = Table::create(session, case).await?;
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
        for (comparison, wanted) in comparisons {
            let expected: Vec<i64> = records
                .iter()
                .filter(|record| wanted.contains(&column.compare(record.id, *pivot)))
                .map(|record| record.n)
                .collect();
            let condition = comparison.replace('?', &literal);
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
    Ok(())
}
