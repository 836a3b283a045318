//! What a rebuilt table would lose, found before the first change.

use super::names::{self, Event, OLD_IDS, Role, SWAPPED, SWAPPED_NO, SWAPPED_YES};
use super::new_ids;
use super::rebuilt::Rebuilt;
use super::shadow;
use crate::id_map::NewIds;
use crate::positional::inserts_by_place;
use crate::refusals::{Refusals, What};
use crate::runner::Runner;
use crate::work::{ChangedTable, Form, Source, Work};
use rowkey_core::Backend;
use rowkey_tables::catalog::mysql::grants::Grants;
use rowkey_tables::catalog::{
    Catalog, Dependent, DependentKind, Generated, ReferentialAction, Table,
};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::{Connection, Error};

use crate::plan::OldPrograms;

/// Every reason against the change.
pub(crate) async fn refuse(
    connection: &mut Connection,
    work: &Work,
    catalog: &Catalog,
) -> Result<Refusals, Error> {
    let mut refusals = Refusals::default();
    add_privileges(connection, &mut refusals).await?;
    for table in &work.tables {
        add_table(&mut refusals, work, table);
        add_columns(&mut refusals, work, table);
        add_indexes(&mut refusals, table)?;
        refusals.add_dependents(table, |one, used| objection(table, one, used));
        let instead =
            "write the plan again, or drop the foreign key, and add it again after the change";
        add_outer_references(&mut refusals, work, catalog, table, instead);
        add_targetless(&mut refusals, catalog, table);
    }
    add_cascades(connection, &mut refusals, work).await?;
    add_periods(connection, &mut refusals, work).await?;
    add_taken_names(connection, &mut refusals, work).await?;
    add_map(connection, &mut refusals, work).await?;
    add_binary_log(connection, &mut refusals, work).await?;
    // Whatever is wrong with the definitions may also be wrong with a query on the rows.
    if refusals.is_empty() {
        refusals
            .add_damaged_values(connection, work, Form::Old)
            .await?;
        refusals.add_unusable_times(connection, work).await?;
        if let Some(ids) = NewIds::of(work)? {
            new_ids::add_used_up(connection, &mut refusals, &ids).await?;
        }
        for table in &work.tables {
            let keys = table.table.foreign_keys.iter();
            let keys = keys.filter(|key| work.table(&key.target).is_some());
            refusals.add_orphans(connection, work, table, keys).await?;
        }
    }
    Ok(refusals)
}

/// MySQL from 9.6 on carries out foreign keys itself, unless it leaves them to InnoDB. If a
/// program's write is given up for a deadlock within a cascade, version 9.7.4 then tells the
/// program that it has succeeded; and the batches of a change make such deadlocks.
async fn add_cascades(
    connection: &mut Connection,
    refusals: &mut Refusals,
    work: &Work,
) -> Result<(), Error> {
    let query = "SHOW VARIABLES LIKE 'innodb_native_foreign_keys'";
    let rows = connection.query("who carries out foreign keys", query, &[]);
    let rows = rows.await?;
    if rows.first().map(|row| row.text(1)).transpose()? != Some("OFF") {
        return Ok(());
    }
    let has_action = |action| {
        matches!(
            action,
            ReferentialAction::Cascade | ReferentialAction::SetNull
        )
    };
    let mut keys = Vec::new();
    for table in &work.tables {
        for key in &table.table.foreign_keys {
            if has_action(key.on_delete) || has_action(key.on_update) {
                keys.push(format!("{} of {}", key.name, table.name()));
            }
        }
    }
    if !keys.is_empty() {
        refusals.add(
            format!("CASCADE and SET NULL of foreign keys ({})", keys.join(", ")),
            "this server carries them out itself, and then may lose writes of programs in silence when they meet the \
             change in a deadlock",
            "start it with --innodb-native-foreign-keys=ON until the change is contracted or undone, or let the \
             foreign keys have no action for that time",
        );
    }
    Ok(())
}

/// Fails for privileges that are missing.
pub(crate) async fn refuse_privileges(connection: &mut Connection) -> Result<(), Error> {
    let mut refusals = Refusals::default();
    add_privileges(connection, &mut refusals).await?;
    refusals.result()
}

/// What foreign keys of new tables need, except in MariaDB.
const REFERENCES: &str = "REFERENCES";

