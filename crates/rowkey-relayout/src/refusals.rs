//! The reasons against a change, all of them before the first statement.

use std::fmt;

use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Column, Dependent, ForeignKey, QualifiedName, Table};
use rowkey_tables::connection::Connection;
use rowkey_tables::dialect::Dialect;
use rowkey_tables::inventory::{self, KeyNames, Origin, Reference, others_of_type};
use rowkey_tables::refusals;
use rowkey_tables::types::ColumnType;

use crate::plan::OldPrograms;
use crate::work::{ChangedColumn, ChangedTable, Source, Work, is_same_name};

/// What to do about what the new column may get after the change.
pub(super) const AGAIN: &str = "drop it, and make it again for the new column after the change";

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
