//! A plan together with what the catalogue says about its tables.

use std::collections::BTreeSet;

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_sql::{Conversion, StoredForm};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Column, ForeignKey, QualifiedName, Table};
use rowkey_tables::dialect::{Dialect, LetterCase};
use rowkey_tables::types::Type;

use crate::plan::{LeftOut, Plan, Policy};

/// The change of all tables, as the catalogue was before the first phase.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) backend: Backend,
    pub(super) source: Source,
    /// The form of the new columns.
    pub(super) to: StoredForm,
    /// The key's table first, then the others.
    pub(super) tables: Vec<ChangedTable>,
    pub(super) policy: Policy,
    /// Columns that look like references, and stay as they are.
    pub(super) left_out: Vec<LeftOut>,
    /// The column with the time at which a row of the key's table was created.
    pub(super) created: Option<String>,
    /// The beginning of the plan's hash, which marks sessions and names.
    pub(super) mark: String,
}

/// Where new values come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// New values are the old ones in another form.
    Converted(Conversion),
    /// New values are new ids, and a table maps the old ones to them.
    Mapped,
}

/// The form of the ids before the change, or that after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Old,
    New,
}

impl Form {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }
}

/// A table with columns that change.
#[derive(Clone, Debug)]
pub(super) struct ChangedTable {
    /// Its place in the plan, which is in the names of what the change makes for it.
    place: usize,
    pub(super) table: Table,
    pub(super) columns: Vec<ChangedColumn>,
}

/// A column that changes.
#[derive(Clone, Debug)]
pub(super) struct ChangedColumn {
    /// The column as it was.
    pub(super) column: Column,
    /// The name of the new column after the swap.
    pub(super) new_name: String,
    /// The name of the old column after the swap.
    pub(super) retired_name: String,
    /// Whether it is the key.
    pub(super) is_key: bool,
    /// Whether a foreign key asserts it, directly or through a composite key; true for the key.
    pub(super) is_asserted: bool,
}

impl Work {
    /// Joins a plan and the catalogue as it was before the first phase.
    pub(super) fn new(plan: &Plan, catalog: &Catalog) -> Result<Self, Error> {
        let backend = plan.backend()?;
        if backend != catalog.backend {
            return Err(Error::refused(
                format!("`backend = \"{}\"`", plan.backend),
                format!("the database is {}", catalog.backend),
                "give the address of the database that the plan was written for",
            ));
        }
        let names = plan.tables();
        for name in &names {
            catalog.table(name)?;
        }
        if !plan.is_of(catalog) {
            return Err(plan.refusal(catalog));
        }
        let (from, to) = plan.forms(backend)?;
        let source = match from {
            Some(from) => Source::Converted(Conversion::new(from, to)?),
            None => Source::Mapped,
        };
        let mut tables = Vec::new();
        for (place, name) in names.into_iter().enumerate() {
            let table = catalog.table(&name)?.clone();
            let columns = changed_columns(plan, &table)?;
            tables.push(ChangedTable {
                place,
                table,
                columns,
            });
        }
        let mark = plan.mark()?;
        Ok(Self {
            backend,
            source,
            to,
            tables,
            policy: plan.policy.clone(),
            left_out: plan.left_out.clone(),
            created: plan.key.created.clone(),
            mark,
        })
    }

    /// The key's table and column.
    pub(super) fn key(&self) -> Result<(&ChangedTable, &ChangedColumn), Error> {
        let mut columns = self.columns();
        columns
            .find(|(_, column)| column.is_key)
            .ok_or_else(|| Error::Missing {
                what: "the key of the plan".into(),
            })
    }

    /// The change of a table, if it has one.
    pub(super) fn table(&self, name: &QualifiedName) -> Option<&ChangedTable> {
        self.tables.iter().find(|table| table.name() == name)
    }

    /// Fails if somebody has changed the tables since the change began. Call this before the new
    /// columns take the places of the old ones: the swap does not carry what was added.
    pub(super) fn require_unaltered(&self, now: &Catalog) -> Result<(), Error> {
        for changed in &self.tables {
            let found = now.table(changed.name())?;
            let contents = [&changed.table, found].map(|table| self.contents(changed, table));
            let [before, now] = &contents;
            if let Some(what) = before.symmetric_difference(now).next() {
                return Err(Error::refused(
                    "the change",
                    format!("{} has changed since it began: see {what}", changed.name()),
                    "take that back, or undo the change and write a new plan",
                ));
            }
        }
        Ok(())
    }

