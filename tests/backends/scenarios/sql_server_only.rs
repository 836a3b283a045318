//! What has to be seen on SQL Server itself: how it uses its indexes, and a statement that others
//! who speak its protocol may not have.

use anyhow::{Context, Result, ensure};
use rowkey::UnixMillis;

use crate::driver::{Assumption, Driver, Session};
use crate::drivers::tiberius::{Tiberius, plan};
use crate::keys::Span;
use crate::query::Query;
use crate::samples::{INTERVAL_MS, WRAP, samples};
use crate::scenario::Scenario;
use crate::table::{Record, Table, distinct_cases};

pub(crate) fn scenarios() -> Vec<Scenario<Tiberius>> {
    vec![
        Scenario::new("conditions_seek_the_clustered_index", |session| {
            Box::pin(conditions_seek_the_clustered_index(session))
        })
        .assuming(Assumption::Plans),
        Scenario::new("merged_rows_are_there_once", |session| {
            Box::pin(merged_rows_are_there_once(session))
        })
        .assuming(Assumption::Merge),
    ]
}

/// A key, a list of keys and a time span are looked for in the clustered index, which is the
/// primary key's: the plan that the server has run reads no table or index from end to end.
async fn conditions_seek_the_clustered_index(session: &mut Session<Tiberius>) -> Result<()> {
    let span = Span {
        from: Some(UnixMillis::new(WRAP - 5 * INTERVAL_MS)),
        to: Some(UnixMillis::new(WRAP + 4 * INTERVAL_MS)),
    };
    for (case, column) in distinct_cases(session) {
        let ids = samples(case.format());
        let table = Table::create(session, &case).await?;
        table
            .insert(session, &Record::numbered(ids.iter().copied()))
            .await?;
        let mut conditions: Vec<Query<Tiberius>> = Vec::new();
        let select = || table.query("SELECT n FROM", " WHERE ");
        let mut key = select();
        key.push("id = ").push_param((case.param)(ids[7]));
        conditions.push(key);
        let mut list = select();
        list.push("id IN (").push_param((case.param)(ids[7]));
        list.push(", ").push_param((case.param)(ids[8])).push(")");
        conditions.push(list);
        if let Some(push_span) = case.push_span {
            let mut within = select();
            push_span(&mut within, "id", span);
            conditions.push(within);
        }
        for condition in conditions {
            let plan = plan(session.connection(), condition).await?;
            let plan = plan.with_context(|| format!("{column:?}: no plan"))?;
            // A constant scan reads no table: it holds the ends of the intervals that are sought.
            let is_sought = plan.contains("PhysicalOp=\"Clustered Index Seek\"")
                && !plan.contains("Index Scan\"")
                && !plan.contains("Table Scan\"");
            ensure!(is_sought, "{column:?}: {plan}");
        }
    }
    Ok(())
}

/// `MERGE` compares keys as other statements do, and returns them.
async fn merged_rows_are_there_once(session: &mut Session<Tiberius>) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let table = Table::create(session, &case).await?;
        let ids = &samples(case.format())[..2];
        for (n, id, action) in [
            (1, ids[0], "INSERT"),
            (2, ids[0], "UPDATE"),
            (3, ids[1], "INSERT"),
        ] {
            let mut merge = table.query("MERGE INTO", " WITH (HOLDLOCK) AS t USING (SELECT ");
            merge
                .push_param((case.param)(id))
                .push(" AS id, ")
                .push_param(Tiberius::integer(n))
                .push(
                    " AS n) AS s ON t.id = s.id \
                     WHEN MATCHED THEN UPDATE SET n = s.n \
                     WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n) \
                     OUTPUT $action AS action, inserted.id AS id, inserted.n AS n;",
                );
            let written = session
                .fetch(merge, |row| {
                    let action = Tiberius::get_text(row, "action")?.unwrap_or_default();
                    let n = Tiberius::get_integer(row, "n")?;
                    Ok((action, (case.get)(row, "id")?, n))
                })
                .await?;
            let expected = [(action.to_owned(), id, n)];
            ensure!(written == expected, "{column:?}: {written:x?}");
        }
        for (n, id) in [(2, ids[0]), (3, ids[1])] {
            let found = table.records_of(session, id).await?;
            let parent = None;
            ensure!(found == [Record { n, id, parent }], "{column:?}: {found:?}");
        }
    }
    Ok(())
}
