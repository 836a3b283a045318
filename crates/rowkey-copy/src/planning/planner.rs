//! What is known while a plan is made.

use std::collections::{BTreeMap, BTreeSet};

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_tables::catalog::{Catalog, Column, Generated, QualifiedName, Table};
use rowkey_tables::types::{ColumnType, Kind, Type};

use crate::engine::engine;
use crate::mapping::spelling::in_any_case;
use crate::plans::plan::{ColumnPlan, ExistingRows, TablePlan};
use crate::plans::replacements::Cut;

/// What a person chooses for all tables of a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// Whether a type that the target does not have becomes text.
    pub unknown_types_as_text: bool,
    /// Whether ids stay as they are where something about them was assumed.
    pub keeps_assumed_ids: bool,
    /// Whether times lose the digits after the second that a column of the target has no place for.
    pub cuts_fractions: bool,
    /// What becomes of the rows that tables of the target have already.
    pub existing_rows: Option<ExistingRows>,
}

/// What is said of bytes whose UUIDs no form has.
pub(super) const OTHER_ORDER: &str =
    "its bytes are in an order of other programs, which the doctor names";

/// A column of a table.
pub(super) type Place = (QualifiedName, String);

pub(super) fn place(table: &Table, column: &str) -> Place {
    (table.name.clone(), column.to_owned())
}

/// The ids in a column.
#[derive(Clone, PartialEq)]
pub(super) struct Ids {
    pub(super) format: FormatKind,
    pub(super) stored_from: String,
    pub(super) assumed: Option<String>,
    /// The key that they refer to, whose form they have.
    pub(super) key: Option<Place>,
}

pub(super) struct Planner<'c> {
    pub(super) source: Backend,
    pub(super) target: Backend,
    /// The source as it writes names itself.
    pub(super) original: &'c Catalog,
    pub(super) tables: &'c [&'c Table],
    /// The tables that the target has, under the source's names.
    pub(super) there: &'c [Table],
    /// The target's names of tables.
    pub(super) becomes: BTreeMap<QualifiedName, QualifiedName>,
    pub(super) choices: Choices,
    pub(super) ids: BTreeMap<Place, Ids>,
    /// Why columns that look like ids stay as they are.
    pub(super) kept: BTreeMap<Place, String>,
    /// Columns whose bytes are UUIDs in an order of other programs.
    pub(super) other_order: BTreeSet<Place>,
    /// Columns with ids and other values.
    pub(super) mixed: BTreeSet<Place>,
    /// What the values of columns without a type are.
    pub(super) untyped: BTreeMap<Place, Type>,
    /// Columns with numbers that no decimal number of the target holds.
    pub(super) wide: BTreeSet<Place>,
}

impl Planner<'_> {
    pub(super) fn table(&self, table: &Table) -> TablePlan {
        let becomes = self.becomes.get(&table.name).unwrap_or(&table.name);
        let there = self.there.iter().find(|found| found.name == table.name);
        // What the target lacks, and the source computes, is in the other columns.
        let is_computed = |column: &&Column| {
            there.is_some_and(|there| match there.column(&column.name) {
                Some(found) => found.generated == Generated::Computed,
                None => column.generated == Generated::Computed,
            })
        };
        let columns = table.columns.iter();
        TablePlan {
            name: table.name.clone(),
            becomes: becomes.clone(),
            catalog: self.original.hash_to_copy(&table.name),
            existing_rows: there.and(self.choices.existing_rows),
            triggers: None,
            leave_out: Vec::new(),
            columns: columns
                .filter(|column| !self.is_row_version(column) && !is_computed(column))
                .map(|column| self.column(table, there, column))
                .collect(),
        }
    }

    /// Whether bytes become UUIDs in their order.
    fn would_be_others(&self, column: &Column, to: &str) -> bool {
        let to = ColumnType::parse(self.target, to);
        let is_uuid = column.column_type(self.source).kind_in(&to) == Some(Kind::Uuid);
        is_uuid && !matches!(to.meaning(), Some(Type::Bytes(_) | Type::FixedBytes(_)))
    }

    /// The server writes it itself, so that it is left out.
    fn is_row_version(&self, column: &Column) -> bool {
        column.column_type(self.source).is_row_version()
    }

    fn column(&self, table: &Table, there: Option<&Table>, column: &Column) -> ColumnPlan {
        let mut planned = ColumnPlan::new(&column.name, column.sql_type.clone());
        let found = there.and_then(|there| there.column(&column.name));
        if let Some(there) = there
            && found.is_none()
        {
            let columns = there.columns.iter().map(|column| column.name.as_str());
            let alike = in_any_case(columns, |name| name, &column.name);
            let why = "the target's table has no such column".to_owned();
            planned.refused = Some(match alike {
                Some(alike) => format!("{why}: {alike} is another name in both databases"),
                None => format!("{why}; add it there, and write the plan again"),
            });
            return planned;
        }
        let ids = self.ids.get(&place(table, &column.name));
        let stored_to = ids.map(|ids| (ids, self.form_there(ids, found)));
        if let Some((ids, Some(stored_to))) = stored_to {
            planned.format = Some(ids.format.name().into());
            planned.stored_from = Some(ids.stored_from.clone());
            planned.stored_to = Some(stored_to);
            return planned;
        }
        let to = match found {
            Some(found) => Ok(own_type(self.target, found)),
            None => self.target_type(table, column),
        };
        match to {
            Ok(to)
                if self.other_order.contains(&place(table, &column.name))
                    && self.would_be_others(column, &to) =>
            {
                planned.refused = Some(format!(
                    "{OTHER_ORDER}: in {to}, they would be other UUIDs; convert the column first, or write \
                     `to` instead to copy them so"
                ));
            }
            Ok(to) => {
                if self.choices.cuts_fractions && self.loses_digits(table, column, &to) {
                    planned.instead.fraction = Some(Cut::Cut);
                }
                planned.to = Some(to);
            }
            Err(why) => planned.refused = Some(why),
        }
        planned
    }
}

/// The type of a column as it is, with its collation.
pub(super) fn own_type(backend: Backend, column: &Column) -> String {
    match &column.collation {
        Some(collation) if engine(backend).columns.names_collations => {
            let column_type = column.column_type(backend);
            column_type.with_collation(collation).to_string()
        }
        _ => column.sql_type.clone(),
    }
}
