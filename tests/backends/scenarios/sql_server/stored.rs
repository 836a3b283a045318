//! Guids as SQL Server stores and shows them.

use anyhow::{Result, ensure};
use rowkey::format::FormatKind;
use rowkey::storage::{Column, Layout, Storage};

use super::bulk::send_in_bulk;
use crate::driver::{Driver, Session};
use crate::drivers::tiberius::Tiberius;
use crate::keys::{Case, uuid};
use crate::samples::{extremes, samples};
use crate::table::{Record, Table, distinct_cases_of};

/// A few samples and both extremes.
pub(super) fn few(case: &Case<Tiberius>) -> Vec<u128> {
    let mut ids = samples(case.format())[..20].to_vec();
    ids.extend(extremes(case.format()).map(|id| id.min(case.plan.max_value())));
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The text of a guid in a layout, written out here by the bytes of the public form.
pub(super) fn stored_text(column: Column, public: u128) -> String {
    let short = matches!(
        column.format(),
        FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb
    );
    let order = match column.layout() {
        Layout::Public | Layout::PublicUnordered => {
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        }
        Layout::Prefix | Layout::Suffix if short => {
            [10, 11, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 12, 13, 14, 15]
        }
        Layout::Prefix | Layout::Suffix => [10, 11, 12, 13, 14, 15, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5],
        Layout::SqlServer => [15, 14, 13, 12, 11, 10, 9, 8, 6, 7, 0, 1, 2, 3, 4, 5],
    };
    let bytes = public.to_be_bytes();
    let hex: String = order
        .iter()
        .map(|&byte| format!("{:02X}", bytes[byte]))
        .collect();
    [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-")
}

/// The server shows a guid as the bytes of the layout in their order, whether it was bound, written
/// as a literal or sent in bulk.
pub(super) async fn stored_guids_have_the_layout_of_the_plan(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    for (case, column) in distinct_cases_of(session, Storage::Uuid) {
        let table = Table::create(session, &case).await?;
        let records: Vec<Record> = Record::numbered(few(&case))
            .into_iter()
            .map(|record| record.with_parent(record.id))
            .collect();
        let (bound, rest) = records.split_at(records.len() / 3);
        let (literal, bulk) = rest.split_at(rest.len() / 2);
        table.insert(session, bound).await?;
        for Record { n, id, .. } in literal {
            let id = column.literal(*id);
            let sql = format!("INSERT INTO {} VALUES ({id}, {id}, {n})", table.name());
            session.execute(sql).await?;
        }
        send_in_bulk(session, &case, table.name(), bulk).await?;

        let shown = table.query(
            "SELECT CONVERT(char(36), id) AS id, CONVERT(char(36), parent) AS parent FROM",
            " ORDER BY n",
        );
        let found = session
            .fetch(shown, |row| {
                let [id, parent] = ["id", "parent"].map(|column| Tiberius::get_text(row, column));
                Ok((id?.unwrap_or_default(), parent?.unwrap_or_default()))
            })
            .await?;
        ensure!(found.len() == records.len());
        for (record, (id, parent)) in records.iter().zip(found) {
            let expected = stored_text(column, record.id);
            ensure!(
                id.eq_ignore_ascii_case(&expected) && parent == id,
                "{column:?}: {id} and {parent} instead of {expected}"
            );
        }
    }
    Ok(())
}

/// A conversion to bytes turns three groups around, so they aren't a key.
pub(super) async fn guids_as_bytes_are_refused(session: &mut Session<Tiberius>) -> Result<()> {
    let case = Case::<Tiberius>::new::<uuid::AnyUuid>();
    let id = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;
    let table = Table::create(session, &case).await?;
    table.insert(session, &Record::numbered([id])).await?;
    let cast = table.query("SELECT CAST(id AS binary(16)) AS id FROM", "");
    let found = session
        .fetch(cast, |row| {
            let bytes: Option<&[u8]> = row.try_get("id")?;
            let bytes = bytes.map(<[u8]>::to_vec);
            Ok((
                bytes,
                (case.get)(row, "id").map_err(|error| error.to_string()),
            ))
        })
        .await?;
    let turned = 0x3322_1100_5544_7766_8899_aabb_ccdd_eeff_u128;
    let refusal = "column `id` is no AnyUuid: stored AnyUuid: expected a uuid, found 16 bytes";
    let expected = (Some(turned.to_be_bytes().to_vec()), Err(refusal.to_owned()));
    ensure!(found == [expected], "{found:x?}");
    Ok(())
}

/// The largest and the smallest key of a column are keys.
pub(super) async fn greatest_of(session: &mut Session<Tiberius>, storage: Storage) -> Result<()> {
    for (case, column) in distinct_cases_of(session, storage) {
        let mut ids = samples(case.format())[..30].to_vec();
        let table = Table::create(session, &case).await?;
        table
            .insert(session, &Record::numbered(ids.iter().copied()))
            .await?;
        ids.sort_by(|a, b| column.compare(*a, *b));
        let query = table.query(
            "SELECT max(id) AS last, min(id) AS first, max(parent) AS none FROM",
            "",
        );
        let found = session
            .fetch(query, |row| {
                let last = (case.get)(row, "last")?;
                Ok((
                    last,
                    (case.get)(row, "first")?,
                    (case.get_optional)(row, "none")?,
                ))
            })
            .await?;
        ensure!(found == [(ids[29], ids[0], None)], "{column:?}: {found:x?}");
    }
    Ok(())
}
