//! The tables that are rebuilt: which value goes where, and in which order they are filled.

use rowkey_core::storage::Storage;
use rowkey_sql::StoredForm;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, ForeignKey, Generated, ReferentialAction};

use super::names::{self, quoted};
use crate::id_map::{NewIds, Reading, Values};
use crate::work::{ChangedColumn, ChangedTable, Form, Work};

/// A table with columns that change, and the table that takes its place.
#[derive(Debug)]
pub(super) struct Rebuilt<'w> {
    pub(super) changed: &'w ChangedTable,
    pub(super) values: Values,
    /// What makes the new ids of rows, if they get some.
    pub(super) new_ids: Option<NewIds<'w>>,
    /// The table's foreign keys to tables that are filled before it, and to tables that do not
    /// change.
    pub(super) foreign_keys: Vec<&'w ForeignKey>,
    /// Those to itself, and those to tables that are filled after it because the references form a
    /// circle. The new table gets them when all tables are filled.
    pub(super) later_foreign_keys: Vec<&'w ForeignKey>,
}

/// The tables in the order in which they are filled: a table after those that it refers to.
pub(super) fn in_order(work: &Work) -> Result<Vec<Rebuilt<'_>>, Error> {
    let mut waiting: Vec<&ChangedTable> = work.tables.iter().collect();
    let mut ordered: Vec<Rebuilt<'_>> = Vec::new();
    while !waiting.is_empty() {
        let waits = |table: &&ChangedTable| {
            let mut keys = table.table.foreign_keys.iter();
            keys.any(|key| {
                key.target != *table.name()
                    && waiting.iter().any(|other| *other.name() == key.target)
            })
        };
        // If all wait for each other, the references form a circle, which has to begin somewhere.
        let next = waiting.iter().position(|table| !waits(table)).unwrap_or(0);
        let changed = waiting.remove(next);
        let is_later = |key: &&ForeignKey| {
            key.target == *changed.name() || waiting.iter().any(|other| *other.name() == key.target)
        };
        let (later, now) = changed.table.foreign_keys.iter().partition(is_later);
        ordered.push(Rebuilt {
            changed,
            values: Values::of(work)?,
            new_ids: NewIds::of(work)?,
            foreign_keys: now,
            later_foreign_keys: later,
        });
    }
    Ok(ordered)
}

impl<'w> Rebuilt<'w> {
    /// The table's own name.
    pub(super) fn name(&self) -> &'w str {
        &self.changed.table.name.name
    }

    /// The table's own name in SQL.
    pub(super) fn quoted(&self) -> Result<String, Error> {
        quoted(self.name())
    }

    /// The name of the new table before the swap, in SQL.
    pub(super) fn quoted_new(&self) -> Result<String, Error> {
        quoted(&names::new_table(self.name()))
    }

    /// The columns that hold values, which computed ones do not.
    pub(super) fn columns(&self) -> impl Iterator<Item = &'w Column> {
        let columns = self.changed.table.columns.iter();
        columns.filter(|column| column.generated != Generated::Computed)
    }

    /// The columns of the primary key.
    pub(super) fn key(&self) -> Result<Vec<&'w Column>, Error> {
        let table = &self.changed.table;
        let key = table.primary_key().ok_or_else(|| Error::Missing {
            what: format!("the primary key of the table {}", table.name),
        })?;
        let column = |name: &String| {
            table.column(name).ok_or_else(|| Error::Missing {
                what: format!("the column {name} of the table {}", table.name),
            })
        };
        key.columns.iter().map(column).collect()
    }

    /// Whether a cascade may change the primary key of a row, which no trigger sees.
    pub(super) fn key_may_follow(&self) -> bool {
        let table = &self.changed.table;
        let key = table.primary_key().map_or(&[][..], |key| &key.columns);
        let mut foreign_keys = table.foreign_keys.iter();
        foreign_keys.any(|foreign| {
            foreign.on_update == ReferentialAction::Cascade
                && foreign.columns.iter().any(|one| key.contains(one))
        })
    }

    /// Whether the new keys may have another order than the old ones. New ids usually follow the
    /// old order, with the times of their rows.
    pub(super) fn key_is_reordered(&self) -> Result<bool, Error> {
        let Values::Converted(conversion) = &self.values else {
            return Ok(false);
        };
        let mut key = self.key()?.into_iter();
        let is_changed = key.any(|column| self.changed.changed(&column.name).is_some());
        let (from, to) = (conversion.reversed().to(), conversion.to());
        // MariaDB sorts UUIDs by their versions.
        let is_native = |form: StoredForm| form.storage() == Storage::NativeUuid;
        Ok(is_changed && (from.layout() != to.layout() || is_native(from) != is_native(to)))
    }

    /// The name of a column in a form.
    pub(super) fn name_of<'c>(&'c self, column: &'c str, form: Form) -> &'c str {
        let changed = self.changed.changed(column);
        changed.map_or(column, |changed| changed.used(form))
    }

    /// The name of a column in a form, in SQL.
    pub(super) fn quoted_of(&self, column: &str, form: Form) -> Result<String, Error> {
        quoted(self.name_of(column, form))
    }

    /// All columns' names in a form, in SQL.
    pub(super) fn quoted_columns(&self, form: Form) -> Result<Vec<String>, Error> {
        let columns = self.columns();
        columns
            .map(|column| self.quoted_of(&column.name, form))
            .collect()
    }

    /// What a column has in a form, from the row of the other form. The qualifier is what stands
    /// before the name of that row's column, such as `NEW.`.
    pub(super) fn value(
        &self,
        column: &str,
        form: Form,
        qualifier: &str,
        reading: Reading,
    ) -> Result<String, Error> {
        let from = format!("{qualifier}{}", self.quoted_of(column, form.other())?);
        match self.changed.changed(column) {
            Some(changed) => self.values.value(&changed.column, form, &from, reading),
            None => Ok(from),
        }
    }

    /// All columns' values in a form, for a statement that writes them.
    pub(super) fn written(&self, form: Form, qualifier: &str) -> Result<Vec<String>, Error> {
        let columns = self.columns();
        columns
            .map(|column| self.value(&column.name, form, qualifier, Reading::Current))
            .collect()
    }

    /// The condition that a row of a form has the key of the other form's row. `qualifier` belongs
    /// to the form's row, `other` to the other's.
    pub(super) fn has_key(
        &self,
        form: Form,
        qualifier: &str,
        other: &str,
        reading: Reading,
    ) -> Result<String, Error> {
        let mut conditions = Vec::new();
        for column in self.key()? {
            let here = self.quoted_of(&column.name, form)?;
            let value = self.value(&column.name, form, other, reading)?;
            conditions.push(format!("{qualifier}{here} = {value}"));
        }
        Ok(conditions.join(" AND "))
    }

    /// The changed columns that may be NULL, in which a value that is not of the form must not
    /// become NULL.
    pub(super) fn nullable(&self) -> impl Iterator<Item = &'w ChangedColumn> {
        let columns = self.changed.columns.iter();
        columns.filter(|changed| changed.column.is_nullable)
    }
}
