//! The reasons against a change, all of them before the first statement.

use std::fmt;

use rowkey_core::storage::quote_identifier;
use rowkey_sql::{Conversion, StoredForm};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Column, Dependent, ForeignKey, QualifiedName, Table};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::inventory::{self, KeyNames, Origin, Reference, others_of_type};
use rowkey_tables::refusals;
use rowkey_tables::types::{ColumnType, Type};

use crate::id_map::{TABLE, is_of_another_format, is_unusable};
use crate::plan::OldPrograms;
use crate::work::{ChangedColumn, ChangedTable, Form, Source, Work, is_same_name};

/// What to do about what the new column may get after the change.
pub(super) const AGAIN: &str = "drop it, and make it again for the new column after the change";

/// How many values are shown of those that are damaged.
const EXAMPLES: usize = 3;

/// Reasons against a change.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    reasons: refusals::Refusals<What>,
    /// What could not be looked at, as sentences.
    unseen: Vec<String>,
}

/// What cannot be carried.
#[derive(Clone, Debug)]
pub(super) enum What {
    Column(Place),
    /// A column that refers to the key.
    Reference(Place),
    /// Something else, in words.
    Other(String),
}

/// A table and one of its columns.
type Place = (QualifiedName, String);

impl What {
    pub(super) fn column(table: &QualifiedName, column: &str) -> Self {
        Self::Column((table.clone(), column.to_owned()))
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column((table, column)) => write!(f, "{table}.{column}"),
            Self::Reference((table, column)) => write!(f, "the reference {table}.{column}"),
            Self::Other(words) => f.write_str(words),
        }
    }
}

impl From<&str> for What {
    fn from(words: &str) -> Self {
        Self::Other(words.into())
    }
}

impl From<String> for What {
    fn from(words: String) -> Self {
        Self::Other(words)
    }
}

impl From<&String> for What {
    fn from(words: &String) -> Self {
        Self::Other(words.clone())
    }
}

impl Refusals {
    /// Adds a reason: what cannot be carried, why not, and what to do.
    pub(super) fn add(
        &mut self,
        what: impl Into<What>,
        why: impl Into<String>,
        instead: impl Into<String>,
    ) {
        let what = what.into();
        let reason = Error::refused(what.to_string(), why, instead);
        self.reasons.add(what, reason);
    }

