//! Columns that refer to keys by their values, without a constraint: both have to have one form, or
//! no row meets another.

use std::collections::{BTreeMap, BTreeSet};

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::Type;

use super::planner::{Place, Planner, place};
use crate::engine::{engine, of_column};
use crate::rows::select::first;

/// Among so many rows of a table, values are looked for,
const ROWS: usize = 1_000;
/// of which so many are looked up in the keys.
const VALUES: usize = 20;
/// Keys that one statement looks at.
const KEYS: usize = 100;

/// The lengths of UUIDs as bytes and as text, in which SQL Server counts two bytes for a digit.
const LENGTHS: &str = "16, 32, 36, 64, 72";

/// A column, and the keys that have its values.
pub(super) struct Link<'c> {
    pub(super) table: &'c Table,
    pub(super) column: &'c Column,
    pub(super) keys: Vec<Place>,
    /// Whether each of the keys has all values, and not some.
    are_alike: bool,
}

impl Link<'_> {
    /// A key whose form the column has, because enough of them have ids.
    pub(super) fn key_among<T>(&self, ids: &BTreeMap<Place, T>) -> Option<&Place> {
        let mut known = self.keys.iter().filter(|key| ids.contains_key(*key));
        let first = known.next()?;
        (self.are_alike || known.count() + 1 == self.keys.len()).then_some(first)
    }
}

/// A key of the source.
struct Key {
    place: Place,
    class: Class,
    /// What finds a value in it.
    query: String,
}

/// What may be compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Texts,
    Bytes,
    /// Of SQLite, which has both in a column of any type.
    Any,
}

/// The columns that refer to keys of which something is known.
pub(super) async fn links<'c>(
    source: &mut Connection,
    planner: &Planner<'c>,
) -> Result<Vec<Link<'c>>, Error> {
    let keys = keys(source.backend(), planner)?;
    let mut links = Vec::new();
    if keys.is_empty() {
        return Ok(links);
    }
    for table in planner.tables {
        for (column, values) in values(source, table).await? {
            let at = place(table, &column.name);
            let class = class(source.backend(), column);
            let possible = keys.iter().enumerate();
            let possible = possible.filter(|(_, key)| key.place != at && class == Some(key.class));
            let possible: Vec<(usize, &Key)> = possible.collect();
            let (mut common, mut all) = (None, BTreeSet::new());
            for value in values {
                let having = having(source, &possible, &value).await?;
                all.extend(having.iter().copied());
                // Most columns have not even their first value in a key.
                if having.is_empty() {
                    all.clear();
                    break;
                }
                common = match common {
                    None => Some(having),
                    Some(before) => Some(&before & &having),
                };
            }
            let common = common.filter(|common| !common.is_empty() && !all.is_empty());
            let are_alike = common.is_some();
            let found = common.unwrap_or(all).into_iter();
            let keys: Vec<Place> = found.map(|key| keys[key].place.clone()).collect();
            if !keys.is_empty() {
                links.push(Link {
                    table,
                    column,
                    keys,
                    are_alike,
                });
            }
        }
    }
    Ok(links)
}

/// The keys of one column that have ids, or may have some.
fn keys(backend: Backend, planner: &Planner<'_>) -> Result<Vec<Key>, Error> {
    let mut found = Vec::new();
    for table in planner.tables {
        for key in &table.keys {
            let [name] = key.columns.as_slice() else {
                continue;
            };
            let place = place(table, name);
            let is_looked_at =
                planner.ids.contains_key(&place) || planner.kept.contains_key(&place);
            if let Some(column) = table.column(name)
                && is_looked_at
                && let Some(class) = class(backend, column)
            {
                let (rows, name) = (
                    table.name.quoted(backend)?,
                    quote_identifier(backend, name)?,
                );
                found.push(Key {
                    place,
                    class,
                    query: format!("SELECT 1 FROM {rows} WHERE {name} ="),
                });
            }
        }
    }
    Ok(found)
}

