//! The queries that read a column: which expressions, in which order, from which part of the table.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Column, DependentKind, Table, creation_time};
use rowkey_tables::dialect::{Dialect, LetterCase};
use rowkey_tables::types::{ColumnType, Type};
use rowkey_tables::{Connection, Error};

use crate::database::readable::Readable;
use crate::database::request::Request;
use crate::values::survey::Survey;

/// Names of columns with the time at which a row was made, in lower case and without `_`, the most
/// telling first.
const CREATED: [&str; 18] = [
    "createdat",
    "created",
    "insertedat",
    "createdon",
    "creationdate",
    "datecreated",
    "createdate",
    "creationtime",
    "createtime",
    "createddate",
    "createdtime",
    "createtimestamp",
    "creationtimestamp",
    "createdts",
    "timecreated",
    "datejoined",
    "inserted",
    "createdtimestamp",
];

/// What the column's type makes of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// The database's own type of UUIDs.
    Uuid,
    Bytes,
    Text,
    Decimal,
    Integer,
    /// Each value has a type of its own.
    PerValue,
}

/// What gives the rows in the order in which they were inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The place of the rows on the disk: PostgreSQL's `ctid`.
    Place,
    /// A number that the database counts, as quoted column or `rowid`.
    Number(String),
    /// Nothing.
    Unknown,
}

/// How a column is read.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) backend: Backend,
    pub(crate) kind: ColumnKind,
    /// The quoted name of the table.
    pub(crate) table: String,
    /// The quoted name of the column.
    pub(crate) column: String,
    /// The expression of the value.
    value: String,
    /// The expression of the milliseconds at which the row was made.
    created: Option<String>,
    /// The name of that column.
    created_name: Option<String>,
    pub(crate) order: Order,
    pub(crate) estimated_rows: Option<u64>,
}

impl Source {
    /// How to read a column of a table. Adds to `notes` what a person should know.
    pub(crate) async fn of(
        connection: &mut Connection,
        table: &Table,
        request: &Request,
        notes: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let backend = connection.backend();
        let found = column_of(table, &request.column, backend)?;
        let readable = Readable::of(connection, table, notes).await?;
        readable.require(&request.table, &found.name)?;
        let column = quote_identifier(backend, &found.name)?;
        let column_type = found.column_type(backend);
        require_ids(backend, table, found, &column_type)?;
        let created = created(backend, table, request, found, &readable, notes)?;
        let (created_name, created) = created.unzip();
        let mut source = Self {
            backend,
            kind: kind(backend, &column_type),
            table: table.name.quoted(backend)?,
            value: column_type.readable(&column),
            column,
            created,
            created_name,
            order: Order::Unknown,
            estimated_rows: table.estimated_rows,
        };
        source.order = source.order_of(table, found, &readable)?;
        let hides = |kind| kind == DependentKind::Policy;
        if table
            .dependents
            .iter()
            .any(|dependent| hides(dependent.kind))
        {
            notes.push(
                "The table has policies of row-level security, which may hide rows from this account."
                    .to_owned(),
            );
        }
        Ok(source)
    }

    fn order_of(
        &self,
        table: &Table,
        column: &Column,
        readable: &Readable,
    ) -> Result<Order, Error> {
        let counted = table.columns.iter().find(|other| {
            other.generated.is_counted() && other.name != column.name && readable.has(&other.name)
        });
        if self.backend.scans_by_place().is_some() && readable.is_everything() {
            return Ok(Order::Place);
        }
        if self.backend.has_rowid() {
            let has_none = table
                .statement()
                .to_ascii_uppercase()
                .contains("WITHOUT ROWID");
            let rowid = rowid(table).filter(|_| !has_none);
            return Ok(rowid.map_or(Order::Unknown, Order::Number));
        }
        Ok(match counted {
            Some(counted) => Order::Number(quote_identifier(self.backend, &counted.name)?),
            None => Order::Unknown,
        })
    }

    /// Why the creation column is ignored: its whole numbers may not be times, but count the rows.
    pub(crate) fn doubt_of_times(&self, survey: &Survey) -> Option<String> {
        let created = self.created_name.as_ref()?;
        survey.has_only_undated_ids().then(|| {
            format!(
                "The column {created} has no times since 2000, so nothing is taken from it: name a column \
                 of times with --created."
            )
        })
    }

    /// The expression of the value.
    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    /// A query for the first rows from a place on: the last of their places, and all of them as one
    /// text, in which a comma is between two rows, and a colon before the time of a row.
    pub(crate) fn group_query(&self, place: &str, value: &str, rows: u32) -> String {
        let created = self.created.as_ref();
        let created = created.map_or(String::new(), |created| {
            format!(" || ':' || coalesce({created}, '')")
        });
        format!(
            "SELECT max(place), group_concat(packed, ',') FROM (SELECT {place} AS place, {value}{created} \
             AS packed FROM {} WHERE {place} >= ? ORDER BY {place} LIMIT {rows})",
            self.table
        )
    }