    /// What a table consists of, without what a change makes in it.
    fn contents(&self, changed: &ChangedTable, table: &Table) -> BTreeSet<String> {
        let is_shadow = |column: &Column| {
            let mut changed = changed.columns.iter();
            changed.any(|changed| changed.shadow_name() == column.name)
        };
        let columns = table.columns.iter().filter(|column| !is_shadow(column));
        let columns = columns.map(|column| {
            let null = if column.is_nullable {
                "NULL"
            } else {
                "NOT NULL"
            };
            format!(
                "the column {} {} {null}",
                column.name,
                column.sql_type.as_str()
            )
        });
        let keys = table.keys.iter();
        let keys = keys.map(|key| format!("the key {} ({})", key.name, key.columns.join(", ")));
        let made = self.made(changed, "").name;
        let indexes = table
            .indexes
            .iter()
            .filter(|index| !index.name.starts_with(&made));
        let indexes = indexes.map(|index| {
            let unique = if index.is_unique { "unique " } else { "" };
            format!(
                "the {unique}index {} ({})",
                index.name,
                index.columns.join(", ")
            )
        });
        let references = table.foreign_keys.iter().map(|key| {
            let columns = key.columns.join(", ");
            format!("the reference {} of {columns} to {}", key.name, key.target)
        });
        columns
            .chain(keys)
            .chain(indexes)
            .chain(references)
            .collect()
    }

    /// Only the tables and the references that there still are: somebody may have dropped others
    /// while the change was on its way.
    #[cfg(feature = "postgres")]
    pub(super) fn still_in(&self, now: &Catalog) -> Self {
        let mut work = self.clone();
        work.tables.retain_mut(|changed| {
            let Ok(found) = now.table(changed.name()) else {
                return false;
            };
            let is_there =
                |key: &ForeignKey| found.foreign_keys.iter().any(|one| one.name == key.name);
            changed.table.foreign_keys.retain(is_there);
            true
        });
        work
    }

    /// Whether a column changes.
    pub(super) fn changes(&self, table: &QualifiedName, column: &str) -> bool {
        let table = self.table(table);
        table.is_some_and(|table| table.changed(column).is_some())
    }

    /// The name of something that the change makes for a table, and no other change uses.
    pub(super) fn made(&self, table: &ChangedTable, what: &str) -> QualifiedName {
        let name = format!("rowkey_{}_{}_{what}", self.mark, table.place);
        table.name().sibling(name)
    }

    /// The columns of a reference in a form, and those that it refers to, each as a list.
    pub(super) fn ends(
        &self,
        table: &ChangedTable,
        key: &ForeignKey,
        form: Form,
    ) -> Result<[String; 2], Error> {
        let used = |column: &ChangedColumn| column.used(form).to_owned();
        let columns = table.renamed(&key.columns, used);
        let targets = match self.table(&key.target) {
            Some(target) => target.renamed(&key.target_columns, used),
            None => key.target_columns.clone(),
        };
        Ok([
            quoted_list(self.backend, &columns)?,
            quoted_list(self.backend, &targets)?,
        ])
    }

    /// The columns that change, each with its table.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&ChangedTable, &ChangedColumn)> {
        self.tables.iter().flat_map(|table| {
            let columns = table.columns.iter();
            columns.map(move |column| (table, column))
        })
    }
}

/// Names in a list in SQL.
pub(super) fn quoted_list(backend: Backend, names: &[String]) -> Result<String, Error> {
    let names = names.iter().map(|name| quote_identifier(backend, name));
    Ok(names.collect::<Result<Vec<_>, _>>()?.join(", "))
}

/// Whether two names of columns are one, or may be.
pub(super) fn is_same_name(backend: Backend, one: &str, other: &str) -> bool {
    match backend.case_of_columns() {
        LetterCase::Counts => one == other,
        LetterCase::Ignored | LetterCase::ByCollation => one.to_lowercase() == other.to_lowercase(),
    }
}

