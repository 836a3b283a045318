//! Which keys are looked at.
//!
//! PostgreSQL and SQL Server read random pages of a table. The others have no samples: they read
//! the keys of all rows once, in an index, and sort only a random part of them.

use rowkey_core::Backend;
use rowkey_tables::catalog::Table;
use rowkey_tables::{Connection, Error};

use super::key::KeyColumn;
use crate::engine::{Sample, engine};
use crate::mapping::partitions::is_partitioned;

/// An estimate of fewer rows is not trusted, because counting them takes no time if it is right.
const COUNTED: u64 = 100_000;

/// Makes the session compare whole values, and show them as every session reads them.
pub(super) async fn prepare(source: &mut Connection) -> Result<(), Error> {
    if let Some(statement) = engine(source.backend()).sessions.show_keys {
        source
            .execute("the session of the source", statement)
            .await?;
    }
    Ok(())
}

/// How many rows a table has, roughly if it has many.
pub(super) async fn rows(source: &mut Connection, table: &Table) -> Result<u64, Error> {
    if let Some(rows @ COUNTED..) = table.estimated_rows {
        return Ok(rows);
    }
    let function = engine(source.backend()).rows.count;
    let query = format!(
        "SELECT {function}(*) FROM {}",
        from(source.backend(), table)?
    );
    number(source, table, &query).await
}

async fn number(source: &mut Connection, table: &Table, query: &str) -> Result<u64, Error> {
    let doing = format!("the rows of {}", table.name);
    source.count(&doing, query, &[]).await
}

/// The table itself, without those that inherit from it; or its partitions, where it has no rows.
fn from(backend: Backend, table: &Table) -> Result<String, Error> {
    let only = match is_partitioned(table, backend) {
        true => "",
        false => engine(backend).rows.only,
    };
    Ok(format!("{only}{}", table.name.quoted(backend)?))
}

/// The query for different keys in their order, and for how many rows have each of them: in all
/// rows, or in at least as many as wanted.
pub(super) async fn query(
    source: &mut Connection,
    table: &Table,
    key: &[KeyColumn],
    rows: u64,
    wanted: u64,
) -> Result<String, Error> {
    let backend = source.backend();
    let samples = &engine(backend).rows;
    let pages = match samples.pages {
        Some(pages) => {
            let query = pages(&table.name.quoted(backend)?);
            number(source, table, &query).await?
        }
        None => rows,
    };
    let wanted = (samples.sampled)(wanted);
    // Half of a table is hardly quicker than all of it.
    let share = Some(wanted as f64 / pages.max(1) as f64).filter(|share| *share < 0.5);
    Ok(text(backend, &from(backend, table)?, key, share))
}

fn text(backend: Backend, from: &str, key: &[KeyColumn], share: Option<f64>) -> String {
    let columns: Vec<&str> = key.iter().map(|column| column.quoted.as_str()).collect();
    let columns = columns.join(", ");
    // In PostgreSQL, `id::text` would be called `id`, and the keys would be in the order of their
    // text.
    let shown = (1..)
        .zip(key)
        .map(|(place, column)| format!("{} AS rowkey_shown_{place}", column.shown()));
    let shown = shown.collect::<Vec<_>>().join(", ");
    let mut sampled = from.to_owned();
    let mut conditions: Vec<String> = key
        .iter()
        .filter(|column| column.is_nullable)
        .map(|column| format!("{} IS NOT NULL", column.quoted))
        .collect();
    if let Some(share) = share {
        match (engine(backend).rows.sample)(share) {
            Sample::Pages(words) => sampled += &words,
            Sample::Condition(condition) => conditions.push(condition),
        }
    }
    let condition = match conditions.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", conditions.join(" AND ")),
    };
    let count = engine(backend).rows.count;
    format!(
        "SELECT {shown}, {count}(*) FROM {sampled}{condition} GROUP BY {columns} ORDER BY {columns}"
    )
}

#[cfg(test)]
mod tests {
    use super::super::key::tests::key_column;
    use super::*;

    #[test]
    fn sql_server_reads_pages_and_sorts_guids_in_its_own_order() {
        let key = [key_column(
            Backend::SqlServer,
            "id",
            "uniqueidentifier",
            true,
        )];
        assert_eq!(
            text(Backend::SqlServer, "[offer]", &key, Some(0.01)),
            "SELECT CONVERT(varchar(40), [id]) AS rowkey_shown_1, COUNT_BIG(*) \
             FROM [offer] TABLESAMPLE (1.000000000 PERCENT) WHERE [id] IS NOT NULL GROUP BY [id] ORDER BY [id]",
        );
        assert_eq!(
            text(Backend::SqlServer, "[offer]", &key[..], None),
            "SELECT CONVERT(varchar(40), [id]) AS rowkey_shown_1, COUNT_BIG(*) FROM [offer] \
             WHERE [id] IS NOT NULL GROUP BY [id] ORDER BY [id]",
        );
    }

    #[test]
    fn other_databases_have_their_own_words_for_a_random_part() {
        let sql = |backend, share| {
            let key = [key_column(backend, "id", "bigint", false)];
            text(backend, "t", &key, share)
        };
        for (backend, share, expected) in [
            (
                Backend::Postgres,
                Some(0.25),
                "FROM t TABLESAMPLE SYSTEM (25.000000000) GROUP BY",
            ),
            (
                Backend::MySql,
                Some(0.25),
                "FROM t WHERE RAND() < 0.250000000 GROUP BY",
            ),
            (
                Backend::Sqlite,
                Some(0.25),
                "FROM t WHERE abs(random() % 1000000000) < 250000000 GROUP BY",
            ),
            (Backend::MariaDb, None, "FROM t GROUP BY"),
        ] {
            let sql = sql(backend, share);
            assert!(sql.contains(expected), "{sql}");
        }
    }
}
