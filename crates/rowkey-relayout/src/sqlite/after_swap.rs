//! The way back, and the end.
//!
//! After the swap, new programs have migrations of their own. What they have added to the tables is
//! kept at the end, and stands in the way back: the tables get their old definitions there, and
//! nothing may be lost without a word.

use super::definition::{Definition, in_double_quotes, quote};
use super::new_ids;
use super::rebuild::{Rebuild, names_of_columns, rebuild, written_columns};
use super::refuse::{MODULES, VIRTUAL_TABLES, VirtualTable};
use super::rewriting::{OldValues, rewritten};
use super::{columns_of, old_value, require_none, rowid_column, value};
use crate::Phase;
use crate::id_map::{Reading, TABLE, Values};
use crate::refusals::Refusals;
use crate::runner::Runner;
use crate::work::{ChangedColumn, ChangedTable, Form, Work};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Table};

/// Gives the tables their old definitions, and their rows the old form of what is in them now.
pub(crate) async fn undo(
    runner: &mut Runner<'_>,
    work: &Work,
    reached: Phase,
) -> Result<(), Error> {
    if reached < Phase::Swap {
        return Ok(());
    }
    let catalog = runner.catalog().await?;
    let modules = runner.query(MODULES, VIRTUAL_TABLES, &[]).await?;
    refuse_to_lose(work, &catalog, &VirtualTable::read(&modules)?).await?;
    runner.refuse_values_damaged_since(work).await?;
    require_map(runner, work).await?;
    new_ids::give_old_ones(runner, work).await?;
    let mut tables = Vec::new();
    for table in &work.tables {
        for changed in &table.columns {
            require_way_back(runner, work, table, changed).await?;
        }
        let columns = columns_of(table, |changed| {
            let new = old_value(table, &changed.new_name)?;
            let old = value(work, Form::Old, &new)?;
            Ok(vec![(quote(&changed.column.name)?, old)])
        })?;
        let indexes = table.table.indexes.iter();
        tables.push(Rebuild {
            name: table.name(),
            definition: table.table.statement().to_owned(),
            indexes: indexes.map(|index| index.definition.clone()).collect(),
            columns,
            old_columns: names_of_columns(catalog.table(table.name())?),
            is_rowid_a_column: rowid_column(&table.table).is_some(),
            puts_counter_away: false,
        });
    }
    rebuild(runner, &tables).await?;
    new_ids::forget_counter(runner, work).await
}

/// Refuses what the old definitions have no place for.
async fn refuse_to_lose(
    work: &Work,
    catalog: &Catalog,
    modules: &[VirtualTable],
) -> Result<(), Error> {
    let mut reasons = Refusals::default();
    for (table, swapped) in work
        .tables
        .iter()
        .zip(rewritten(work, OldValues::Kept).await?)
    {
        let now = catalog.table(table.name())?;
        let drop = "take that back, undo the change, and do it again";
        if in_double_quotes(now.statement())? != in_double_quotes(&swapped.table)? {
            reasons.add(
                format!("the table {}", table.name()),
                format!(
                    "its definition has changed since the swap: it is {}",
                    now.statement()
                ),
                drop,
            );
        }
        for index in &now.indexes {
            if !swapped.indexes.contains(&index.definition) {
                let what = format!("the index {}", index.name);
                reasons.add(what, "it was made since the swap", drop);
            }
        }
        for dependent in &now.dependents {
            if let Some(column) = new_names(table).find(|name| dependent.columns.contains(name)) {
                reasons.add(
                    format!("the {} {}", dependent.kind.name(), dependent.name),
                    format!("it uses {} and names {column}", table.name()),
                    "drop it first",
                );
            }
        }
    }
    for module in modules {
        for table in &work.tables {
            module.add_to(&mut reasons, table, new_names(table), "drop it first");
        }
    }
    let (key_table, key) = work.key()?;
    for (table, reference) in catalog.references_to(key_table.name()) {
        if work.table(&table.name).is_none() && reference.target_columns.contains(&key.new_name) {
            reasons.add(
                format!("the table {}", table.name),
                format!("it was made since the swap, and refers to {}", key.new_name),
                "drop it first",
            );
        }
    }
    reasons.result()
}

