//! The tables of a copy, and the objects that come with them.

use rowkey_tables::Error;
use rowkey_tables::catalog::Catalog;

use crate::definitions::objects::{self, ObjectKind, PlannedObject};
use crate::mapping::partitions;
use crate::plans::plan::CopyPlan;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::TableSide;

/// The tables of a copy.
pub(super) struct Job<'c> {
    /// The hash of the plan.
    pub(super) id: String,
    pub(super) plan: &'c CopyPlan,
    pub(super) tables: Vec<PreparedTable<'c>>,
    pub(super) notes: Vec<String>,
    /// Whether references are looked at when all rows are written.
    pub(super) is_unchecked: bool,
}

impl<'c> Job<'c> {
    pub(super) fn new(plan: &'c CopyPlan, catalog: &'c Catalog) -> Result<Self, Error> {
        let mut job = Self {
            id: plan.hash()?,
            plan,
            tables: Vec::new(),
            notes: Vec::new(),
            is_unchecked: false,
        };
        for planned in &plan.tables {
            let table = plan.prepare(catalog, planned)?;
            partitions::require_once(plan, catalog, table.original)?;
            job.notes.extend(table.omitted_columns());
            job.notes.extend(table.to.note_of_kept_rows());
            job.tables.push(table);
        }
        Ok(job)
    }

    /// The keys, indexes, references and CHECKs of all tables, with the numbers of these.
    pub(super) fn planned_objects(&self) -> Result<Vec<(usize, PlannedObject)>, Error> {
        planned_objects(&self.tables)
    }

    /// Which of the planned objects a target lacks.
    pub(super) fn missing_objects(&self, target: &Catalog) -> Result<Vec<String>, Error> {
        let mut missing = Vec::new();
        let planned = self.planned_objects()?;
        for (number, object) in &planned {
            let side = &self.tables[*number].to;
            let names = names_of(&planned, *number);
            let table = target.tables.iter().find(|table| table.name == side.name);
            if let Ok(object) = object
                && !table.is_some_and(|table| object.is_in(table, &names))
            {
                missing.push(format!(
                    "{}: the {} is missing",
                    side.name,
                    object.described()
                ));
            }
        }
        Ok(missing)
    }
}

/// The keys and indexes of all tables, then the references and the CHECKs, with the numbers of their
/// tables.
pub(super) fn planned_objects(
    tables: &[PreparedTable<'_>],
) -> Result<Vec<(usize, PlannedObject)>, Error> {
    let mut used = objects::used_names(tables);
    let mut planned = Vec::new();
    let all: Vec<&PreparedTable<'_>> = tables.iter().collect();
    for (number, table) in all.iter().enumerate() {
        planned.extend(objects::late_key(table)?.map(|key| (number, Ok(key))));
    }
    for (number, table) in all.iter().enumerate() {
        let indexes = objects::indexes(table, &mut used)?;
        planned.extend(indexes.into_iter().map(|index| (number, index)));
    }
    for (number, table) in all.iter().enumerate() {
        let mut others = objects::references(table, &all)?;
        others.extend(objects::checks(table)?);
        planned.extend(others.into_iter().map(|other| (number, other)));
    }
    Ok(planned)
}

/// The names in `leave-out` that no object has.
pub(super) fn unknown_names(tables: &[PreparedTable<'_>]) -> Result<Vec<Error>, Error> {
    let complete = tables.iter().map(|table| {
        table.with_target(TableSide {
            leave_out: Vec::new(),
            ..table.to.clone()
        })
    });
    let mut planned = planned_objects(&complete.collect::<Vec<_>>())?;
    // No table is made without that.
    let is_key = |object: &PlannedObject| matches!(object, Ok(object) if object.kind == ObjectKind::PrimaryKey);
    planned.retain(|(_, object)| !is_key(object));
    let mut refused = Vec::new();
    for (number, table) in tables.iter().enumerate() {
        let names = names_of(&planned, number);
        // A column that is left out has taken it along.
        let is_of_source = |name: &String| {
            let (backend, original) = (table.from.backend, table.original);
            let keys = original.keys.iter().filter(|key| !key.is_primary);
            let keys = keys.map(|key| (&key.name, &key.columns, "key"));
            let indexes = original.indexes.iter();
            let indexes = indexes.map(|index| (&index.name, &index.columns, "key"));
            let references = original.foreign_keys.iter();
            let references = references.map(|key| (&key.name, &key.columns, "fkey"));
            let mut all = keys.chain(indexes).chain(references);
            all.any(|(own, columns, what)| {
                *name == objects::given_name(backend, &table.to, own, columns, what)
            })
        };
        let is_known = |name: &&String| names.contains(&name.as_str()) || is_of_source(name);
        let unknown = table.to.leave_out.iter().filter(|name| !is_known(name));
        refused.extend(unknown.map(|name| {
            Error::refused(
                format!("`leave-out` of {}", table.original.name),
                format!("the table gets no index and no reference {name}"),
                match names.is_empty() {
                    true => "delete the line".to_owned(),
                    false => format!("write one of: {}", names.join(", ")),
                },
            )
        }));
    }
    Ok(refused)
}

/// The names of the objects of a table.
pub(super) fn names_of(planned: &[(usize, PlannedObject)], number: usize) -> Vec<&str> {
    let planned = planned.iter().filter(|(table, _)| *table == number);
    let objects = planned.filter_map(|(_, object)| object.as_ref().ok());
    objects.map(|object| object.name.as_str()).collect()
}
