//! Whether tables of the target are as a copy needs them, before it and after it.

use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Catalog, DependentKind, QualifiedName, Table, TriggerEvent};
use rowkey_tables::{Connection, Error};

use super::definition;
use super::trial::shown;
use crate::engine::engine;
use crate::mapping::all_or_one;
use crate::mapping::partitions::{below, is_partitioned};
use crate::mapping::spelling::in_any_case;
use crate::plans::plan::{ExistingRows, Triggers};
use crate::rows::checkpoint::{self, Checkpoint, State};
use crate::rows::orphan::orphan;
use crate::rows::select::first;
use crate::session;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::TableSide;

/// Fails for a row that refers to none by a reference of an existing table, if the target has not
/// looked while rows were written.
pub(crate) async fn check_unchecked_references(
    target: &mut Connection,
    catalog: &Catalog,
    sides: impl Iterator<Item = &TableSide>,
) -> Result<(), Error> {
    let backend = target.backend();
    for side in sides.filter(|side| !side.keeps_rows()) {
        for key in &catalog.table(&side.name)?.foreign_keys {
            let parent = key.target.quoted(backend)?;
            let rows = [&*side.quoted()?, &*parent];
            if let Some(row) = orphan(target, rows, &key.columns, &key.target_columns, &[]).await? {
                let values: Vec<String> = row.0.iter().map(shown).collect();
                return Err(Error::Differs {
                    what: format!("{}.{}", side.name, key.columns.join(", ")),
                    found: format!(
                        "all rows are copied, and one refers to a row of {} that does not exist: {}; \
                         add that, or delete the first one on both sides, and repeat the command",
                        key.target,
                        values.join(", ")
                    ),
                });
            }
        }
    }
    Ok(())
}

/// A table of the target is not there if it is to be made, and otherwise defined as the plan says and
/// empty. The tables of a plan have these names.
pub(crate) async fn check_target(
    target: &mut Connection,
    catalog: &Catalog,
    side: &TableSide,
    planned: &[&QualifiedName],
    create: bool,
) -> Result<(), Error> {
    if let Ok(table) = catalog.table(&side.name)
        && !create
    {
        all_or_one(definition::refusals(table, side))?;
    }
    check_presence(target, catalog, side, planned, create).await
}

/// The same, but for its definition.
pub(super) async fn check_presence(
    target: &mut Connection,
    catalog: &Catalog,
    side: &TableSide,
    planned: &[&QualifiedName],
    create: bool,
) -> Result<(), Error> {
    let what = format!("the table {} in the target", side.name);
    if create && side.name.schema.is_some() {
        return Err(Error::refused(
            what,
            "a copy makes tables in the schema of the connection",
            "write `becomes` without a schema, and give an address whose connection begins in that one",
        ));
    }
    let is_it = |table: &&Table| table.name == side.name;
    let mut existing = catalog.tables.iter().find(is_it);
    if create && existing.is_none() && !target.tells_case_of_tables().await? {
        let own = catalog
            .tables
            .iter()
            .filter(|table| table.name.schema.is_none());
        existing = in_any_case(own, |table| &table.name.name, &side.name.name);
    }
    match (existing, create) {
        (None, true) => Ok(()),
        (Some(_), true) => Err(Error::refused(
            what,
            "it exists",
            "drop it or rename it; or leave out --create, so that rows go into it if it has none; or, if others are \
             missing, write a plan for those",
        )),
        (None, false) => Err(missing(catalog, &side.name, planned)),
        (Some(table), false) => {
            match side.existing_rows {
                Some(ExistingRows::Merge) => {
                    check_merge(table, side)?;
                    check_conflicts(table, side)?;
                    return check_referred(catalog, side, planned);
                }
                Some(_) => return Ok(()),
                None => {}
            }
            let found = side.as_found(catalog);
            match has_rows(target, &side.name, &found.rows()?).await? {
                false => Ok(()),
                true => {
                    let choices = match check_merge(table, side) {
                        Ok(()) => "`existing-rows = \"delete\"`, `\"keep\"` or `\"merge\"`",
                        Err(_) => "`existing-rows = \"delete\"` or `\"keep\"`",
                    };
                    Err(Error::refused(
                        what,
                        "it has rows",
                        format!(
                            "write {choices} for the table in the plan (`rowkey plan --existing-rows` writes it for \
                             all tables), empty it, or copy into another database"
                        ),
                    ))
                }
            }
        }
    }
}

