//! The exchange of old and new columns in one transaction, and the ways out of it.

use super::backfill::fail_if_any;
use super::constraints::{self, attach_foreign_keys, attach_indexes, indexes};
use super::names::{is_expanded, is_swapped, quoted};
use super::not_null::{NotNullNames, set_not_null};
use super::refuse::{refuse_contract, refuse_renamed, refuse_undo};
use super::sequences;
use super::session::{self, LockTimes};
use super::triggers;
use super::values::Values;
use crate::Phase;
use crate::runner::Runner;
use crate::work::{ChangedTable, Form, Work};
use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Dependent, Table};
use rowkey_tables::text_literal::text_literal;

/// Exchanges the columns. References are validated afterwards, while programs write.
pub(crate) async fn swap(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    let (table, _) = work.key()?;
    if !is_swapped(runner, table).await? {
        let values = Values::of(runner, work).await?;
        let not_null = NotNullNames::of(runner, work).await?;
        let statements = swap_statements(work, &values, &not_null)?;
        if !runner.is_dry() {
            work.require_unaltered(&runner.catalog().await?)?;
        }
        exchange(runner, work, "swap", &not_null, &statements).await?;
    }
    for table in &work.tables {
        constraints::validate_foreign_keys(runner, work, table).await?;
    }
    runner.tell_mark(work);
    Ok(())
}

async fn exchange(
    runner: &mut Runner<'_>,
    work: &Work,
    what: &str,
    not_null: &NotNullNames,
    statements: &[String],
) -> Result<(), Error> {
    let mut names = Vec::new();
    for table in &work.tables {
        names.push(table.name().quoted(work.backend)?);
    }
    let mut statements = statements.to_vec();
    for table in &work.tables {
        statements.extend(constraints::comments(runner, table, not_null).await?);
    }
    let lock = format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", names.join(", "));
    let doing = format!("the {what}");
    let LockTimes { waited, exclusive } =
        session::with_locks(runner, work, &doing, Some(&lock), &statements).await?;
    if runner.is_dry() {
        return Ok(());
    }
    runner.note(format!(
        "{what}: {} ms exclusive, after {} ms of waiting for the locks",
        exclusive.as_millis(),
        waited.as_millis()
    ));
    Ok(())
}

fn swap_statements(
    work: &Work,
    values: &Values<'_>,
    not_null: &NotNullNames,
) -> Result<Vec<String>, Error> {
    let lacks = values.may_lack_old_values()?;
    let mut statements = Vec::new();
    for table in &work.tables {
        statements.push(triggers::assert_fill(work, table)?);
        statements.extend(triggers::drop_fill(work, table)?);
    }
    statements.extend(detach(work)?);
    for table in &work.tables {
        let name = table.name().quoted(work.backend)?;
        let mut later = Vec::new();
        for column in &table.columns {
            let (old, kept) = (quoted(&column.column.name)?, quoted(&column.retired_name)?);
            statements.push(format!("ALTER TABLE {name} RENAME COLUMN {old} TO {kept}"));
            if lacks && !column.column.is_nullable {
                later.push(format!(
                    "ALTER TABLE {name} ALTER COLUMN {kept} DROP NOT NULL"
                ));
            }
            if column.shadow_name() != column.new_name {
                let (shadow, new) = (quoted(&column.shadow_name())?, quoted(&column.new_name)?);
                statements.push(format!(
                    "ALTER TABLE {name} RENAME COLUMN {shadow} TO {new}"
                ));
            }
        }
        statements.extend(attach_indexes(work, table)?);
        statements.extend(later);
        statements.extend(not_null.carried(work, table, Form::New, lacks)?);
        statements.extend(triggers::keep(work, values, table)?);
    }
    for table in &work.tables {
        statements.extend(attach_foreign_keys(work, table, Form::New)?);
    }
    Ok(statements)
}

/// Drops the references, the keys and the indexes of the form that leaves, references first.
fn detach(work: &Work) -> Result<Vec<String>, Error> {
    let mut statements = Vec::new();
    for table in &work.tables {
        let name = table.name().quoted(work.backend)?;
        for key in table.foreign_keys() {
            let key = quoted(&key.name)?;
            statements.push(format!("ALTER TABLE {name} DROP CONSTRAINT {key}"));
        }
    }
    for table in &work.tables {
        let name = table.name().quoted(work.backend)?;
        for (_, key) in constraints::keys(table) {
            let key = quoted(&key.name)?;
            statements.push(format!(
                "ALTER TABLE {name} DROP CONSTRAINT IF EXISTS {key}"
            ));
        }
        for (_, index) in indexes(table) {
            let index = table.name().sibling(&index.name).quoted(work.backend)?;
            statements.push(format!("DROP INDEX IF EXISTS {index}"));
        }
    }
    Ok(statements)
}

