//! Tables made anew, with the rows of the old ones.

use rowkey_core::Backend;
use rowkey_tables::catalog::{Generated, QualifiedName, Table};
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::{Error, Value};

use super::definition::{Definition, quote};
use crate::runner::Runner;

/// A table to be made anew under its name.
pub(super) struct Rebuild<'w> {
    /// The table as it is.
    pub(super) name: &'w QualifiedName,
    /// The new `CREATE TABLE` statement.
    pub(super) definition: String,
    /// The new `CREATE INDEX` statements.
    pub(super) indexes: Vec<String>,
    /// Each new column as written in SQL, and the SQL of its value in the old row.
    pub(super) columns: Vec<(String, String)>,
    /// The columns of the old table, under names that the new one may not have.
    pub(super) old_columns: Vec<String>,
    /// Whether the new table has a column that is the number of the row.
    pub(super) is_rowid_a_column: bool,
    /// Whether the old table counts, and the new one does not, but may have to again.
    pub(super) puts_counter_away: bool,
}

/// The names of a table's columns.
pub(super) fn names_of_columns(table: &Table) -> Vec<String> {
    let columns = table.columns.iter();
    columns.map(|column| column.name.clone()).collect()
}

/// The name that a table has while its rows are copied.
pub(super) fn name_aside(name: &QualifiedName) -> QualifiedName {
    name.sibling(format!("rowkey_old_{}", name.name))
}

/// Makes tables anew. Nothing refers to the old ones at the end, and whatever the new ones do not
/// change is as before: triggers, numbers of rows, the counter, statistics.
///
/// Foreign keys are not enforced, and the transaction is open.
pub(super) async fn rebuild(runner: &mut Runner<'_>, tables: &[Rebuild<'_>]) -> Result<(), Error> {
    let dangling = dangling(runner, tables).await?;
    let mut triggers = Vec::new();
    for table in tables {
        triggers.extend(triggers_of(runner, table.name).await?);
    }
    // Otherwise, SQLite would make what refers to the table refer to it under its other name.
    runner
        .run("the mode of renaming", "PRAGMA legacy_alter_table = ON")
        .await?;
    for table in tables {
        put_aside(runner, table).await?;
    }
    for table in tables {
        runner
            .run(&format!("the new table {}", table.name), &table.definition)
            .await?;
    }
    for table in tables {
        copy(runner, table).await?;
    }
    for table in tables {
        drop_old(runner, table).await?;
    }
    runner
        .run("the mode of renaming", "PRAGMA legacy_alter_table = OFF")
        .await?;
    let indexes = tables.iter().flat_map(|table| &table.indexes);
    for definition in indexes.chain(&triggers) {
        runner.run("an index or a trigger", definition).await?;
    }
    for table in tables {
        refresh_statistics(runner, table).await?;
    }
    examine(runner, tables, &dangling).await
}

async fn put_aside(runner: &mut Runner<'_>, table: &Rebuild<'_>) -> Result<(), Error> {
    let (name, aside) = names(table)?;
    let rename = format!("ALTER TABLE {name} RENAME TO {aside}");
    let doing = format!("the old table {}", table.name);
    runner.run(&doing, &rename).await.map(|_| ())
}

fn names(table: &Rebuild<'_>) -> Result<(String, String), Error> {
    let name = table.name.quoted(Backend::Sqlite)?;
    Ok((name, name_aside(table.name).quoted(Backend::Sqlite)?))
}

async fn copy(runner: &mut Runner<'_>, table: &Rebuild<'_>) -> Result<(), Error> {
    let (name, aside) = names(table)?;
    let definition = Definition::read(&table.definition)?;
    let rowid = match definition.has_rowid() && !table.is_rowid_a_column {
        true => name_of_rowid(table),
        false => None,
    };
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for (column, value) in &table.columns {
        columns.push(column.as_str());
        values.push(value.as_str());
    }
    columns.extend(rowid);
    values.extend(rowid);
    let insert = format!(
        "INSERT INTO {name} ({}) SELECT {} FROM {aside}",
        columns.join(", "),
        values.join(", ")
    );
    let doing = format!("the rows of {}", table.name);
    let rows = runner.run(&doing, &insert).await?;
    if !runner.is_dry() {
        let count = format!("SELECT count(*) FROM {aside}");
        let expected = runner.count(&doing, &count).await?;
        if expected != rows {
            return Err(Error::Differs {
                what: table.name.to_string(),
                found: format!("{rows} rows were copied of {expected}"),
            });
        }
        runner.rows(&table.name.to_string(), rows, Some(rows));
    }
    keep_counter(runner, table, definition.counts()).await
}