/// The refusal of a table that is not there, among others that are.
pub(crate) fn missing(
    catalog: &Catalog,
    name: &QualifiedName,
    planned: &[&QualifiedName],
) -> Error {
    let own = catalog.tables.iter().map(|table| &table.name);
    let own = own.filter(|other| other.schema == name.schema && !planned.contains(other));
    let instead = match in_any_case(own, |other| &other.name, &name.name) {
        Some(alike) => format!("write `becomes = \"{alike}\"` for it in the plan"),
        None => "make it, or delete its entry from the plan; or give --create, with a plan that has none of the \
                 tables which exist"
            .into(),
    };
    let what = format!("the table {name} in the target");
    Error::refused(what, "it does not exist", instead)
}

/// No table outside the plan refers to what a merge may change: the target does not look at that.
fn check_referred(
    catalog: &Catalog,
    side: &TableSide,
    planned: &[&QualifiedName],
) -> Result<(), Error> {
    if engine(side.backend).sessions.unchecked.is_none() {
        return Ok(());
    }
    let key: Vec<&String> = side.key_columns().map(|column| &column.name).collect();
    for (other, reference) in catalog.references_to(&side.name) {
        let changes = reference
            .target_columns
            .iter()
            .any(|name| !key.contains(&name));
        if changes && !planned.contains(&&other.name) {
            return Err(Error::refused(
                format!("the table {} in the target", side.name),
                format!(
                    "{} refers to its {}, which a merge may change",
                    other.name,
                    reference.target_columns.join(", ")
                ),
                "copy that table too, write `existing-rows = \"keep\"`, or drop the reference meanwhile",
            ));
        }
    }
    Ok(())
}

/// What is wrong with a table of the target that cannot be read as the plan says.
pub(crate) fn changed(catalog: &Catalog, side: &TableSide) -> Option<Error> {
    let table = catalog.table(&side.name).ok()?;
    definition::refusals(table, side).into_iter().next()
}