/// Fails unless, in every row, the columns of a form have the values of the others in that form.
pub(super) async fn compare(
    runner: &mut Runner<'_>,
    values: &Values<'_>,
    table: &ChangedTable,
    form: Form,
) -> Result<(), Error> {
    let primary = table
        .table
        .primary_key()
        .map_or(&[][..], |key| &key.columns);
    let unchanged = primary.iter().filter(|name| table.changed(name).is_none());
    let mut names: Vec<String> = unchanged.cloned().collect();
    for column in &table.columns {
        names.extend([column.used(form.other()).to_owned(), column.filled(form)]);
    }
    let mut columns = Vec::new();
    for name in &names {
        let label = text_literal(Backend::Postgres, &format!("{name} = "));
        columns.push(format!(
            "{label} || COALESCE({}::text, 'NULL')",
            quoted(name)?
        ));
    }
    let differs = differs(values, table, form)?;
    fail_if_any(runner, table, &differs, &columns.join(", ")).await
}

/// The condition that a column of a form does not have the value of the other in that form.
fn differs(values: &Values<'_>, table: &ChangedTable, form: Form) -> Result<String, Error> {
    let differs = table.columns.iter().map(|column| match form {
        Form::New => values.new_differs(column),
        Form::Old => values.old_differs(column),
    });
    Ok(differs.collect::<Result<Vec<_>, Error>>()?.join(" OR "))
}

/// Compares once more. The triggers have filled all rows, unless somebody had disabled them.
async fn compare_again(
    runner: &mut Runner<'_>,
    values: &Values<'_>,
    table: &ChangedTable,
    form: Form,
) -> Result<(), Error> {
    let found = match compare(runner, values, table, form).await {
        Err(Error::Differs { found, .. }) => found,
        outcome => return outcome,
    };
    let (mut emptied, mut right) = (Vec::new(), Vec::new());
    for column in &table.columns {
        emptied.push(format!("{} = NULL", quoted(&column.filled(form))?));
        right.push(column.used(form.other()).to_owned());
    }
    Err(Error::refused(
        table.name().to_string(),
        format!("{found}. They were written while triggers were disabled"),
        format!(
            "if {} is right, fill them again with UPDATE {} SET {} WHERE {}; then repeat the command",
            right.join(", "),
            table.name().quoted(Backend::Postgres)?,
            emptied.join(", "),
            differs(values, table, form)?
        ),
    ))
}

/// Before the exchange: old programs write, and the new columns are to be what they wrote.
pub(crate) async fn require_filled(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    let (table, _) = work.key()?;
    if is_swapped(runner, table).await? {
        return Ok(());
    }
    let values = Values::of(runner, work).await?;
    for table in &work.tables {
        triggers::require_fill(runner, work, table).await?;
        compare_again(runner, &values, table, Form::New).await?;
    }
    Ok(())
}

/// Before the old columns are dropped: nothing may use them, and nothing in them may be unknown to
/// the new ones.
pub(crate) async fn require_kept(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    let now = runner.catalog().await?;
    let mut refusals = refuse_contract(work, &now);
    for table in &work.tables {
        for column in &table.columns {
            let owner = (table, column.retired_name.as_str());
            sequences::refuse(runner, owner, &mut refusals).await?;
        }
    }
    refusals.result()?;
    let values = Values::of(runner, work).await?;
    // Where nothing makes old ids, new rows have none.
    if values.may_lack_old_values()? {
        return Ok(());
    }
    for table in &work.still_in(&now).tables {
        compare_again(runner, &values, table, Form::Old).await?;
    }
    Ok(())
}

/// Takes everything back. After the swap, the old columns have been filled all the time; what they
/// need are their keys and indexes.
pub(crate) async fn undo(
    runner: &mut Runner<'_>,
    work: &Work,
    reached: Phase,
) -> Result<(), Error> {
    session::prepare(runner).await?;
    let now = runner.catalog().await?;
    refuse_renamed(work, &now)?;
    // The functions are named after the key's table, even if that is gone.
    let (planned, work) = (work, &work.still_in(&now));
    let values = Values::of(runner, planned).await?;
    // All tables were swapped in one transaction.
    let is_swapped = match work.tables.first() {
        Some(table) => is_swapped(runner, table).await?,
        None => false,
    };
    if reached == Phase::Swap && is_swapped {
        refuse_undo(work, &now)?;
        runner.refuse_values_damaged_since(work).await?;
        for table in &work.tables {
            if values.may_lack_old_values()? {
                let compared = compare(runner, &values, table, Form::Old).await;
                compared.map_err(without_way_back)?;
            } else {
                compare_again(runner, &values, table, Form::Old).await?;
            }
        }
        for table in &work.tables {
            constraints::build_indexes(runner, work, table, Form::Old).await?;
        }
        let not_null = NotNullNames::of(runner, work).await?;
        let mut statements = privileges_back(work, &now)?;
        statements.extend(way_back(work, &values, &not_null)?);
        exchange(runner, work, "exchange", &not_null, &statements).await?;
    }
    for table in &work.tables {
        if is_expanded(runner, table).await? {
            let statements = without_new_columns(work, table)?;
            let doing = format!("the new columns of {}", table.name());
            session::in_transaction(runner, work, &doing, &statements).await?;
        }
        constraints::validate_foreign_keys(runner, work, table).await?;
    }
    finish(runner, planned, work, &values).await
}

