//! Tables with partitions: more of them, and which of them a query reads.

use anyhow::{Result, ensure};
use rowkey::Backend;

use crate::driver::{Driver, Session};
use crate::query::Query;

/// Runs the statements that add partitions to a table with a rest.
pub(crate) async fn add_partitions<D: Driver>(
    session: &mut Session<D>,
    table: &str,
    statements: Vec<String>,
) -> Result<()> {
    for statement in statements {
        // In PostgreSQL the rows of a new partition have to leave the rest first.
        if session.backend() == Backend::Postgres {
            let added = session.execute(&statement).await;
            ensure!(added.is_err(), "{table}: rows were moved");
            let rest = session.quoted(&format!("{table}_rest"));
            session.execute(format!("DELETE FROM {rest}")).await?;
        }
        session.execute(statement).await?;
    }
    Ok(())
}

/// Those of the known partitions, without the table's name, that a query reads, as reported by the
/// server.
pub(crate) async fn partitions_read<D: Driver>(
    session: &mut Session<D>,
    table: &str,
    known: impl IntoIterator<Item = &'static str>,
    query: Query<D>,
) -> Result<Vec<&'static str>> {
    let backend = session.backend();
    let (explain, column) = match backend {
        Backend::Postgres => ("EXPLAIN ", "QUERY PLAN"),
        // Without a format, the word differs between versions.
        _ => ("EXPLAIN FORMAT=JSON ", "EXPLAIN"),
    };
    if backend != Backend::Postgres {
        // MySQL's second format does not name partitions. Older servers and MariaDB do not read the
        // comment.
        let format = "SET @rowkey = NULL /*!80300 , SESSION explain_json_format_version = 1 */";
        session.execute(format).await?;
    }
    let query = query.after(explain);
    let lines = session.fetch(query, |row| D::get_text(row, column)).await?;
    let plan: String = lines.into_iter().flatten().collect();
    let is_read = |name: &&str| match backend {
        Backend::Postgres => plan.contains(&format!(" on \"{table}_{name}\"")),
        // Partitions by time are called `p` and their day.
        _ if name.starts_with(|first: char| first.is_ascii_digit()) => {
            plan.contains(&format!("\"p{name}\""))
        }
        _ => plan.contains(&format!("\"{name}\"")),
    };
    Ok(known.into_iter().filter(is_read).collect())
}
