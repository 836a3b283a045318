//! New ids for rows that old programs write, and old ids for those of new programs.

use rowkey_core::Backend;
use rowkey_tables::catalog::Column;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::{Connection, Error, Row};

use super::names::{OLD_IDS, quoted};
use crate::engine::old_id::{OldIdType, mysql_text, text_of};
use crate::id_map::{NewIds, Reading, TABLE, new_id_at};
use crate::refusals::{Refusals, What};
use crate::work::{ChangedColumn, ChangedTable, Form};

/// The statements of a trigger that make sure that the map has the value of a column in the row
/// `NEW`, from which a form's value is to be found.
pub(super) fn ensure(
    ids: &NewIds<'_>,
    column: &ChangedColumn,
    form: Form,
    name: &str,
) -> Result<String, Error> {
    let value = format!("NEW.{}", quoted(name)?);
    let (text, add) = match form {
        Form::New => {
            let text = text_of(ids.work.backend, &column.column, &value)?;
            let made = made(ids, column, &value, "NEW.")?;
            let add = add(ids, &text, &made);
            (text, add)
        }
        Form::Old => {
            let text = ids.map.text_of_new(&value)?;
            let add = add_old(ids, &text)?;
            (text, add)
        }
    };
    let found = ids.map.lookup("1", form.other(), &text, Reading::Snapshot);
    Ok(format!(
        "IF {value} IS NOT NULL AND {found} IS NULL THEN {add}END IF; "
    ))
}

/// The statement that adds the values of a column to the map, for some rows `o` of the old table.
/// None if the map has them all.
pub(super) fn fill(
    ids: &NewIds<'_>,
    table: &ChangedTable,
    column: &ChangedColumn,
    condition: &str,
) -> Result<Option<String>, Error> {
    // The key's table is filled first, and a reference within it may come before its target.
    if column.is_asserted && table.name() != ids.key_table.name() {
        return Ok(None);
    }
    let value = format!("o.{}", quoted(&column.column.name)?);
    Ok(Some(format!(
        "{} SELECT {}, {}, {} FROM {} o FORCE INDEX (PRIMARY) \
         WHERE ({condition}) AND {value} IS NOT NULL LOCK IN SHARE MODE \
         ON DUPLICATE KEY UPDATE {TABLE}.old = {TABLE}.old",
        ids.map.insert(),
        ids.map.table_name,
        text_of(ids.work.backend, &column.column, &value)?,
        made(ids, column, &value, "o.")?,
        quoted(&table.name().name)?
    )))
}

/// A new id as public text. The key's own row says when it was created; a reference has to look
/// there.
fn made(
    ids: &NewIds<'_>,
    column: &ChangedColumn,
    value: &str,
    qualifier: &str,
) -> Result<String, Error> {
    let qualifier = if column.is_key { qualifier } else { "k." };
    let Some(millis) = ids.created(qualifier)? else {
        return Ok(ids.new_id.expression()?);
    };
    let millis = match column.is_key {
        true => millis,
        false => format!(
            "(SELECT {millis} FROM {} k WHERE k.{} = {value})",
            quoted(&ids.key_table.name().name)?,
            quoted(&ids.key.column.name)?
        ),
    };
    new_id_at(ids.new_id, &millis)
}

fn add(ids: &NewIds<'_>, old: &str, new: &str) -> String {
    format!(
        "{} VALUES ({}, {old}, {new}) ON DUPLICATE KEY UPDATE {TABLE}.old = {TABLE}.old; ",
        ids.map.insert(),
        ids.map.table_name
    )
}

/// Adds an old id for a new one that a new program has made. Numbers that old programs have used
/// since the counter was made are left out.
fn add_old(ids: &NewIds<'_>, new: &str) -> Result<String, Error> {
    let key = &ids.key.column;
    match old_ids_of(key) {
        Some(OldIds::Counted) => {
            let text = mysql_text("LAST_INSERT_ID()");
            let used = ids.map.lookup("1", Form::Old, &text, Reading::Snapshot);
            Ok(format!(
                "REPEAT INSERT INTO {OLD_IDS} VALUES (NULL); UNTIL {used} IS NULL END REPEAT; {}",
                add(ids, &text, new)
            ))
        }
        Some(OldIds::Random(sql)) => Ok(add(ids, &text_of(ids.work.backend, key, sql)?, new)),
        None => Err(no_old_ids(ids)),
    }
}

/// Fails for keys whose old ids nothing makes.
pub(super) fn check(ids: &NewIds<'_>) -> Result<(), Error> {
    for (_, changed) in ids.work.columns() {
        text_of(ids.work.backend, &changed.column, "")?;
        made(ids, changed, "", "")?;
    }
    match old_ids_of(&ids.key.column) {
        Some(_) => Ok(()),
        None => Err(no_old_ids(ids)),
    }
}

