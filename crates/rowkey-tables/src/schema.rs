//! The columns of a whole database next to the plans of their keys, for one line in a test.
//!
#![cfg_attr(feature = "sqlite", doc = "```")]
#![cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
//! use rowkey::storage::KeyColumn;
//! use rowkey::{UuidV7, entity_key, key_columns};
//! use rowkey_tables::schema;
//!
//! #[entity_key]
//! struct OfferId(UuidV7);
//!
//! #[entity_key(storage(sqlite = "text"))]
//! struct BookingId(UuidV7);
//!
//! const KEY_COLUMNS: &[KeyColumn] = &key_columns![
//!     OfferId => "offer.id",
//!     BookingId => "booking.id",
//!     OfferId => "booking.offer_id",
//!     Option<BookingId> => "booking.replaces_id",
//! ];
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let url = format!("sqlite://{}?mode=rwc", folder.path().join("shop.db").display());
//! # let mut db = rowkey_tables::Connection::open(&url.parse()?).await?;
//! # let tables = "CREATE TABLE offer (id BLOB NOT NULL PRIMARY KEY);
//! #     CREATE TABLE booking (id TEXT NOT NULL PRIMARY KEY, offer_id BLOB NOT NULL REFERENCES offer (id),
//! #         replaces_id TEXT REFERENCES booking (id))";
//! # db.execute("the tables", tables).await?;
//! schema::check(&url, KEY_COLUMNS).await?.assert_none();
//! # Ok(())
//! # }
//! ```
//!
//! The test fails with every difference at once, a line for each:
//!
//! ```text
//! 3 differences between the sqlite database and the plans of its keys:
//!   booking.id (BookingId): the type is BLOB instead of TEXT; write `id` TEXT COLLATE BINARY NOT NULL
//!   booking.offer_id (OfferId): the column allows NULL; write `offer_id` BLOB NOT NULL
//!   invoice.offer_id refers to offer.id (OfferId), and is not listed
//! ```
//!
//! The catalogue knows types, not values: whether the sixteen bytes of a column are in the layout
//! of the plan is for `rowkey doctor` to say.

use std::fmt;

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{KeyColumn, Nullability, quote_identifier};

use crate::catalog::{Catalog, Column, DependentKind, QualifiedName, Table};
use crate::connection::Connection;
use crate::dialect::{Asked, Dialect, LetterCase};
use crate::error::Error;
use crate::inventory;
use crate::types::ColumnType;

/// Compares the columns of the database at an address with the plans of their keys. It writes
/// nothing.
///
/// # Errors
///
/// [`Error::Address`] for an address that isn't valid, and those of [`Connection::open`] and
/// [`Differences::read`].
pub async fn check(address: &str, columns: &[KeyColumn]) -> Result<Differences, Error> {
    let mut connection = Connection::open(&address.parse()?).await?;
    Differences::read(&mut connection, columns).await
}

/// What is different in a database from the plans of its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differences {
    backend: Backend,
    /// The differences, in the order of the list; references come last.
    ///
    /// A test that knows of one takes it out with [`Vec::retain`].
    pub all: Vec<Difference>,
}

/// A difference between a column and the plan of its key. Its text names both, and what to write
/// instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The table.
    pub table: QualifiedName,
    /// The column.
    pub column: String,
    /// What is different.
    pub aspect: Aspect,
    text: String,
}

/// What can be different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Aspect {
    /// The table does not exist, or the account does not see it.
    Table,
    /// The table has no such column.
    Column,
    /// The type: its name, its length or precision, its sign.
    Type,
    /// Whether NULL is allowed.
    Nullability,
    /// The collation of text, and with it the character set.
    Collation,
    /// The CHECK of length and letter case, which some texts need.
    Check,
    /// A foreign key connects a column of the list with one that is not in it.
    Unlisted,
    /// A foreign key connects columns whose keys have different formats, storages or layouts.
    Reference,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// All differences, in a line each.
impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let database = format!(
            "the {} database and the plans of its keys",
            self.backend.name()
        );
        match self.all.len() {
            0 => return write!(f, "no difference between {database}"),
            1 => write!(f, "1 difference between {database}:")?,
            count => write!(f, "{count} differences between {database}:")?,
        }
        self.all.iter().try_for_each(|one| write!(f, "\n  {one}"))
    }
}

