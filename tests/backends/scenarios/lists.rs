//! Conditions with lists of keys.

use anyhow::{Context, Result, ensure};
use rowkey::storage::Storage;

use crate::cases::Cases;
use crate::driver::{KeyList, Session};
use crate::query::Query;
use crate::samples::samples;
use crate::table::{Record, Table, distinct_cases, distinct_cases_of};

/// Lists of no key, of one, of a thousand, and with a key several times, select the rows that hold
/// one of the keys, or none of them. Columns that are NULL hold none, and are none of a list with
/// keys.
pub(crate) async fn lists_of<D: Cases>(session: &mut Session<D>, storage: Storage) -> Result<()> {
    for (case, column) in distinct_cases_of(session, storage) {
        let format = case.format();
        // The lowest bits are random in every format but the suffix COMB, where they are the time.
        let base = samples(format)[0] & !0x7ff;
        let ids: Vec<u128> = (base..base + 1_200)
            .filter(|id| format.admits(*id) && *id <= column.max_value())
            .take(1_100)
            .collect();
        ensure!(ids.len() == 1_100, "{format} has {} neighbours", ids.len());
        let (stored, absent) = ids.split_at(60);
        let table = Table::create(session, &case).await?;
        let records: Vec<Record> = Record::numbered(stored.iter().copied())
            .into_iter()
            .map(|record| match record.n % 4 {
                0 => record,
                _ => record.with_parent(record.id),
            })
            .collect();
        table.insert(session, &records).await?;

        let thousand: Vec<u128> = [&stored[..40], &absent[..960]].concat();
        let lists = [
            &[][..],
            &stored[7..8],
            &absent[..1],
            &[
                stored[1], absent[0], stored[3], stored[1], stored[2], stored[2],
            ],
            &thousand,
        ];
        for list in lists {
            let is_listed = |id: Option<u128>| match id {
                Some(id) => Some(list.contains(&id)),
                // Even NULL is in no list without keys.
                None if list.is_empty() => Some(false),
                None => None,
            };
            for by in ["id", "parent"] {
                let numbers = |expected: bool| -> Vec<i64> {
                    let held = |record: &&Record| {
                        let id = if by == "id" {
                            Some(record.id)
                        } else {
                            record.parent
                        };
                        is_listed(id) == Some(expected)
                    };
                    records.iter().filter(held).map(|record| record.n).collect()
                };
                let what = || format!("{format} as {storage}, {} keys of {by}", list.len());
                let found = table
                    .numbers_where(session, |query| {
                        (case.push_list)(query, by, KeyList::In(list.to_vec()));
                    })
                    .await
                    .with_context(what)?;
                ensure!(found == numbers(true), "in {}: {found:?}", what());
                let found = table
                    .numbers_where(session, |query| {
                        (case.push_list)(query, by, KeyList::NotIn(list.to_vec()));
                    })
                    .await
                    .with_context(what)?;
                ensure!(found == numbers(false), "not in {}: {found:?}", what());
            }
        }
    }
    Ok(())
}

/// A condition on a column that the table does not have is an error, rather than one that every row
/// meets.
pub(crate) async fn unknown_columns_are_errors<D: Cases>(session: &mut Session<D>) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let ids = &samples(case.format())[..4];
        let table = Table::create(session, &case).await?;
        let records = Record::numbered(ids.iter().copied());
        table.insert(session, &records).await?;
        for list in [KeyList::NotIn, KeyList::In] {
            let mut delete = table.query("DELETE FROM", " WHERE ");
            (case.push_list)(&mut delete, "idd", list(ids[..1].to_vec()));
            let outcome = session.run(delete).await;
            ensure!(outcome.is_err(), "{column:?}: `idd` is taken for a column");
        }
        let of_all = |query: &mut _| {
            Query::push(query, "n >= 0");
        };
        let left = table.numbers_where(session, of_all).await?;
        ensure!(
            left.len() == records.len(),
            "{column:?}: {} rows are left",
            left.len()
        );
    }
    Ok(())
}
