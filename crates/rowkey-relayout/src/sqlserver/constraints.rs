//! Keys, indexes and references of one form, with the names and the properties of those of the
//! other.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Index, Key, ReferenceAttribute};

use super::names::quoted;
use crate::work::{ChangedTable, Form, Work, quoted_list};

/// The keys with a column that changes.
pub(super) fn keys(table: &ChangedTable) -> impl Iterator<Item = &Key> {
    let keys = table.table.keys.iter();
    keys.filter(|key| table.changes_any(&key.columns))
}

/// The other indexes with a column that changes.
pub(super) fn indexes(table: &ChangedTable) -> impl Iterator<Item = &Index> {
    let indexes = table.table.indexes.iter();
    indexes.filter(|index| table.changes_any(&index.columns))
}

/// Drops the references, the indexes and the keys, clustered ones last: dropping one builds all
/// other indexes of the table again.
pub(super) fn detach(work: &Work) -> Result<Vec<String>, Error> {
    let mut statements = Vec::new();
    for table in &work.tables {
        let name = table.name().quoted(Backend::SqlServer)?;
        for key in table.foreign_keys() {
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
pub(super) fn attach_indexes(table: &ChangedTable, form: Form) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(Backend::SqlServer)?;
    let mut statements = Vec::new();
    for (is_clustered, order) in [(true, "CLUSTERED"), (false, "NONCLUSTERED")] {
        for key in keys(table).filter(|key| key.is_clustered() == is_clustered) {
            let columns = names_in(table, &key.columns, form)?;
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
            let columns = names_in(table, &index.columns, form)?;
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
    form: Form,
) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(Backend::SqlServer)?;
    let mut statements = Vec::new();
    for key in table.foreign_keys() {
        let [columns, targets] = work.ends(table, key, form)?;
        let constraint = quoted(&key.name)?;
        let is_disabled = key.attributes.has(&ReferenceAttribute::NoCheck);
        let check = match is_disabled || key.attributes.has(&ReferenceAttribute::Untrusted) {
            true => "NOCHECK",
            false => "CHECK",
        };
        let replication = match key.attributes.has(&ReferenceAttribute::Unreplicated) {
            true => " NOT FOR REPLICATION",
            false => "",
        };
        statements.push(format!(
            "ALTER TABLE {name} WITH {check} ADD CONSTRAINT {constraint} FOREIGN KEY ({columns}) \
             REFERENCES {} ({targets}) ON UPDATE {} ON DELETE {}{replication}",
            key.target.quoted(Backend::SqlServer)?,
            key.on_update,
            key.on_delete,
        ));
        if is_disabled {
            statements.push(format!(
                "ALTER TABLE {name} NOCHECK CONSTRAINT {constraint}"
            ));
        }
    }
    Ok(statements)
}

/// The names of columns in a form, as a list.
fn names_in(table: &ChangedTable, columns: &[String], form: Form) -> Result<String, Error> {
    let names = table.renamed(columns, |column| column.used(form).to_owned());
    quoted_list(Backend::SqlServer, &names)
}