impl Differences {
    /// Compares the columns of a database with the plans of their keys. It writes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if a query on the catalogue fails, [`Error::Refused`] for a key that the
    /// database cannot store as planned, [`Error::Core`] for a name that is not valid there.
    pub async fn read(connection: &mut Connection, columns: &[KeyColumn]) -> Result<Self, Error> {
        let database = Database::read(connection, columns).await?;
        let mut differences = Self {
            backend: database.backend,
            all: Vec::new(),
        };
        for listed in columns {
            differences.all.extend(database.column(listed)?);
        }
        differences.all.extend(database.references(columns));
        Ok(differences)
    }

    /// Ends a test unless there is no difference.
    ///
    /// # Panics
    ///
    /// If there is one, with all of them as the message.
    #[track_caller]
    pub fn assert_none(&self) {
        assert!(self.all.is_empty(), "{self}");
    }
}

/// The tables of a database, whose names are without a schema if they are in the connection's own.
struct Database {
    backend: Backend,
    /// The connection's own schema.
    own: Option<String>,
    tables: Vec<Table>,
    /// Whether the server has CHECKs: older ones parse and forget them.
    has_checks: bool,
    /// Whether tables whose names differ by letter case alone are different tables.
    is_table_case_sensitive: bool,
}

impl Database {
    async fn read(connection: &mut Connection, columns: &[KeyColumn]) -> Result<Self, Error> {
        let backend = connection.backend();
        let mut database = Self {
            backend,
            own: own_schema(connection).await?,
            tables: Catalog::read(connection).await?.tables,
            has_checks: backend.keeps_checks(connection.version()),
            is_table_case_sensitive: connection.tells_case_of_tables().await?,
        };
        let mut schemas: Vec<String> = columns
            .iter()
            .map(|listed| database.name_of(listed))
            .filter(|name| database.table(name).is_none())
            .filter_map(|name| name.schema)
            .collect();
        schemas.sort_unstable();
        schemas.dedup();
        // The catalogue has only those tables of other schemas that references connect with its
        // own.
        let existing = inventory::other_schemas::names(connection).await?;
        for schema in schemas.iter().filter(|schema| existing.contains(schema)) {
            database.add_schema(connection, schema).await?;
        }
        Ok(database)
    }

    async fn add_schema(&mut self, connection: &Connection, schema: &str) -> Result<(), Error> {
        let quoted = quote_identifier(self.backend, schema)?;
        let switch = self.backend.switch_schema(&quoted);
        let mut connection = connection.another().await?;
        connection.execute("another schema", &switch).await?;
        for mut table in Catalog::read(&mut connection).await?.tables {
            let keys = table.foreign_keys.iter_mut().map(|key| &mut key.target);
            for name in keys.chain([&mut table.name]) {
                let named = name.schema.take().or_else(|| Some(schema.to_owned()));
                name.schema = named.filter(|named| self.own.as_ref() != Some(named));
            }
            if self.table(&table.name).is_none() {
                self.tables.push(table);
            }
        }
        Ok(())
    }

    fn name_of(&self, listed: &KeyColumn) -> QualifiedName {
        let schema = listed.schema.map(str::to_owned);
        QualifiedName {
            schema: schema.filter(|schema| self.own.as_ref() != Some(schema)),
            name: listed.table.to_owned(),
        }
    }

    /// Whether two names are those of the same column.
    fn is_same_column(&self, one: &str, other: &str) -> bool {
        let is_case_sensitive = match self.backend.case_of_columns() {
            LetterCase::Ignored => false,
            LetterCase::Counts | LetterCase::ByCollation => self.is_table_case_sensitive,
        };
        is_same_name(is_case_sensitive, one, other)
    }

    fn table(&self, name: &QualifiedName) -> Option<&Table> {
        let mut tables = self.tables.iter();
        tables.find(|table| self.is_same_table(&table.name, name))
    }

    fn is_same_table(&self, one: &QualifiedName, other: &QualifiedName) -> bool {
        let is_same = |one, other| is_same_name(self.is_table_case_sensitive, one, other);
        let is_same_schema = match (&one.schema, &other.schema) {
            (Some(one), Some(other)) => is_same(one, other),
            (one, other) => one == other,
        };
        is_same_schema && is_same(&one.name, &other.name)
    }

