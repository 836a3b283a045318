//! The swap, the way back, and the end.

use std::time::Instant;

use rowkey_tables::dialect::Dialect;
use rowkey_tables::{Error, Value};

use super::names::{self, OLD_IDS, Role, SWAPPED, SWAPPED_NO, SWAPPED_YES, quoted};
use super::new_ids::{counted, counted_table};
use super::rebuilt::Rebuilt;
use super::session::{Made, patiently};
use super::{compare, refuse, shadow, triggers};
use crate::id_map::NewIds;
use crate::plan::OldPrograms;
use crate::runner::Runner;
use crate::work::Work;

/// Whether the tables are exchanged.
pub(super) async fn is_done(runner: &mut Runner<'_>) -> Result<bool, Error> {
    Ok(Made::read(runner).await?.has_table(SWAPPED_NO))
}

/// Renames all tables in one statement.
pub(super) async fn forward(
    runner: &mut Runner<'_>,
    work: &Work,
    tables: &[Rebuilt<'_>],
) -> Result<(), Error> {
    if is_done(runner).await? {
        return drop_forward(runner, work, tables).await;
    }
    if let Some(ids) = NewIds::of(work)? {
        shadow::create_old_ids(runner, &ids).await?;
    }
    for table in tables {
        triggers::create(runner, work, table, Role::Back).await?;
        let is_marked = work.policy.old_programs == OldPrograms::Mark;
        if is_marked && !table.changed.columns.is_empty() {
            triggers::create(runner, work, table, Role::Guard).await?;
        }
        if is_counted(table) {
            let to = names::new_table(table.name());
            carry_counter(runner, work, tables, table.name(), &to).await?;
        }
    }
    if !runner.is_dry() {
        work.require_unaltered(&runner.catalog().await?)?;
    }
    let mut renames = Vec::new();
    for table in tables {
        let old = quoted(&names::old_table(table.name()))?;
        let (name, new) = (table.quoted()?, table.quoted_new()?);
        renames.push(format!("{name} TO {old}, {new} TO {name}"));
    }
    renames.push(format!(
        "{SWAPPED} TO {SWAPPED_NO}, {SWAPPED_YES} TO {SWAPPED}"
    ));
    rename(runner, work, "the swap", &renames).await?;
    runner.tell_mark(work);
    drop_forward(runner, work, tables).await
}

/// Drops the triggers of the old tables, which do nothing after the swap. They name tables that are
/// no more, which sessions that lock their tables cannot lock.
async fn drop_forward(
    runner: &mut Runner<'_>,
    work: &Work,
    tables: &[Rebuilt<'_>],
) -> Result<(), Error> {
    for table in tables {
        triggers::drop(runner, &work.policy, table, Role::Forward).await?;
    }
    Ok(())
}

async fn rename(
    runner: &mut Runner<'_>,
    work: &Work,
    doing: &str,
    renames: &[String],
) -> Result<(), Error> {
    let statement = format!("RENAME TABLE {}", renames.join(", "));
    let mut attempts = 1;
    loop {
        let started = Instant::now();
        match runner.run(doing, &statement).await {
            Err(error)
                if super::session::is_lock(&error) && attempts < work.policy.lock_attempts =>
            {
                attempts += 1;
                super::session::rest().await;
            }
            Err(error) => return Err(error),
            Ok(_) => {
                let millis = started.elapsed().as_millis();
                runner.note(format!(
                    "{doing}: at most {millis} ms exclusive, at attempt {attempts}"
                ));
                return Ok(());
            }
        }
    }
}

/// Whether a column that stays is counted by the database.
fn is_counted(table: &Rebuilt<'_>) -> bool {
    let mut columns = table.columns();
    columns.any(|column| {
        column.generated.is_counted() && table.changed.changed(&column.name).is_none()
    })
}

/// Gives a table the other one's next number, so that none is counted twice.
async fn carry_counter(
    runner: &mut Runner<'_>,
    work: &Work,
    tables: &[Rebuilt<'_>],
    from: &str,
    to: &str,
) -> Result<(), Error> {
    let doing = format!("the counter of {to}");
    let query = "SELECT CAST(MAX(CASE table_name WHEN ? THEN auto_increment END) AS CHAR), \
                 CAST(MAX(CASE table_name WHEN ? THEN auto_increment END) AS CHAR) \
                 FROM information_schema.tables \
                 WHERE table_schema = DATABASE() AND table_name IN (?, ?)";
    let values = [from, to, from, to].map(Value::from);
    let row = runner.one_row(&doing, query, &values).await?;
    // NULL in a table that counts nothing, which is less than any number.
    let (next, reached) = (counted(&row, 0)?, counted(&row, 1)?);
    if let Some(next) = next.filter(|_| next > reached) {
        let statement = format!("ALTER TABLE {} AUTO_INCREMENT = {next}", quoted(to)?);
        alter(runner, work, tables, to, &doing, &statement).await?;
    }
    Ok(())
}

/// Takes everything back, whatever was done.
pub(super) async fn undo(
    runner: &mut Runner<'_>,
    work: &Work,
    tables: &[Rebuilt<'_>],
) -> Result<(), Error> {
    if Made::read(runner).await?.has_table(SWAPPED_NO) {
        refuse::refuse_undo(runner, work, tables).await?;
        runner.refuse_values_damaged_since(work).await?;
        for table in tables {
            compare::compare_swapped(runner, table).await?;
        }
        let mut renames = Vec::new();
        for table in tables {
            let old = names::old_table(table.name());
            if is_counted(table) {
                carry_counter(runner, work, tables, table.name(), &old).await?;
            }
            let (name, new) = (table.quoted()?, table.quoted_new()?);
            renames.push(format!("{name} TO {new}, {} TO {name}", quoted(&old)?));
        }
        renames.push(format!(
            "{SWAPPED} TO {SWAPPED_YES}, {SWAPPED_NO} TO {SWAPPED}"
        ));
        rename(runner, work, "the swap back", &renames).await?;
    }
    // The process before may have been killed after its renaming.
    let ids = NewIds::of(work)?;
    let counted = ids.as_ref().and_then(counted_table);
    if let (Some(counted), true) = (counted, Made::read(runner).await?.has_table(OLD_IDS)) {
        carry_counter(runner, work, tables, OLD_IDS, counted).await?;
    }
    triggers::stop(runner, work).await?;
    drop_forward(runner, work, tables).await?;
    let mut dropped = Vec::new();
    for table in tables.iter().rev() {
        dropped.push(names::new_table(table.name()));
        dropped.push(names::progress_table(table.name()));
    }
    dropped.extend([SWAPPED, SWAPPED_YES, OLD_IDS].map(ToOwned::to_owned));
    drop_tables(runner, work, &dropped).await
}

/// Drops the old tables, and gives the foreign keys the names that they had.
pub(super) async fn contract(
    runner: &mut Runner<'_>,
    work: &Work,
    tables: &[Rebuilt<'_>],
) -> Result<(), Error> {
    triggers::stop(runner, work).await?;
    for table in tables {
        triggers::drop(runner, &work.policy, table, Role::Back).await?;
        triggers::drop(runner, &work.policy, table, Role::Guard).await?;
    }
    let mut dropped = Vec::new();
    for table in tables.iter().rev() {
        dropped.push(names::old_table(table.name()));
        dropped.push(names::progress_table(table.name()));
    }
    dropped.extend([SWAPPED_NO, SWAPPED, OLD_IDS].map(ToOwned::to_owned));
    drop_tables(runner, work, &dropped).await?;
    for table in tables {
        rename_foreign_keys(runner, work, tables, table).await?;
        drop_placeholders(runner, work, tables, table).await?;
    }
    Ok(())
}

/// Alters a table that programs or their triggers write.
///
/// On MySQL, with all tables of the change locked: a cascade of another session takes no lock of
/// metadata of the table that it changes, so that it could miss a foreign key that is just being
/// replaced. With MySQL 5.6, both could also wait for each other forever, and all other sessions
/// with them.
async fn alter(
    runner: &mut Runner<'_>,
    work: &Work,
    tables: &[Rebuilt<'_>],
    altered: &str,
    doing: &str,
    statement: &str,
) -> Result<(), Error> {
    if !work.backend.cascades_without_lock() {
        return shadow::unchecked(runner, work, doing, statement).await;
    }
    let others = tables.iter().map(Rebuilt::name);
    let others = others.filter(|name| *name != altered);
    let locks = others
        .chain([altered])
        .map(|name| Ok(format!("{} WRITE", quoted(name)?)));
    let locks: Vec<String> = locks.collect::<Result<_, Error>>()?;
    let lock = format!("LOCK TABLES {}", locks.join(", "));
    patiently(runner, &work.policy, doing, &lock).await?;
    let outcome = shadow::unchecked(runner, work, doing, statement).await;
    // The first error says more than one of the connection's loss.
    let unlocked = runner.run(doing, "UNLOCK TABLES").await;
    outcome.and(unlocked.map(|_| ()))
}

async fn drop_placeholders(
    runner: &mut Runner<'_>,
    work: &Work,
    tables: &[Rebuilt<'_>],
    table: &Rebuilt<'_>,
) -> Result<(), Error> {
    let catalog = runner.catalog().await?;
    let now = catalog.table(table.changed.name())?;
    for (name, _) in shadow::placeholders(work, table) {
        if now.column(name).is_some() || runner.is_dry() {
            let doing = format!("the empty column {name} of {}", table.name());
            let drop = format!(
                "ALTER TABLE {} DROP COLUMN {}",
                table.quoted()?,
                quoted(name)?
            );
            let online = format!("{drop}, ALGORITHM=INPLACE, LOCK=NONE");
            match alter(runner, work, tables, table.name(), &doing, &online).await {
                // Tables with some kinds of indexes are built again while writers wait.
                Err(error) if is_not_online(&error) => {
                    alter(runner, work, tables, table.name(), &doing, &drop).await?;
                }
                outcome => outcome?,
            }
        }
    }
    Ok(())
}

/// Whether the server cannot alter a table in a way while programs write.
fn is_not_online(error: &Error) -> bool {
    matches!(error.mysql_number(), Some(1845 | 1846))
}

/// Drops those of some tables that exist, and nothing else that refers to them.
async fn drop_tables(runner: &mut Runner<'_>, work: &Work, tables: &[String]) -> Result<(), Error> {
    let made = Made::read(runner).await?;
    for table in tables {
        if made.has_table(table) || runner.is_dry() {
            let drop = format!("DROP TABLE IF EXISTS {}", quoted(table)?);
            shadow::unchecked(runner, work, &format!("dropping {table}"), &drop).await?;
        }
    }
    Ok(())
}

/// Without comparing the rows: the foreign key that is replaced has done that.
async fn rename_foreign_keys(
    runner: &mut Runner<'_>,
    work: &Work,
    tables: &[Rebuilt<'_>],
    table: &Rebuilt<'_>,
) -> Result<(), Error> {
    let made = Made::read(runner).await?;
    for key in &table.changed.table.foreign_keys {
        let made_as = names::foreign_key(table.name(), &key.name);
        let is_left = made.has_foreign_key(&made_as) || runner.is_dry();
        if names::follows_its_table(table.name(), &key.name) || !is_left {
            continue;
        }
        let replace = format!(
            "ALTER TABLE {} DROP FOREIGN KEY {}, ADD {}, ALGORITHM=INPLACE, LOCK=NONE",
            table.quoted()?,
            quoted(&made_as)?,
            shadow::constraint(work, table, key, &key.name, &key.target)?
        );
        let doing = format!("the name of the foreign key {}", key.name);
        alter(runner, work, tables, table.name(), &doing, &replace).await?;
    }
    Ok(())
}
