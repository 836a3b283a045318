//! A plan from what the source's catalogue says.

use std::collections::{BTreeMap, BTreeSet};

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::StoragePlan;
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::{Catalog, Column, Generated, QualifiedName, Table};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{self, Type};
use rowkey_tables::{Connection, Error, Progress, Step};

use crate::engine::engine;
use crate::plan::{ColumnPlan, CopyPlan, CopyPolicy, TablePlan, VERSION};
use crate::replacements::Replacements;

/// Which tables of a database go to another, in the order of their references, and what their
/// columns become there. Ids whose format is certain get the form that a key of the format declares
/// by default.
///
/// `ids` is asked about columns of primary keys: it names the format of the ids and how they are
/// stored, as `STORAGE:LAYOUT`, if both are certain. Pass `doctor::stored_ids`, which looks at the
/// rows.
///
/// # Errors
///
/// Those of the catalogue and of `ids`.
pub async fn plan(
    source: &mut Connection,
    target: Backend,
    progress: &mut dyn Progress,
    mut ids: impl AsyncFnMut(
        &mut Connection,
        &Table,
        &str,
    ) -> Result<Option<(FormatKind, String)>, Error>,
) -> Result<CopyPlan, Error> {
    let catalog = Catalog::read(source).await?;
    let (left_out, mut tables): (Vec<&Table>, Vec<&Table>) =
        catalog.tables.iter().partition(|table| table.is_of_tools());
    order(&mut tables);
    let mut planner = Planner {
        source: source.backend(),
        target,
        ids: BTreeMap::new(),
    };
    for table in &tables {
        progress.report(Step::Begins(format!("examining {}", table.name)));
        for column in planner.id_columns(table) {
            if let Some((format, stored_from)) = ids(source, table, column).await? {
                planner.add_ids(table, column, format, stored_from);
            }
        }
    }
    planner.follow(&tables);
    Ok(CopyPlan {
        version: VERSION,
        source: planner.source.name().into(),
        target: target.name().into(),
        left_out: left_out.iter().map(|table| table.name.clone()).collect(),
        tables: tables
            .iter()
            .map(|table| planner.table(&catalog, table, &tables))
            .collect(),
        policy: CopyPolicy::default(),
    })
}

/// Puts tables behind those that they refer to, as far as there is no circle.
fn order(tables: &mut Vec<&Table>) {
    let mut waiting: BTreeSet<&QualifiedName> = tables.iter().map(|table| &table.name).collect();
    let mut ordered = Vec::with_capacity(tables.len());
    while !tables.is_empty() {
        let is_free = |table: &&Table| {
            let mut keys = table.foreign_keys.iter();
            keys.all(|key| key.target == table.name || !waiting.contains(&key.target))
        };
        // In a circle, none is.
        let next = tables.remove(tables.iter().position(is_free).unwrap_or(0));
        waiting.remove(&next.name);
        ordered.push(next);
    }
    *tables = ordered;
}

/// A column of a table.
type Place = (QualifiedName, String);

/// The ids in a column.
#[derive(Clone)]
struct Ids {
    format: String,
    stored_from: String,
    stored_to: String,
}

struct Planner {
    source: Backend,
    target: Backend,
    ids: BTreeMap<Place, Ids>,
}