/// What the swap and the end of a change need where cascades do not wait for definitions.
const LOCK_TABLES: &str = "LOCK TABLES";

/// The change makes tables under new names, which no grant on a table is for.
async fn add_privileges(connection: &mut Connection, refusals: &mut Refusals) -> Result<(), Error> {
    let grants = Grants::read(connection).await?;
    let mut missing = grants.missing_for_a_change();
    if connection.backend() == Backend::MySql && !grants.has(REFERENCES) {
        missing.push(REFERENCES);
    }
    if connection.backend().cascades_without_lock() && !grants.has(LOCK_TABLES) {
        missing.push(LOCK_TABLES);
    }
    if !missing.is_empty() {
        refusals.add(
            format!("the database {}", grants.database()),
            format!(
                "the account has no {} on all of it, which tables and triggers under new names need",
                missing.join(", ")
            ),
            "grant them for the time of the change",
        );
    }
    Ok(())
}

fn add_table(refusals: &mut Refusals, work: &Work, table: &ChangedTable) {
    let name = table.name();
    let what = || format!("the table {name}");
    if !table.table.engine().eq_ignore_ascii_case("InnoDB") {
        refusals.add(
            what(),
            format!("its engine {} has no transactions", table.table.engine()),
            "convert it: ALTER TABLE … ENGINE=InnoDB",
        );
    }
    // In the names of its files, the server writes others as codes.
    let is_plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut keys = table.table.foreign_keys.iter();
    if work.backend == Backend::MySql
        && !name.name.chars().all(is_plain)
        && keys.any(|key| key.target == *name)
    {
        refusals.add(
            what(),
            "it refers to itself, and its name has characters with which MySQL forgets, when it renames a \
             table, that such a reference is to the table itself",
            "rename it (letters, digits and _ are safe), or drop the reference, and add it again after the \
             change",
        );
    }
    if name.schema.is_some() {
        refusals.add(
            what(),
            "it is in another database than the connection's, and triggers and renames stay in one",
            "move it into the database of the key",
        );
    }
    if table.table.primary_key().is_none() {
        refusals.add(
            what(),
            "without a primary key, its rows cannot be told apart",
            "give it one",
        );
    }
    if work.policy.old_programs == OldPrograms::Rename {
        for column in &table.columns {
            refusals.add_needed_name(work, table, column, &column.retired_name);
        }
        for column in table
            .columns
            .iter()
            .filter(|column| column.new_name == column.column.name)
        {
            refusals.add(
                format!("`becomes = \"{}\"` of {name}", column.new_name),
                "programs with the old declaration would go on writing",
                "choose another name, or `old-programs = \"mark\"`",
            );
        }
    }
}

fn add_columns(refusals: &mut Refusals, work: &Work, table: &ChangedTable) {
    for changed in &table.columns {
        let column = &changed.column;
        let what = What::column(table.name(), &column.name);
        // New ids come from programs, whatever has counted the old ones.
        let is_rekeyed = changed.is_key && matches!(work.source, Source::Mapped);
        if let Some(default) = &column.default
            && !(is_rekeyed && changed.counts_by_default(work.backend))
        {
            refusals.add_default(what.clone(), default);
        }
        if column.generated != Generated::No && !is_rekeyed {
            refusals.add(
                what,
                format!("the database fills it itself ({})", column.generated),
                format!(
                    "make it an ordinary column, or `rekey` it to {}",
                    work.to.format().name()
                ),
            );
        }
    }
}

/// The server has to make new ids, and old ones for rows that new programs write.
async fn add_map(
    connection: &mut Connection,
    refusals: &mut Refusals,
    work: &Work,
) -> Result<(), Error> {
    let Some(ids) = NewIds::of(work)? else {
        return Ok(());
    };
    new_ids::check(&ids)?;
    let trial = format!("SELECT {}", ids.new_id.expression()?);
    let outcome = connection.query("a new id", &trial, &[]).await;
    if let Err(Error::Database { source, .. }) = outcome {
        refusals.add(
            "new ids",
            format!("this server cannot make them: {source}"),
            "RANDOM_BYTES needs MySQL 5.6.17 or MariaDB 10.10",
        );
    }
    Ok(())
}