/// The names of columns that tables have since the swap only.
fn new_names(table: &ChangedTable) -> impl Iterator<Item = &String> {
    let columns = table.columns.iter();
    columns.flat_map(|changed| [&changed.new_name, &changed.retired_name])
}

/// Fails if the map says another old id of a row than the row itself does, or none: the row would
/// get that one, or a new number.
async fn require_map(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    let Values::Mapped(map) = Values::of(work)? else {
        return Ok(());
    };
    let (table, key) = work.key()?;
    let (new, kept) = (quote(&key.new_name)?, quote(&key.retired_name)?);
    let text = map.text_of_new(&new)?;
    let found = map.lookup("m.old", Form::New, &text, Reading::Snapshot);
    let old = map.text_of_other(&key.column, Form::New, &kept)?;
    let differs = format!("{kept} IS NOT NULL AND {found} IS NOT {old}");
    let why = "that the map of ids does not have for their new id";
    match require_none(runner, table, key, &kept, &differs, why).await {
        Err(Error::Differs { what, found }) => Err(Error::refused(
            what,
            found,
            format!(
                "put their rows of {TABLE} back, or set {kept} to NULL in {}: then they get new numbers",
                table.name()
            ),
        )),
        outcome => outcome,
    }
}

/// Fails if a value cannot get its old form back.
async fn require_way_back(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
    changed: &ChangedColumn,
) -> Result<(), Error> {
    let new = quote(&changed.new_name)?;
    let old = value(work, Form::Old, &new)?;
    let is_lost = format!("{new} IS NOT NULL AND {old} IS NULL");
    let found = "which has no old form";
    require_none(runner, table, changed, &new, &is_lost, found).await
}

/// Takes the old values away. The tables are made anew as they are now, without those columns:
/// SQLite would refuse to drop a column because of a view elsewhere that was broken before.
pub(crate) async fn contract(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    let catalog = runner.catalog().await?;
    let dry = runner.is_dry();
    let mut swapped = rewritten(work, OldValues::Dropped).await?.into_iter();
    let mut tables = Vec::new();
    for table in &work.tables {
        let Some(new) = swapped.next() else { break };
        if dry {
            let columns = columns_of(table, |changed| {
                let new = old_value(table, &changed.new_name)?;
                Ok(vec![(quote(&changed.new_name)?, new)])
            })?;
            tables.push(super::rebuild_of_new(table, new, columns)?);
        } else if let Ok(now) = catalog.table(table.name()) {
            tables.extend(without_old_values(table, now)?);
        }
    }
    rebuild(runner, &tables).await?;
    new_ids::forget_counter(runner, work).await
}

/// A table as it is now without the columns for old values; nothing if it has none.
fn without_old_values<'w>(
    table: &'w ChangedTable,
    now: &Table,
) -> Result<Option<Rebuild<'w>>, Error> {
    let kept: Vec<&str> = table
        .columns
        .iter()
        .map(|changed| changed.retired_name.as_str())
        .filter(|kept| now.column(kept).is_some())
        .collect();
    if kept.is_empty() {
        return Ok(None);
    }
    let mut reasons = Refusals::default();
    let dropped = |columns: &[String]| {
        let mut kept = kept.iter();
        kept.find(|name| columns.iter().any(|column| column == *name))
    };
    for dependent in &now.dependents {
        if let Some(column) = dropped(&dependent.columns) {
            reasons.add(
                format!("the {} {}", dependent.kind.name(), dependent.name),
                format!("it names {column}, which is to be dropped"),
                "drop it first",
            );
        }
    }
    for index in &now.indexes {
        if let Some(column) = dropped(&index.columns) {
            reasons.add(
                format!("the index {}", index.name),
                format!("it contains {column}, which is to be dropped"),
                "drop it first",
            );
        }
    }
    reasons.result()?;
    let mut columns = Vec::new();
    for (name, quoted) in written_columns(now)? {
        if !kept.contains(&name) {
            columns.push((quoted, old_value(table, name)?));
        }
    }
    let indexes = now.indexes.iter();
    Ok(Some(Rebuild {
        name: table.name(),
        definition: Definition::read(now.statement())?.without(&kept),
        indexes: indexes.map(|index| index.definition.clone()).collect(),
        columns,
        old_columns: names_of_columns(now),
        is_rowid_a_column: rowid_column(now).is_some(),
        puts_counter_away: false,
    }))
}