/// Those of some keys that have a value.
async fn having(
    source: &mut Connection,
    keys: &[(usize, &Key)],
    value: &str,
) -> Result<BTreeSet<usize>, Error> {
    let mut having = BTreeSet::new();
    for some in keys.chunks(KEYS) {
        let exists = some
            .iter()
            .map(|(_, key)| format!("CASE WHEN EXISTS ({} {value}) THEN 1 ELSE 0 END", key.query));
        let exists: Vec<String> = exists.collect();
        let query = format!("SELECT {}", exists.join(", "));
        let row = source
            .one_row("the keys of the source", &query, &[])
            .await?;
        for (place, (number, _)) in some.iter().enumerate() {
            if row.is(place)? {
                having.insert(*number);
            }
        }
    }
    Ok(having)
}

/// None for columns that are too short for UUIDs, and for those of other types.
fn class(backend: Backend, column: &Column) -> Option<Class> {
    let own = column.column_type(backend).meaning()?;
    let is_text = matches!(own, Type::Text(_) | Type::PaddedText(_));
    match own {
        Type::Bytes(_) | Type::Uuid if backend.stores_any_type() => Some(Class::Any),
        _ if is_text && backend.stores_any_type() => Some(Class::Any),
        Type::Text(None | Some(32..)) | Type::PaddedText(32..) => Some(Class::Texts),
        Type::Bytes(None | Some(16..)) | Type::FixedBytes(16) => Some(Class::Bytes),
        _ => None,
    }
}

/// Some values of the columns of a table that have no constraint, as literals: of those as long as a
/// UUID.
async fn values<'c>(
    source: &mut Connection,
    table: &'c Table,
) -> Result<Vec<(&'c Column, Vec<String>)>, Error> {
    let backend = source.backend();
    let refers = |column: &Column| {
        let mut keys = table.foreign_keys.iter();
        keys.any(|key| key.columns.contains(&column.name))
    };
    let columns = table.columns.iter();
    let columns = columns.filter(|column| class(backend, column).is_some() && !refers(column));
    let columns: Vec<&Column> = columns.collect();
    if columns.is_empty() {
        return Ok(Vec::new());
    }
    let mut selected = Vec::new();
    for column in &columns {
        let name = quote_identifier(backend, &column.name)?;
        let length = of_column(engine(backend).rows.byte_count, &name);
        selected.push(format!("CASE WHEN {length} IN ({LENGTHS}) THEN {name} END"));
    }
    let rows = table.name.quoted(backend)?;
    let query = format!("SELECT {} FROM {rows}", selected.join(", "));
    let doing = format!("the values of {}", table.name);
    let rows = match source
        .query(&doing, &first(backend, ROWS, &query), &[])
        .await
    {
        // Preflight says it of all tables.
        Err(error) if error.is_denied() => return Ok(Vec::new()),
        rows => rows?,
    };
    let mut found: Vec<_> = columns.iter().map(|column| (*column, Vec::new())).collect();
    for row in rows {
        for ((_, values), value) in found.iter_mut().zip(row.0) {
            if values.len() < VALUES
                && let Some(literal) = literal(backend, value)
                && !values.contains(&literal)
            {
                values.push(literal);
            }
        }
    }
    found.retain(|(_, values)| !values.is_empty());
    Ok(found)
}

/// A UUID in SQL.
fn literal(backend: Backend, value: Value) -> Option<String> {
    match value {
        Value::Text(text) => {
            let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
            let is_uuid = digits.len() == 32 && digits.iter().all(u8::is_ascii_hexdigit);
            is_uuid.then(|| text_literal(backend, &text))
        }
        Value::Bytes(bytes) if bytes.len() == 16 => {
            let digits = hex::encode(bytes);
            Some(match backend {
                Backend::Postgres => format!("'\\x{digits}'"),
                Backend::SqlServer => format!("0x{digits}"),
                Backend::MySql | Backend::MariaDb | Backend::Sqlite => format!("x'{digits}'"),
            })
        }
        _ => None,
    }
}
