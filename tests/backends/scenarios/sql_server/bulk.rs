//! Bulk inserts.

use anyhow::{Context, Result, ensure};
use rowkey::Backend;
use rowkey::format::FormatKind;
use rowkey::storage::{Nullability, Storage};
use tiberius::{ColumnData, TokenRow};

use crate::driver::{Driver, Session};
use crate::drivers::tiberius::Tiberius;
use crate::keys::{Case, binary, text, uuid};
use crate::query::Query;
use crate::samples::samples;
use crate::table::{Record, Table, distinct_cases_of};

pub(super) async fn send_in_bulk(
    session: &mut Session<Tiberius>,
    case: &Case<Tiberius>,
    table: &str,
    records: &[Record],
) -> Result<()> {
    let mut bulk = session.connection().bulk_insert(table).await?;
    for record in records {
        let mut row = TokenRow::new();
        row.push((case.param)(record.id).into_bulk_value());
        row.push((case.param_of)(record.parent).into_bulk_value());
        row.push(ColumnData::I64(Some(record.n)));
        bulk.send(row).await?;
    }
    let sent = bulk.finalize().await?.total();
    ensure!(sent == records.len() as u64, "{sent} rows are sent");
    Ok(())
}

/// More rows than fit into a packet, every third of them without a parent.
pub(super) fn many_with_parents(format: FormatKind) -> Vec<Record> {
    let first = samples(format)[0] & !1_023;
    let parent = |record: Record| match record.n % 3 {
        0 => record,
        n => record.with_parent(record.id - n as u128),
    };
    Record::numbered(first..first + 600)
        .into_iter()
        .map(parent)
        .collect()
}

/// Rows sent in bulk are those that were sent, with keys and NULL.
pub(super) async fn bulk_rows_of(session: &mut Session<Tiberius>, storage: Storage) -> Result<()> {
    for (case, column) in distinct_cases_of(session, storage) {
        let table = Table::create(session, &case).await?;
        let records = many_with_parents(case.format());
        send_in_bulk(session, &case, table.name(), &records)
            .await
            .with_context(|| format!("{column:?}"))?;
        let all = table.query("SELECT id, parent, n FROM", " ORDER BY n");
        let found = table.records(session, all).await?;
        ensure!(found == records, "{column:?}: other rows");
    }
    Ok(())
}

/// So are those of a table that only the connection sees.
pub(super) async fn bulk_rows_go_into_temporary_tables(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    for case in [
        Case::<Tiberius>::new::<uuid::ShortPrefixComb>(),
        Case::new::<binary::UuidV7>(),
        Case::new::<text::UuidV7>(),
    ] {
        let format = case.format();
        let definition = |name, nullability| {
            case.plan
                .column_definition(Backend::SqlServer, name, nullability)
        };
        let id = definition("id", Nullability::NotNull)?;
        let parent = definition("parent", Nullability::Nullable)?;
        session
            .execute(format!(
                "CREATE TABLE #bulk ({id} PRIMARY KEY, {parent}, n bigint NOT NULL)"
            ))
            .await?;
        let records = many_with_parents(format);
        send_in_bulk(session, &case, "#bulk", &records).await?;
        let all = Query::new("SELECT id, parent, n FROM #bulk ORDER BY n");
        let found = session
            .fetch(all, |row| {
                Ok(Record {
                    n: Tiberius::get_integer(row, "n")?,
                    id: (case.get)(row, "id")?,
                    parent: (case.get_optional)(row, "parent")?,
                })
            })
            .await?;
        ensure!(found == records, "{format}: other rows");
        session.execute("DROP TABLE #bulk").await?;
    }
    Ok(())
}
