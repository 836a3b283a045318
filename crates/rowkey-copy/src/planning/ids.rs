//! Which columns have ids, and how the target stores these.

use std::collections::BTreeMap;

use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Storage, StoragePlan, Stored};
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{ColumnType, Type};

use super::planner::{Ids, Place, Planner, place};
use crate::plans::plan::{ColumnPlan, TablePlan};

impl<'c> Planner<'c> {
    /// The columns that may contain ids of their own: those of primary keys, and others of a type
    /// that has nothing but UUIDs in most databases.
    pub(super) fn id_columns(&self, table: &'c Table) -> Vec<&'c Column> {
        let may_contain_ids = |column: &&Column| {
            let mut references = table.foreign_keys.iter();
            let own = column.column_type(self.source).meaning();
            !references.any(|key| key.columns.contains(&column.name))
                && own.is_some_and(|own| match is_in_primary_key(table, &column.name) {
                    true => may_be_id(own),
                    false => looks_like_id(own),
                })
        };
        table.columns.iter().filter(may_contain_ids).collect()
    }

    /// Takes the ids of a column for the plan.
    pub(super) fn add_ids(
        &mut self,
        table: &Table,
        column: &Column,
        format: FormatKind,
        stored_from: String,
        assumed: Option<String>,
    ) {
        // Ids that no key may declare in MariaDB's UUID are copied by their type, and so are UUIDs
        // of which only the type is known.
        let is_form = StoredForm::named(format, self.source, &stored_from).is_ok();
        let is_own = column.column_type(self.source).meaning() == Some(Type::Uuid);
        if !is_form || is_own && assumed.is_some() {
            return;
        }
        if let Some(assumed) = &assumed
            && self.choices.keeps_assumed_ids
        {
            self.kept
                .insert(place(table, &column.name), assumed.clone());
            return;
        }
        let ids = Ids {
            format,
            stored_from,
            assumed,
        };
        self.ids.insert(place(table, &column.name), ids);
    }

    /// Says why the ids of a column stay, if somebody may expect another form of them.
    pub(super) fn keep(&mut self, table: &Table, column: &Column, why: String) {
        let own = column.column_type(self.source).meaning();
        if own.is_some_and(looks_like_id) {
            self.kept.insert(place(table, &column.name), why);
        }
    }

    /// Gives a column without values the form of the ids in another column of the same type and
    /// length: of its own table, if there is one. Text may be anything, unless it is the primary key.
    pub(super) fn add_empty(&mut self, table: &Table, column: &Column) {
        let own = column.column_type(self.source).meaning();
        let key = table.primary_key().map(|key| key.columns.as_slice());
        let is_key = matches!(key, Some([name]) if *name == column.name);
        let may_be_id = own.is_some_and(|own| match own {
            Type::Text(_) | Type::PaddedText(_) => {
                is_key && looks_like_id(own) && column.default.is_none()
            }
            own => looks_like_id(own) || is_key && may_be_id(own),
        });
        if !may_be_id {
            return;
        }
        let is_alike = |(name, other): &&Place| {
            let tables = self.tables.iter();
            let found = tables.filter(|table| table.name == *name);
            let mut found = found.filter_map(|table| table.column(other));
            found.any(|found| found.column_type(self.source).meaning() == own)
        };
        let mut alike: Vec<&Place> = self.ids.keys().filter(is_alike).collect();
        alike.sort_by_key(|(name, _)| *name != table.name);
        let ids = alike.first().and_then(|place| self.ids.get(*place));
        if let Some(ids) = ids.cloned() {
            self.ids.entry(place(table, &column.name)).or_insert(ids);
        }
    }

    /// Gives references the form of what they refer to.
    pub(super) fn follow(&mut self) {
        loop {
            let before = self.ids.len();
            for table in self.tables {
                for key in &table.foreign_keys {
                    for (name, target) in key.columns.iter().zip(&key.target_columns) {
                        let referred = (key.target.clone(), target.clone());
                        let types = [(table.name.clone(), name.clone()), referred.clone()]
                            .map(|place| self.source_type(&place));
                        // In SQLite, a column of any type has the values that it refers to.
                        let is_alike = self.source.stores_any_type()
                            || matches!(
                                &types, [Some(one), Some(other)]
                                    if one.is_same(other) || are_texts(one, other)
                            );
                        if let Some(ids) = self.ids.get(&referred).cloned()
                            && is_alike
                        {
                            self.ids.entry(place(table, name)).or_insert(ids);
                        }
                    }
                }
            }
            if self.ids.len() == before {
                return;
            }
        }
    }

    fn source_type(&self, (table, column): &Place) -> Option<ColumnType> {
        let table = self.tables.iter().find(|found| found.name == *table)?;
        Some(table.column(column)?.column_type(self.source))
    }

    /// How ids are stored in a column of the target: as keys of the format are by default, as in
    /// the source, or in another way, if that has the type which the column has already.
    pub(super) fn form_there(&self, ids: &Ids, found: Option<&Column>) -> Option<String> {
        let default: StoredForm = StoragePlan::default_for(ids.format)
            .column(self.target)
            .into();
        let form_here = StoredForm::named(ids.format, self.source, &ids.stored_from);
        let here = form_here.ok().map(StoredForm::storage);
        let forms = here.into_iter().chain(Storage::ALL);
        let forms =
            forms.filter_map(|one| StoredForm::new(ids.format, self.target, one, None).ok());
        let mut forms = std::iter::once(default).chain(forms);
        let fits = |form: &StoredForm, found: &Column| {
            let found = found.column_type(self.target);
            let length = match found.meaning() {
                Some(Type::Text(length)) => length,
                _ => None,
            };
            // SQLite has one type for text of every length.
            let has_length = match form.encode(0) {
                Stored::Text(text) => {
                    length.is_none_or(|found| found as usize == text.as_str().len())
                }
                _ => true,
            };
            has_length && found.is_same(&ColumnType::parse(self.target, form.sql_type()))
        };
        let form = forms.find(|form| found.is_none_or(|found| fits(form, found)))?;
        Some(format!(
            "{}:{}",
            form.storage().name(),
            form.layout().name()
        ))
    }

    /// The type of the column that a plan gives to ids.
    fn sql_type_of(&self, column: &ColumnPlan) -> Option<String> {
        let format = column.format.as_ref()?.parse().ok()?;
        let form = StoredForm::named(format, self.target, column.stored_to.as_ref()?).ok()?;
        let column_type = ColumnType::parse(self.target, form.sql_type());
        Some(column_type.bare().to_lowercase())
    }

    /// What becomes of the ids, as sentences.
    pub(super) fn ids_in_words(&self, planned: &[TablePlan]) -> Vec<String> {
        let mut forms: BTreeMap<String, usize> = BTreeMap::new();
        let mut kept = Vec::new();
        let mut assumed = Vec::new();
        for table in planned {
            for column in &table.columns {
                let place = (table.name.clone(), column.name.clone());
                let name = format!("{}.{}", table.name, column.name);
                let is_uuid = ColumnType::parse(self.source, column.from.as_str()).meaning()
                    == Some(Type::Uuid);
                match (&column.stored_to, &column.to, self.kept.get(&place)) {
                    (Some(_), ..) => {
                        let to = self.sql_type_of(column).unwrap_or_default();
                        *forms.entry(to).or_default() += 1;
                        let doubt = self.ids.get(&place).and_then(|ids| ids.assumed.as_ref());
                        assumed.extend(doubt.map(|doubt| format!("{name}: {doubt}")));
                    }
                    (None, Some(to), _) if is_uuid => *forms.entry(to.clone()).or_default() += 1,
                    (None, _, Some(why)) => {
                        kept.push(format!("{name} ({}) stays: {why}", column.from))
                    }
                    _ => {}
                }
            }
        }
        let changed: usize = forms.values().sum();
        let all = changed + kept.len();
        let mut words = Vec::new();
        for (form, count) in forms {
            words.push(format!("{count} of {all} columns of ids become {form}"));
        }
        words.extend(kept);
        words.extend(assumed);
        words
    }
}

/// Whether both have texts, however long these may be.
fn are_texts(one: &ColumnType, other: &ColumnType) -> bool {
    let is_text =
        |one: &ColumnType| matches!(one.meaning(), Some(Type::Text(_) | Type::PaddedText(_)));
    is_text(one) && is_text(other)
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

/// Whether a type has UUIDs in most databases that use it.
fn looks_like_id(own: Type) -> bool {
    matches!(
        own,
        Type::Uuid | Type::FixedBytes(16) | Type::Text(Some(32 | 36)) | Type::PaddedText(32 | 36)
    )
}

fn is_in_primary_key(table: &Table, column: &str) -> bool {
    let key = table.primary_key();
    key.is_some_and(|key| key.columns.iter().any(|name| name == column))
}