/// A part of an id is another one in the other form, and so is what is computed from it.
fn add_indexes(refusals: &mut Refusals, table: &ChangedTable) -> Result<(), Error> {
    for index in table.table.indexes.iter().filter(|one| !one.is_plain) {
        let definition = index.definition_in_full();
        // Words and places are parts of values, too.
        let is_ordinary = ["KEY ", "UNIQUE KEY "]
            .iter()
            .any(|kind| definition.starts_with(kind));
        let mut terms = index.terms.iter();
        let has_part = match is_ordinary {
            true => {
                terms.any(|term| term.prefix.is_some() && table.changed(&term.column).is_some())
            }
            false => table.changes_any(&index.columns),
        };
        let mut computes = false;
        for changed in &table.columns {
            let name = names::quoted(&changed.column.name)?.to_lowercase();
            computes |= definition.to_lowercase().contains(&name);
        }
        let why = match (has_part, computes) {
            (true, _) => "it has a part of a changed column",
            (_, true) => "it has an expression with a changed column",
            _ => continue,
        };
        refusals.add(
            format!("the index {} of {}", index.name, table.name()),
            format!("{why}: {definition}"),
            "drop it, and create it on the new column after the change",
        );
    }
    Ok(())
}

fn objection(
    table: &ChangedTable,
    dependent: &Dependent,
    used: &[&str],
) -> Option<(String, &'static str)> {
    let names_used = || format!("it names {}", used.join(", "));
    match dependent.kind {
        DependentKind::Partition => Some((
            format!(
                "a partitioned table ({}) has no foreign keys",
                dependent.definition
            ),
            "remove the partitions: ALTER TABLE … REMOVE PARTITIONING",
        )),
        DependentKind::Trigger if is_trigger_of(&table.table, dependent) => Some((
            "triggers stay with the old table, and would run twice".into(),
            "drop it, and create it again after the change",
        )),
        DependentKind::Trigger if inserts_by_place(&dependent.definition, &table.name().name) => {
            Some((
                format!("it inserts into {} without naming columns", table.name()),
                "let it name the columns, and change it with the programs",
            ))
        }
        DependentKind::View if !used.is_empty() => Some((
            names_used(),
            "drop it, and create it again after the change",
        )),
        DependentKind::Check | DependentKind::GeneratedColumn if !used.is_empty() => {
            Some((names_used(), "drop it, and add it again after the change"))
        }
        _ => None,
    }
}

/// Whether a dependent is a trigger of the table itself, and not of another that names it.
fn is_trigger_of(table: &Table, dependent: &Dependent) -> bool {
    let event = dependent.definition.split(" FOR EACH ROW").next();
    dependent.kind == DependentKind::Trigger
        && event.is_some_and(|event| event.ends_with(&format!(" ON {}", table.name)))
}

/// Foreign keys follow the tables that they refer to, so that they would lead to the old table.
fn add_outer_references(
    refusals: &mut Refusals,
    work: &Work,
    catalog: &Catalog,
    table: &ChangedTable,
    instead: &str,
) {
    for (other, key) in catalog.references_to(table.name()) {
        if work.table(&other.name).is_some() {
            continue;
        }
        refusals.add(
            format!("the foreign key {} of {}", key.name, other.name),
            format!("it refers to {}, which is rebuilt", table.name()),
            instead,
        );
    }
}

/// While it does not check foreign keys, a server lets tables and indexes go to which they refer.
/// The new table would not get such a reference.
fn add_targetless(refusals: &mut Refusals, catalog: &Catalog, table: &ChangedTable) {
    for key in &table.table.foreign_keys {
        let found = catalog.table(&key.target);
        let why = match &found {
            Err(_) => "does not exist, or the account may not see it",
            Ok(target) if !has_index(target, &key.target_columns) => {
                "has no index that begins with the columns that it refers to"
            }
            Ok(_) => continue,
        };
        refusals.add(
            format!("the foreign key {} of {}", key.name, table.name()),
            format!("the table {} {why}", key.target),
            "drop the foreign key, or make again what it refers to",
        );
    }
}

/// Whether an index of a table begins with some columns.
fn has_index(table: &Table, columns: &[String]) -> bool {
    let keys = table.keys.iter().map(|key| &key.columns);
    let mut indexes = keys.chain(table.indexes.iter().map(|index| &index.columns));
    indexes.any(|index| index.starts_with(columns))
}

