//! The new tables, and what the phases keep beside them.

use super::names::{self, OLD_IDS, SWAPPED, SWAPPED_YES, quoted};
use super::new_ids::{counted, first_counted};
use super::rebuilt::Rebuilt;
use super::session::{Made, patiently};
use crate::id_map::{IdMap, NewIds, TABLE};
use crate::plan::OldPrograms;
use crate::runner::Runner;
use crate::work::{ChangedColumn, Form, Source, Work, quoted_list};
use rowkey_core::Backend;
use rowkey_core::storage::Storage;
use rowkey_tables::Error;
use rowkey_tables::catalog::{ForeignKey, QualifiedName};
use rowkey_tables::text_literal::text_literal;

/// Creates the tables of which one says that the swap has happened, and the other that it has not.
pub(super) async fn create_swapped(runner: &mut Runner<'_>) -> Result<(), Error> {
    let made = Made::read(runner).await?;
    for (name, is_swapped) in [(SWAPPED, 0), (SWAPPED_YES, 1)] {
        let doing = format!("the table {name}");
        if !made.has_table(name) {
            let create = format!(
                "CREATE TABLE {name} (one TINYINT NOT NULL PRIMARY KEY, \
                 is_swapped TINYINT NOT NULL) ENGINE=InnoDB"
            );
            runner.run(&doing, &create).await?;
        }
        let insert = format!(
            "INSERT INTO {name} VALUES (1, {is_swapped}) ON DUPLICATE KEY UPDATE one = one"
        );
        runner.run(&doing, &insert).await?;
    }
    Ok(())
}

/// Creates the map from old ids to new ones, unless an earlier change has made it.
pub(super) async fn create_map(runner: &mut Runner<'_>, map: &IdMap) -> Result<(), Error> {
    if !Made::read(runner).await?.has_table(TABLE) {
        runner.run("the map of ids", &map.create()).await?;
    }
    Ok(())
}

/// Creates the counter of old ids for rows that new programs write.
pub(super) async fn create_old_ids(runner: &mut Runner<'_>, ids: &NewIds<'_>) -> Result<(), Error> {
    let Some(first) = first_counted(ids)? else {
        return Ok(());
    };
    if Made::read(runner).await?.has_table(OLD_IDS) {
        return Ok(());
    }
    let doing = "the counter of old ids";
    let first = counted(&runner.one_row(doing, &first, &[]).await?, 0)?;
    let create = format!(
        "CREATE TABLE {OLD_IDS} (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY) \
         ENGINE=InnoDB AUTO_INCREMENT = {}",
        first.unwrap_or(1).max(1)
    );
    runner.run(doing, &create).await?;
    Ok(())
}

/// Creates the new table with its foreign keys, and then the table with the progress, whose
/// existence says that the new table is complete.
pub(super) async fn create(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &Rebuilt<'_>,
) -> Result<(), Error> {
    let made = Made::read(runner).await?;
    let progress = names::progress_table(table.name());
    if made.has_table(&progress) {
        return Ok(());
    }
    let doing = format!("the new table of {}", table.name());
    let new = table.quoted_new()?;
    if made.has_table(&names::new_table(table.name())) {
        runner.run(&doing, &format!("DROP TABLE {new}")).await?;
    }
    let like = format!("CREATE TABLE {new} LIKE {}", table.quoted()?);
    runner.run(&doing, &like).await?;
    let mut changes = changed_columns(work, table)?;
    changes.extend(named_indexes(runner, work, table).await?);
    for (name, sql_type) in placeholders(work, table) {
        changes.push(format!("ADD COLUMN {} {sql_type} NULL", quoted(name)?));
    }
    for key in &table.foreign_keys {
        changes.push(format!("ADD {}", foreign_key(work, table, key)?));
    }
    // The server changes no number to a UUID, not even in an empty table.
    let through_bytes = through_bytes(work, table)?;
    if !through_bytes.is_empty() {
        let alter = format!("ALTER TABLE {new} {}", through_bytes.join(", "));
        runner.run(&doing, &alter).await?;
    }
    if !changes.is_empty() {
        let alter = format!("ALTER TABLE {new} {}", changes.join(", "));
        patiently(runner, &work.policy, &doing, &alter).await?;
    }
    create_progress(runner, table, &progress).await
}

/// Columns that stay empty until the contract: with them, a statement of an old program that names
/// no columns has too few values. Otherwise it would put the old form where the new one belongs.
pub(super) fn placeholders<'w>(
    work: &Work,
    table: &Rebuilt<'w>,
) -> impl Iterator<Item = (&'w str, &'w str)> + use<'w> {
    let is_needed = work.policy.old_programs == OldPrograms::Rename;
    let columns = table.changed.columns.iter().filter(move |_| is_needed);
    columns.map(|changed| {
        (
            changed.retired_name.as_str(),
            changed.column.sql_type.as_str(),
        )
    })
}

/// The definitions of the new columns.
fn changed_columns(work: &Work, table: &Rebuilt<'_>) -> Result<Vec<String>, Error> {
    let mut changes = Vec::new();
    for changed in &table.changed.columns {
        let null = match changed.column.is_nullable {
            true => "NULL",
            false => "NOT NULL",
        };
        let comment = changed
            .column
            .comment
            .as_deref()
            .map(|comment| text_literal(Backend::MySql, comment));
        let comment = comment.map(|text| format!(" COMMENT {text}"));
        changes.push(format!(
            "CHANGE COLUMN {} {} {} {null}{}",
            quoted(&changed.column.name)?,
            quoted(&changed.new_name)?,
            work.to.sql_type(),
            comment.unwrap_or_default()
        ));
    }
    Ok(changes)
}