    /// Whether there is no reason so far.
    pub(super) fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// The columns that there is a reason against.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&QualifiedName, &str)> {
        self.reasons.iter().filter_map(|(what, _)| match what {
            What::Column((table, column)) | What::Reference((table, column)) => {
                Some((table, column.as_str()))
            }
            What::Other(_) => None,
        })
    }

    /// What a person has to look at, because the database does not tell.
    pub(crate) fn unseen(&self) -> &[String] {
        &self.unseen
    }

    /// Each reason as a sentence, as the error says it that has only one.
    pub(crate) fn sentences(&self) -> impl Iterator<Item = String> {
        self.reasons.iter().map(|(_, reason)| reason.to_string())
    }

    /// One error with all reasons, if there is one.
    pub(crate) fn result(self) -> Result<(), Error> {
        self.reasons.result("the change", "nothing was changed")
    }

    /// Adds a reason for each column with values that aren't ids of the format in the form that
    /// programs use, or that the other form has no room for.
    pub(super) async fn add_damaged_values(
        &mut self,
        connection: &mut Connection,
        work: &Work,
        used: Form,
    ) -> Result<(), Error> {
        let (form, conversion) = match (work.source, used) {
            (Source::Converted(conversion), Form::Old) => {
                (conversion.reversed().to(), Some(conversion))
            }
            (Source::Converted(conversion), Form::New) => {
                (conversion.to(), Some(conversion.reversed()))
            }
            // The map leads every value back, damaged or not; but another attempt would give a
            // damaged one to its row again.
            (Source::Mapped, Form::New) => (work.to, None),
            (Source::Mapped, Form::Old) => return Ok(()),
        };
        let instead = match used {
            Form::Old => {
                "correct or delete the rows, or plan with the format and the form that they have \
                 (`rowkey doctor` tells)"
            }
            Form::New => "correct or delete the rows, or finish with --contract",
        };
        for (table, column) in work.columns() {
            let place = (table, column.used(used));
            self.add_damaged_values_of(connection, place, (form, conversion), instead)
                .await?;
        }
        Ok(())
    }

    /// Adds what depends on a table, and is not carried: why, and what to do, by the columns that
    /// it uses of those that change.
    pub(super) fn add_dependents<'t>(
        &mut self,
        table: &'t ChangedTable,
        objection: impl Fn(&'t Dependent, &[&str]) -> Option<(String, &'static str)>,
    ) {
        for dependent in &table.table.dependents {
            let used = table.changed_of(&dependent.columns);
            if let Some((why, instead)) = objection(dependent, &used) {
                let (kind, name) = (dependent.kind_name(), &dependent.name);
                let what = format!("the {kind} {name} of {}", table.name());
                self.add(what, why, instead);
            }
        }
    }

    /// Adds a reason if a column has not the kind of values that the plan says.
    pub(super) fn add_other_type(&mut self, work: &Work, what: What, column: &Column) {
        let Source::Converted(conversion) = work.source else {
            return;
        };
        let from = conversion.reversed().to();
        let declared = ColumnType::parse(work.backend, from.sql_type());
        let found = column.column_type(work.backend);
        if !found.has_values_of(&declared) {
            self.add(
                what,
                format!(
                    "its type is {found}, and {} is stored as {declared}",
                    from.storage().name()
                ),
                "plan with the storage that it has",
            );
        }
    }

    /// Adds a reason for a default, which would go on with the old ids.
    pub(super) fn add_default(&mut self, what: What, default: &str) {
        self.add(
            what,
            format!("its default {default} makes ids in the old form"),
            "drop the default, and let programs make the ids; `rowkey ddl --default` prints one \
             for the new column, where there is one",
        );
    }

    /// Adds a reason for a key whose counter has no number left after the last one.
    pub(super) fn add_used_up(&mut self, what: What, last: &str, counter: &str) {
        self.add(
            what,
            format!(
                "after {last}, {counter} has no number for rows that new programs write, and without old ids the \
                 swap could not be undone"
            ),
            "change it and its references to a wider type first, or give the last rows smaller numbers",
        );
    }

    /// Adds the references of which only one end changes.
    pub(super) fn add_halved_references(&mut self, work: &Work, catalog: &Catalog) {
        for (table, key, column, target) in halved_references(work, catalog) {
            let (stays, stays_in) = match work.changes(&table.name, column) {
                true => (target, &key.target),
                false => (column, &table.name),
            };
            self.add(
                describe(key, &table.name),
                format!("{stays_in}.{stays} stays as it is, so that they would differ"),
                "plan both columns, or drop the reference",
            );
        }
    }

    /// Adds a reason for each name that a column needs and cannot have, where tables get new
    /// columns.
    pub(super) fn add_names_of_columns(
        &mut self,
        work: &Work,
        table: &ChangedTable,
        column: &ChangedColumn,
    ) {
        self.add_needed_name(work, table, column, &column.shadow_name());
        self.add_needed_name(work, table, column, &column.retired_name);
        let what = || What::column(table.name(), &column.column.name);
        let is_same_name = column.new_name == column.column.name;
        if is_same_name && work.policy.old_programs == OldPrograms::Rename {
            self.add(
                what(),
                "with the same name, programs with the old declaration would go on writing",
                match work.backend.marks_sessions() {
                    true => "give `becomes` another name, or set `old-programs = \"mark\"`",
                    false => "give `becomes` another name",
                },
            );
        }
    }

    /// Adds a reason if a table cannot get a column of a name, beside the column that changes.
    pub(super) fn add_needed_name(
        &mut self,
        work: &Work,
        table: &ChangedTable,
        column: &ChangedColumn,
        name: &str,
    ) {
        let what = || What::column(table.name(), &column.column.name);
        let mut columns = table.table.columns.iter();
        if let Some(taken) = columns.find(|other| is_same_name(work.backend, &other.name, name)) {
            self.add(
                what(),
                format!(
                    "the change needs the name {name}, which the column {} has",
                    taken.name
                ),
                "rename that column",
            );
        }
        if let Err(error) = quote_identifier(work.backend, name) {
            self.add(
                what(),
                format!("the change needs the name {name}: {error}"),
                "rename the column to a shorter name",
            );
        }
    }

    /// Adds the references whose ids are not all of the key: another column names their table.
    pub(super) async fn add_polymorphic(
        &mut self,
        connection: &mut Connection,
        work: &Work,
        catalog: &Catalog,
    ) -> Result<(), Error> {
        let (key, id) = work.key()?;
        let target = (key.name(), id.column.name.as_str());
        // A foreign key is of one table.
        let references = work
            .columns()
            .filter(|(_, changed)| !changed.is_key && !changed.is_asserted);
        for (table, changed) in references {
            let (table, column) = (&table.table, &changed.column);
            let others = others_of_type(connection, catalog, (table, column), target).await?;
            if let Some((kind, others)) = others {
                self.add(
                    What::Reference((table.name.clone(), column.name.clone())),
                    format!("{kind} says {others}, so that not all of its values are of {}", key.name()),
                    "leave it out of the plan, and change its values for this table with a statement of \
                     your own after the swap",
                );
            }
        }
        Ok(())
    }

    /// Adds a reason for each reference whose values the map of ids would take for others than those
    /// of the key: it has ids as text, and equal values may have several.
    pub(super) async fn add_other_texts(
        &mut self,
        connection: &mut Connection,
        work: &Work,
    ) -> Result<(), Error> {
        let Source::Mapped = work.source else {
            return Ok(());
        };
        let backend = work.backend;
        let (key_table, key) = work.key()?;
        let column_type = |column: &Column| column.column_type(backend);
        let key_type = column_type(&key.column);
        let is_whole = |own: &ColumnType| matches!(own.meaning(), Some(Type::Integer { .. }));
        let text = |own: &ColumnType, sql: &str| backend.as_compared(&own.as_mapped(sql));
        let parents = key_table.name().quoted(backend)?;
        let parent = format!("k.{}", quote_identifier(backend, &key.column.name)?);
        for (table, changed) in work.columns().filter(|(_, changed)| !changed.is_key) {
            let own = column_type(&changed.column);
            let is_same = own.is_same(&key_type);
            let has_one_text = own.has_one_text(changed.column.collation.as_deref());
            if is_same && has_one_text || is_whole(&own) && is_whole(&key_type) {
                continue;
            }
            let what = What::Reference((table.name().clone(), changed.column.name.clone()));
            // Of text, the rows say whether they have one, and a foreign key refuses others from then on.
            let is_text = matches!(own.meaning(), Some(Type::Text(_) | Type::PaddedText(_)));
            if is_same && changed.is_asserted && !is_text {
                self.add(
                    what,
                    format!("equal values of the type {own} have several texts, and new ids are found by text"),
                    "give the key and its references another type first",
                );
                continue;
            }
            let children = table.name().quoted(backend)?;
            let child = format!(
                "{children}.{}",
                quote_identifier(backend, &changed.column.name)?
            );
            let known = |condition: &str| {
                format!("EXISTS (SELECT 1 FROM {parents} AS k WHERE {condition})")
            };
            let same_text = format!("{} = {}", text(&key_type, &parent), text(&own, &child));
            let condition = match is_same {
                // Others refer to nothing, and may go on doing so.
                true => {
                    let same = format!("{parent} = {child}");
                    let with_text = known(&format!("{same} AND {same_text}"));
                    format!("{} AND NOT {with_text}", known(&same))
                }
                false => format!("{child} IS NOT NULL AND NOT {}", known(&same_text)),
            };
            let doing = format!("the values of {what}");
            let shown = own.readable(&child);
            let rows = (children.as_str(), shown.as_str());
            if let Some((count, examples)) = examples(connection, &doing, rows, &condition).await? {
                self.add(
                    what,
                    format!(
                        "its type is {own}, and that of the key {key_type}: new ids are found by text, and in \
                         {count} rows it is not that of an id of the key, such as {examples}"
                    ),
                    "correct or delete these rows, or give the column the type of the key first",
                );
            }
        }
        Ok(())
    }

    /// Adds the columns that look like references to what changes, by their names or by their values,
    /// and of which the plan says nothing: they would keep the values of before, in silence.
    pub(super) async fn add_unplanned(
        &mut self,
        connection: &mut Connection,
        work: &Work,
        catalog: &Catalog,
    ) -> Result<(), Error> {
        let names = KeyNames::of(catalog);
        let (key_table, key) = work.key()?;
        for table in &catalog.tables {
            let is_planned = |column: &String| {
                let mut left_out = work.left_out.iter();
                work.changes(&table.name, column)
                    || left_out.any(|one| one.table == table.name && one.column == *column)
            };
            let is_wanted = |reference: &Reference| {
                let mut targets = reference.target_columns.iter();
                targets.any(|column| work.changes(&reference.target, column))
                    && !reference.columns.iter().any(is_planned)
            };
            // What cannot be read is named like the others.
            let unseen = &mut self.unseen;
            let mut found = inventory::likely(connection, &names, table, is_wanted, unseen).await;
            let is_known = |column: &Column| {
                let mut columns = found.iter().flat_map(|reference| &reference.columns);
                is_planned(&column.name) || columns.any(|known| *known == column.name)
            };
            let is_wanted = |column: &Column| !is_known(column);
            let ids = (&key_table.table, &key.column);
            let by_values = inventory::by_values(connection, ids, table, is_wanted, unseen).await;
            found.extend(by_values);
            for reference in found {
                self.add_unplanned_reference(&table.name, &reference);
            }
        }
        Ok(())
    }

    fn add_unplanned_reference(&mut self, table: &QualifiedName, reference: &Reference) {
        let Origin::Likely { reason, evidence } = &reference.origin else {
            return;
        };
        let column = reference.columns.join(", ");
        let found = evidence.map_or_else(
            || "no value tells".to_owned(),
            |found| format!("{} of {} values exist there", found.found, found.sampled),
        );
        // A conversion would change the ids of other tables, too.
        let only = match evidence {
            Some(found) if found.found < found.sampled => {
                format!(" if it refers to {} only", reference.target)
            }
            _ => String::new(),
        };
        self.add(
            format!("{table}.{column}"),
            format!(
                "it looks like a reference to {}.{} ({reason}; {found}), and would go on with the old ids",
                reference.target,
                reference.target_columns.join(", "),
            ),
            format!(
                "write the plan again with --reference {table}.{column}{only}, or write into the plan\n\
                 [[left-out]]\ntable = {}\ncolumn = {}\n\
                 if it is none, or you change its values yourself after the swap",
                toml_text(&table.to_string()),
                toml_text(&column),
            ),
        );
    }

    /// Adds a reason if the map has ids of another format, from an attempt that was undone: the
    /// rows would get those.
    pub(super) async fn add_map_of_another_format(
        &mut self,
        connection: &mut Connection,
        work: &Work,
        catalog: &Catalog,
    ) -> Result<(), Error> {
        let Source::Mapped = work.source else {
            return Ok(());
        };
        if catalog.table(&TABLE.into()).is_err() {
            return Ok(());
        }
        let (table, _) = work.key()?;
        let format = work.to.format();
        let query = format!(
            "SELECT count(*) FROM {TABLE} WHERE {}",
            is_of_another_format(work)?
        );
        let others = connection.count("the map of ids", &query, &[]).await?;
        if others > 0 {
            self.add(
                format!("the table {TABLE}"),
                format!(
                    "{others} of its ids of {} are of another format than {}",
                    table.name(),
                    format.name()
                ),
                "rename it, if nobody has got those ids; otherwise plan with their format",
            );
        }
        Ok(())
    }

    /// Adds references that lead nowhere: they were written while the server did not check.
    pub(crate) async fn add_orphans(
        &mut self,
        connection: &mut Connection,
        work: &Work,
        table: &ChangedTable,
        keys: impl Iterator<Item = &ForeignKey>,
    ) -> Result<(), Error> {
        let backend = work.backend;
        for key in keys {
            let (mut on, mut present) = (Vec::new(), Vec::new());
            for (column, target) in key.columns.iter().zip(&key.target_columns) {
                let referred = work.table(&key.target).map(|other| &other.table);
                let [here, there] =
                    [(Some(&table.table), column), (referred, target)].map(|(table, name)| {
                        table.and_then(|table| table.column(name)?.collation.as_ref())
                    });
                let [column, target] = [("c", column), ("p", target)].map(|(row, name)| {
                    let name = quote_identifier(backend, name)?;
                    // PostgreSQL compares by no collation if there are two.
                    Ok(match here == there {
                        true => format!("{row}.{name}"),
                        false => format!("{row}.{name}::text COLLATE \"C\""),
                    })
                });
                let (column, target): (String, Result<_, Error>) = (column?, target);
                on.push(format!("{} = {column}", target?));
                present.push(format!("{column} IS NOT NULL"));
            }
            let query = format!(
                "SELECT COUNT(*) FROM {} c WHERE {} AND NOT EXISTS (SELECT 1 FROM {} p WHERE {})",
                table.name().quoted(backend)?,
                present.join(" AND "),
                key.target.quoted(backend)?,
                on.join(" AND ")
            );
            let doing = format!("the references of {}", table.name());
            let count = connection.count(&doing, &query, &[]).await?;
            if count > 0 {
                self.add(
                    format!("the foreign key {} of {}", key.name, table.name()),
                    format!("{count} of its references lead nowhere, although it forbids that"),
                    "correct or delete the rows",
                );
            }
        }
        Ok(())
    }

    /// Adds a reason if new ids cannot carry the creation times of all rows: those that cannot
    /// would get the time of the change, as if they were the newest.
    pub(super) async fn add_unusable_times(
        &mut self,
        connection: &mut Connection,
        work: &Work,
    ) -> Result<(), Error> {
        let (Source::Mapped, Some(created)) = (work.source, &work.created) else {
            return Ok(());
        };
        let (key, _) = work.key()?;
        let Some(is_unusable) = is_unusable(work.to, &key.table, created)? else {
            return Ok(());
        };
        let what = What::column(key.name(), created);
        let doing = format!("the creation times of {what}");
        let table = key.name().quoted(work.backend)?;
        let column = quote_identifier(work.backend, created)?;
        let column = work.backend.time_as_text(&column);
        let query = format!("SELECT count(*), min({column}) FROM {table} WHERE {is_unusable}");
        let row = connection.one_row(&doing, &query, &[]).await?;
        let count = row.count(0)?;
        if count > 0 {
            let example = row.0.get(1).map_or_else(String::new, shown);
            self.add(
                what,
                format!(
                    "the creation time of {count} of its rows is no instant that a {} carries, such as \
                     {example}",
                    work.to.format().name()
                ),
                "correct these times; with NULL, a row gets the time of the change; without `created` in \
                 the plan, all rows do",
            );
        }
        Ok(())
    }

    /// Adds a reason for the values of a column that aren't ids in a form, or have no place in the
    /// one to which they are converted, if they are.
    async fn add_damaged_values_of(
        &mut self,
        connection: &mut Connection,
        (table, column): (&ChangedTable, &str),
        (form, conversion): (StoredForm, Option<Conversion>),
        instead: &str,
    ) -> Result<(), Error> {
        let backend = form.backend();
        let quoted = quote_identifier(backend, column)?;
        let from = table.name().quoted(backend)?;
        let is_id = form.condition(&quoted)?;
        let (is_lost, too_large) = match conversion {
            Some(conversion) => (
                format!(" OR {} IS NULL", conversion.of(&quoted)?),
                ", or too large for the other form",
            ),
            None => Default::default(),
        };
        let is_damaged = format!("{quoted} IS NOT NULL AND (NOT ({is_id}){is_lost})");
        let what = What::column(table.name(), column);
        let doing = format!("the damaged values of {what}");
        let rows = (from.as_str(), quoted.as_str());
        let Some((count, examples)) = examples(connection, &doing, rows, &is_damaged).await? else {
            return Ok(());
        };
        let values = if count == 1 { "value is" } else { "values are" };
        let why = format!(
            "{count} {values} no {} as {}:{}{too_large}, such as {}",
            form.format().name(),
            form.storage().name(),
            form.layout().name(),
            examples,
        );
        self.add(what, why, instead);
        Ok(())
    }
}

