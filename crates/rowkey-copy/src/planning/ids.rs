//! Which columns have ids, and how the target stores these.

use std::collections::BTreeMap;

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Storage, StoragePlan, Stored};
use rowkey_sql::StoredForm;
use rowkey_tables::StoredIds;
use rowkey_tables::catalog::{Column, Key, Table};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{ColumnType, Type};

use super::links::Link;
use super::planner::{Ids, OTHER_ORDER, Place, Planner, place};
use crate::plans::plan::{ColumnPlan, TablePlan};
use crate::tables::table_side::holds_ids;

/// What is said of a key that is taken for ids by its type alone.
const NO_VALUES: &str = "it has no values, and its type is one of ids";
/// What is said of bytes whose order was assumed.
const OF_ANOTHER: &str = "another column of the source has bytes in an order of other programs";
/// What is said of ids in a column that is no key and takes other values, too.
const ANY_VALUE: &str = "its values are ids, though its type and its rules take others";

impl<'c> Planner<'c> {
    /// The columns that may contain ids of their own: those of primary keys, others of a type that has
    /// nothing but UUIDs in most databases, and texts and bytes whose names say it.
    pub(super) fn id_columns(&self, table: &'c Table) -> Vec<&'c Column> {
        let may_contain_ids = |column: &&Column| {
            let mut references = table.foreign_keys.iter();
            let own = column.column_type(self.source).meaning();
            !references.any(|key| key.columns.contains(&column.name))
                && own.is_some_and(|own| match is_in_primary_key(table, &column.name) {
                    true => may_be_id(own),
                    false => looks_like_id(own) || may_be_named(own, &column.name),
                })
        };
        table.columns.iter().filter(may_contain_ids).collect()
    }

    /// Takes for the plan what a column holds.
    pub(super) fn take(&mut self, table: &Table, column: &Column, answer: &StoredIds) {
        match answer {
            StoredIds::Known {
                format,
                form,
                assumed,
            } => self.add_ids(table, column, *format, form.clone(), assumed.clone()),
            StoredIds::Partly => {
                self.mixed.insert(place(table, &column.name));
                self.keep(table, column, "some of its values are not ids".into());
            }
            StoredIds::OtherOrder => {
                self.other_order.insert(place(table, &column.name));
                self.keep(table, column, OTHER_ORDER.into());
            }
            StoredIds::Unknown(why) => self.keep(table, column, why.clone()),
            StoredIds::Empty | StoredIds::Others => {}
        }
    }

    /// Leaves bytes as they are whose order was assumed, if another column has one that no form has.
    pub(super) fn leave_unordered(&mut self) {
        if self.other_order.is_empty() {
            return;
        }
        let assumed = self.ids.iter().filter(|(_, ids)| ids.assumed.is_some());
        let assumed: Vec<Place> = assumed.map(|(place, _)| place.clone()).collect();
        for place in assumed {
            let own = self.source_type(&place).and_then(|own| own.meaning());
            if matches!(own, Some(Type::Bytes(_) | Type::FixedBytes(_))) {
                self.ids.remove(&place);
                self.kept.insert(place, OF_ANOTHER.into());
            }
        }
    }

    /// Leaves columns of ids as they are that mean the same as one with other values, too: without a
    /// constraint, the names tell it.
    pub(super) fn leave_mixed(&mut self) {
        for (name, column) in &self.mixed {
            let at = (name.clone(), column.clone());
            if tables_of(column).is_empty() {
                continue;
            }
            let own = self.source_type(&at);
            let means_same = |place: &&Place| {
                let tables = self.tables.iter();
                let table = tables.filter(|table| table.name == place.0);
                let key = table.filter_map(|table| table.primary_key());
                let is_key = |key: &Key| key.columns == [place.1.as_str()];
                place.1 == *column && !key.into_iter().any(is_key) && self.source_type(place) == own
            };
            let same: Vec<Place> = self.ids.keys().filter(means_same).cloned().collect();
            for place in same {
                self.ids.remove(&place);
                let why =
                    format!("{name}.{column} is called so, too, and has other values beside ids");
                self.kept.insert(place, why);
            }
        }
    }

    /// Gives columns the form of the keys that they refer to by their values alone. Where a key stays as
    /// it is, they do.
    pub(super) fn link(&mut self, links: &[Link<'_>], answers: &BTreeMap<Place, StoredIds>) {
        // What is true of a key may come from another key.
        for _ in links {
            let mut is_done = true;
            for link in links {
                let at = place(link.table, &link.column.name);
                let Some(key) = link.key_among(&self.ids) else {
                    continue;
                };
                let answer = answers.get(&at);
                if answer == Some(&StoredIds::Partly) {
                    let (name, column) = key;
                    let why = format!(
                        "it refers to {name}.{column}, whose form changes, and has other values, too"
                    );
                    self.kept.insert(at, why);
                } else if let Some(ids) = self.as_key(link, key, answer)
                    && self.ids.get(&at) != Some(&ids)
                {
                    self.kept.remove(&at);
                    self.ids.insert(at, ids);
                    is_done = false;
                }
            }
            if is_done {
                break;
            }
        }
        for _ in links {
            for link in links {
                let at = place(link.table, &link.column.name);
                let mut keys = link.keys.iter();
                if link.key_among(&self.ids).is_none()
                    && let Some((name, column)) = keys.find(|key| !self.ids.contains_key(key))
                    && self.ids.remove(&at).is_some()
                {
                    let why = format!("it refers to {name}.{column}, which stays");
                    self.kept.insert(at, why);
                }
            }
        }
    }

    /// The ids of a column that refers to a key.
    fn as_key(&self, link: &Link<'_>, key: &Place, answer: Option<&StoredIds>) -> Option<Ids> {
        let ids = self.ids.get(key)?;
        let own = link.column.column_type(self.source);
        let other = self.source_type(key)?;
        let stored_from = match answer? {
            StoredIds::Known { form, .. } => {
                let (storage, layout) =
                    (form.split_once(':')?.0, ids.stored_from.split_once(':')?.1);
                format!("{storage}:{layout}")
            }
            StoredIds::Unknown(_) | StoredIds::OtherOrder
                if own.is_same(&other) || are_texts(&own, &other) =>
            {
                ids.stored_from.clone()
            }
            _ => return None,
        };
        let has_any =
            matches!(answer?, StoredIds::Known { format, .. } if *format == FormatKind::AnyUuid);
        let mut keys = link.keys.iter().filter_map(|key| self.ids.get(key));
        let format = match has_any || keys.any(|key| key.format != ids.format) {
            true => FormatKind::AnyUuid,
            false => ids.format,
        };
        StoredForm::named(format, self.source, &stored_from).ok()?;
        let takes_others = takes_others(link.table, link.column, own.meaning()?);
        let of_key = || format!("it refers to {}.{}", key.0, key.1);
        Some(Ids {
            format,
            stored_from,
            assumed: ids.assumed.clone().or_else(|| takes_others.then(of_key)),
            key: Some(key.clone()),
        })
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
        let own = column.column_type(self.source).meaning();
        let takes_others = own.is_some_and(|own| takes_others(table, column, own));
        let assumed = assumed.or(takes_others.then(|| ANY_VALUE.to_owned()));
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
            key: None,
        };
        self.ids.insert(place(table, &column.name), ids);
    }

    /// Says why the ids of a column stay, if somebody may expect another form of them.
    pub(super) fn keep(&mut self, table: &Table, column: &Column, why: String) {
        let own = column.column_type(self.source).meaning();
        let is_key = is_in_primary_key(table, &column.name);
        if own.is_some_and(|own| is_key || looks_like_id(own) || may_be_named(own, &column.name)) {
            self.kept.insert(place(table, &column.name), why);
        }
    }

    /// Leaves texts and bytes as they are that may mean keys which stay as they are: within one product,
    /// those of a type for UUIDs do.
    pub(super) fn leave_texts(&mut self) {
        let takes_others = |(name, column): &Place| {
            let found = self.tables.iter().find(|found| found.name == *name);
            let found = found.filter(|table| is_in_primary_key(table, column));
            let own =
                found.and_then(|table| table.column(column)?.column_type(self.source).meaning());
            matches!(
                own,
                Some(Type::Text(_) | Type::PaddedText(_) | Type::Bytes(_))
            )
        };
        if self.source == self.target && !self.ids.keys().any(takes_others) {
            self.ids
                .retain(|_, ids| ids.assumed.as_deref() != Some(ANY_VALUE));
        }
    }

    /// Gives a column without values the form of the ids in another column of the same type and
    /// length: of the key after whose table it is called, or of its own table. A primary key whose type
    /// no other ids have gets their format all the same. Text may be anything: its length or its name
    /// says that a primary key has ids, and both say it of another column. So may bytes be, of which the
    /// name says it.
    pub(super) fn add_empty(&mut self, table: &Table, column: &Column) {
        let Some(own) = column.column_type(self.source).meaning() else {
            return;
        };
        let has_order = matches!(own, Type::Bytes(_) | Type::FixedBytes(_));
        if has_order && !self.other_order.is_empty() {
            return self.keep(table, column, OF_ANOTHER.into());
        }
        let key = table.primary_key().map(|key| key.columns.as_slice());
        let is_key = matches!(key, Some([name]) if *name == column.name);
        let is_text = matches!(own, Type::Text(_) | Type::PaddedText(_));
        let is_named = is_named(&column.name);
        let is_alike = |(name, other): &&Place| {
            let tables = self.tables.iter();
            let found = tables.filter(|table| table.name == *name);
            let mut found = found.filter_map(|table| table.column(other));
            let is_typical = !is_text || looks_like_id(own);
            let is_near = is_key || is_named && is_typical || *name == table.name;
            is_near && found.any(|found| found.column_type(self.source).meaning() == Some(own))
        };
        // What was assumed of a key says nothing of other tables.
        let is_known = |(name, ids): &(&Place, &Ids)| {
            name.0 == table.name || ids.assumed.as_deref() != Some(NO_VALUES)
        };
        // Codes and names have such lengths, too.
        let is_short = matches!(own, Type::Text(Some(32)) | Type::PaddedText(32));
        let may_be_id = match is_text {
            true if is_key => looks_like_id(own) || is_named,
            true => looks_like_id(own) && is_named,
            false if own == Type::Bytes(None) => is_key && is_named,
            false => looks_like_id(own) || is_key && may_be_id(own),
        };
        let alike = self.ids.iter().filter(is_known).map(|(place, _)| place);
        let mut alike: Vec<&Place> = alike.filter(is_alike).collect();
        alike.sort_by_key(|(name, _)| *name != table.name);
        let ids = alike.first().and_then(|place| self.ids.get(*place));
        let ids = match self.meant_key(table, column) {
            Some(key) if key != place(table, &column.name) => {
                let is_same = self.source_type(&key).and_then(|own| own.meaning()) == Some(own);
                self.ids.get(&key).filter(|_| is_same)
            }
            _ => ids.filter(|_| may_be_id),
        };
        match ids.cloned() {
            Some(mut ids) => {
                ids.assumed = (own != Type::Uuid).then(|| NO_VALUES.to_owned());
                let place = place(table, &column.name);
                match &ids.assumed {
                    Some(assumed) if self.choices.keeps_assumed_ids => {
                        self.kept.insert(place, assumed.clone());
                    }
                    _ => {
                        self.ids.entry(place).or_insert(ids);
                    }
                }
            }
            None if is_key && looks_like_id(own) && (is_named || !is_short) => {
                self.assume_ids(table, column);
            }
            None if is_named
                || looks_like_id(own) && (!is_text || !is_short && !self.ids.is_empty()) =>
            {
                self.keep(
                    table,
                    column,
                    "it has no values, which would tell whether they are ids".into(),
                );
            }
            None => {}
        }
    }

    /// The key of a table after which a column is called.
    fn meant_key(&self, table: &Table, column: &Column) -> Option<Place> {
        let names = tables_of(&column.name);
        let called = |is_it: fn(&str, &str) -> bool| {
            let is_called = |table: &&&Table| {
                let table = table.name.name.to_lowercase();
                names.iter().any(|name| is_it(name, &table))
            };
            self.tables.iter().find(is_called)
        };
        let is_whole = |name: &str, table: &str| name.replace('_', "") == table.replace('_', "");
        // Behind the name of a module.
        let is_end = |name: &str, table: &str| table.ends_with(&format!("_{name}"));
        let table = match names.iter().any(|name| name == "parent") {
            true => table,
            false => called(is_whole).or_else(|| called(is_end))?,
        };
        match table.primary_key()?.columns.as_slice() {
            [name] => Some(place(table, name)),
            _ => None,
        }
    }

    /// Takes what a column without values will have for ids of the only format that there is, or for
    /// any UUIDs.
    fn assume_ids(&mut self, table: &Table, column: &Column) {
        let mut formats = self.ids.values().map(|ids| ids.format);
        let first = formats.next().unwrap_or(FormatKind::AnyUuid);
        let format = match formats.all(|format| format == first) {
            true => first,
            false => FormatKind::AnyUuid,
        };
        let found = column.column_type(self.source);
        let (storage, is_text) = match found.meaning() {
            Some(Type::Text(Some(36)) | Type::PaddedText(36)) => (Storage::Text, true),
            Some(Type::Text(Some(32)) | Type::PaddedText(32)) => (Storage::TextHex, true),
            _ => (Storage::Uuid, false),
        };
        if let Ok(form) = StoredForm::new(format, self.source, storage, None)
            && (is_text || fits(&form, self.source, &found))
        {
            let assumed = Some(NO_VALUES.to_owned());
            self.add_ids(table, column, format, name_of(form), assumed);
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
                            let key = Some(referred);
                            let ids = Ids { key, ..ids };
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

    /// Says of references that stay why they do.
    pub(super) fn keep_references(&mut self) {
        loop {
            let before = self.kept.len();
            for table in self.tables {
                for key in &table.foreign_keys {
                    for (name, target) in key.columns.iter().zip(&key.target_columns) {
                        let (at, referred) =
                            (place(table, name), (key.target.clone(), target.clone()));
                        if at != referred
                            && self.kept.contains_key(&referred)
                            && !self.ids.contains_key(&at)
                        {
                            let why = format!("it refers to {}.{target}, which stays", key.target);
                            self.kept.entry(at).or_insert(why);
                        }
                    }
                }
            }
            if self.kept.len() == before {
                return;
            }
        }
    }

    fn source_type(&self, (table, column): &Place) -> Option<ColumnType> {
        let table = self.tables.iter().find(|found| found.name == *table)?;
        Some(table.column(column)?.column_type(self.source))
    }

    /// How ids are stored in a column of the target: as the key that they refer to, if the column has
    /// a place for that.
    pub(super) fn form_there(&self, ids: &Ids, found: Option<&Column>) -> Option<String> {
        let key = ids.key.as_ref().and_then(|(table, column)| {
            let there = self.there.iter().find(|found| found.name == *table)?;
            let of_key = self.ids.get(&(table.clone(), column.clone()))?;
            self.own_form_there(of_key, Some(there.column(column)?))
        });
        let form = match (key, found.map(|found| found.column_type(self.target))) {
            (Some(form), Some(found_type))
                if fits(&form, self.target, &found_type)
                    || is_text(&found_type) && holds_ids(form, &found_type) =>
            {
                Some(form)
            }
            _ => self.own_form_there(ids, found),
        };
        form.map(name_of)
    }

    /// As keys of the format are by default, as in the source, or in another way, if that has the type
    /// which the column has already.
    fn own_form_there(&self, ids: &Ids, found: Option<&Column>) -> Option<StoredForm> {
        let default: StoredForm = StoragePlan::default_for(ids.format)
            .column(self.target)
            .into();
        let form_here = StoredForm::named(ids.format, self.source, &ids.stored_from);
        let here = form_here.ok().map(StoredForm::storage);
        let forms = here.into_iter().chain(Storage::ALL);
        let forms =
            forms.filter_map(|one| StoredForm::new(ids.format, self.target, one, None).ok());
        let mut forms = std::iter::once(default).chain(forms);
        let Some(found) = found.map(|found| found.column_type(self.target)) else {
            return forms.next();
        };
        if let Some(form) = forms.clone().find(|form| fits(form, self.target, &found)) {
            return Some(form);
        }
        // The bytes of a text are no UUID, nor are bytes a text, or digits filled with spaces.
        let from = form_here.ok()?;
        let own = ColumnType::parse(self.source, from.sql_type());
        let is_other = |form: &StoredForm| match (from.encode(0), form.encode(0)) {
            (Stored::Text(here), Stored::Text(there)) => {
                let is_filled = matches!(found.meaning(), Some(Type::PaddedText(_)));
                is_filled && here.as_str().len() != there.as_str().len()
            }
            (Stored::Text(_), _) => !is_text(&found),
            _ => is_text(&found) && own.meaning() != Some(Type::Uuid),
        };
        forms.find(|form| is_other(form) && holds_ids(*form, &found))
    }

    /// The type of the column that a plan gives to ids.
    fn sql_type_of(&self, table: &TablePlan, column: &ColumnPlan) -> Option<String> {
        let mut there = self.there.iter();
        let there = there.find(|found| found.name == table.name);
        if let Some(found) = there.and_then(|there| there.column(&column.name)) {
            return Some(found.column_type(self.target).bare().to_lowercase());
        }
        let format = column.format.as_ref()?.parse().ok()?;
        let form = StoredForm::named(format, self.target, column.stored_to.as_ref()?).ok()?;
        let column_type = ColumnType::parse(self.target, form.sql_type());
        Some(column_type.bare().to_lowercase())
    }

    /// Whether a type of the target has no place for what is no id.
    fn is_for_ids_only(&self, to: &str) -> bool {
        ColumnType::parse(self.target, to).meaning() == Some(Type::Uuid)
    }

    /// What becomes of the ids, as sentences.
    pub(super) fn ids_in_words(&self, planned: &[TablePlan], links: &[Link<'_>]) -> Vec<String> {
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
                        let to = self.sql_type_of(table, column).unwrap_or_default();
                        *forms.entry(to).or_default() += 1;
                        let doubt = self.ids.get(&place).and_then(|ids| ids.assumed.as_ref());
                        assumed.extend(doubt.map(|doubt| format!("{name}: {doubt}")));
                    }
                    (None, Some(to), _) if is_uuid => *forms.entry(to.clone()).or_default() += 1,
                    (None, Some(to), Some(why)) if self.is_for_ids_only(to) => kept.push(format!(
                        "{name} ({}) is to become {to}, as it is there: {why}",
                        column.from
                    )),
                    (None, Some(to), _) if self.is_for_ids_only(to) => {
                        *forms.entry(to.clone()).or_default() += 1;
                    }
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
        words.extend(self.apart(planned, links));
        words
    }

    /// The columns that refer to keys without a constraint, and have another type there.
    fn apart(&self, planned: &[TablePlan], links: &[Link<'_>]) -> Vec<String> {
        let planned_of = |(name, column): &Place| {
            let table = planned.iter().find(|table| table.name == *name)?;
            Some((table, table.column(column)?))
        };
        // What becomes of its digits.
        let form_of = |place: &Place| {
            let (_, column) = planned_of(place)?;
            let forms = [&column.stored_from, &column.stored_to].map(Option::as_deref);
            forms[1].filter(|_| forms[0] != forms[1])
        };
        let type_of = |place: &Place| {
            let (table, column) = planned_of(place)?;
            match (&column.stored_to, &column.to) {
                (Some(_), _) => self.sql_type_of(table, column),
                (None, to) => to.clone(),
            }
        };
        let mut told = Vec::new();
        for link in links {
            let at = place(link.table, &link.column.name);
            let own = type_of(&at);
            for key in &link.keys {
                let (Some(own), Some(other)) = (&own, type_of(key)) else {
                    continue;
                };
                let (name, column) = key;
                let [one, another] = [own, &other].map(|sql_type| {
                    let meaning = ColumnType::parse(self.target, sql_type.as_str()).meaning();
                    match meaning {
                        Some(Type::Text(_) | Type::PaddedText(_)) => "text",
                        Some(Type::Bytes(_) | Type::FixedBytes(_)) => "bytes",
                        _ => "UUIDs",
                    }
                });
                let is_apart = one != another || one == "text" && form_of(&at) != form_of(key);
                if is_apart && !self.kept.contains_key(&at) {
                    told.push(format!(
                        "{}.{} is {own} there, and {name}.{column}, to which it refers, is {other}",
                        at.0, at.1
                    ));
                }
            }
        }
        told
    }
}

/// Whether a column of a type stores ids in a form. SQLite has one type for text of every length.
fn fits(form: &StoredForm, backend: Backend, column: &ColumnType) -> bool {
    let stored = form.encode(0);
    let length = match column.meaning() {
        Some(Type::Text(length)) => length,
        Some(Type::Uuid) if backend.stores_any_type() => {
            return match column.has_uuid_text() {
                true => form.storage() == Storage::Text,
                false => matches!(stored, Stored::Uuid(_)),
            };
        }
        _ => None,
    };
    let has_length = match stored {
        Stored::Text(text) => length.is_none_or(|length| length as usize == text.as_str().len()),
        _ => true,
    };
    has_length && column.is_same(&ColumnType::parse(backend, form.sql_type()))
}

fn is_text(column: &ColumnType) -> bool {
    matches!(column.meaning(), Some(Type::Text(_) | Type::PaddedText(_)))
}

/// A form as plans name it.
fn name_of(form: StoredForm) -> String {
    format!("{}:{}", form.storage().name(), form.layout().name())
}

/// Whether both have texts, however long these may be.
fn are_texts(one: &ColumnType, other: &ColumnType) -> bool {
    is_text(one) && is_text(other)
}

fn may_be_id(own: Type) -> bool {
    match own {
        Type::Uuid | Type::FixedBytes(12 | 16) | Type::PaddedText(_) => true,
        Type::Text(_) => true,
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

/// Whether a column is called what columns of ids are called.
fn is_named(name: &str) -> bool {
    let name = name.to_lowercase();
    name.ends_with("id") || name.contains("uuid")
}

/// The tables after which a column may be called, such as `offers` for `offer_id`.
fn tables_of(column: &str) -> Vec<String> {
    let column = column.to_lowercase();
    let stem = column.strip_suffix("uuid").or(column.strip_suffix("id"));
    let stem = stem.unwrap_or_default().trim_end_matches('_');
    if stem.is_empty() {
        return Vec::new();
    }
    let plural = stem.strip_suffix('y').map(|stem| format!("{stem}ies"));
    let names = [stem.into(), format!("{stem}s"), format!("{stem}es")];
    names.into_iter().chain(plural).collect()
}

/// Whether a column of texts or bytes is called so.
fn may_be_named(own: Type, name: &str) -> bool {
    let takes_others = matches!(own, Type::Text(_) | Type::PaddedText(_) | Type::Bytes(_));
    takes_others && is_named(name)
}

/// Whether neither its type nor its name says that a column has ids alone.
fn takes_others(table: &Table, column: &Column, own: Type) -> bool {
    let is_text_or_bytes = matches!(
        own,
        Type::Text(_) | Type::PaddedText(_) | Type::Bytes(_) | Type::FixedBytes(_)
    );
    let is_certain = looks_like_id(own) && is_named(&column.name);
    is_text_or_bytes && !is_certain && !is_in_primary_key(table, &column.name)
}

fn is_in_primary_key(table: &Table, column: &str) -> bool {
    let key = table.primary_key();
    key.is_some_and(|key| key.columns.iter().any(|name| name == column))
}