    /// A query for rows of the table, whose columns are the value, and the time if there is one.
    /// `clause` is what comes after FROM.
    pub(crate) fn query(&self, clause: &str, limit: Option<usize>) -> String {
        let (value, table) = (&self.value, &self.table);
        let created = self.created.as_ref();
        let created = created.map_or(String::new(), |created| format!(", {created}"));
        let ends = limit.map(|limit| self.backend.first_rows(limit));
        let (top, end) = ends.unwrap_or_default();
        format!("SELECT {top}{value}{created} FROM {table}{clause}{end}")
    }
}

/// A name of SQLite's number of a row that no column has taken.
fn rowid(table: &Table) -> Option<String> {
    let is_free = |name: &&str| {
        let mut columns = table.columns.iter();
        columns.all(|column| !column.name.eq_ignore_ascii_case(name))
    };
    let mut names = ["rowid", "_rowid_", "oid"].into_iter();
    names.find(is_free).map(str::to_owned)
}

/// The column with a name.
fn column_of<'t>(table: &'t Table, name: &str, backend: Backend) -> Result<&'t Column, Error> {
    let is_named = |column: &&Column| match backend.case_of_columns() {
        LetterCase::Ignored => column.name.eq_ignore_ascii_case(name),
        LetterCase::Counts | LetterCase::ByCollation => column.name == name,
    };
    table
        .columns
        .iter()
        .find(is_named)
        .ok_or_else(|| Error::Missing {
            what: format!("the column {name} of the table {}", table.name),
        })
}

/// Refuses a column of times, which drivers do not give as any value that an id has.
fn require_ids(
    backend: Backend,
    table: &Table,
    column: &Column,
    column_type: &ColumnType,
) -> Result<(), Error> {
    use Type::{Date, Instant, Interval, Time, Timestamp, Year};
    let meaning = column_type.meaning();
    let is_time = matches!(
        meaning,
        Some(Date | Time | Timestamp | Instant | Year | Interval)
    );
    if backend.stores_any_type() || !is_time {
        return Ok(());
    }
    Err(Error::refused(
        format!("{}.{}", table.name, column.name),
        format!("a column of the type {} holds no ids", column.sql_type),
        "name another one with --column; --created names a column of times",
    ))
}

fn kind(backend: Backend, column_type: &ColumnType) -> ColumnKind {
    if backend.stores_any_type() {
        return ColumnKind::PerValue;
    }
    match (column_type.name(), column_type.meaning()) {
        ("bit", _) | (_, Some(Type::Integer { .. } | Type::Flag)) => ColumnKind::Integer,
        ("numeric" | "decimal", _) => ColumnKind::Decimal,
        (_, Some(Type::Uuid)) => ColumnKind::Uuid,
        (_, Some(Type::Bytes(_) | Type::FixedBytes(_))) => ColumnKind::Bytes,
        _ => ColumnKind::Text,
    }
}

/// The column of the time at which a row was made, and its expression.
fn created(
    backend: Backend,
    table: &Table,
    request: &Request,
    column: &Column,
    readable: &Readable,
    notes: &mut Vec<String>,
) -> Result<Option<(String, String)>, Error> {
    if let Some(name) = &request.created {
        let named = column_of(table, name, backend)?;
        readable.require(&request.table, &named.name)?;
        let expression = creation_time::unix_millis(backend, table, &named.name, "")?;
        return Ok(Some((named.name.clone(), expression)));
    }
    let plain = |name: &str| name.to_ascii_lowercase().replace('_', "");
    let candidates = CREATED.iter().flat_map(|known| {
        let others = table
            .columns
            .iter()
            .filter(|other| other.name != column.name);
        others.filter(move |other| plain(&other.name) == *known)
    });
    for candidate in candidates {
        let Ok(expression) = creation_time::unix_millis(backend, table, &candidate.name, "") else {
            continue;
        };
        if !readable.has(&candidate.name) {
            continue;
        }
        notes.push(format!(
            "The column {} is taken for the time at which a row was made.",
            candidate.name
        ));
        return Ok(Some((candidate.name.clone(), expression)));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_say_what_values_are() {
        for (backend, sql_type, expected) in [
            (Backend::Postgres, "uuid", ColumnKind::Uuid),
            (Backend::Postgres, "bytea", ColumnKind::Bytes),
            (Backend::Postgres, "character varying(36)", ColumnKind::Text),
            (Backend::Postgres, "numeric(28,0)", ColumnKind::Decimal),
            (Backend::Postgres, "integer", ColumnKind::Integer),
            (Backend::MySql, "binary(16)", ColumnKind::Bytes),
            (Backend::MySql, "tinyblob", ColumnKind::Bytes),
            (Backend::MySql, "bigint(20) unsigned", ColumnKind::Integer),
            (Backend::MySql, "char(36)", ColumnKind::Text),
            (Backend::MariaDb, "uuid", ColumnKind::Uuid),
            (Backend::SqlServer, "uniqueidentifier", ColumnKind::Uuid),
            (Backend::Sqlite, "uuid", ColumnKind::PerValue),
        ] {
            let column_type = ColumnType::parse(backend, sql_type);
            assert_eq!(
                kind(backend, &column_type),
                expected,
                "{backend} {sql_type}"
            );
        }
    }
}