/// Makes the indexes of foreign keys once more, as people do. Those that the server itself has made
/// would give way to others, named after the new foreign keys; it shows both alike.
async fn named_indexes(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &Rebuilt<'_>,
) -> Result<Vec<String>, Error> {
    let doing = format!("the indexes of {}", table.name());
    let show = format!("SHOW CREATE TABLE {}", table.quoted()?);
    let shown = runner.one_row(&doing, &show, &[]).await?;
    let before = &table.changed.table;
    let mut changes = Vec::new();
    for index in &before.indexes {
        let name = quoted(&index.name)?;
        let new = |column: &ChangedColumn| column.used(Form::New).to_owned();
        let new = table.changed.renamed(&index.columns, new);
        let [old, new] = [&index.columns, &new].map(|columns| quoted_list(work.backend, columns));
        // The server makes none with options.
        let line = format!("  KEY {name} ({})", old?.replace("`, `", "`,`"));
        let mut lines = shown.text(1)?.lines();
        let mut keys = before.foreign_keys.iter();
        if keys.any(|key| key.columns == index.columns)
            && lines.any(|one| one.trim_end_matches(',') == line)
        {
            changes.push(format!("DROP INDEX {name}, ADD INDEX {name} ({})", new?));
        }
    }
    Ok(changes)
}

/// What makes bytes of columns that become MariaDB's UUIDs.
fn through_bytes(work: &Work, table: &Rebuilt<'_>) -> Result<Vec<String>, Error> {
    if work.to.storage() != Storage::NativeUuid || !matches!(work.source, Source::Mapped) {
        return Ok(Vec::new());
    }
    let columns = table.changed.columns.iter();
    let modify = |changed: &ChangedColumn| {
        let name = quoted(&changed.column.name)?;
        Ok(format!("MODIFY COLUMN {name} BINARY(16)"))
    };
    columns.map(modify).collect()
}

/// The definition of a foreign key of the new table, to the new tables.
fn foreign_key(work: &Work, table: &Rebuilt<'_>, key: &ForeignKey) -> Result<String, Error> {
    let name = names::foreign_key(table.name(), &key.name);
    let target = match work.table(&key.target) {
        Some(_) => key.target.sibling(names::new_table(&key.target.name)),
        None => key.target.clone(),
    };
    constraint(work, table, key, &name, &target)
}

/// The definition of a foreign key by its name and its target.
pub(super) fn constraint(
    work: &Work,
    table: &Rebuilt<'_>,
    key: &ForeignKey,
    name: &str,
    target: &QualifiedName,
) -> Result<String, Error> {
    let [columns, targets] = work.ends(table.changed, key, Form::New)?;
    Ok(format!(
        "CONSTRAINT {} FOREIGN KEY ({columns}) REFERENCES {} ({targets}) ON DELETE {} ON UPDATE {}",
        quoted(name)?,
        target.quoted(work.backend)?,
        key.on_delete,
        key.on_update
    ))
}

/// Adds the foreign keys that have to wait until all tables are filled. The server does not compare
/// the rows then: that is done afterwards, without a lock on the tables. True if there are such
/// keys.
pub(super) async fn add_later_foreign_keys(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &Rebuilt<'_>,
) -> Result<bool, Error> {
    let made = Made::read(runner).await?;
    for key in &table.later_foreign_keys {
        if made.has_foreign_key(&names::foreign_key(table.name(), &key.name)) {
            continue;
        }
        let doing = format!("the foreign key {} of {}", key.name, table.name());
        let alter = format!(
            "ALTER TABLE {} ADD {}, ALGORITHM=INPLACE, LOCK=NONE",
            table.quoted_new()?,
            foreign_key(work, table, key)?
        );
        unchecked(runner, work, &doing, &alter).await?;
    }
    Ok(!table.later_foreign_keys.is_empty())
}

/// Runs a definition without the server's comparison of foreign keys.
pub(super) async fn unchecked(
    runner: &mut Runner<'_>,
    work: &Work,
    doing: &str,
    statement: &str,
) -> Result<(), Error> {
    runner
        .run(doing, "SET SESSION foreign_key_checks = 0")
        .await?;
    let outcome = patiently(runner, &work.policy, doing, statement).await;
    runner
        .run(doing, "SET SESSION foreign_key_checks = 1")
        .await?;
    outcome.map(|_| ())
}

/// One row: the key up to which rows are converted.
async fn create_progress(
    runner: &mut Runner<'_>,
    table: &Rebuilt<'_>,
    name: &str,
) -> Result<(), Error> {
    let mut columns = String::new();
    for (number, column) in (1..).zip(table.key()?) {
        let collation = column.collation.as_deref();
        let collation = collation.map(|name| quoted(name).map(|name| format!(" COLLATE {name}")));
        let collation = collation.transpose()?.unwrap_or_default();
        columns += &format!(", key_{number} {}{collation} NOT NULL", column.sql_type);
    }
    let create = format!(
        "CREATE TABLE {} (one TINYINT NOT NULL PRIMARY KEY{columns}) ENGINE=InnoDB",
        quoted(name)?
    );
    let doing = format!("the progress of {}", table.name());
    runner.run(&doing, &create).await?;
    Ok(())
}
