//! Indexes and references, which the job adds unless they are there: a job that is run again goes
//! on.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::text_literal::text_literal;
use serde::Serialize;

use crate::tables::table_side::TableSide;

/// What the job adds after the rows.
#[derive(Debug, Serialize)]
pub(super) struct Object {
    /// The query for how many of this name the table has: 0 or 1.
    found: String,
    add: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Index,
    Reference,
}

/// The objects of a table from their names and the statements that add them.
pub(super) fn objects(
    to: &TableSide,
    kind: ObjectKind,
    objects: &[(String, String)],
) -> Result<Vec<Object>, Error> {
    let objects = objects.iter().map(|(name, add)| {
        Ok(Object {
            found: found(to, kind, name)?,
            add: add.clone(),
        })
    });
    objects.collect()
}

/// An index and a reference of one table may have the same name, and so may those of two tables.
fn found(to: &TableSide, kind: ObjectKind, name: &str) -> Result<String, Error> {
    let text = |text: &str| text_literal(to.backend, text);
    let name = text(name);
    Ok(match to.backend {
        Backend::Postgres => {
            let table = text(&to.quoted()?);
            match kind {
                ObjectKind::Index => format!(
                    "SELECT COUNT(*) FROM pg_index JOIN pg_class ON oid = indexrelid \
                     WHERE indrelid = {table}::regclass AND relname = {name}"
                ),
                ObjectKind::Reference => format!(
                    "SELECT COUNT(*) FROM pg_constraint \
                     WHERE conrelid = {table}::regclass AND contype = 'f' AND conname = {name}"
                ),
            }
        }
        _ => {
            let schema = to.name.schema.as_deref();
            let schema = schema.map_or_else(|| "DATABASE()".into(), text);
            let place = format!(
                "table_schema = {schema} AND table_name = {}",
                text(&to.name.name)
            );
            match kind {
                ObjectKind::Index => format!(
                    "SELECT COUNT(DISTINCT index_name) FROM information_schema.statistics \
                     WHERE {place} AND index_name = {name}"
                ),
                ObjectKind::Reference => format!(
                    "SELECT COUNT(*) FROM information_schema.table_constraints \
                     WHERE {place} AND constraint_type = 'FOREIGN KEY' AND constraint_name = {name}"
                ),
            }
        }
    })
}
