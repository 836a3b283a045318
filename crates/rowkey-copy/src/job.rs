//! The tables of a copy, and the objects that come with them.

use rowkey_tables::Error;
use rowkey_tables::catalog::Catalog;

use crate::engine::engine;
use crate::existing;
use crate::objects::{self, ObjectKind, PlannedObject};
use crate::plan::{CopyPlan, CopyPolicy};
use crate::prepared::PreparedTable;

/// The tables of a copy.
pub(super) struct Job<'c> {
    /// The hash of the plan.
    pub(super) id: String,
    pub(super) tables: Vec<PreparedTable<'c>>,
    pub(super) policy: CopyPolicy,
    pub(super) notes: Vec<String>,
}

impl<'c> Job<'c> {
    pub(super) fn new(plan: &CopyPlan, catalog: &'c Catalog) -> Result<Self, Error> {
        let mut job = Self {
            id: plan.hash()?,
            tables: Vec::new(),
            policy: plan.policy,
            notes: Vec::new(),
        };
        for planned in &plan.tables {
            let table = plan.prepare(catalog, planned)?;
            objects::require_own_rows(table.original, catalog.backend)?;
            job.notes.extend(table.omitted_columns());
            let keeps_rows = table.to.keeps_rows();
            job.notes
                .extend(keeps_rows.then(|| existing::kept(&table.to)));
            job.tables.push(table);
        }
        Ok(job)
    }

    /// The keys and indexes of all tables, then the references, with the numbers of their tables.
    pub(super) fn planned_objects(&self) -> Result<Vec<(usize, PlannedObject)>, Error> {
        let mut used = objects::used_names(&self.tables);
        let mut planned = Vec::new();
        let all: Vec<&PreparedTable<'_>> = self.tables.iter().collect();
        for (number, table) in all.iter().enumerate() {
            planned.extend(objects::late_key(table)?.map(|key| (number, Ok(key))));
        }
        for (number, table) in all.iter().enumerate() {
            let indexes = objects::indexes(table, &mut used)?;
            planned.extend(indexes.into_iter().map(|index| (number, index)));
        }
        for (number, table) in all.iter().enumerate() {
            if engine(table.to.backend).objects.adds_references {
                let keys = objects::references(table, &all)?;
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
            let side = &self.tables[*number].to;
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