/// What has become wrong with tables since their copy has begun, if rows are still to come.
pub(crate) fn changed_since(
    catalog: &Catalog,
    tables: &[PreparedTable<'_>],
    known: &[Vec<Checkpoint>],
) -> Vec<Error> {
    let mut refused = Vec::new();
    for (PreparedTable { to, .. }, parts) in tables.iter().zip(known) {
        let is_begun = parts.iter().any(|part| part.state == State::Begun);
        if let Ok(table) = catalog.table(&to.name)
            && is_begun
            && !to.keeps_rows()
        {
            let changed = definition::refusals(table, to).into_iter();
            refused.extend(changed.map(|error| match error {
                Error::Refused { what, why, .. } => Error::refused(
                    what,
                    why,
                    "change it back; or drop the tables of the plan and rowkey_copy, and copy again",
                ),
                other => other,
            }));
            refused.extend(check_triggers(catalog, to).err());
        }
    }
    refused
}

/// Fails for triggers of an existing table that would run for what the copy does there, unless the
/// plan says that they run; that is a note then.
pub(crate) fn check_triggers(catalog: &Catalog, side: &TableSide) -> Result<Vec<String>, Error> {
    let done: &[TriggerEvent] = match side.existing_rows {
        Some(ExistingRows::Keep) => &[],
        Some(ExistingRows::Delete) => &[TriggerEvent::Delete, TriggerEvent::Insert],
        Some(ExistingRows::Merge) => &[TriggerEvent::Update, TriggerEvent::Insert],
        None => &[TriggerEvent::Insert],
    };
    let mut notes = check_rules(catalog, side)?;
    let running = running_triggers(catalog, side, done);
    let mut names: Vec<&str> = Vec::new();
    for name in running.iter().flat_map(|(_, names)| names) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let (which, runs, it) = match names[..] {
        [] => return Ok(notes),
        [_] => ("trigger", "runs", "it"),
        _ => ("triggers", "run", "they"),
    };
    let listed = names.join(", ");
    if side.triggers == Some(Triggers::Run) {
        notes.push(format!(
            "{} in the target: the {which} {listed} {runs} for what the copy writes, as the plan says",
            side.name
        ));
        return Ok(notes);
    }
    let instead = without_triggers(side, &running)?;
    Err(Error::refused(
        format!("the table {} in the target", side.name),
        format!(
            "its {which} {listed} would run for what the copy writes, and may change it or write more"
        ),
        format!(
            "if {it} should run, write `triggers = \"run\"` for the table in the plan; if not, run {instead}"
        ),
    ))
}

/// Fails for rules of an existing table of PostgreSQL if its rows are merged, which they may prevent;
/// otherwise that is a note, because `COPY` does not heed them.
fn check_rules(catalog: &Catalog, side: &TableSide) -> Result<Vec<String>, Error> {
    let table = catalog.tables.iter().find(|table| table.name == side.name);
    let dependents = table.map_or(&[][..], |table| &table.dependents);
    let rules = dependents.iter().filter_map(|one| {
        let (name, table) = one.name.rsplit_once(" on ")?;
        let is_own = QualifiedName::from(table).name == side.name.name;
        (one.kind == DependentKind::Rule && is_own).then_some(name)
    });
    let rules: Vec<&str> = rules.collect();
    if rules.is_empty() || side.keeps_rows() {
        return Ok(Vec::new());
    }
    let listed = rules.join(", ");
    match side.merges_rows() {
        true => Err(Error::refused(
            format!("the table {} in the target", side.name),
            format!("its rules ({listed}) change what a merge writes, or leave it out"),
            "drop them before the copy, and make them again after it",
        )),
        false => Ok(vec![format!(
            "{} in the target: its rules ({listed}) do not change what the copy writes",
            side.name
        )]),
    }
}

/// The triggers of an existing table that run for some events, and those that its partitions have
/// besides.
fn running_triggers<'c>(
    catalog: &'c Catalog,
    side: &TableSide,
    events: &[TriggerEvent],
) -> Vec<(&'c Table, Vec<&'c str>)> {
    let running = |table: &'c Table| {
        let triggers = table.dependents.iter();
        let triggers = triggers.filter(|one| one.events.iter().any(|event| events.contains(event)));
        triggers
            .map(|trigger| &*trigger.name)
            .collect::<Vec<&str>>()
    };
    let Some(table) = catalog.tables.iter().find(|table| table.name == side.name) else {
        return Vec::new();
    };
    let own = running(table);
    let parts = match is_partitioned(table, side.backend) {
        true => below(table, catalog),
        false => Vec::new(),
    };
    let of_parts = parts.into_iter().map(|part| {
        let mut names = running(part);
        // It has those of the whole table, too.
        names.retain(|name| !own.contains(name));
        (part, names)
    });
    let mut found: Vec<_> = of_parts.collect();
    found.insert(0, (table, own));
    found.retain(|(_, names)| !names.is_empty());
    found
}

/// What to run around a copy so that triggers do not.
fn without_triggers(side: &TableSide, running: &[(&Table, Vec<&str>)]) -> Result<String, Error> {
    let (mut off, mut on) = (Vec::new(), Vec::new());
    for (table, names) in running {
        if let Some(set) = engine(side.backend).target.triggers {
            let quoted = names
                .iter()
                .map(|name| quote_identifier(side.backend, name));
            let quoted = quoted.collect::<Result<Vec<_>, _>>()?;
            let table = table.name.quoted(side.backend)?;
            off.push(set(&table, "DISABLE", &quoted));
            on.push(set(&table, "ENABLE", &quoted));
            continue;
        }
        for name in names {
            let (schema, name) = (table.name.schema.clone(), (*name).to_owned());
            let trigger = QualifiedName { schema, name }.quoted(side.backend)?;
            off.push(format!("DROP TRIGGER {trigger}"));
        }
    }
    let (off, on) = (off.join("; "), on.join("; "));
    let is_one = running.iter().flat_map(|(_, names)| names).count() == 1;
    Ok(match (on.as_str(), is_one) {
        ("", true) => format!("{off} before the copy, and make it again after it"),
        ("", false) => format!("{off} before the copy, and make them again after it"),
        (on, _) => format!("{off} before the copy, and {on} after it"),
    })
}