impl Planner {
    /// The columns of the primary key that may contain ids of their own.
    fn id_columns<'t>(&self, table: &'t Table) -> Vec<&'t str> {
        let key = table.primary_key().map(|key| key.columns.as_slice());
        let names = key.unwrap_or_default().iter().map(String::as_str);
        let may_contain_ids = |name: &&str| {
            let mut keys = table.foreign_keys.iter();
            let refers = keys.any(|key| key.columns.iter().any(|column| column == name));
            let own = table
                .column(name)
                .and_then(|column| types::parse(self.source, &column.sql_type));
            !refers && own.is_some_and(may_be_id)
        };
        names.filter(may_contain_ids).collect()
    }

    /// Takes the ids of a column for the plan.
    fn add_ids(&mut self, table: &Table, column: &str, format: FormatKind, stored_from: String) {
        // MariaDB's UUID has ids that no key may declare there: they go by their type.
        if StoredForm::named(format, self.source, &stored_from).is_err() {
            return;
        }
        let to = StoragePlan::default_for(format).column(self.target);
        let ids = Ids {
            format: format.name().into(),
            stored_from,
            stored_to: format!("{}:{}", to.storage().name(), to.layout().name()),
        };
        let place = (table.name.clone(), column.to_owned());
        self.ids.insert(place, ids);
    }

    /// Gives references the form of what they refer to.
    fn follow(&mut self, tables: &[&Table]) {
        loop {
            let before = self.ids.len();
            for table in tables {
                for key in &table.foreign_keys {
                    for (column, target) in key.columns.iter().zip(&key.target_columns) {
                        let target = self.ids.get(&(key.target.clone(), target.clone()));
                        if let Some(ids) = target.cloned() {
                            let place = (table.name.clone(), column.clone());
                            self.ids.entry(place).or_insert(ids);
                        }
                    }
                }
            }
            if self.ids.len() == before {
                return;
            }
        }
    }

    fn table(&self, catalog: &Catalog, table: &Table, tables: &[&Table]) -> TablePlan {
        TablePlan {
            name: table.name.clone(),
            becomes: QualifiedName {
                schema: None,
                name: new_name(table, tables),
            },
            catalog: catalog.hash_to_copy(&table.name),
            columns: table
                .columns
                .iter()
                .filter(|column| !self.is_row_version(column))
                .map(|column| self.column(table, column, tables))
                .collect(),
        }
    }

    /// The server writes it itself, so that it is left out.
    fn is_row_version(&self, column: &Column) -> bool {
        (engine(self.source).columns.is_filled)(&column.sql_type)
    }

    fn column(&self, table: &Table, column: &Column, tables: &[&Table]) -> ColumnPlan {
        let mut planned = ColumnPlan {
            name: column.name.clone(),
            from: column.sql_type.clone(),
            to: None,
            refused: None,
            format: None,
            stored_from: None,
            stored_to: None,
            instead: Replacements::default(),
        };
        let place = (table.name.clone(), column.name.clone());
        if let Some(ids) = self.ids.get(&place) {
            planned.format = Some(ids.format.clone());
            planned.stored_from = Some(ids.stored_from.clone());
            planned.stored_to = Some(ids.stored_to.clone());
            return planned;
        }
        match self.target_type(table, column, tables) {
            Ok(to) => planned.to = Some(to),
            Err(why) => planned.refused = Some(why),
        }
        planned
    }

    fn target_type(
        &self,
        table: &Table,
        column: &Column,
        tables: &[&Table],
    ) -> Result<String, String> {
        let own = types::parse(self.source, &column.sql_type);
        let own = own.ok_or_else(|| {
            format!(
                "{}'s type `{}` has no place yet",
                self.source, column.sql_type
            )
        })?;
        if self.source.stores_any_type()
            && self.target.stores_any_type()
            && types::is_any(&column.sql_type)
        {
            return Ok(types::KEEPS_ANY.into());
        }
        if types::is_kept(self.source, self.target, &column.sql_type, own) {
            return Ok(match &column.collation {
                Some(collation) if engine(self.source).columns.names_collations => {
                    types::with_collation(self.source, &column.sql_type, collation)
                }
                _ => column.sql_type.clone(),
            });
        }
        let wanted = match own {
            // Nobody counts that far, and larger values are refused when they are written.
            Type::Integer {
                bytes: 8,
                is_unsigned: true,
            } if is_counted_id(table, column, tables) => Type::Integer {
                bytes: 8,
                is_unsigned: false,
            },
            other => other,
        };
        types::write(self.target, wanted, is_indexed(table, &column.name, tables)).map_err(
            |refusal| match own {
                Type::Own if !self.source.shows_own_types_as_text() => {
                    format!("{}; delete its entry to leave it out", refusal.why)
                }
                _ => format!("{}; {}", refusal.why, refusal.instead),
            },
        )
    }
}

/// The name of a table in the target's own schema, where it has to differ from those of other
/// schemas.
fn new_name(table: &Table, tables: &[&Table]) -> String {
    let name = &table.name.name;
    let is_shared = |other: &&Table| other.name.name == *name && other.name != table.name;
    match &table.name.schema {
        Some(schema) if tables.iter().any(is_shared) => format!("{schema}_{name}"),
        _ => name.clone(),
    }
}

fn may_be_id(own: Type) -> bool {
    match own {
        Type::Uuid | Type::FixedBytes(12 | 16) | Type::PaddedText(_) => true,
        Type::Text(length) => length.is_none_or(|length| length <= 64),
        Type::Bytes(length) => length.is_none_or(|length| length <= 16),
        Type::Decimal(Some((28 | 38, 0))) => true,
        _ => false,
    }
}

fn is_indexed(table: &Table, column: &str, tables: &[&Table]) -> bool {
    let contains = |columns: &[String]| columns.iter().any(|name| name == column);
    let is_target = |other: &&Table| {
        let mut keys = other.foreign_keys.iter();
        keys.any(|key| key.target == table.name && contains(&key.target_columns))
    };
    table.keys.iter().any(|key| contains(&key.columns))
        || table.indexes.iter().any(|index| contains(&index.columns))
        || table.foreign_keys.iter().any(|key| contains(&key.columns))
        || tables.iter().any(is_target)
}

/// Whether the database counts a column, or it refers to one that it counts.
pub(crate) fn is_counted_id(table: &Table, column: &Column, tables: &[&Table]) -> bool {
    if column.generated == Generated::AutoIncrement {
        return true;
    }
    table.foreign_keys.iter().any(|key| {
        let pairs = key.columns.iter().zip(&key.target_columns);
        pairs
            .filter(|(name, _)| **name == column.name)
            .any(|(_, target)| {
                let other = tables.iter().find(|other| other.name == key.target);
                let target = other.and_then(|other| other.column(target));
                target.is_some_and(|target| target.generated == Generated::AutoIncrement)
            })
    })
}