/// Rows of a period cannot be written as the backfill does, nor the earlier versions of a row.
async fn add_periods(
    connection: &mut Connection,
    refusals: &mut Refusals,
    work: &Work,
) -> Result<(), Error> {
    if work.backend != Backend::MariaDb {
        return Ok(());
    }
    for table in &work.tables {
        let doing = format!("the definition of {}", table.name());
        let show = format!("SHOW CREATE TABLE {}", table.name().quoted(work.backend)?);
        let row = connection.one_row(&doing, &show, &[]).await?;
        let definition = row.text(1)?;
        let mut lines = definition.lines().map(str::trim_start);
        if definition.contains(" WITH SYSTEM VERSIONING") {
            refusals.add(
                format!("the table {}", table.name()),
                "it is system-versioned, and earlier versions of its rows would keep the old ids",
                "ALTER TABLE … DROP SYSTEM VERSIONING first, which drops the earlier versions",
            );
        } else if lines.any(|line| line.starts_with("PERIOD FOR ")) {
            refusals.add(
                format!("the table {}", table.name()),
                "it has a period, whose rows the server itself divides",
                "drop the period, and add it again after the change",
            );
        }
    }
    Ok(())
}

/// The names of what the change makes have to be free.
async fn add_taken_names(
    connection: &mut Connection,
    refusals: &mut Refusals,
    work: &Work,
) -> Result<(), Error> {
    let mut tables = vec![
        SWAPPED.to_owned(),
        SWAPPED_NO.to_owned(),
        SWAPPED_YES.to_owned(),
        OLD_IDS.to_owned(),
    ];
    let mut triggers = Vec::new();
    for table in &work.tables {
        let name = &table.name().name;
        tables.extend([
            names::new_table(name),
            names::old_table(name),
            names::progress_table(name),
        ]);
        for role in [Role::Forward, Role::Back, Role::Guard] {
            triggers.extend(Event::ALL.map(|event| names::trigger(name, role, event)));
        }
    }
    let doing = "the names in the database";
    for (kind, query, wanted) in [
        (
            "table",
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()",
            tables,
        ),
        (
            "trigger",
            "SELECT trigger_name FROM information_schema.triggers \
             WHERE trigger_schema = DATABASE()",
            triggers,
        ),
    ] {
        for row in connection.query(doing, query, &[]).await? {
            let name = row.text(0)?;
            if wanted.iter().any(|wanted| wanted == name) {
                refusals.add(
                    format!("the {kind} {name}"),
                    "the change needs that name",
                    "rename it, or drop it if an earlier change has left it",
                );
            }
        }
    }
    Ok(())
}

/// With a binary log of statements, each replica would make new ids of its own.
async fn add_binary_log(
    connection: &mut Connection,
    refusals: &mut Refusals,
    work: &Work,
) -> Result<(), Error> {
    let Source::Mapped = work.source else {
        return Ok(());
    };
    let query = "SHOW GLOBAL VARIABLES WHERE variable_name IN ('log_bin', 'binlog_format')";
    let rows = connection.query("the binary log", query, &[]).await?;
    let is = |name: &str, value: &str| {
        let mut rows = rows.iter();
        let found = rows.find(|row| row.text(0).is_ok_and(|one| one.eq_ignore_ascii_case(name)));
        found.is_some_and(|row| row.text(1).is_ok_and(|one| one.eq_ignore_ascii_case(value)))
    };
    if is("log_bin", "ON") && is("binlog_format", "STATEMENT") {
        refusals.add(
            "the binary log",
            "it contains statements (`binlog_format`), so replicas would generate different ids",
            "SET GLOBAL binlog_format = 'ROW', and connect all programs again",
        );
    }
    Ok(())
}

/// Tells what the change leaves as it is, although it may name what changes.
pub(super) fn name_what_is_left(runner: &mut Runner<'_>, work: &Work) {
    for table in &work.tables {
        for dependent in &table.table.dependents {
            if !table.changes_any(&dependent.columns) {
                continue;
            }
            let (kind, name) = (dependent.kind.name(), &dependent.name);
            let what = match dependent.kind {
                DependentKind::Privilege => format!(
                    "{name} has {} on {} only: grant it on the new column after the swap",
                    dependent.definition,
                    dependent.columns.join(", ")
                ),
                DependentKind::Routine | DependentKind::Event | DependentKind::Trigger => format!(
                    "the {kind} {name} names {} and a changed column: change it with the swap",
                    table.name()
                ),
                _ => continue,
            };
            runner.note(format!("{}: {what}", table.name()));
        }
    }
}