/// Fails for a clause of SQLite by which a merged row deletes others, or is left out.
#[cfg(feature = "sqlite")]
fn check_conflicts(table: &Table, side: &TableSide) -> Result<(), Error> {
    match rowkey_tables::catalog::sqlite::loses_rows(table.statement()) {
        false => Ok(()),
        true => Err(Error::refused(
            format!("the table {} in the target", side.name),
            "by an ON CONFLICT clause of its definition, a merged row may delete others or be left out",
            "write `existing-rows = \"keep\"` or `\"delete\"`, or make the table without that clause",
        )),
    }
}

#[cfg(not(feature = "sqlite"))]
fn check_conflicts(_: &Table, _: &TableSide) -> Result<(), Error> {
    Ok(())
}

/// Rows are merged by the primary key, which has to be the same on both sides.
fn check_merge(table: &Table, side: &TableSide) -> Result<(), Error> {
    let mut key: Vec<&str> = side
        .primary_key
        .iter()
        .map(|place| &*side.columns[*place].name)
        .collect();
    let there = table.primary_key().map(|key| key.columns.as_slice());
    let mut there: Vec<&str> = there
        .unwrap_or_default()
        .iter()
        .map(|name| &**name)
        .collect();
    key.sort_unstable();
    there.sort_unstable();
    let why = match engine(side.backend).target.update_from {
        None => format!("{} cannot merge rows here", side.backend.name()),
        Some(_) if key.is_empty() => "it has no primary key by which rows could be merged".into(),
        Some(_) if key != there => format!(
            "its primary key is ({}) and that of the source ({}), so that rows cannot be merged",
            there.join(", "),
            key.join(", ")
        ),
        Some(_) => return Ok(()),
    };
    Err(Error::refused(
        format!("the table {} in the target", side.name),
        why,
        "write `existing-rows = \"delete\"` or `existing-rows = \"keep\"`",
    ))
}

/// Whether a table has a row, by its rows in SQL.
pub(crate) async fn has_rows(
    connection: &mut Connection,
    name: &QualifiedName,
    rows: &str,
) -> Result<bool, Error> {
    let backend = connection.backend();
    let doing = format!("the rows of {name}");
    let query = first(backend, 1, &format!("SELECT 1 FROM {rows}"));
    Ok(!connection.query(&doing, &query, &[]).await?.is_empty())
}

/// Tables with rows that refer to rows which the plan deletes, and would be deleted or changed with
/// them.
pub(crate) async fn referring(
    target: &mut Connection,
    catalog: &Catalog,
    sides: &[&TableSide],
) -> Result<Vec<Error>, Error> {
    let is_deleted = |name: &QualifiedName| {
        let mut sides = sides.iter();
        sides.any(|side| side.name == *name && side.existing_rows == Some(ExistingRows::Delete))
    };
    let mut refused = Vec::new();
    for side in sides.iter().filter(|side| is_deleted(&side.name)) {
        for (table, _) in catalog.references_to(&side.name) {
            if is_deleted(&table.name) {
                continue;
            }
            let rows = table.name.quoted(catalog.backend)?;
            if has_rows(target, &table.name, &rows).await? {
                refused.push(Error::refused(
                    format!("the table {} in the target", side.name),
                    format!(
                        "its rows are to be deleted, and {}, whose rows stay, refers to them",
                        table.name
                    ),
                    format!(
                        "delete the rows of {} too, or keep those of {}",
                        table.name, side.name
                    ),
                ));
            }
        }
    }
    Ok(refused)
}

/// Deletes the rows that the tables of the target have already, where the plan says so: of all
/// tables together, and those that refer to others first.
pub(crate) async fn delete_rows(
    target: &mut Connection,
    sides: &[&TableSide],
    is_unchecked: bool,
) -> Result<(), Error> {
    let deleted = deleted(sides);
    if deleted.is_empty() {
        return Ok(());
    }
    require_no_other_copy(target).await?;
    delete_together(target, &deleted, is_unchecked, "COMMIT").await
}

/// Programs may have written since another copy.
async fn require_no_other_copy(target: &mut Connection) -> Result<(), Error> {
    match checkpoint::is_any(target).await? {
        false => Ok(()),
        true => Err(Error::refused(
            "`existing-rows = \"delete\"`",
            "another plan, or this one before it was edited, has copied rows into the target, which would be \
             deleted with those that programs have added",
            "if that is right, drop the table rowkey_copy before",
        )),
    }
}