    /// The differences of a column.
    fn column(&self, listed: &KeyColumn) -> Result<Vec<Difference>, Error> {
        let name = self.name_of(listed);
        let place = format!("{name}.{} ({})", listed.column, listed.key);
        let declared = listed.plan.column_type(self.backend).map_err(|why| {
            Error::refused(place.as_str(), why.to_string(), "declare another storage")
        })?;
        let declared = ColumnType::parse(self.backend, declared);
        let table = self.table(&name);
        let column = table.and_then(|table| {
            let mut columns = table.columns.iter();
            columns.find(|column| self.is_same_column(&column.name, listed.column))
        });
        let definition = self.definition(listed, table)?;
        let difference = |aspect, what: String| Difference {
            table: name.clone(),
            column: listed.column.to_owned(),
            aspect,
            text: format!("{place}: {what}; write {definition}"),
        };
        let (Some(table), Some(column)) = (table, column) else {
            return Ok(vec![match table {
                None => difference(Aspect::Table, "the account sees no such table".to_owned()),
                Some(_) => difference(Aspect::Column, "the table has no such column".to_owned()),
            }]);
        };
        let mut found = Vec::new();
        if !column.column_type(self.backend).is_same(&declared)
            || is_no_rowid(self.backend, table, column, declared.as_str())
        {
            let declared = declared.bare();
            let what = format!("the type is {} instead of {declared}", column.sql_type);
            found.push(difference(Aspect::Type, what));
        }
        let nullability = match column.is_nullable {
            true => Nullability::Nullable,
            false => Nullability::NotNull,
        };
        if nullability != listed.nullability {
            let what = match nullability {
                Nullability::Nullable => "the column allows NULL",
                Nullability::NotNull => "the column does not allow NULL",
            };
            found.push(difference(Aspect::Nullability, what.to_owned()));
        }
        if let Some(declared) = declared.collation() {
            let declared = declared.trim_matches('"');
            let own = self.collation(table, column)?;
            if !own.eq_ignore_ascii_case(declared) {
                let what = format!("the collation is {own} instead of {declared}");
                found.push(difference(Aspect::Collation, what));
            }
        }
        if let Some(check) = listed.plan.column_check(self.backend, &column.name)?
            && self.has_checks
            && !self.has_check(table, &column.name, &check)?
        {
            let what = format!("there is no CHECK ({check})");
            found.push(difference(Aspect::Check, what));
        }
        Ok(found)
    }

    /// The definition of a column as the plan of its key writes it.
    fn definition(&self, listed: &KeyColumn, table: Option<&Table>) -> Result<String, Error> {
        let (plan, backend) = (listed.plan, self.backend);
        let key = table.and_then(Table::primary_key);
        let is_key = key.is_some_and(|key| key.columns == [listed.column]);
        Ok(match plan.column(backend).format() {
            FormatKind::DatabaseNumber if is_key => {
                plan.counted_column_definition(backend, listed.column)
            }
            _ => plan.column_definition(backend, listed.column, listed.nullability),
        }?)
    }

    /// The collation of a column; empty if it has none.
    fn collation(&self, table: &Table, column: &Column) -> Result<String, Error> {
        #[cfg(feature = "sqlite")]
        if self.backend.keeps_statements() {
            let declared = crate::catalog::sqlite::collation(table.statement(), &column.name)?;
            return Ok(declared.unwrap_or_else(|| "BINARY".to_owned()));
        }
        Ok(column.collation.clone().unwrap_or_default())
    }

    /// Whether a table, or the domain of a column, has a CHECK with the same words.
    fn has_check(&self, table: &Table, column: &str, check: &str) -> Result<bool, Error> {
        let wanted = words(check);
        #[cfg(feature = "sqlite")]
        if self.backend.keeps_statements() {
            let conditions = crate::catalog::sqlite::checks(table.statement())?;
            return Ok(conditions
                .iter()
                .any(|condition| words(condition) == wanted));
        }
        Ok(table.dependents.iter().any(|one| {
            let definition = words(&one.definition);
            match one.kind {
                DependentKind::Check => definition.trim_start_matches("check") == wanted,
                DependentKind::Domain if one.columns.iter().any(|name| name == column) => {
                    let condition = definition.replace("value", &words(column));
                    condition.contains(&format!("check{wanted}"))
                }
                _ => false,
            }
        }))
    }

