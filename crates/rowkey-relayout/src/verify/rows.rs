//! The rows of a table as they were and as they are, with the old values on both sides.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_sql::Conversion;
use rowkey_tables::catalog::{Catalog, QualifiedName, Table};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::ColumnType;
use rowkey_tables::{Connection, Error};

use crate::engine::labelled;
use crate::id_map::{IdMap, Reading, map_column};
use crate::plan::{Plan, PlannedColumn};
use crate::state::old_table;
use crate::work::Form;

/// A table of the plan as it is now.
pub(super) struct PlannedTable<'c> {
    pub(super) table: &'c Table,
    pub(super) columns: Vec<PlannedColumn<'c>>,
}

/// How many rows of a table fulfil a condition.
pub(super) async fn count(
    connection: &mut Connection,
    planned: &PlannedTable<'_>,
    condition: &str,
) -> Result<u64, Error> {
    let name = planned.table.name.quoted(connection.backend())?;
    let query = format!("SELECT COUNT(*) FROM {name} WHERE {condition}");
    let doing = format!("the rows of {}", planned.table.name);
    connection.count(&doing, &query, &[]).await
}

/// Two queries that return the same rows, unless something is wrong.
pub(super) struct Sides {
    pub(super) old: String,
    pub(super) new: String,
    /// How many of the first columns are the key.
    pub(super) keys: usize,
    /// The condition for the rows of new programs that have no old id, because nothing makes one.
    pub(super) is_without_old_id: Option<String>,
}

/// How an old value is written on both sides.
enum Written {
    /// In the old form, which the new one is converted to.
    Converted(Conversion),
    /// As the text that the map of new ids has.
    Mapped(IdMap),
}

impl Sides {
    /// The queries for a table; nothing if its old values are gone.
    pub(super) fn of(
        plan: &Plan,
        catalog: &Catalog,
        planned: &PlannedTable<'_>,
    ) -> Result<Option<Self>, Error> {
        let (backend, now) = (catalog.backend, planned.table);
        let kept_aside = old_table(backend, &now.name).and_then(|name| catalog.table(&name).ok());
        let is_kept = |column: &PlannedColumn<'_>| now.column(&column.retired_name()).is_some();
        let before = match kept_aside {
            Some(table) => table,
            None if planned.columns.iter().all(is_kept) => now,
            None => return Ok(None),
        };
        let written = Written::of(plan, backend)?;
        let is_in_place = before.name == now.name;
        let is_mapped = matches!(written, Written::Mapped(_));
        let lacks_old_ids = is_mapped && is_in_place && lacks_old_ids(plan, catalog)?;
        let mut is_without_old_id = None;
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let names = in_order(before, planned, !is_in_place);
        for (name, column) in &names.columns {
            let (of_old, of_new) = match column {
                None => {
                    let quoted = quote_identifier(backend, name)?;
                    let compared = ColumnType::parse(backend, type_of(before, name));
                    let compared = compared.as_compared(&quoted);
                    (compared.clone(), compared)
                }
                Some(column) => {
                    let kept = match is_in_place {
                        true => &column.retired_name(),
                        false => column.name,
                    };
                    let kept = quote_identifier(backend, kept)?;
                    let current = quote_identifier(backend, column.becomes)?;
                    let of_old = written.of_before(backend, type_of(before, name), &kept);
                    if lacks_old_ids && column.is_key {
                        is_without_old_id = Some(format!("{kept} IS NULL"));
                    }
                    (
                        backend.as_compared(&of_old),
                        written.of_now(backend, &current, lacks_old_ids)?,
                    )
                }
            };
            old.push(of_old);
            new.push(of_new);
        }
        let select = |values: &[String], table: &QualifiedName| -> Result<String, Error> {
            Ok(format!(
                "SELECT {} FROM {}",
                values.join(", "),
                table.quoted(backend)?
            ))
        };
        Ok(Some(Self {
            old: select(&old, &before.name)?,
            new: select(&new, &now.name)?,
            keys: names.keys,
            is_without_old_id,
        }))
    }
}

impl Written {
    fn of(plan: &Plan, backend: Backend) -> Result<Self, Error> {
        let (from, to) = plan.forms(backend)?;
        if let Some(from) = from {
            return Ok(Self::Converted(Conversion::new(to, from)?));
        }
        Ok(Self::Mapped(IdMap::new(&plan.key.table, to)?))
    }

    fn of_before(&self, backend: Backend, sql_type: &str, kept: &str) -> String {
        match self {
            Self::Converted(_) => kept.into(),
            Self::Mapped(_) => ColumnType::parse(backend, sql_type).as_mapped(kept),
        }
    }

    /// The old value of a new one, as it is compared.
    fn of_now(
        &self,
        backend: Backend,
        current: &str,
        lacks_old_ids: bool,
    ) -> Result<String, Error> {
        match self {
            Self::Converted(conversion) => Ok(backend.as_compared(&conversion.of(current)?)),
            Self::Mapped(map) => {
                let text = map.text_of_new(current)?;
                let old = map.lookup(map_column(Form::Old), Form::New, &text, Reading::Snapshot);
                if lacks_old_ids {
                    return Ok(backend.as_compared(&old));
                }
                // An id that the map lacks must not compare as NULL, and has to be named.
                Ok(format!(
                    "COALESCE({}, {})",
                    backend.as_compared(&old),
                    labelled(backend, "the new id ", &backend.as_compared(&text))
                ))
            }
        }
    }
}

/// Whether rows of new programs get no old ids: where they do, the old key is never NULL. Keys of
/// SQLite may be nullable anyway.
fn lacks_old_ids(plan: &Plan, catalog: &Catalog) -> Result<bool, Error> {
    if catalog.backend.stores_any_type() {
        return Ok(false);
    }
    let table = catalog.table(&plan.key.table)?;
    let mut kept = plan.columns().filter(|column| column.is_key);
    let kept = kept.find_map(|column| table.column(&column.retired_name()));
    Ok(kept.is_some_and(|kept| kept.is_nullable))
}

fn type_of<'t>(table: &'t Table, column: &str) -> &'t str {
    let found = table.column(column);
    &found.expect("the name is one of the table's").sql_type
}

/// The columns that are on both sides: the key's first.
struct Names<'p> {
    columns: Vec<(String, Option<&'p PlannedColumn<'p>>)>,
    keys: usize,
}

fn in_order<'p>(before: &Table, planned: &'p PlannedTable<'p>, is_aside: bool) -> Names<'p> {
    let of_plan = |name: &str| {
        let mut columns = planned.columns.iter();
        columns.find(|column| match is_aside {
            true => column.name == name,
            false => column.becomes == name,
        })
    };
    let key = before.primary_key();
    let key = key.map_or(&[][..], |key| &key.columns);
    let is_kept = |name: &str| {
        planned
            .columns
            .iter()
            .any(|column| column.retired_name() == name)
    };
    let rest = before.columns.iter().map(|column| &column.name);
    let rest = rest.filter(|name| !key.contains(name) && (is_aside || !is_kept(name)));
    let is_now = |name: &str| of_plan(name).is_some() || planned.table.column(name).is_some();
    let columns: Vec<_> = key
        .iter()
        .chain(rest)
        .filter(|name| is_now(name))
        .map(|name| (name.clone(), of_plan(name)))
        .collect();
    let keys = match key.iter().filter(|name| is_now(name)).count() {
        0 => columns.len(),
        keys => keys,
    };
    Names { columns, keys }
}