fn changed_columns(plan: &Plan, table: &Table) -> Result<Vec<ChangedColumn>, Error> {
    let backend = plan.backend()?;
    let mut columns = Vec::new();
    for planned in plan.columns().filter(|one| *one.table == table.name) {
        let (name, becomes) = (planned.name, planned.becomes);
        let column = table.column(name).ok_or_else(|| Error::Missing {
            what: format!("the column {name} of the table {}", table.name),
        })?;
        let mut of_system = backend.system_columns().iter();
        if of_system.any(|known| known.eq_ignore_ascii_case(becomes)) {
            return Err(Error::refused(
                format!("`becomes = \"{becomes}\"`"),
                "every table of this database has a column of that name already",
                "choose another name",
            ));
        }
        let refused = |why: String| {
            let what = format!("`becomes = \"{becomes}\"`");
            Error::refused(what, why, "choose another name")
        };
        if let Err(error) = quote_identifier(backend, becomes) {
            return Err(refused(error.to_string()));
        }
        let is_it = |one: &&Column| is_same_name(backend, &one.name, becomes);
        if becomes != name
            && let Some(taken) = table.columns.iter().find(is_it)
        {
            return Err(refused(format!(
                "the table {} already has the column {}",
                table.name, taken.name
            )));
        }
        columns.push(ChangedColumn {
            column: column.clone(),
            new_name: becomes.to_owned(),
            retired_name: planned.retired_name(),
            is_key: planned.is_key,
            is_asserted: planned.is_asserted,
        });
    }
    let mut needed: Vec<&str> = columns
        .iter()
        .map(|column| column.retired_name.as_str())
        .collect();
    for column in &columns {
        if needed
            .iter()
            .any(|name| is_same_name(backend, name, &column.new_name))
        {
            return Err(Error::refused(
                format!("`becomes = \"{}\"`", column.new_name),
                format!(
                    "the change needs that name for another column of {}",
                    table.name
                ),
                "choose another name",
            ));
        }
        needed.push(&column.new_name);
    }
    Ok(columns)
}

impl ChangedColumn {
    /// Whether the default counts: it takes the next number of a sequence, or a function makes whole
    /// numbers, as some do for several servers. Any other one makes values of the old format.
    pub(super) fn counts_by_default(&self, backend: Backend) -> bool {
        let column_type = self.column.column_type(backend);
        let is_whole = matches!(column_type.meaning(), Some(Type::Integer { .. }));
        let is_counter = |default: &str| {
            let calls = |function: &str| default.to_lowercase().contains(function);
            calls("nextval(") || is_whole && calls("(")
        };
        self.column.default.as_deref().is_some_and(is_counter)
    }

    /// The name of the new column until the swap, where it is beside the old one.
    pub(super) fn shadow_name(&self) -> String {
        match self.new_name == self.column.name {
            true => format!("{}_rowkey", self.new_name),
            false => self.new_name.clone(),
        }
    }

    /// The name of the column with a form, while programs use it.
    pub(super) fn used(&self, form: Form) -> &str {
        match form {
            Form::Old => &self.column.name,
            Form::New => &self.new_name,
        }
    }

    /// The name of the column with a form, while programs use the other one and triggers fill it.
    pub(super) fn filled(&self, form: Form) -> String {
        match form {
            Form::Old => self.retired_name.clone(),
            Form::New => self.shadow_name(),
        }
    }
}

impl ChangedTable {
    /// The name of the table.
    pub(super) fn name(&self) -> &QualifiedName {
        &self.table.name
    }

    /// The change of a column, if it has one.
    pub(super) fn changed(&self, column: &str) -> Option<&ChangedColumn> {
        self.columns
            .iter()
            .find(|changed| changed.column.name == column)
    }

    /// Those of some columns that change.
    pub(super) fn changed_of<'c>(&self, columns: &'c [String]) -> Vec<&'c str> {
        let changed = columns.iter().filter(|name| self.changed(name).is_some());
        changed.map(String::as_str).collect()
    }

    /// Whether some of the columns change.
    pub(super) fn changes_any(&self, columns: &[String]) -> bool {
        columns.iter().any(|name| self.changed(name).is_some())
    }

    /// The references with a column that changes.
    pub(super) fn foreign_keys(&self) -> impl Iterator<Item = &ForeignKey> {
        let keys = self.table.foreign_keys.iter();
        keys.filter(|key| self.changes_any(&key.columns))
    }

    /// The names of columns; a function names those that change.
    pub(super) fn renamed(
        &self,
        columns: &[String],
        rename: impl Fn(&ChangedColumn) -> String,
    ) -> Vec<String> {
        let name = |column: &String| self.changed(column).map_or_else(|| column.clone(), &rename);
        columns.iter().map(name).collect()
    }
}