fn no_old_ids(ids: &NewIds<'_>) -> Error {
    let column = &ids.key.column;
    Error::refused(
        format!("{}.{}", ids.key_table.name(), column.name),
        format!(
            "nothing makes old ids of the type {} for rows that new programs write, and without \
             them the swap could not be undone",
            column.sql_type
        ),
        "change it to a number or a UUID first",
    )
}

/// The number of a counter, which may be larger than drivers hold numbers.
pub(super) fn counted(row: &Row, index: usize) -> Result<Option<u64>, Error> {
    let text = row.optional_text(index)?;
    let number = text.map(|text| {
        text.parse().map_err(|_| Error::Differs {
            what: "a counter".into(),
            found: format!("{text} instead of a number"),
        })
    });
    number.transpose()
}

/// Adds a reason if the key's type has no number left for the old ids of rows that new programs
/// write.
pub(super) async fn add_used_up(
    connection: &mut Connection,
    refusals: &mut Refusals,
    ids: &NewIds<'_>,
) -> Result<(), Error> {
    let column = &ids.key.column;
    let (Some(OldIds::Counted), Some(largest)) = (old_ids_of(column), largest(column)) else {
        return Ok(());
    };
    let what = What::column(ids.key_table.name(), &column.name);
    let query = format!(
        "SELECT CAST(MAX({}) AS CHAR) FROM {}",
        quoted(&column.name)?,
        quoted(&ids.key_table.name().name)?
    );
    let doing = format!("the largest number of {what}");
    let row = connection.one_row(&doing, &query, &[]).await?;
    let last = row
        .optional_text(0)?
        .and_then(|last| last.parse::<u128>().ok());
    if let Some(last) = last.filter(|last| *last >= largest) {
        let counter = format!("the type {}", column.sql_type);
        refusals.add_used_up(what, &last.to_string(), &counter);
    }
    Ok(())
}

/// The largest number that is counted for a column; nothing for other types.
fn largest(column: &Column) -> Option<u128> {
    let column_type = column.column_type(Backend::MySql);
    let bits = match column_type.name() {
        "tinyint" => 8,
        "smallint" => 16,
        "mediumint" => 24,
        "int" => 32,
        "bigint" => 64,
        "decimal" => return Some(LAST_COUNTED),
        _ => return None,
    };
    let bits = match column_type.has("unsigned") {
        true => bits,
        false => bits - 1,
    };
    Some(((1_u128 << bits) - 1).min(LAST_COUNTED))
}

/// The first number of the counter, if old ids are counted: a query.
pub(super) fn first_counted(ids: &NewIds<'_>) -> Result<Option<String>, Error> {
    let Some(OldIds::Counted) = old_ids_of(&ids.key.column) else {
        return Ok(None);
    };
    let table = &ids.key_table.name().name;
    // The numbers of the last rows may have been deleted.
    Ok(Some(format!(
        "SELECT CAST(LEAST(GREATEST(CAST(COALESCE(MAX({}), 0) AS DECIMAL(65)) + 1, COALESCE((SELECT \
         auto_increment FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = {}), 1)), \
         18446744073709551615) AS CHAR) FROM {}",
        quoted(&ids.key.column.name)?,
        text_literal(Backend::MySql, table),
        quoted(table)?
    )))
}

/// The table of the key, if the database counts its old ids.
pub(super) fn counted_table<'w>(ids: &NewIds<'w>) -> Option<&'w str> {
    let is_counted = ids.key.column.generated.is_counted();
    is_counted.then_some(ids.key_table.name().name.as_str())
}

/// The last number that the servers count: `AUTO_INCREMENT` does not get to that of the type.
const LAST_COUNTED: u128 = u64::MAX as u128 - 1;

/// How the old ids of new rows are made.
enum OldIds {
    Counted,
    /// By an expression.
    Random(&'static str),
}

fn old_ids_of(key: &Column) -> Option<OldIds> {
    let column_type = key.column_type(Backend::MySql);
    match OldIdType::of(Backend::MySql, &column_type)? {
        OldIdType::Signed | OldIdType::Unsigned | OldIdType::Decimal(_) => Some(OldIds::Counted),
        OldIdType::Uuid => Some(OldIds::Random("UUID()")),
        OldIdType::Bytes if column_type.length() == Some(16) => {
            Some(OldIds::Random("UNHEX(REPLACE(UUID(), '-', ''))"))
        }
        OldIdType::Text if column_type.length() == Some(36) => Some(OldIds::Random("UUID()")),
        OldIdType::Bytes | OldIdType::Text => None,
    }
}
