//! New ids for the rows of a key, and old ones for the rows of new programs.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Generated};

use super::names::quoted;
use crate::engine::old_id::{from_text, text_of};
use crate::id_map::{NewIds, new_id_at};
use crate::work::{ChangedColumn, Source, Work};

/// The statement that adds new ids for the old ones in some rows, unless the map has them.
pub(super) fn add_new(
    ids: &NewIds<'_>,
    column: &ChangedColumn,
    rows: &str,
    condition: &str,
) -> Result<String, Error> {
    let name = quoted(&column.column.name)?;
    let (key_table, key) = (
        ids.key_table.name().quoted(Backend::SqlServer)?,
        quoted(&ids.key.column.name)?,
    );
    let made = match ids.created("k.")? {
        None => ids.new_id.expression()?,
        Some(millis) => new_id_at(ids.new_id, &millis)?,
    };
    let text = text_of(Backend::SqlServer, &column.column, "o.id")?;
    let (map, table_name) = (&ids.map.table, &ids.map.table_name);
    Ok(format!(
        "{} SELECT {table_name}, {text}, {made} \
         FROM (SELECT DISTINCT {name} AS id FROM {rows} WHERE {condition} AND {name} IS NOT NULL) \
         AS o LEFT JOIN {key_table} AS k ON k.{key} = o.id WHERE NOT EXISTS (SELECT 1 FROM {map} \
         AS m WITH (UPDLOCK, HOLDLOCK) WHERE m.table_name = {table_name} AND m.old = {text})",
        ids.map.insert(),
    ))
}

/// The statements of a trigger that keep the map complete after the swap, for the rows that new
/// programs have written to the key's table.
pub(super) fn add_old(ids: &NewIds<'_>, column: &ChangedColumn) -> Result<Vec<String>, Error> {
    if !column.is_key || !counts(&column.column) {
        return Ok(Vec::new());
    }
    let (kept, new) = (quoted(&column.retired_name)?, quoted(&column.new_name)?);
    let old = text_of(Backend::SqlServer, &column.column, &format!("i.{kept}"))?;
    let new = ids.map.text_of_new(&format!("i.{new}"))?;
    let (map, name) = (&ids.map.table, &ids.map.table_name);
    Ok(vec![
        // The number of a row stays when its id is changed.
        format!(
            "UPDATE m SET m.new = {new} FROM {map} AS m JOIN inserted AS i ON m.old = {old} \
             WHERE m.table_name = {name} AND m.new <> {new}"
        ),
        format!(
            "{} SELECT {name}, {old}, {new} FROM inserted AS i \
             WHERE NOT EXISTS (SELECT 1 FROM {map} AS m WITH (UPDLOCK, HOLDLOCK) \
             WHERE m.table_name = {name} AND m.old = {old})",
            ids.map.insert()
        ),
    ])
}

/// Whether a column keeps what the database gives it, so that no trigger fills it.
pub(super) fn keeps_itself(work: &Work, column: &ChangedColumn) -> bool {
    matches!(work.source, Source::Mapped) && counts(&column.column)
}

/// Fails for keys whose old ids have no text, or which nothing would make for new rows.
pub(super) fn check(work: &Work) -> Result<(), Error> {
    let Some(ids) = NewIds::of(work)? else {
        return Ok(());
    };
    for (_, column) in work.columns() {
        from_text(Backend::SqlServer, &column.column, "")?;
        add_new(&ids, column, "", "")?;
    }
    if counts(&ids.key.column) {
        return Ok(());
    }
    Err(Error::refused(
        format!("{}.{}", ids.key_table.name(), ids.key.column.name),
        "it is no IDENTITY, so that nothing would make its old ids for the rows of new programs, \
         and without them the swap could not be undone",
        "make it an IDENTITY first",
    ))
}

/// Whether the database counts a column by itself.
fn counts(column: &Column) -> bool {
    column.generated == Generated::Identity
}