/// Takes over the counter, which may be ahead of the largest number that is left, or puts it away
/// for the way back.
async fn keep_counter(
    runner: &mut Runner<'_>,
    table: &Rebuild<'_>,
    counts: bool,
) -> Result<(), Error> {
    let doing = format!("the counter of {}", table.name);
    let here = text_literal(Backend::Sqlite, &table.name.name);
    let aside = text_literal(Backend::Sqlite, &name_aside(table.name).name);
    let away = text_literal(Backend::Sqlite, &name_of_counter(table.name));
    if counts {
        let insert = format!(
            "INSERT INTO sqlite_sequence (name, seq) SELECT {here}, max(seq) FROM sqlite_sequence \
             WHERE name IN ({here}, {aside}, {away}) HAVING count(*) > 0"
        );
        runner.run(&doing, &insert).await?;
        let delete = format!(
            "DELETE FROM sqlite_sequence WHERE name = {here} \
             AND rowid < (SELECT max(rowid) FROM sqlite_sequence WHERE name = {here})"
        );
        runner.run(&doing, &delete).await?;
    } else if table.puts_counter_away {
        let insert = format!(
            "INSERT INTO sqlite_sequence (name, seq) SELECT {away}, seq FROM sqlite_sequence \
             WHERE name = {aside}"
        );
        runner.run(&doing, &insert).await?;
    }
    Ok(())
}

/// The name under which a counter is kept while its table does not count.
pub(super) fn name_of_counter(name: &QualifiedName) -> String {
    format!("rowkey_counter_{}", name.name)
}

/// A name of the row's number that no column has, in the new table and in the old one.
fn name_of_rowid(table: &Rebuild<'_>) -> Option<&'static str> {
    let is_column = |name: &str| {
        let new = table.columns.iter().map(|(column, _)| column.as_str());
        let mut columns = new.chain(table.old_columns.iter().map(String::as_str));
        columns.any(|column| column.trim_matches('`').eq_ignore_ascii_case(name))
    };
    ["rowid", "_rowid_", "oid"]
        .into_iter()
        .find(|name| !is_column(name))
}

async fn drop_old(runner: &mut Runner<'_>, table: &Rebuild<'_>) -> Result<(), Error> {
    let (_, aside) = names(table)?;
    let doing = format!("the old table {}", table.name);
    let drop = format!("DROP TABLE {aside}");
    runner.run(&doing, &drop).await.map(|_| ())
}

/// The triggers on a table, as they are defined.
async fn triggers_of(runner: &mut Runner<'_>, table: &QualifiedName) -> Result<Vec<String>, Error> {
    let query = "SELECT sql FROM sqlite_master WHERE type = 'trigger' \
                 AND tbl_name = ? COLLATE NOCASE ORDER BY rowid";
    let rows = runner
        .query("the triggers", query, &[Value::from(table.name.as_str())])
        .await?;
    rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}

/// Counts rows again if somebody has had them counted: what was known is dropped with the old
/// table.
async fn refresh_statistics(runner: &mut Runner<'_>, table: &Rebuild<'_>) -> Result<(), Error> {
    let exists = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'";
    if runner.is("the statistics", exists, &[]).await? {
        let (name, _) = names(table)?;
        let analyze = format!("ANALYZE {name}");
        runner.run("the statistics", &analyze).await?;
    }
    Ok(())
}

/// The references of the tables without a target: table, target, number of the reference, rows.
async fn dangling(
    runner: &mut Runner<'_>,
    tables: &[Rebuild<'_>],
) -> Result<Vec<(String, String, i64, i64)>, Error> {
    let query = "SELECT parent, fkid, count(*) FROM pragma_foreign_key_check(?) \
                 GROUP BY parent, fkid ORDER BY parent, fkid";
    let mut found = Vec::new();
    for table in tables {
        let name = &table.name.name;
        let rows = runner
            .query("the references", query, &[Value::from(name.as_str())])
            .await?;
        for row in rows {
            found.push((
                name.clone(),
                row.text(0)?.into(),
                row.integer(1)?,
                row.integer(2)?,
            ));
        }
    }
    Ok(found)
}

/// Compares the references with those before, and looks for damage in the file.
async fn examine(
    runner: &mut Runner<'_>,
    tables: &[Rebuild<'_>],
    before: &[(String, String, i64, i64)],
) -> Result<(), Error> {
    if runner.is_dry() {
        return Ok(());
    }
    let now = dangling(runner, tables).await?;
    if let Some((table, target, _, rows)) = now.iter().find(|found| !before.contains(found)) {
        return Err(Error::Differs {
            what: format!("the reference of {table} to {target}"),
            found: format!("{rows} rows have no target, and it was another number before"),
        });
    }
    for table in tables {
        let query = "SELECT quick_check FROM pragma_quick_check(?)";
        let name = Value::from(table.name.name.as_str());
        let rows = runner.query("the new table", query, &[name]).await?;
        let found = rows.first().map_or(Ok("no answer"), |row| row.text(0))?;
        if found != "ok" {
            return Err(Error::Differs {
                what: table.name.to_string(),
                found: found.to_owned(),
            });
        }
    }
    Ok(())
}

/// The columns of a table that can be written, as written in SQL.
pub(super) fn written_columns(table: &Table) -> Result<Vec<(&str, String)>, Error> {
    let written = table
        .columns
        .iter()
        .filter(|column| column.generated != Generated::Computed);
    written
        .map(|column| {
            let quoted = quote(&column.name)?;
            Ok((column.name.as_str(), quoted))
        })
        .collect()
}
