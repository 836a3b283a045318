//! A plan from what the catalogues of both databases say.

mod table_order;
mod untyped;

use std::collections::BTreeMap;

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Storage, StoragePlan, Stored};
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::{Catalog, Column, Generated, QualifiedName, Table};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{self, ColumnType, Type};
use rowkey_tables::{Connection, Error, Progress, Step, StoredIds};

use self::table_order::order;
use crate::definitions::index_rules;
use crate::engine::engine;
use crate::mapping::collations::replace_unknown;
use crate::mapping::own_types;
use crate::mapping::partitions;
use crate::mapping::spelling::{in_any_case, respell, spelling};
use crate::plans::plan::{ColumnPlan, CopyPlan, CopyPolicy, ExistingRows, TablePlan, VERSION};
use crate::plans::replacements::Replacements;
use crate::preflight::existing::has_rows;

/// What a person chooses for all tables of a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// Whether a type that the target does not have becomes text.
    pub unknown_types_as_text: bool,
    /// Whether ids stay as they are where something about them was assumed.
    pub keeps_assumed_ids: bool,
    /// What becomes of the rows that tables of the target have already.
    pub existing_rows: Option<ExistingRows>,
}

/// A plan, and what it does with ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The plan.
    pub plan: CopyPlan,
    /// What becomes of the ids, as sentences.
    pub ids: Vec<String>,
}

/// Which tables of a database go to another, in the order of their references, and what their
/// columns become there. A table that exists in the target keeps its types; for others, ids get the
/// form that a key of their format declares by default.
///
/// `ids` is asked about columns that may hold ids: whether they do, and how they are stored. Pass
/// `doctor::stored_ids`, which looks at the rows.
///
/// # Errors
///
/// Those of the catalogues and of `ids`.
pub async fn plan(
    source: &mut Connection,
    target: &mut Connection,
    choices: Choices,
    progress: &mut dyn Progress,
    ids: impl AsyncFnMut(&mut Connection, &Table, &str) -> Result<StoredIds, Error>,
) -> Result<Planned, Error> {
    let there = Catalog::read(target).await?;
    let backend = target.backend();
    let mut planned = plan_for(source, backend, &there.tables, choices, progress, ids).await?;
    replace_unknown(target, &mut planned.plan).await?;
    if choices.unknown_types_as_text {
        own_types::replace_unknown(source, target, &mut planned.plan).await?;
    }
    for table in &mut planned.plan.tables {
        if table.existing_rows.is_some() {
            let rows = table.becomes.quoted(target.backend())?;
            let has_rows = has_rows(target, &table.becomes, &rows).await?;
            table.existing_rows = table.existing_rows.filter(|_| has_rows);
        }
    }
    Ok(planned)
}

/// The same for a target with these tables.
pub(crate) async fn plan_for(
    source: &mut Connection,
    target: Backend,
    there: &[Table],
    choices: Choices,
    progress: &mut dyn Progress,
    mut ids: impl AsyncFnMut(&mut Connection, &Table, &str) -> Result<StoredIds, Error>,
) -> Result<Planned, Error> {
    let original = Catalog::read(source).await?;
    let (mut catalog, mut there) = (original.clone(), there.to_vec());
    let becomes = take_names(&copied(&original), &mut there);
    // One of the two may not tell the cases of letters apart.
    respell(target, &mut there, &spelling(&original.tables));
    respell(source.backend(), &mut catalog.tables, &spelling(&there));
    let left_out = catalog.tables.iter().filter(|table| table.is_of_tools());
    let mut tables = copied(&catalog);
    order(&mut tables, &there);
    let mut planner = Planner {
        source: source.backend(),
        target,
        original: &original,
        tables: &tables,
        there: &there,
        becomes,
        choices,
        ids: BTreeMap::new(),
        kept: BTreeMap::new(),
        untyped: BTreeMap::new(),
    };
    let mut empty = Vec::new();
    for table in &tables {
        progress.report(Step::Begins(format!("examining {}", table.name)));
        let mixed_as_text = choices.unknown_types_as_text && target != planner.source;
        for (column, own) in untyped::types(source, table, mixed_as_text).await? {
            planner.untyped.insert(place(table, &column), own);
        }
        for column in planner.id_columns(table) {
            match ids(source, table, &column.name).await? {
                StoredIds::Known {
                    format,
                    form,
                    assumed,
                } => {
                    planner.add_ids(table, column, format, form, assumed);
                }
                StoredIds::Empty => empty.push((*table, column)),
                StoredIds::Unknown(why) => planner.keep(table, column, why),
            }
        }
    }
    planner.follow();
    for (table, column) in empty {
        planner.add_empty(table, column);
    }
    planner.follow();
    let mut planned: Vec<TablePlan> = tables.iter().map(|table| planner.table(table)).collect();
    planner.widen_references(&mut planned);
    Ok(Planned {
        ids: planner.ids_in_words(&planned),
        plan: CopyPlan {
            version: VERSION,
            source: planner.source.name().into(),
            target: target.name().into(),
            left_out: left_out.map(|table| table.name.clone()).collect(),
            tables: planned,
            policy: CopyPolicy::default(),
        },
    })
}

