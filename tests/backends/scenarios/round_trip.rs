//! Keys go in and come back, bound and as SQL text.

use anyhow::{Context, Result, ensure};
use rowkey::Backend;
use rowkey::format::FormatKind;
use rowkey::storage::{Column, Layout, Precision, Storage, Wire};

use crate::cases::Cases;
use crate::driver::{Session, Violation};
use crate::query::Query;
use crate::samples::{extremes, samples};
use crate::table::{Record, Table, distinct_cases};

/// The declared keys have every column that can be declared for the backend, but for those that
/// the driver does not store.
pub(crate) async fn every_column_has_a_key<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let cases = distinct_cases(session);
    for format in FormatKind::ALL {
        for storage in Storage::ALL {
            for layout in Layout::ALL {
                let column = Column::new(format, session.backend(), storage, Some(layout));
                if let Ok(column) = column {
                    let is_declared = cases.iter().any(|(_, column)| {
                        (column.format(), column.storage(), column.layout())
                            == (format, storage, layout)
                    });
                    ensure!(
                        is_declared == D::stores(column),
                        "a key that holds {format} as {storage}:{layout}: {is_declared}"
                    );
                }
            }
        }
    }
    Ok(())
}

/// Bound keys are stored and found again, NULL is `None`, and both protocols read alike.
pub(crate) async fn keys_come_back<D: Cases>(session: &mut Session<D>) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let ids = &samples(case.format())[..6];
        let table = Table::create(session, &case).await?;
        let records: Vec<Record> = (0..)
            .zip(ids)
            .map(|(n, id)| Record {
                n,
                id: *id,
                parent: (n > 0).then(|| ids[n as usize - 1]),
            })
            .collect();
        table.insert(session, &records).await?;

        for record in &records {
            let found = table.records_of(session, record.id).await?;
            ensure!(
                found == [*record],
                "{column:?}: {found:?} instead of {record:?}"
            );
        }

        let mut by_parent = table.select_where();
        by_parent
            .push("parent = ")
            .push_param((case.param_of)(Some(ids[0])));
        let found = table.records(session, by_parent).await?;
        ensure!(found == [records[1]], "{column:?}: {found:?} by parent");

        let mut by_null = table.select_where();
        by_null.push("parent = ").push_param((case.param_of)(None));
        let found = table.records(session, by_null).await?;
        ensure!(found.is_empty(), "{column:?}: NULL is equal to {found:?}");

        let sql = format!("SELECT id, parent, n FROM {} ORDER BY n", table.name());
        let found = session.fetch_text(sql, |row| table.record(row)).await?;
        ensure!(
            found == records,
            "{column:?}: {found:?} in the text protocol"
        );

        // A key that is not there but has to be.
        let orphan = table.query("SELECT parent FROM", " WHERE n = 0");
        let outcome = session.fetch(orphan, |row| (case.get)(row, "parent")).await;
        let error = outcome.expect_err("NULL is no key");
        ensure!(
            D::is_unexpected_null(&error, "parent"),
            "{column:?}: {error}"
        );
    }
    Ok(())
}

/// A statement gives back the keys that it has written.
pub(crate) async fn written_keys_are_returned<D: Cases>(session: &mut Session<D>) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let ids = &samples(case.format())[..2];
        let table = Table::create(session, &case).await?;
        let (output, returning) = match session.backend() {
            Backend::SqlServer => (" OUTPUT inserted.id, inserted.parent, inserted.n", ""),
            _ => ("", " RETURNING id, parent, n"),
        };
        let mut insert = table.query("INSERT INTO", " (id, parent, n)");
        insert
            .push(output)
            .push(" VALUES (")
            .push_param((case.param)(ids[0]))
            .push(", ")
            .push_param((case.param_of)(Some(ids[1])))
            .push(", 7)")
            .push(returning);
        let found = table.records(session, insert).await?;
        let expected = Record {
            n: 7,
            id: ids[0],
            parent: Some(ids[1]),
        };
        ensure!(found == [expected], "{column:?}: {found:?}");
    }
    Ok(())
}

/// A literal in SQL text is the same value as the bound key.
pub(crate) async fn literals_find_rows<D: Cases>(session: &mut Session<D>) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let ids = &samples(case.format())[..4];
        let table = Table::create(session, &case).await?;
        let bound = Record {
            n: 0,
            id: ids[0],
            parent: Some(ids[1]),
        };
        table.insert(session, &[bound]).await?;
        let written = Record {
            n: 1,
            id: ids[2],
            parent: Some(ids[3]),
        };
        let [id, parent] = [ids[2], ids[3]].map(|id| column.literal(id));
        let insert = format!(
            "INSERT INTO {} (id, parent, n) VALUES ({id}, {parent}, 1)",
            table.name()
        );
        session.execute(insert).await?;

        for record in [bound, written] {
            let literal = column.literal(record.id);
            let sql = format!(
                "SELECT id, parent, n FROM {} WHERE id = {literal}",
                table.name()
            );
            let found = session
                .fetch_text(&sql, |row| table.record(row))
                .await
                .with_context(|| sql.clone())?;
            ensure!(
                found == [record],
                "{sql} finds {found:?} instead of {record:?}"
            );

            let found = table.records_of(session, record.id).await?;
            ensure!(
                found == [record],
                "{column:?}: {found:?} instead of {record:?}"
            );
        }
    }
    Ok(())
}

