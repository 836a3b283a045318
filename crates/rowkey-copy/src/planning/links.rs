//! Columns that refer to keys by their values, without a constraint: both have to have one form, or
//! no row meets another.

use std::collections::{BTreeMap, BTreeSet};

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Table};
use rowkey_tables::connection::{Connection, Row, Value};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::Type;

use super::planner::{Place, Planner, place};
use crate::engine::{engine, of_column};
use crate::rows::select::first;

const DOING: &str = "the keys of the source";
/// Among so many rows of a table, values are looked for,
const ROWS: usize = 1_000;
/// of which so many are looked up in the keys,
const VALUES: usize = 20;
/// in large keys at first one of so many, because most columns refer to none.
const EACH: usize = 6;
/// Keys of no more rows are read as a whole.
const SMALL: usize = 5_000;
/// Values for which one statement looks.
const LITERALS: usize = 500;

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
    /// What reads its values.
    query: String,
    /// All of its values, or those that were looked for.
    has: BTreeSet<String>,
    is_read: bool,
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
    let backend = source.backend();
    let mut keys = keys(backend, planner)?;
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut columns = Vec::new();
    for table in planner.tables {
        for (column, values) in values(source, table).await? {
            columns.push((table, column, class(backend, column), values));
        }
    }
    for key in &mut keys {
        key.read(source).await?;
    }
    // Most columns have none of their values in a key.
    for key in &mut keys {
        let of_class = columns
            .iter()
            .filter(|(.., class, _)| *class == Some(key.class));
        let wanted = of_class.flat_map(|(.., values)| values.iter().step_by(EACH));
        let wanted: Vec<_> = wanted.collect();
        key.look(source, wanted).await?;
    }
    columns.retain(|(.., values)| {
        let mut values = values.keys();
        values.any(|value| keys.iter().any(|key| key.has.contains(value)))
    });
    // The others are in the same key,
    for key in &mut keys {
        let found = columns.iter().filter(|(.., class, values)| {
            let mut values = values.keys();
            *class == Some(key.class) && values.any(|value| key.has.contains(value))
        });
        let wanted: Vec<_> = found.flat_map(|(.., values)| values).collect();
        key.look(source, wanted).await?;
    }
    // or in several.
    let mut left = Vec::new();
    for (.., class, values) in &columns {
        let is_in_one = |value: &String| keys.iter().any(|key| key.has.contains(value));
        let values = values.iter().filter(|(value, _)| !is_in_one(value));
        left.extend(values.map(|value| (*class, value)));
    }
    for key in &mut keys {
        let wanted = left.iter().filter(|(class, _)| *class == Some(key.class));
        let wanted: Vec<_> = wanted.map(|(_, value)| *value).collect();
        key.look(source, wanted).await?;
    }
    let mut links = Vec::new();
    for (table, column, class, values) in columns {
        let at = place(table, &column.name);
        let possible = keys.iter();
        let possible = possible.filter(|key| key.place != at && class == Some(key.class));
        let possible: Vec<&Key> = possible.collect();
        let has_all = |key: &&&Key| values.keys().all(|value| key.has.contains(value));
        let alike: Vec<&&Key> = possible.iter().filter(has_all).collect();
        let is_in_one = |value: &String| possible.iter().any(|key| key.has.contains(value));
        // Rows to which others refer may be gone, but a key may have values of others by chance.
        let is_key = keys.iter().any(|key| key.place == at);
        let some: Vec<&&Key> = match alike.is_empty() && (!is_key || values.keys().all(is_in_one)) {
            true => {
                let has_some = |key: &&&Key| values.keys().any(|value| key.has.contains(value));
                possible.iter().filter(has_some).collect()
            }
            false => Vec::new(),
        };
        let are_alike = !alike.is_empty();
        let found = alike.into_iter().chain(some);
        let keys: Vec<Place> = found.map(|key| key.place.clone()).collect();
        if !keys.is_empty() {
            links.push(Link {
                table,
                column,
                keys,
                are_alike,
            });
        }
    }
    Ok(links)
}

