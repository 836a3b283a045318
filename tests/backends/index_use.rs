//! The query plans of databases.

use anyhow::{Result, ensure};
use rowkey::Backend;

use crate::driver::{Ability, Driver, Session};
use crate::query::Query;

/// Checks that a query searches indexes and reads nothing else, if the driver supports it: the
/// server plans a query the same way for every client.
pub(crate) async fn check_index_use<D: Driver>(
    session: &mut Session<D>,
    push_query: impl FnOnce(&mut Query<D>),
) -> Result<()> {
    let backend = session.backend();
    if !D::can(Ability::Explain, backend) {
        return Ok(());
    }
    let mut explain = Query::new(match backend {
        Backend::Sqlite => "EXPLAIN QUERY PLAN ",
        // MySQL 9 shows a tree otherwise.
        Backend::MySql | Backend::MariaDb => "EXPLAIN FORMAT=TRADITIONAL ",
        _ => "EXPLAIN ",
    });
    push_query(&mut explain);
    let columns = match backend {
        Backend::Postgres => ["QUERY PLAN"].as_slice(),
        Backend::Sqlite => &["detail"],
        _ => &["type", "key"],
    };
    let steps = session
        .fetch(explain, |row| {
            let text = |column: &&str| D::get_text(row, column);
            columns.iter().map(text).collect::<Result<Vec<_>, _>>()
        })
        .await?;
    for step in &steps {
        let step: Vec<&str> = step
            .iter()
            .map(|text| text.as_deref().unwrap_or(""))
            .collect();
        let is_search = match (backend, step.as_slice()) {
            (Backend::Postgres, [step]) => !step.contains("Seq Scan"),
            (Backend::Sqlite, [step]) => {
                step.starts_with("SEARCH") && step.contains("INDEX")
                    || *step == "MULTI-INDEX OR"
                    || step.starts_with("INDEX ")
            }
            (_, [access, key]) => *access == "range" && *key == "PRIMARY",
            _ => false,
        };
        ensure!(is_search, "a step is {step:?}");
    }
    let steps = format!("{steps:?}");
    ensure!(
        backend != Backend::Postgres || steps.contains("Index Cond"),
        "the index is not used: {steps}"
    );
    Ok(())
}