/// Expressions of keys and parameters are keys, also where the server gives the number of a
/// parameter decimals of its own, as MySQL does from 8.0.22 on.
pub(crate) async fn keys_and_parameters_are_one_expression<D: Cases>(
    session: &mut Session<D>,
) -> Result<()> {
    let is_old = session.backend() == Backend::MySql && {
        let version = session.fetch_text("SELECT VERSION() AS t", |row| D::get_text(row, "t"));
        let mut version = version.await?.into_iter().flatten();
        version.any(|version| version.starts_with("5."))
    };
    for (case, column) in distinct_cases(session) {
        let ids = &samples(case.format())[..3];
        let table = Table::create(session, &case).await?;
        let records = [
            Record::numbered(ids[..1].iter().copied())[0],
            Record {
                n: 1,
                id: ids[1],
                parent: Some(ids[0]),
            },
        ];
        table.insert(session, &records).await?;

        let mut coalesced = Query::new("SELECT coalesce(parent, ");
        coalesced
            .push_param((case.param)(ids[2]))
            .push(format!(") AS c FROM {} ORDER BY n", table.name()));
        let found = session.fetch(coalesced, |row| (case.get)(row, "c")).await;
        if let (Wire::Decimal(_) | Wire::Integer, true, Err(refused)) =
            (column.wire(), is_old, &found)
        {
            // Before the server knows the parameter, it calls the expression text, and Diesel asks
            // then.
            let refused = format!("{refused:#}");
            ensure!(refused.contains("found text of"), "{column:?}: {refused}");
            continue;
        }
        let found = found.with_context(|| format!("{column:?}: coalesce"))?;
        ensure!(found == [ids[2], ids[0]], "{column:?}: {found:x?}");

        let has_another_type = match column.wire() {
            // With thirty decimals, 35 digits are left: the server answers with the largest such
            // number.
            Wire::Decimal(precision) => precision == Precision::Digits38,
            // Diesel is told of text, because it asks before the server knows the parameter.
            Wire::Integer => true,
            _ => false,
        };
        if session.backend() == Backend::MySql && has_another_type {
            continue;
        }
        let mut union = table.query("SELECT id FROM", " UNION ALL SELECT ");
        union.push_param((case.param)(ids[2]));
        let found = session.fetch(union, |row| (case.get)(row, "id")).await;
        let mut found = found.with_context(|| format!("{column:?}: UNION"))?;
        let mut expected = ids.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        ensure!(found == expected, "{column:?}: {found:x?}");
    }
    Ok(())
}

/// The smallest and the largest value that a plan has room for.
pub(crate) async fn extremes_come_back<D: Cases>(session: &mut Session<D>) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let ids = extremes(case.format()).map(|id| id.min(case.plan.max_value()));
        let table = Table::create(session, &case).await?;
        let records: Vec<Record> = Record::numbered(ids)
            .into_iter()
            .map(|record| record.with_parent(record.id))
            .collect();
        table.insert(session, &records).await?;
        for record in &records {
            let mut by_key = table.select_where();
            by_key
                .push("id = ")
                .push_param((case.param)(record.id))
                .push(format_args!(" AND parent = {}", column.literal(record.id)));
            let found = table.records(session, by_key).await?;
            ensure!(
                found == [*record],
                "{column:?}: {found:?} instead of {record:?}"
            );
        }
        if let Some(beyond) = case.plan.max_value().checked_add(1) {
            ensure!(
                (case.admits)(beyond).is_err(),
                "{column:?} has no room for {beyond}"
            );
        }
    }
    Ok(())
}

/// The same key twice violates the primary key.
pub(crate) async fn a_key_is_there_once<D: Cases>(session: &mut Session<D>) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let table = Table::create(session, &case).await?;
        let record = Record::numbered([samples(case.format())[0]]);
        table.insert(session, &record).await?;
        let error = match table.insert(session, &record).await {
            Ok(()) => anyhow::bail!("{column:?}: the key is there twice"),
            Err(error) => error,
        };
        ensure!(
            D::violation(&error) == Some(Violation::Unique),
            "{column:?}: {error}"
        );
    }
    Ok(())
}