/// The columns with which a key begins that have ids, or may have some.
fn keys(backend: Backend, planner: &Planner<'_>) -> Result<Vec<Key>, Error> {
    let mut found: Vec<Key> = Vec::new();
    for table in planner.tables {
        for name in table.keys.iter().filter_map(|key| key.columns.first()) {
            let place = place(table, name);
            let is_looked_at =
                planner.ids.contains_key(&place) || planner.kept.contains_key(&place);
            if let Some(column) = table.column(name)
                && is_looked_at
                && !found.iter().any(|key| key.place == place)
                && let Some(class) = class(backend, column)
            {
                let (rows, name) = (
                    table.name.quoted(backend)?,
                    quote_identifier(backend, name)?,
                );
                found.push(Key {
                    place,
                    class,
                    query: format!("{name} FROM {rows} WHERE {name}"),
                    has: BTreeSet::new(),
                    is_read: false,
                });
            }
        }
    }
    Ok(found)
}

impl Key {
    /// Reads it, if it is small.
    async fn read(&mut self, source: &mut Connection) -> Result<(), Error> {
        let query = format!("SELECT {} IS NOT NULL", self.query);
        let query = first(source.backend(), SMALL + 1, &query);
        let rows = source.query(DOING, &query, &[]).await?;
        self.is_read = rows.len() <= SMALL;
        self.add(rows);
        Ok(())
    }

    fn add(&mut self, rows: Vec<Row>) {
        let values = rows.into_iter().filter_map(|row| row.0.into_iter().next());
        self.has.extend(values.filter_map(|value| value_of(&value)));
    }

    /// Looks for values in it, which are given with their literals.
    async fn look(
        &mut self,
        source: &mut Connection,
        wanted: Vec<(&String, &String)>,
    ) -> Result<(), Error> {
        if self.is_read {
            return Ok(());
        }
        let literals: BTreeSet<&str> = wanted
            .into_iter()
            .filter(|(value, _)| !self.has.contains(*value))
            .map(|(_, literal)| literal.as_str())
            .collect();
        let literals: Vec<&str> = literals.into_iter().collect();
        for some in literals.chunks(LITERALS) {
            let query = format!("SELECT DISTINCT {} IN ({})", self.query, some.join(", "));
            let rows = source.query(DOING, &query, &[]).await?;
            self.add(rows);
        }
        Ok(())
    }
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

/// Some values of the columns of a table that have no constraint, with their literals: of those as long
/// as a UUID.
async fn values<'c>(
    source: &mut Connection,
    table: &'c Table,
) -> Result<Vec<(&'c Column, BTreeMap<String, String>)>, Error> {
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
    let empty = |column: &&'c Column| (*column, BTreeMap::new());
    let mut found: Vec<_> = columns.iter().map(empty).collect();
    for row in rows {
        for ((_, values), value) in found.iter_mut().zip(row.0) {
            if let Some(text) = value_of(&value) {
                values.insert(text, literal(backend, value));
            }
        }
    }
    found.retain(|(_, values)| !values.is_empty());
    // From all over, also where they count up.
    for (_, values) in &mut found {
        let step = values.len().div_ceil(VALUES);
        let mut number = 0;
        values.retain(|_, _| {
            number += 1;
            (number - 1) % step == 0
        });
    }
    Ok(found)
}

/// The digits of a UUID in small letters, because a database may take both cases for the same; nothing
/// for other values.
fn value_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => {
            let text = text.trim_end().to_lowercase();
            let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
            let is_uuid = digits.len() == 32 && digits.iter().all(u8::is_ascii_hexdigit);
            is_uuid.then_some(text)
        }
        Value::Bytes(bytes) => (bytes.len() == 16).then(|| format!("x{}", hex::encode(bytes))),
        Value::Null | Value::Integer(_) => None,
    }
}

/// A value in SQL.
fn literal(backend: Backend, value: Value) -> String {
    match value {
        Value::Text(text) => text_literal(backend, &text),
        Value::Bytes(bytes) => match (backend, hex::encode(bytes)) {
            (Backend::Postgres, digits) => format!("'\\x{digits}'"),
            (Backend::SqlServer, digits) => format!("0x{digits}"),
            (_, digits) => format!("x'{digits}'"),
        },
        Value::Null | Value::Integer(_) => "NULL".into(),
    }
}
