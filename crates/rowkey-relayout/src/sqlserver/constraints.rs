//! Keys, indexes and references on one side of the change, with the names and the properties of the
//! other.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::{ForeignKey, Index, Key};

use super::names::{quoted, quoted_list};
use crate::work::{ChangedColumn, ChangedTable, Work};

/// How the name of a column that changes is written.
pub(super) type Name = fn(&ChangedColumn) -> &str;

/// The name of a column after the swap.
pub(super) fn new_name(column: &ChangedColumn) -> &str {
    &column.becomes
}

/// The name of a column before the swap.
pub(super) fn old_name(column: &ChangedColumn) -> &str {
    &column.column.name
}

fn contains(table: &ChangedTable, columns: &[String]) -> bool {
    columns.iter().any(|column| table.changed(column).is_some())
}

/// The keys with a column that changes.
pub(super) fn keys(table: &ChangedTable) -> impl Iterator<Item = &Key> {
    let keys = table.table.keys.iter();
    keys.filter(|key| contains(table, &key.columns))
}

/// The other indexes with a column that changes.
pub(super) fn indexes(table: &ChangedTable) -> impl Iterator<Item = &Index> {
    let indexes = table.table.indexes.iter();
    indexes.filter(|index| contains(table, &index.columns))
}

/// The references with a column that changes.
pub(super) fn foreign_keys(table: &ChangedTable) -> impl Iterator<Item = &ForeignKey> {
    let keys = table.table.foreign_keys.iter();
    keys.filter(|key| contains(table, &key.columns))
}

/// Drops the references, the indexes and the keys, clustered ones last: dropping one builds all
/// other indexes of the table again.
pub(super) fn detach(work: &Work) -> Result<Vec<String>, Error> {
    let mut statements = Vec::new();
    for table in &work.tables {
        let name = table.name().quoted(Backend::SqlServer)?;
        for key in foreign_keys(table) {
            let key = quoted(&key.name)?;
            statements.push(format!("ALTER TABLE {name} DROP CONSTRAINT {key}"));
        }
    }
    for table in &work.tables {
        let name = table.name().quoted(Backend::SqlServer)?;
        for is_clustered in [false, true] {
            for index in indexes(table) {
                if index.is_clustered() == is_clustered {
                    let index = quoted(&index.name)?;
                    statements.push(format!("DROP INDEX {index} ON {name}"));
                }
            }
            for key in keys(table) {
                if key.is_clustered() == is_clustered {
                    let key = quoted(&key.name)?;
                    statements.push(format!("ALTER TABLE {name} DROP CONSTRAINT {key}"));
                }
            }
        }
    }
    Ok(statements)
}

/// Makes the keys and the indexes of a table, clustered ones first.
pub(super) fn attach_indexes(table: &ChangedTable, rename: Name) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(Backend::SqlServer)?;
    let mut statements = Vec::new();
    for (is_clustered, order) in [(true, "CLUSTERED"), (false, "NONCLUSTERED")] {
        for key in keys(table).filter(|key| key.is_clustered() == is_clustered) {
            let columns = renamed(table, &key.columns, rename)?;
            let constraint = quoted(&key.name)?;
            let kind = if key.is_primary {
                "PRIMARY KEY"
            } else {
                "UNIQUE"
            };
            statements.push(format!(
                "ALTER TABLE {name} ADD CONSTRAINT {constraint} {kind} {order} ({columns})"
            ));
        }
        for index in indexes(table).filter(|index| index.is_clustered() == is_clustered) {
            let columns = renamed(table, &index.columns, rename)?;
            let unique = if index.is_unique { "UNIQUE " } else { "" };
            let index = quoted(&index.name)?;
            statements.push(format!(
                "CREATE {unique}{order} INDEX {index} ON {name} ({columns})"
            ));
        }
    }
    Ok(statements)
}

/// The references of a table. Those that the server did not trust are not checked now either.
pub(super) fn attach_foreign_keys(
    work: &Work,
    table: &ChangedTable,
    rename: Name,
) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(Backend::SqlServer)?;
    let mut statements = Vec::new();
    for key in foreign_keys(table) {
        let columns = renamed(table, &key.columns, rename)?;
        let mut tables = work.tables.iter();
        let targets = match tables.find(|other| *other.name() == key.target) {
            Some(target) => renamed(target, &key.target_columns, rename)?,
            None => quoted_list(&key.target_columns)?,
        };
        let constraint = quoted(&key.name)?;
        let is = |word| key.attributes.split(' ').any(|found| found == word);
        let is_disabled = is("NOCHECK");
        let check = match is_disabled || is("UNTRUSTED") {
            true => "NOCHECK",
            false => "CHECK",
        };
        let replication = match is("UNREPLICATED") {
            true => " NOT FOR REPLICATION",
            false => "",
        };
        statements.push(format!(
            "ALTER TABLE {name} WITH {check} ADD CONSTRAINT {constraint} FOREIGN KEY ({columns}) \
             REFERENCES {} ({targets}) ON UPDATE {} ON DELETE {}{replication}",
            key.target.quoted(Backend::SqlServer)?,
            action(&key.on_update),
            action(&key.on_delete),
        ));
        if is_disabled {
            statements.push(format!(
                "ALTER TABLE {name} NOCHECK CONSTRAINT {constraint}"
            ));
        }
    }
    Ok(statements)
}

fn action(action: &str) -> &'static str {
    match action {
        "CASCADE" => "CASCADE",
        "SET NULL" => "SET NULL",
        "SET DEFAULT" => "SET DEFAULT",
        _ => "NO ACTION",
    }
}

fn renamed(table: &ChangedTable, columns: &[String], rename: Name) -> Result<String, Error> {
    let name = |column: &String| match table.changed(column) {
        Some(changed) => rename(changed).to_owned(),
        None => column.clone(),
    };
    let names: Vec<String> = columns.iter().map(name).collect();
    quoted_list(&names)
}
