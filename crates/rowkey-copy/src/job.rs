//! The tables of a copy, and the objects that come with them.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Table};

use crate::engine::engine;
use crate::existing;
use crate::objects::{self, ObjectKind, PlannedObject};
use crate::plan::{CopyPlan, CopyPolicy};
use crate::table_side::TableSide;

/// The tables of a copy.
pub(super) struct Job<'c> {
    /// The hash of the plan.
    pub(super) id: String,
    pub(super) source: Backend,
    pub(super) originals: Vec<&'c Table>,
    pub(super) from: Vec<TableSide>,
    pub(super) to: Vec<TableSide>,
    pub(super) policy: CopyPolicy,
    pub(super) notes: Vec<String>,
}

impl<'c> Job<'c> {
    pub(super) fn new(plan: &CopyPlan, catalog: &'c Catalog) -> Result<Self, Error> {
        let mut job = Self {
            id: plan.hash()?,
            source: catalog.backend,
            originals: Vec::new(),
            from: Vec::new(),
            to: Vec::new(),
            policy: plan.policy,
            notes: Vec::new(),
        };
        for (place, table) in plan.tables.iter().enumerate() {
            let (from, to) = plan.sides(catalog, place)?;
            let original = catalog.table(&table.name)?;
            objects::require_own_rows(original, catalog.backend)?;
            let omitted = original.columns.iter().filter(|column| {
                !table
                    .columns
                    .iter()
                    .any(|planned| planned.name == column.name)
            });
            let omitted =
                omitted.map(|column| format!("{}.{} is left out", table.name, column.name));
            job.notes.extend(omitted);
            job.notes
                .extend(to.keeps_rows().then(|| existing::kept(&to)));
            job.originals.push(original);
            job.from.push(from);
            job.to.push(to);
        }
        Ok(job)
    }

    /// The keys and indexes of all tables, then the references, with the numbers of their tables.
    pub(super) fn planned_objects(&self) -> Result<Vec<(usize, PlannedObject)>, Error> {
        let mut used = objects::used_names(&self.to);
        let mut planned = Vec::new();
        let tables = || self.originals.iter().zip(&self.to).enumerate();
        for (number, (table, side)) in tables() {
            let key = objects::late_key(table, side)?;
            planned.extend(key.map(|key| (number, Ok(key))));
        }
        for (number, (table, side)) in tables() {
            let indexes = objects::indexes(self.source, table, side, &mut used)?;
            planned.extend(indexes.into_iter().map(|index| (number, index)));
        }
        for (number, (table, side)) in tables() {
            if engine(side.backend).objects.adds_references {
                let keys =
                    objects::references(self.source, table, side, &self.to, &self.originals)?;
                planned.extend(keys.into_iter().map(|key| (number, key)));
            }
        }
        Ok(planned)
    }

    /// What of it a target has not got.
    pub(super) fn missing_objects(&self, target: &Catalog) -> Result<Vec<String>, Error> {
        let mut missing = Vec::new();
        let planned = self.planned_objects()?;
        for (number, object) in &planned {
            let side = &self.to[*number];
            let names = names_of(&planned, *number);
            let table = target.tables.iter().find(|table| table.name == side.name);
            if let Ok(object) = object
                && !table.is_some_and(|table| object.is_in(table, &names))
            {
                let what = match object.kind {
                    ObjectKind::PrimaryKey => object.name.clone(),
                    ObjectKind::Index => format!("index {}", object.name),
                    ObjectKind::Reference => format!("reference {}", object.name),
                };
                missing.push(format!("{}: the {what} is missing", side.name));
            }
        }
        Ok(missing)
    }
}

/// The names of the objects of a table.
pub(super) fn names_of(planned: &[(usize, PlannedObject)], number: usize) -> Vec<&str> {
    let planned = planned.iter().filter(|(table, _)| *table == number);
    let objects = planned.filter_map(|(_, object)| object.as_ref().ok());
    objects.map(|object| object.name.as_str()).collect()
}