/// The refusal of an undo for rows that the old columns do not have.
fn without_way_back(error: Error) -> Error {
    match error {
        Error::Differs { what, found } => Error::refused(
            what,
            found,
            "rows that new programs wrote have no old id where nothing makes one: delete them, or finish with \
             --contract",
        ),
        error => error,
    }
}

/// Drops what only the triggers needed, and the functions of triggers that went with their tables.
async fn finish(
    runner: &mut Runner<'_>,
    planned: &Work,
    there: &Work,
    values: &Values<'_>,
) -> Result<(), Error> {
    let mut statements = Vec::new();
    let is_gone = |table: &&ChangedTable| there.table(table.name()).is_none();
    for table in planned.tables.iter().filter(is_gone) {
        statements.extend(triggers::drop_fill(planned, table)?);
        statements.extend(triggers::drop_keep(planned, table)?);
    }
    statements.extend(values.finish()?);
    if statements.is_empty() {
        return Ok(());
    }
    session::in_transaction(runner, planned, "the functions of the change", &statements).await
}

/// Gives the old columns the privileges that the new ones have now.
fn privileges_back(work: &Work, now: &Catalog) -> Result<Vec<String>, Error> {
    let mut statements = Vec::new();
    for (table, column) in work.columns() {
        let name = table.name().quoted(work.backend)?;
        let now = now.table(table.name())?;
        for privilege in now.privileges(&column.retired_name) {
            let (kept, role) = (quoted(&column.retired_name)?, role_of(privilege)?);
            statements.push(format!("REVOKE ALL ({kept}) ON {name} FROM {role} CASCADE"));
        }
        statements.extend(grants((now, &column.new_name), &column.retired_name)?);
    }
    Ok(statements)
}

/// Gives a column of a table the privileges that another has there.
pub(super) fn grants((table, from): (&Table, &str), to: &str) -> Result<Vec<String>, Error> {
    let (name, to) = (table.name.quoted(Backend::Postgres)?, quoted(to)?);
    let grant = |privilege: &Dependent| {
        let (kind, option) = match privilege.definition.split_once(' ') {
            Some((kind, option)) => (kind, format!(" {option}")),
            None => (privilege.definition.as_str(), String::new()),
        };
        let role = role_of(privilege)?;
        Ok(format!("GRANT {kind} ({to}) ON {name} TO {role}{option}"))
    };
    table.privileges(from).map(grant).collect()
}

/// Who has a privilege, in SQL.
fn role_of(privilege: &Dependent) -> Result<String, Error> {
    match privilege.name.as_str() {
        "" => Ok("PUBLIC".into()),
        role => quoted(role),
    }
}

fn way_back(
    work: &Work,
    values: &Values<'_>,
    not_null: &NotNullNames,
) -> Result<Vec<String>, Error> {
    let lacks = values.may_lack_old_values()?;
    let mut statements = Vec::new();
    for table in &work.tables {
        statements.extend(triggers::drop_keep(work, table)?);
    }
    statements.extend(detach(work)?);
    for table in &work.tables {
        let name = table.name().quoted(work.backend)?;
        for column in &table.columns {
            let (old, kept) = (quoted(&column.column.name)?, quoted(&column.retired_name)?);
            let new = quoted(&column.new_name)?;
            statements.push(format!("ALTER TABLE {name} DROP COLUMN {new}"));
            statements.push(format!("ALTER TABLE {name} RENAME COLUMN {kept} TO {old}"));
            if lacks && !column.column.is_nullable {
                let constraint = not_null.get(table, &column.new_name);
                statements.push(set_not_null(table, &column.column.name, constraint)?);
            }
        }
        statements.extend(not_null.carried(work, table, Form::Old, lacks)?);
        statements.extend(attach_indexes(work, table)?);
    }
    for table in &work.tables {
        statements.extend(attach_foreign_keys(work, table, Form::Old)?);
    }
    Ok(statements)
}

/// Before the swap: dropping a column drops its indexes too.
fn without_new_columns(work: &Work, table: &ChangedTable) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(work.backend)?;
    let mut statements = triggers::drop_fill(work, table)?;
    for column in &table.columns {
        let shadow = quoted(&column.shadow_name())?;
        statements.push(format!("ALTER TABLE {name} DROP COLUMN {shadow}"));
    }
    Ok(statements)
}

/// Drops the old columns, and the triggers that fill them.
pub(crate) async fn contract(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    for table in &work.tables {
        if !runner.is_dry() && !is_swapped(runner, table).await? {
            continue;
        }
        let name = table.name().quoted(work.backend)?;
        let mut statements = triggers::drop_keep(work, table)?;
        for column in &table.columns {
            let kept = quoted(&column.retired_name)?;
            statements.push(format!("ALTER TABLE {name} DROP COLUMN {kept}"));
        }
        let doing = format!("the old columns of {}", table.name());
        session::in_transaction(runner, work, &doing, &statements).await?;
    }
    let there = match runner.is_dry() {
        true => work.clone(),
        false => work.still_in(&runner.catalog().await?),
    };
    let values = Values::of(runner, work).await?;
    finish(runner, work, &there, &values).await
}
