//! NOT NULL of the columns. From PostgreSQL 18 on it is a constraint with a name, which stays with
//! the columns that programs use.

use std::collections::BTreeMap;

use rowkey_core::Backend;
use rowkey_tables::catalog::QualifiedName;
use rowkey_tables::{Error, Value};

use super::names::{has_column, quoted};
use super::session;
use crate::runner::Runner;
use crate::work::{ChangedColumn, ChangedTable, Form, Work};

/// The names of the NOT NULL constraints of columns. Before PostgreSQL 18 there are none.
pub(super) struct NotNullNames(BTreeMap<(QualifiedName, String), String>);

impl NotNullNames {
    /// Of all columns of the tables that change.
    pub(super) async fn of(runner: &mut Runner<'_>, work: &Work) -> Result<Self, Error> {
        let query = "SELECT a.attname::text, k.conname::text FROM pg_constraint k \
                     JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey) \
                     WHERE k.conrelid = to_regclass($1) AND k.contype = 'n'";
        let mut names = BTreeMap::new();
        for table in &work.tables {
            let doing = format!("the NOT NULL constraints of {}", table.name());
            let values = [Value::Text(table.name().quoted(Backend::Postgres)?)];
            for row in runner.query(&doing, query, &values).await? {
                let column = (table.name().clone(), row.text(0)?.to_owned());
                names.insert(column, row.text(1)?.to_owned());
            }
        }
        Ok(Self(names))
    }

    /// That of a column.
    pub(super) fn get(&self, table: &ChangedTable, column: &str) -> Option<&str> {
        let column = (table.name().clone(), column.to_owned());
        self.0.get(&column).map(String::as_str)
    }

    /// Whether a constraint is that of a column which programs use, and changes.
    pub(super) fn contains(&self, table: &ChangedTable, name: &str) -> bool {
        let used = |column: &ChangedColumn| {
            let names = [&column.column.name, &column.new_name];
            names
                .map(|column| self.get(table, column))
                .contains(&Some(name))
        };
        table.columns.iter().any(used)
    }

    /// Gives the constraints of a form the names that those of the other have had. In the swap, the
    /// old column stays, with its constraint unless it `lacks` values.
    pub(super) fn carried(
        &self,
        work: &Work,
        table: &ChangedTable,
        form: Form,
        lacks: bool,
    ) -> Result<Vec<String>, Error> {
        let name = table.name().quoted(work.backend)?;
        let rename = |from: &str, to: &str| -> Result<String, Error> {
            let (from, to) = (quoted(from)?, quoted(to)?);
            Ok(format!(
                "ALTER TABLE {name} RENAME CONSTRAINT {from} TO {to}"
            ))
        };
        let mut statements = Vec::new();
        for (place, column) in table.columns.iter().enumerate() {
            let Some(leaving) = self.get(table, column.used(form.other())) else {
                continue;
            };
            let (new, old) = (
                work.made(table, &new(place)).name,
                work.made(table, &old(place)).name,
            );
            let (before, aside) = match form {
                Form::New => (new, Some(old).filter(|_| !lacks)),
                Form::Old => (old, None),
            };
            if let Some(aside) = aside {
                statements.push(rename(leaving, &aside)?);
            }
            let before = self.get(table, &column.filled(form)).unwrap_or(&before);
            if form == Form::New || !lacks {
                statements.push(rename(before, leaving)?);
            }
        }
        Ok(statements)
    }
}

/// Makes a column NOT NULL, where the server names that with a constraint of this name.
pub(super) fn set_not_null(
    table: &ChangedTable,
    column: &str,
    constraint: Option<&str>,
) -> Result<String, Error> {
    let (name, column) = (table.name().quoted(Backend::Postgres)?, quoted(column)?);
    Ok(match constraint {
        Some(constraint) => format!(
            "ALTER TABLE {name} ADD CONSTRAINT {} NOT NULL {column}",
            quoted(constraint)?
        ),
        None => format!("ALTER TABLE {name} ALTER COLUMN {column} SET NOT NULL"),
    })
}

/// What the constraint of a new column is called until the swap.
fn new(place: usize) -> String {
    format!("not_null{place}")
}

/// What that of an old column is called from the swap on.
fn old(place: usize) -> String {
    format!("not_null_before{place}")
}

/// Makes the new columns NOT NULL where the old ones are, without a long lock.
pub(super) async fn set(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
) -> Result<(), Error> {
    let name = table.name().quoted(work.backend)?;
    let names = NotNullNames::of(runner, work).await?;
    let columns = table.columns.iter().enumerate();
    for (place, column) in columns.filter(|(_, column)| !column.column.is_nullable) {
        if has_column(runner, table, &column.shadow_name(), "attnotnull").await? {
            continue;
        }
        let doing = format!("NOT NULL of {}.{}", table.name(), column.shadow_name());
        let shadow = quoted(&column.shadow_name())?;
        let check = quoted(&work.made(table, "not_null").name)?;
        let add = vec![
            format!("ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {check}"),
            format!(
                "ALTER TABLE {name} ADD CONSTRAINT {check} CHECK ({shadow} IS NOT NULL) NOT VALID"
            ),
        ];
        session::in_transaction(runner, work, &doing, &add).await?;
        let validate = vec![format!("ALTER TABLE {name} VALIDATE CONSTRAINT {check}")];
        if let Err(error) = session::in_transaction(runner, work, &doing, &validate).await {
            return Err(not_filled(runner, table, column).await?.unwrap_or(error));
        }
        let constraint = work.made(table, &new(place)).name;
        let is_named = names.get(table, &column.column.name).is_some();
        let constraint = is_named.then_some(constraint.as_str());
        // The check spares the server the scan under its lock.
        let set = vec![
            set_not_null(table, &column.shadow_name(), constraint)?,
            format!("ALTER TABLE {name} DROP CONSTRAINT {check}"),
        ];
        session::in_transaction(runner, work, &doing, &set).await?;
    }
    Ok(())
}

/// The error for rows whose new column is empty, although the old one is not.
async fn not_filled(
    runner: &mut Runner<'_>,
    table: &ChangedTable,
    column: &ChangedColumn,
) -> Result<Option<Error>, Error> {
    let name = table.name().quoted(rowkey_core::Backend::Postgres)?;
    let (old, shadow) = (quoted(&column.column.name)?, quoted(&column.shadow_name())?);
    let query = format!(
        "SELECT count(*), min({old}::text) FROM {name} WHERE {shadow} IS NULL AND {old} IS NOT NULL"
    );
    let doing = format!(
        "the empty values of {}.{}",
        table.name(),
        column.shadow_name()
    );
    let row = runner.one_row(&doing, &query, &[]).await?;
    Ok(match row.count(0)? {
        0 => None,
        count => Some(Error::refused(
            format!("{}.{}", table.name(), column.column.name),
            format!(
                "{count} of its rows were written while triggers were disabled, such as {}, and have no \
                 new value",
                row.text(1)?
            ),
            format!("run UPDATE {name} SET {old} = {old} WHERE {shadow} IS NULL, then go on"),
        )),
    })
}