/// How many rows of a table there are with a condition, and what the first ones have in a column;
/// nothing if there are none.
pub(super) async fn examples(
    connection: &mut Connection,
    doing: &str,
    (table, column): (&str, &str),
    condition: &str,
) -> Result<Option<(u64, String)>, Error> {
    let count = format!("SELECT count(*) FROM {table} WHERE {condition}");
    let count = connection.count(doing, &count, &[]).await?;
    if count == 0 {
        return Ok(None);
    }
    let (top, limit) = connection.backend().first_rows(EXAMPLES);
    let examples = format!("SELECT {top}{column} FROM {table} WHERE {condition}{limit}");
    let examples = connection.query(doing, &examples, &[]).await?;
    let examples = examples.iter().filter_map(|row| row.0.first().map(shown));
    Ok(Some((count, examples.collect::<Vec<_>>().join(", "))))
}

/// The references of which only one end changes: table, key, column, and the column there.
pub(super) fn halved_references<'c>(
    work: &Work,
    catalog: &'c Catalog,
) -> Vec<(&'c Table, &'c ForeignKey, &'c str, &'c str)> {
    let mut found = Vec::new();
    for table in &catalog.tables {
        for key in &table.foreign_keys {
            for (column, target) in key.columns.iter().zip(&key.target_columns) {
                if work.changes(&table.name, column) != work.changes(&key.target, target) {
                    found.push((table, key, column.as_str(), target.as_str()));
                }
            }
        }
    }
    found
}