    /// The references between the columns of a list that do not fit, and those to columns that it
    /// misses.
    fn references(&self, columns: &[KeyColumn]) -> Vec<Difference> {
        let listed = |table: &QualifiedName, column: &str| {
            columns.iter().find(|listed| {
                self.is_same_table(&self.name_of(listed), table)
                    && self.is_same_column(listed.column, column)
            })
        };
        let form = |listed: &KeyColumn| {
            let column = listed.plan.column(self.backend);
            (column.format(), column.storage(), column.layout())
        };
        let mut found = Vec::new();
        for table in &self.tables {
            let pairs = table.foreign_keys.iter().flat_map(|key| {
                let pairs = key.columns.iter().zip(&key.target_columns);
                pairs.map(move |(from, to)| (from, &key.target, to))
            });
            for (from, target, to) in pairs {
                let add = |table: &QualifiedName, column: &String, aspect, text| Difference {
                    table: table.clone(),
                    column: column.clone(),
                    aspect,
                    text,
                };
                let refers = format!("{}.{from} refers to {target}.{to}", table.name);
                match (listed(&table.name, from), listed(target, to)) {
                    (None, Some(key)) => found.push(add(
                        &table.name,
                        from,
                        Aspect::Unlisted,
                        format!("{refers} ({}), and is not listed", key.key),
                    )),
                    (Some(key), None) => found.push(add(
                        target,
                        to,
                        Aspect::Unlisted,
                        format!("{refers}, which is not listed; the first is of {}", key.key),
                    )),
                    (Some(own), Some(other)) if form(own) != form(other) => {
                        let shown = |listed| {
                            let (format, storage, layout) = form(listed);
                            format!("{} is {format} as {storage}:{layout}", listed.key)
                        };
                        let text = format!("{refers}, but {} and {}", shown(own), shown(other));
                        found.push(add(&table.name, from, Aspect::Reference, text));
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

/// Whether the plan wants SQLite to count a primary key, and the column is not the rowid: for that,
/// its type has to be exactly `INTEGER`.
fn is_no_rowid(backend: Backend, table: &Table, column: &Column, declared: &str) -> bool {
    let key = table.primary_key();
    backend.has_rowid()
        && declared == "INTEGER"
        && key.is_some_and(|key| key.columns == [column.name.as_str()])
        && !column.sql_type.eq_ignore_ascii_case(declared)
}

/// The schema of the connection, which MySQL and MariaDB call a database.
async fn own_schema(connection: &mut Connection) -> Result<Option<String>, Error> {
    let query = match connection.backend().own_schema() {
        Asked::Known(own) => return Ok(Some(own.to_owned())),
        Asked::Query(query) => query,
    };
    let row = connection.one_row("the schema of the connection", query, &[]);
    Ok(row.await?.optional_text(0)?.map(str::to_owned))
}

fn is_same_name(is_case_sensitive: bool, one: &str, other: &str) -> bool {
    match is_case_sensitive {
        true => one == other,
        false => one.eq_ignore_ascii_case(other),
    }
}

/// A condition without what servers add to it or change when they keep it: quotes, parentheses,
/// spaces, casts of PostgreSQL, the case of letters, and MariaDB's other names of functions.
fn words(condition: &str) -> String {
    let mut words = condition.to_ascii_lowercase();
    for cast in ["::text", "::character varying", "::bpchar"] {
        words = words.replace(cast, "");
    }
    words.retain(|character| {
        !matches!(character, '(' | ')' | '[' | ']' | '"' | '`') && !character.is_whitespace()
    });
    words.replace("ucase", "upper").replace("lcase", "lower")
}

#[cfg(test)]
mod tests {
    use rowkey::{UuidV7, entity_key};
    use rowkey_core::storage::{Storage, StoragePlan};

    use super::*;
    use crate::catalog::Dependent;

    #[entity_key]
    struct OfferId(UuidV7);

    /// A table as the catalogue of SQL Server has it, with the columns of a list as they are
    /// declared.
    fn table_of(columns: &[KeyColumn]) -> Table {
        let mut table = Table::new("offer");
        for listed in columns {
            let declared = listed.plan.column_type(Backend::SqlServer).unwrap();
            let declared = ColumnType::parse(Backend::SqlServer, declared);
            table.columns.push(Column {
                name: listed.column.to_owned(),
                is_nullable: listed.nullability == Nullability::Nullable,
                collation: declared.collation().map(str::to_owned),
                ..Column::of_type(declared.bare())
            });
            let check = listed.plan.column_check(Backend::SqlServer, listed.column);
            let kept = |check: String| check.replace("= 3", "=(3").replace(" AND", ") AND");
            table
                .dependents
                .extend(check.unwrap().map(|check| Dependent {
                    kind: DependentKind::Check,
                    name: format!("CK__{}", listed.column),
                    columns: vec![listed.column.to_owned()],
                    definition: format!("({})", kept(check)),
                    events: Vec::new(),
                }));
        }
        table
    }

    fn differences(table: Table, columns: &[KeyColumn]) -> Differences {
        let database = Database {
            backend: Backend::SqlServer,
            own: Some("dbo".to_owned()),
            tables: vec![table],
            has_checks: true,
            is_table_case_sensitive: false,
        };
        let all = columns
            .iter()
            .map(|listed| database.column(listed).unwrap());
        Differences {
            backend: Backend::SqlServer,
            all: all.flatten().collect(),
        }
    }

    /// Each storage of each format in SQL Server, with and without NULL.
    fn every_column() -> Vec<KeyColumn> {
        let mut columns = Vec::new();
        for format in FormatKind::ALL {
            for storage in Storage::ALL {
                let plan = StoragePlan::default_for(format);
                let plan = plan.try_with(Backend::SqlServer, storage.name());
                for nullability in [Nullability::NotNull, Nullability::Nullable] {
                    let mut column = KeyColumn::of::<OfferId>("dbo.offer.id");
                    let Ok(plan) = plan else { continue };
                    (column.plan, column.nullability) = (plan, nullability);
                    column.column = format!("{format} {storage} {nullability}").leak();
                    columns.push(column);
                }
            }
        }
        columns
    }

    #[test]
    fn columns_of_sql_server_as_declared_do_not_differ() {
        let columns = every_column();
        differences(table_of(&columns), &columns).assert_none();
    }

    #[test]
    fn each_change_of_a_column_of_sql_server_is_found() {
        let columns = every_column();
        let aspects = |change: fn(&mut Table)| {
            let mut table = table_of(&columns);
            change(&mut table);
            let found = differences(table, &columns).all;
            found.iter().map(|one| one.aspect).collect::<Vec<_>>()
        };
        let count = |is_counted: fn(&str) -> bool| {
            let types = columns.iter().map(|listed| {
                let declared = listed.plan.column_type(Backend::SqlServer).unwrap();
                let check = listed.plan.column_check(Backend::SqlServer, "id").unwrap();
                declared + check.as_deref().unwrap_or_default()
            });
            types.filter(|words| is_counted(words)).count()
        };
        let all = |aspect, count: usize| {
            assert!(count > 0);
            vec![aspect; count]
        };
        let typed = aspects(|table| {
            for column in &mut table.columns {
                column.sql_type = "sql_variant".to_owned();
            }
        });
        assert_eq!(typed, all(Aspect::Type, columns.len()));
        let reversed = aspects(|table| {
            for column in &mut table.columns {
                column.is_nullable = !column.is_nullable;
            }
        });
        assert_eq!(reversed, all(Aspect::Nullability, columns.len()));
        let collated = aspects(|table| {
            for column in &mut table.columns {
                let other = |_| "Latin1_General_CI_AS".to_owned();
                column.collation = column.collation.take().map(other);
            }
        });
        assert_eq!(
            collated,
            all(Aspect::Collation, count(|words| words.contains("COLLATE")))
        );
        let unchecked = aspects(|table| table.dependents.clear());
        assert_eq!(
            unchecked,
            all(Aspect::Check, count(|words| words.contains("len(")))
        );
        let missing = aspects(|table| table.columns.clear());
        assert_eq!(missing, all(Aspect::Column, columns.len()));
        let elsewhere = aspects(|table| table.name.schema = Some("archive".to_owned()));
        assert_eq!(elsewhere, all(Aspect::Table, columns.len()));
    }

    #[test]
    #[should_panic(
        expected = "1 difference between the sql-server database and the plans of its keys:\n  \
                               offer.id (OfferId): the column allows NULL; write [id] uniqueidentifier NOT NULL"
    )]
    fn a_failed_test_shows_the_differences() {
        let columns = [KeyColumn::of::<OfferId>("offer.id")];
        let mut table = table_of(&columns);
        table.columns[0].is_nullable = true;
        differences(table, &columns).assert_none();
    }
}
