//! `ORDER BY` gives the order that a plan promises.

use anyhow::{Result, ensure};
use rowkey::storage::{Layout, OrderPromise, Storage};

use crate::cases::Cases;
use crate::driver::Session;
use crate::samples::{position, samples};
use crate::table::{Record, Table, distinct_cases_of};

/// Rows come in the order of `Column::compare`, which is the format's order of time and, where the
/// plan promises it, its full order: from the primary key, and sorted by a column without an index.
pub(crate) async fn order_of<D: Cases>(session: &mut Session<D>, storage: Storage) -> Result<()> {
    for (case, column) in distinct_cases_of(session, storage) {
        let format = case.format();
        let table = Table::create(session, &case).await?;
        let records: Vec<Record> = Record::numbered(samples(format))
            .into_iter()
            .map(|record| record.with_parent(record.id))
            .collect();
        ensure!(records.len() >= 200, "{format}: too few samples");
        table.insert(session, &records).await?;

        let mut expected: Vec<u128> = records.iter().map(|record| record.id).collect();
        expected.sort_by(|a, b| column.compare(*a, *b));
        for by in ["id", "parent"] {
            let query = table.query("SELECT id, parent, n FROM", &format!(" ORDER BY {by}"));
            let found = table.records(session, query).await?;
            let found: Vec<u128> = found.iter().map(|record| record.id).collect();
            ensure!(found == expected, "{format} by {by} is not in column order");
        }

        let promise = column.order_promise();
        let is_timed = position(format, expected[0]).is_some();
        let has_order = is_timed && column.layout() != Layout::PublicUnordered;
        ensure!(has_order == (promise >= OrderPromise::Time) || promise == OrderPromise::Full);
        for pair in expected.windows(2) {
            if has_order {
                let place = |value| position(format, value);
                ensure!(
                    place(pair[0]) <= place(pair[1]),
                    "{format} is not in order of time"
                );
            }
            if promise == OrderPromise::Full {
                ensure!(pair[0] < pair[1], "{format} is not in public order");
            }
        }
    }
    Ok(())
}