/// A reference, for people.
pub(super) fn describe(key: &ForeignKey, table: &QualifiedName) -> String {
    format!("the reference {} of {table} to {}", key.name, key.target)
}

/// A text as a plan has it.
fn toml_text(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A value for people, in whose sentences a text needs marks.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("`{text}`"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey_core::Backend;

    #[test]
    fn types_are_compared_by_their_values() {
        for (backend, declared, found, expected) in [
            (Backend::Postgres, "uuid", "uuid", true),
            (Backend::Postgres, "uuid", "guid", false),
            (
                Backend::Postgres,
                "varchar(36) COLLATE \"C\"",
                "character(36)",
                true,
            ),
            (Backend::Postgres, "numeric(28,0)", "numeric", true),
            (Backend::Postgres, "numeric(28,0)", "uuid", false),
            (Backend::Postgres, "bigint", "interval", false),
            (
                Backend::SqlServer,
                "uniqueidentifier",
                "uniqueidentifier",
                true,
            ),
            (Backend::SqlServer, "uniqueidentifier", "binary(16)", false),
            (
                Backend::SqlServer,
                "char(36) COLLATE Latin1_General_100_BIN2",
                "nvarchar(36)",
                true,
            ),
            (Backend::SqlServer, "binary(16)", "varbinary(16)", true),
            (Backend::SqlServer, "decimal(28,0)", "bigint", false),
        ] {
            let found_same = ColumnType::parse(backend, found)
                .has_values_of(&ColumnType::parse(backend, declared));
            assert_eq!(found_same, expected, "{declared} {found}");
        }
    }

    #[test]
    fn a_reason_is_of_its_column_only() {
        let mut refusals = Refusals::default();
        // The text of the first one ends with the name of a column that nothing is said of.
        let (reorder, place) = (QualifiedName::from("reorder"), QualifiedName::from("place"));
        refusals.add(What::column(&reorder, "id"), "it has a default", "drop it");
        let reference = What::Reference((place.clone(), "order_id".into()));
        refusals.add(reference, "it is of several tables", "leave it out");
        refusals.add("the view v", "it reads order.id: ", "drop it");
        let columns: Vec<_> = refusals.columns().collect();
        assert_eq!(columns, [(&reorder, "id"), (&place, "order_id")]);
        let message = refusals.result().unwrap_err().to_string();
        assert!(message.contains("* reorder.id: it has a default; drop it"));
        assert!(message.contains("* the reference place.order_id: it is of several tables"));
    }
}