/// A column of a table.
type Place = (QualifiedName, String);

fn place(table: &Table, column: &str) -> Place {
    (table.name.clone(), column.to_owned())
}

/// The ids in a column.
#[derive(Clone)]
struct Ids {
    format: FormatKind,
    stored_from: String,
    assumed: Option<String>,
}

struct Planner<'c> {
    source: Backend,
    target: Backend,
    /// The source as it writes names itself.
    original: &'c Catalog,
    tables: &'c [&'c Table],
    /// The tables that the target has, under the source's names.
    there: &'c [Table],
    /// The target's names of tables.
    becomes: BTreeMap<QualifiedName, QualifiedName>,
    choices: Choices,
    ids: BTreeMap<Place, Ids>,
    /// Why columns that look like ids stay as they are.
    kept: BTreeMap<Place, String>,
    /// What the values of columns without a type are.
    untyped: BTreeMap<Place, Type>,
}

impl<'c> Planner<'c> {
    /// The columns that may contain ids of their own: those of primary keys, and others of a type
    /// that has nothing but UUIDs in most databases.
    fn id_columns(&self, table: &'c Table) -> Vec<&'c Column> {
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
    fn add_ids(
        &mut self,
        table: &Table,
        column: &Column,
        format: FormatKind,
        stored_from: String,
        assumed: Option<String>,
    ) {
        // MariaDB's UUID has ids that no key may declare there: they go by their type. So do UUIDs
        // of which nothing is known but the type.
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
    fn keep(&mut self, table: &Table, column: &Column, why: String) {
        let own = column.column_type(self.source).meaning();
        if own.is_some_and(looks_like_id) {
            self.kept.insert(place(table, &column.name), why);
        }
    }

    /// Gives a column without values the form of the ids in another column of the same type and
    /// length: of its own table, if there is one. Text may be anything, unless it is the primary key.
    fn add_empty(&mut self, table: &Table, column: &Column) {
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
    fn follow(&mut self) {
        loop {
            let before = self.ids.len();
            for table in self.tables {
                for key in &table.foreign_keys {
                    for (name, target) in key.columns.iter().zip(&key.target_columns) {
                        let referred = (key.target.clone(), target.clone());
                        let types = [(table.name.clone(), name.clone()), referred.clone()]
                            .map(|place| self.source_type(&place));
                        let is_alike = matches!(
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

    fn table(&self, table: &Table) -> TablePlan {
        let becomes = self.becomes.get(&table.name).unwrap_or(&table.name);
        let there = self.there.iter().find(|found| found.name == table.name);
        let is_computed = |column: &&Column| {
            let found = there.and_then(|there| there.column(&column.name));
            found.is_some_and(|found| found.generated == Generated::Computed)
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

    /// The server writes it itself, so that it is left out.
    fn is_row_version(&self, column: &Column) -> bool {
        column.column_type(self.source).is_row_version()
    }

    fn column(&self, table: &Table, there: Option<&Table>, column: &Column) -> ColumnPlan {
        let mut planned = ColumnPlan {
            name: column.name.clone(),
            from: column.sql_type.clone(),
            to: None,
            refused: None,
            format: None,
            stored_from: None,
            stored_to: None,
            keep: false,
            instead: Replacements::default(),
        };
        let found = there.and_then(|there| there.column(&column.name));
        if let Some(there) = there
            && found.is_none()
        {
            let columns = there.columns.iter().map(|column| column.name.as_str());
            let alike = in_any_case(columns, |name| name, &column.name);
            let why = "the target's table has no such column".to_owned();
            planned.refused = Some(match alike {
                Some(alike) => format!("{why}: {alike} is another name in both databases"),
                None => why,
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
            Ok(to) => planned.to = Some(to),
            Err(why) => planned.refused = Some(why),
        }
        planned
    }

    /// How ids are stored in a column of the target: as keys of the format are by default, as in
    /// the source, or in another way, if that has the type which the column has already.
    fn form_there(&self, ids: &Ids, found: Option<&Column>) -> Option<String> {
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

    fn target_type(&self, table: &Table, column: &Column) -> Result<String, String> {
        let column_type = column.column_type(self.source);
        let own = column_type
            .meaning()
            .ok_or_else(|| format!("{}'s type `{column_type}` has no place yet", self.source))?;
        let found = self.untyped.get(&place(table, &column.name));
        let own = found.copied().unwrap_or(own);
        if column_type.is_any() && self.target.stores_any_type() {
            return Ok(types::KEEPS_ANY.into());
        }
        if column_type.is_kept_in(self.target) {
            return Ok(own_type(self.source, column));
        }
        let wanted = match own {
            // Nobody counts that far, and larger values are refused when they are written.
            Type::Integer {
                bytes: 8,
                is_unsigned: true,
            } if is_counted_id(table, column, self.tables) => Type::Integer {
                bytes: 8,
                is_unsigned: false,
            },
            Type::Own if self.choices.unknown_types_as_text => Type::Text(None),
            // What it refers to, or is by itself, is a number.
            Type::Flag if !self.is_truth(table, column) => Type::Integer {
                bytes: 1,
                is_unsigned: false,
            },
            other => other,
        };
        let wanted = match column.enum_words.as_slice() {
            [] => wanted,
            words => match types::enum_of(self.target, words) {
                Some(to) => return Ok(to),
                None => Type::Text(None),
            },
        };
        let backends = [self.source, self.target];
        let is_indexed = is_indexed(table, &column.name, self.tables, backends);
        let mut written = types::write(self.target, wanted, is_indexed);
        if written.is_err()
            && self.choices.unknown_types_as_text
            && column_type
                .kind_in(&ColumnType::parse(self.target, "text"))
                .is_some()
        {
            written = types::write(self.target, Type::Text(None), is_indexed);
        }
        written.map_err(|refusal| format!("{}; {}", refusal.why, refusal.instead))
    }

    /// Whether a column that may have 0 and 1 only is truth, as far as its definition says that.
    fn is_truth(&self, table: &Table, column: &Column) -> bool {
        let shown = &engine(self.source).columns;
        let default = column.default.as_deref().map(shown.unwrapped);
        let default = default.map(|sql| sql.trim().trim_matches('\''));
        let is_number = |sql: &str| {
            sql.parse()
                .is_ok_and(|number: i64| !(0..=1).contains(&number))
        };
        let contains = |columns: &[String]| columns.contains(&column.name);
        let mut refers = table.foreign_keys.iter();
        let keys = self.tables.iter().flat_map(|other| &other.foreign_keys);
        let mut referring = keys.filter(|key| key.target == table.name);
        !default.is_some_and(is_number)
            && !refers.any(|key| contains(&key.columns))
            && !referring.any(|key| contains(&key.target_columns))
    }

    /// Gives whole numbers the type of those that they refer to, where both have to have the same.
    fn widen_references(&self, planned: &mut [TablePlan]) {
        if !engine(self.target).objects.references_have_one_type {
            return;
        }
        let is_integer = |to: &str| {
            let meaning = ColumnType::parse(self.target, to).meaning();
            matches!(meaning, Some(Type::Integer { .. }))
        };
        // What refers to a reference comes behind it, but for circles.
        for place in 0..planned.len() {
            let Some(table) = self.tables.get(place) else {
                continue;
            };
            // What exists has the type that it has.
            if self.there.iter().any(|found| found.name == table.name) {
                continue;
            }
            for key in &table.foreign_keys {
                for (name, target) in key.columns.iter().zip(&key.target_columns) {
                    let referred = planned.iter().find(|other| other.name == key.target);
                    let referred = referred.and_then(|other| other.column(target));
                    let Some(wanted) = referred.and_then(|column| column.to.clone()) else {
                        continue;
                    };
                    let columns = planned[place].columns.iter_mut();
                    let mut columns = columns.filter(|column| column.name == *name);
                    if let Some(to) = columns.next().and_then(|column| column.to.as_mut())
                        && is_integer(to)
                        && is_integer(&wanted)
                    {
                        *to = wanted;
                    }
                }
            }
        }
    }

    /// The type of the column that a plan gives to ids.
    fn sql_type_of(&self, column: &ColumnPlan) -> Option<String> {
        let format = column.format.as_ref()?.parse().ok()?;
        let form = StoredForm::named(format, self.target, column.stored_to.as_ref()?).ok()?;
        let column_type = ColumnType::parse(self.target, form.sql_type());
        Some(column_type.bare().to_lowercase())
    }

    /// What becomes of the ids, as sentences.
    fn ids_in_words(&self, planned: &[TablePlan]) -> Vec<String> {
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

/// The type of a column as it is, with its collation.
fn own_type(backend: Backend, column: &Column) -> String {
    match &column.collation {
        Some(collation) if engine(backend).columns.names_collations => {
            let column_type = column.column_type(backend);
            column_type.with_collation(collation).to_string()
        }
        _ => column.sql_type.clone(),
    }
}

/// The tables that are copied.
fn copied(catalog: &Catalog) -> Vec<&Table> {
    let tables = catalog.tables.iter().filter(|table| {
        // A table is copied as a whole. PostgreSQL has some without columns.
        let is_whole = partitions::whole(table, catalog).is_none() && !table.columns.is_empty();
        is_whole && !table.is_of_tools()
    });
    tables.collect()
}

/// What tables become: the target may write their names in letters of another case. Its own tables
/// get the names that the source has for them.
fn take_names(tables: &[&Table], there: &mut Vec<Table>) -> BTreeMap<QualifiedName, QualifiedName> {
    let wanted = tables.iter().map(|table| new_name(table, tables));
    let wanted: Vec<String> = wanted.collect();
    let own = there.iter().map(|found| &found.name);
    let own = own.filter(|name| name.schema.is_none());
    let becomes = tables.iter().zip(&wanted).map(|(table, name)| {
        let found = in_any_case(own.clone(), |found| &found.name, name);
        let is_like = |other: &&String| other.to_lowercase() == name.to_lowercase();
        let is_its_own =
            |found: &String| found == name || wanted.iter().filter(is_like).count() == 1;
        let found = found.map(|found| found.name.clone());
        let found = found.filter(is_its_own);
        let name = QualifiedName {
            schema: None,
            name: found.unwrap_or_else(|| name.clone()),
        };
        (table.name.clone(), name)
    });
    let becomes: BTreeMap<_, _> = becomes.collect();
    let sources: BTreeMap<_, _> = becomes.iter().map(|(from, to)| (to, from)).collect();
    there.retain(|found| sources.contains_key(&found.name));
    for found in there {
        let targets = found.foreign_keys.iter_mut().map(|key| &mut key.target);
        for name in targets.chain([&mut found.name]) {
            if let Some(source) = sources.get(name) {
                name.clone_from(source);
            }
        }
    }
    becomes
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

/// Whether the target may get an index with a column. Within one product, it gets those of every
/// method.
fn is_indexed(table: &Table, column: &str, tables: &[&Table], backends: [Backend; 2]) -> bool {
    let contains = |columns: &[String]| columns.iter().any(|name| name == column);
    let is_target = |other: &&Table| {
        let mut keys = other.foreign_keys.iter();
        keys.any(|key| key.target == table.name && contains(&key.target_columns))
    };
    let mut indexes = table.indexes.iter();
    table.keys.iter().any(|key| contains(&key.columns))
        || indexes.any(|index| match backends[0] == backends[1] {
            true => contains(&index.columns),
            false => index_rules::needs_type(backends, table, index, column),
        })
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