/// Fails for views of the old tables, which would stay without them. References to these are refused
/// whatever the change does next.
pub(crate) fn refuse_contract(work: &Work, now: &Catalog) -> Result<(), Error> {
    let mut refusals = Refusals::default();
    for table in &work.tables {
        let old = table.name().sibling(names::old_table(&table.name().name));
        let dependents = now.table(&old).map(|found| found.dependents.as_slice());
        let views = dependents.unwrap_or_default().iter();
        for view in views.filter(|one| one.kind == DependentKind::View) {
            refusals.add(
                format!("the view {}", view.name),
                format!("it uses the old table {old}, which is to be dropped"),
                "drop it first",
            );
        }
    }
    refusals.result()
}

/// After the swap, programs and their migrations use the new tables. What they have added there
/// would not survive the way back.
pub(super) async fn refuse_undo(
    runner: &mut Runner<'_>,
    work: &Work,
    tables: &[Rebuilt<'_>],
) -> Result<(), Error> {
    let catalog = runner.catalog().await?;
    let mut refusals = Refusals::default();
    for table in tables {
        let now = catalog.table(table.changed.name())?;
        let known = |name: &str| {
            let mut columns = table.changed.table.columns.iter();
            columns.any(|column| table.name_of(&column.name, Form::New) == name)
                || shadow::placeholders(work, table).any(|(placeholder, _)| placeholder == name)
        };
        for column in now.columns.iter().filter(|column| !known(&column.name)) {
            refusals.add(
                format!("{}.{}", table.name(), column.name),
                "the old table has no such column, so its values would be lost",
                "drop the column, or finish with --contract",
            );
        }
        let own = [Role::Back, Role::Guard]
            .map(|role| Event::ALL.map(|event| names::trigger(table.name(), role, event)));
        let triggers = || now.dependents.iter().filter(|one| is_trigger_of(now, one));
        for name in &own[0] {
            if !triggers().any(|trigger| trigger.name == *name) {
                refusals.add(
                    format!("the trigger {name} of {}", table.name()),
                    "it is gone, so that the old table may lack rows",
                    "finish with --contract",
                );
            }
        }
        for what in added(table, now) {
            refusals.add(
                format!("the {what} of {}", table.name()),
                "the old table does not have it",
                "drop it, or finish with --contract",
            );
        }
        for trigger in triggers() {
            if !own.as_flattened().contains(&trigger.name) {
                refusals.add(
                    format!("the trigger {} of {}", trigger.name, table.name()),
                    "the old table does not have it",
                    "drop it, or finish with --contract",
                );
            }
        }
        let instead = "drop the foreign key, or finish with --contract";
        add_outer_references(&mut refusals, work, &catalog, table.changed, instead);
    }
    refusals.result()
}

/// What a table has since the swap only.
fn added(table: &Rebuilt<'_>, now: &Table) -> Vec<String> {
    let before = &table.changed.table;
    let new = |columns: &[String]| {
        table
            .changed
            .renamed(columns, |column| column.used(Form::New).to_owned())
    };
    let mut added = Vec::new();
    for key in &now.keys {
        let mut known = before.keys.iter();
        if !known.any(|known| known.name == key.name && new(&known.columns) == key.columns) {
            added.push(format!("key {}", key.name));
        }
    }
    for index in &now.indexes {
        let mut known = before.indexes.iter();
        let is_known =
            known.any(|known| known.name == index.name && new(&known.columns) == index.columns);
        // The server makes some for references.
        let mut references = now.foreign_keys.iter();
        if !is_known && !references.any(|key| key.columns == index.columns) {
            added.push(format!("index {}", index.name));
        }
    }
    for key in &now.foreign_keys {
        let mut known = before.foreign_keys.iter();
        if !known.any(|known| new(&known.columns) == key.columns && known.target == key.target) {
            added.push(format!("foreign key {}", key.name));
        }
    }
    let checks = |table: &Table| {
        let dependents = table.dependents.iter();
        dependents
            .filter(|one| one.kind == DependentKind::Check)
            .count()
    };
    if checks(now) > checks(before) {
        added.push("new CHECK".into());
    }
    added
}
