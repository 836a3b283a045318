//! What stands against a change on SQL Server.

use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Dependent, DependentKind, Generated, TableOptions};
use rowkey_tables::connection::{Connection, Value};

use super::columns::{declared_type, parts};
use super::constraints::{indexes, keys};
use super::names::trigger;
use super::{new_ids, triggers};
use crate::plan::OldPrograms;
use crate::refusals::{AGAIN, Refusals, What};
use crate::work::{ChangedColumn, ChangedTable, Form, Source, Work};

/// Every reason against the change.
pub(crate) async fn refuse(
    connection: &mut Connection,
    work: &Work,
    catalog: &Catalog,
) -> Result<Refusals, Error> {
    let mut refusals = Refusals::default();
    policy(work, &mut refusals);
    for table in &work.tables {
        table_itself(table, &mut refusals);
        for column in &table.columns {
            refusals.add_names_of_columns(work, table, column);
            type_of_column(work, table, column, &mut refusals);
            privileges_of_column(table, column, &mut refusals);
        }
        names_of_made(work, table, &mut refusals);
        refusals.add_dependents(table, objection);
        keys_and_indexes(table, &mut refusals);
        may_alter(connection, table, &mut refusals).await?;
    }
    references(work, catalog, &mut refusals);
    if refusals.is_empty() {
        refusals
            .add_damaged_values(connection, work, Form::Old)
            .await?;
        refusals.add_unusable_times(connection, work).await?;
    }
    Ok(refusals)
}

fn policy(work: &Work, refusals: &mut Refusals) {
    match new_ids::check(work) {
        Ok(()) => {}
        Err(Error::Refused { what, why, instead }) => refusals.add(what, why, instead),
        Err(error) => refusals.add(
            format!("`format = \"{}\"`", work.to.format().name()),
            error.to_string(),
            "choose another format",
        ),
    }
    if work.policy.old_programs == OldPrograms::Mark {
        refusals.add(
            "`old-programs = \"mark\"`",
            "marks of sessions are not built for SQL Server",
            "take \"rename\"",
        );
    }
}

/// Columns are dropped, renamed and altered, and triggers made.
async fn may_alter(
    connection: &mut Connection,
    table: &ChangedTable,
    refusals: &mut Refusals,
) -> Result<(), Error> {
    let query = "SELECT HAS_PERMS_BY_NAME(@P1, 'OBJECT', 'ALTER')";
    let name = Value::Text(table.name().quoted(rowkey_core::Backend::SqlServer)?);
    let doing = format!("the permissions on {}", table.name());
    if !connection.is(&doing, query, &[name]).await? {
        refusals.add(
            table.name().to_string(),
            "the account may not alter it",
            "grant it ALTER on the table for the time of the change",
        );
    }
    Ok(())
}

fn table_itself(table: &ChangedTable, refusals: &mut Refusals) {
    let name = table.name().to_string();
    if let TableOptions::Special(special) = &table.table.options {
        refusals.add(
            &name,
            format!("as a table that is {special}, it is not carried"),
            "end that first, and begin it again after the change",
        );
    }
    if let Err(Error::Refused { what, why, instead }) = triggers::primary_key(table) {
        refusals.add(what, why, instead);
        return;
    }
    // The backfill keeps their values in variables.
    let columns = table.table.primary_key().map(|key| &key.columns[..]);
    for column in columns.unwrap_or_default() {
        let found = table.table.column(column);
        if found.is_some_and(|column| declared_type(column).is_none()) {
            refusals.add(
                What::column(table.name(), column),
                "it is in the primary key, and its type is the database's own",
                "give it the type that it stands for",
            );
        }
    }
}

fn names_of_made(work: &Work, table: &ChangedTable, refusals: &mut Refusals) {
    if let Err(error) = trigger(work, table, "fill") {
        refusals.add(table.name().to_string(), error.to_string(), "report this");
    }
}

fn type_of_column(
    work: &Work,
    table: &ChangedTable,
    column: &ChangedColumn,
    refusals: &mut Refusals,
) {
    let what = || What::column(table.name(), &column.column.name);
    if declared_type(&column.column).is_none() {
        refusals.add(
            what(),
            format!("its type {} is the database's own", column.column.sql_type),
            "give it the type that it stands for",
        );
    } else {
        refusals.add_other_type(work, what(), &column.column);
    }
    // The old ids of rows that new programs write.
    let is_counter = matches!(work.source, Source::Mapped) && column.is_key;
    let is_refused = match column.column.generated {
        Generated::No => false,
        Generated::Identity => !is_counter,
        _ => true,
    };
    if is_refused {
        refusals.add(
            what(),
            format!("the database knows it as {}", column.column.generated),
            "let programs make the ids first, and take the property away",
        );
    }
    if let Some(default) = &column.column.default {
        refusals.add_default(what(), default);
    }
}

fn privileges_of_column(table: &ChangedTable, column: &ChangedColumn, refusals: &mut Refusals) {
    for privilege in table.table.privileges(&column.column.name) {
        if parts(privilege).is_none() {
            refusals.add(
                format!("{} to {}", privilege.definition, privilege.name),
                format!(
                    "this on {}.{} is not carried",
                    table.name(),
                    column.column.name
                ),
                "revoke it, and grant it again for the new column",
            );
        }
    }
}

/// The database tells the columns of some dependents only. The others may use any.
fn objection(dependent: &Dependent, used: &[&str]) -> Option<(String, &'static str)> {
    let may_be = !used.is_empty() || dependent.columns.is_empty();
    match dependent.kind {
        DependentKind::Privilege => None,
        DependentKind::Publication => Some((
            "what reads the changes has no column of the new name".into(),
            "end it first, and begin it again after the change",
        )),
        DependentKind::Partition => Some((
            "partitions are not carried".into(),
            "copy the rows into a new table instead",
        )),
        DependentKind::Trigger => Some((
            "it may use the old column, and in which order it runs is not fixed".into(),
            AGAIN,
        )),
        _ if may_be => Some(("it may use a column that changes".into(), AGAIN)),
        _ => None,
    }
}

fn keys_and_indexes(table: &ChangedTable, refusals: &mut Refusals) {
    let why = "its order, its columns besides, its condition or its options are not carried";
    for key in keys(table).filter(|key| key.is_special()) {
        let what = format!("the key {} of {}", key.name, table.name());
        refusals.add(what, why, AGAIN);
    }
    for index in indexes(table).filter(|index| !index.is_plain) {
        let what = format!("the index {} of {}", index.name, table.name());
        refusals.add(what, why, AGAIN);
    }
}

/// Both ends of a reference change, or neither.
fn references(work: &Work, catalog: &Catalog, refusals: &mut Refusals) {
    refusals.add_halved_references(work, catalog);
    for table in &work.tables {
        for key in table.foreign_keys().filter(|key| key.name.is_empty()) {
            refusals.add(
                format!("a reference of {} to {}", table.name(), key.target),
                "it has no name",
                "drop it, and make it again with a name",
            );
        }
    }
}