/// As many rows are deleted for a try.
const MOST_TRIED: usize = 10_000;

/// Deletes these rows and takes it back, so that the target refuses before the copy what it would
/// refuse in it. Says what it has not tried: triggers may do what cannot be taken back.
pub(crate) async fn try_to_delete(
    target: &mut Connection,
    catalog: &Catalog,
    sides: &[&TableSide],
    is_unchecked: bool,
) -> Result<Option<String>, Error> {
    let deleted = deleted(sides);
    if !deleted.is_empty() && checkpoint::has_table(catalog) {
        require_no_other_copy(target).await?;
    }
    let mut rows = 0;
    let mut has_triggers = false;
    for side in &deleted {
        has_triggers |= !running_triggers(catalog, side, &[TriggerEvent::Delete]).is_empty();
        let doing = format!("the rows of {}", side.name);
        let some = format!("SELECT 1 FROM {}", side.rows()?);
        let some = first(target.backend(), MOST_TRIED + 1, &some);
        rows += match target.query(&doing, &some, &[]).await {
            Err(error) if error.is_denied() => return Ok(None),
            found => found?.len(),
        };
    }
    if rows == 0 {
        return Ok(None);
    }
    if has_triggers || rows > MOST_TRIED {
        return Ok(Some(format!(
            "whether the target lets its rows be deleted was not tried, because {}; if it does not, the copy \
             ends before the first row and changes nothing",
            match has_triggers {
                true => "triggers would run".into(),
                false => format!("there are more than {MOST_TRIED}"),
            }
        )));
    }
    let rollback = engine(target.backend()).sessions.rollback;
    match delete_together(target, &deleted, is_unchecked, rollback).await {
        Err(error) if error.is_denied() => Ok(None),
        Err(error) if error.sql_state().is_some() => Err(Error::refused(
            "`existing-rows = \"delete\"`",
            error.to_string(),
            "let nothing refuse that, or empty the tables and delete these lines from the plan",
        )),
        outcome => outcome.map(|()| None),
    }
}

/// The tables whose rows are deleted, those that refer to others first.
fn deleted<'s>(sides: &[&'s TableSide]) -> Vec<&'s TableSide> {
    let is_deleted = |side: &&TableSide| side.existing_rows == Some(ExistingRows::Delete);
    sides.iter().rev().copied().filter(is_deleted).collect()
}

async fn delete_together(
    target: &mut Connection,
    deleted: &[&TableSide],
    is_unchecked: bool,
    end: &str,
) -> Result<(), Error> {
    // Whatever refers to the rows is deleted with them.
    if is_unchecked {
        session::uncheck(target).await?;
    }
    let outcome = delete_in_transaction(target, deleted, end).await;
    if is_unchecked {
        session::check(target).await?;
    }
    outcome
}

async fn delete_in_transaction(
    target: &mut Connection,
    deleted: &[&TableSide],
    end: &str,
) -> Result<(), Error> {
    let doing = "deleting the rows that the target has";
    let sessions = &engine(target.backend()).sessions;
    target.execute(doing, sessions.begin).await?;
    let statements = deleted.iter().map(|side| {
        let doing = format!("deleting the rows of {}", side.name);
        Ok((doing, format!("DELETE FROM {}", side.rows()?)))
    });
    let mut statements = statements.collect::<Result<Vec<_>, Error>>()?;
    // What could be put off is looked at before the end, which may be a rollback.
    let put_off = sessions.check_deferred;
    statements.extend(put_off.map(|check| (doing.to_owned(), check.to_owned())));
    let outcome = async {
        for (doing, statement) in statements {
            target.execute(&doing, &statement).await?;
        }
        for side in deleted {
            if has_rows(target, &side.name, &side.rows()?).await? {
                return Err(Error::refused(
                    format!("the table {} in the target", side.name),
                    "a rule or a trigger keeps rows that were deleted",
                    "drop that before the copy, or empty the table",
                ));
            }
        }
        Ok(())
    }
    .await;
    if outcome.is_err() {
        // What failed is worth more than that this fails as well.
        let _ = target.execute(doing, sessions.rollback).await;
        return outcome;
    }
    target.execute(doing, end).await?;
    Ok(())
}
