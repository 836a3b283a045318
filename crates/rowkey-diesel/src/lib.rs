//! Typed keys of rowkey in Diesel: as columns, parameters and bounds of a range.
//!
//! A column of keys has the SQL type [`Key<OfferId>`](Key). One `table!` and one set of entities
//! then serve PostgreSQL, MySQL, MariaDB and SQLite: what the column is in each follows from the
//! key's [`StoragePlan`](rowkey_core::StoragePlan).
//!
//! ```
//! use diesel::connection::SimpleConnection;
//! use diesel::prelude::*;
//! use rowkey::driver::diesel::Key;
//! use rowkey::{Backend, EntityKey, Nullability, ShortPrefixComb, entity_key};
//!
//! /// Public, because `table!` names it in public types.
//! #[entity_key]
//! pub struct OfferId(ShortPrefixComb);
//!
//! diesel::table! {
//!     use super::{Key, OfferId};
//!     use diesel::sql_types::{Nullable, Text};
//!
//!     offers {
//!         id -> Key<OfferId>,
//!         replaces -> Nullable<Key<OfferId>>,
//!         title -> Text,
//!     }
//! }
//!
//! #[derive(Debug, PartialEq, Queryable, Selectable, Insertable, Identifiable)]
//! struct Offer {
//!     id: OfferId,
//!     replaces: Option<OfferId>,
//!     title: String,
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let db = &mut SqliteConnection::establish(":memory:")?;
//!     let column = |name, null| OfferId::PLAN.column_definition(Backend::Sqlite, name, null);
//!     let id = column("id", Nullability::NotNull)?;
//!     let replaces = column("replaces", Nullability::Nullable)?;
//!     db.batch_execute(&format!(
//!         "CREATE TABLE offers ({id} PRIMARY KEY, {replaces}, title TEXT NOT NULL) STRICT"
//!     ))?;
//!
//!     let offer = Offer {
//!         id: OfferId::generate(),
//!         replaces: None,
//!         title: "Fjords in winter".into(),
//!     };
//!     diesel::insert_into(offers::table).values(&offer).execute(db)?;
//!     let found: Offer = offers::table.find(offer.id).first(db)?;
//!     assert_eq!(found, offer);
//!     let replacing: i64 = offers::table
//!         .filter(offers::replaces.eq_any([offer.id]))
//!         .count()
//!         .get_result(db)?;
//!     assert_eq!(replacing, 0);
//!     Ok(())
//! }
//! ```
//!
//! Columns of different keys neither compare nor join, and take no values of each other:
//!
//! ```compile_fail
//! # use diesel::prelude::*;
//! # use rowkey::driver::diesel::Key;
//! # use rowkey::{ShortPrefixComb, entity_key};
//! # #[entity_key]
//! # pub struct OfferId(ShortPrefixComb);
//! # #[entity_key]
//! # pub struct CustomerId(ShortPrefixComb);
//! # diesel::table! {
//! #     use super::{Key, OfferId};
//! #     offers { id -> Key<OfferId>, }
//! # }
//! # fn main() {
//! let offer = offers::table.filter(offers::id.eq(CustomerId::generate()));
//! # }
//! ```
//!
//! (Diesel takes any `Option` for a column that may be NULL, and an `Option` of a wrong key does not
//! compile where the query is run.)
//!
//! In associations, a `belongs_to` with a foreign key of another key type compiles until it is used;
//! then Diesel says "no function or associated item named `belonging_to` found". `joinable!` over
//! such a pair of columns does not compile.
//!
//! # Features
//!
//! `diesel-postgres`, `diesel-mysql` (MySQL and MariaDB) and `diesel-sqlite` of `rowkey` turn on
//! Diesel's backends, but for SQLite no client library. Your crate asks for the connection itself:
//!
//! | connection | your dependency on `diesel` | Debian package | or bundled by |
//! |---|---|---|---|
//! | `PgConnection` | `features = ["postgres"]` | libpq-dev | `pq-sys` with `bundled` |
//! | `MysqlConnection` | `features = ["mysql"]` | libmariadb-dev or default-libmysqlclient-dev, with pkg-config | `mysqlclient-sys` with `bundled` |
//! | `SqliteConnection` | `features = ["sqlite"]` | libsqlite3-dev | `libsqlite3-sys` with `bundled` |
//!
//! # What works
//!
//! Everything that Diesel does with a column: `Queryable`, `Insertable`, `Identifiable`,
//! `Associations`, `AsChangeset`, `QueryableByName`, comparisons, `eq_any`, `between`, `max` and
//! `min`, joins, `RETURNING` (on SQLite with Diesel's feature `returning_clauses_for_sqlite_3_35`),
//! and arrays of keys in PostgreSQL. This crate adds what keys cannot carry themselves:
//!
//! * [`KeyColumnMethods::within`] is the condition that a column holds a key of a time span;
//! * [`KeyColumnMethods::in_keys`] and `not_in_keys` are `eq_any` and `ne_all` for every connection,
//!   also of [`diesel-async`](#diesel-async);
//! * [`ToDiesel::to_diesel`] makes a single [`KeyBound`](rowkey_core::KeyBound) a parameter;
//! * [`multi_backend!`] brings keys to the backend of `#[derive(MultiConnection)]`.
//!
//! # Schemas that are there already
//!
//! A generated `table!` names Diesel's own types. `Uuid`, `Numeric` (or `Decimal`), `Binary` and
//! `Text` (or `Varchar`, `Char`) hold the keys that their plan stores so on some backend; another key
//! is a compile error. A column is then typed for the values it takes, but not against the columns of
//! other keys.
//!
//! On a backend where the plan stores something else than the schema declares, a query that binds a
//! key is refused with [`Error::Declared`] before anything is sent. A key that comes back is refused
//! only when it is read, and the statement has been executed by then: the rows of an
//! `UPDATE … RETURNING` or `DELETE … RETURNING` are changed, unless a transaction rolls them back.
//!
//! Above all that is `Numeric` in SQLite: it has no exact numbers of 28 digits, so a plan has text
//! there, and a column that is declared `NUMERIC` or `DECIMAL` (which `STRICT` tables do not take)
//! turns it into a floating-point number. The column has to become `TEXT` in the database first, and
//! only then `Key<InvoiceId>` in the schema: over a column that still is `DECIMAL`, nothing refuses a
//! key that is bound, neighbouring keys are equal, and `find`, `update` and `delete` with one of them
//! meet the rows of both. The same goes for keys that a plan stores as text in a `DECIMAL` column of
//! MySQL, and with `eq_any` in one of MariaDB.
//!
//! `diesel print-schema` can generate columns of keys from PostgreSQL domains, such as
//! `CREATE DOMAIN offer_id AS uuid`:
//!
//! ```toml
//! [print_schema]
//! file = "src/schema.rs"
//! # Domains whose names end in `_id` become types of their own: `offer_id` is `OfferId`.
//! pg_domains_as_custom_types = ["_id$"]
//! generate_missing_sql_type_definitions = false
//! import_types = ["diesel::sql_types::*", "crate::columns::*"]
//! ```
//!
//! ```
//! # use rowkey::{ShortPrefixComb, entity_key};
//! # #[entity_key]
//! # pub struct OfferId(ShortPrefixComb);
//! /// The types that the generated schema names.
//! pub mod columns {
//!     pub type OfferId = rowkey::driver::diesel::Key<crate::OfferId>;
//! }
//!
//! // As generated.
//! diesel::table! {
//!     use diesel::sql_types::*;
//!     use crate::columns::*;
//!
//!     offers (id) {
//!         id -> OfferId,
//!         title -> Text,
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! Where the generated types are to stay, each becomes a column of its keys by an empty
//! [`KeyColumn`] impl. They need `custom_type_derives = ["diesel::query_builder::QueryId"]` there,
//! instead of the last two lines.
//!
//! Two kinds of columns come out as what no key is in: `DECIMAL` of SQLite as `Double`, which such a
//! column makes of a number, and MariaDB's `UUID` as a type that Diesel does not compile. Write
//! `Key<OfferId>` in the place of the latter, which `patch_file` of `[print_schema]` keeps.
//!
//! # What a backend does here
//!
//! It moves bytes and knows no rule: `rowkey-core` turns a key into what the column holds and back.
//! PostgreSQL's `numeric` is written and read in the binary protocol, group by group; a DECIMAL
//! parameter goes to MySQL and MariaDB as one, because they would compare its text as a
//! floating-point number.
//!
//! # Errors
//!
//! A value that the plan does not store in that column is Diesel's `DeserializationError`, whose
//! text names the column. Its source is a [`rowkey_core::Error`], which names what was expected and
//! what was found. Diesel's own text does not contain it, so log the last source as well:
//!
//! ```
//! use std::error::Error;
//!
//! use diesel::dsl::sql;
//! use diesel::prelude::*;
//! use rowkey::driver::diesel::Key;
//! use rowkey::{ShortPrefixComb, entity_key};
//!
//! #[entity_key]
//! pub struct OfferId(ShortPrefixComb);
//!
//! /// The error, and the reason at the end of its sources.
//! fn explained(error: &diesel::result::Error) -> String {
//!     let mut cause: &dyn Error = error;
//!     while let Some(source) = cause.source() {
//!         cause = source;
//!     }
//!     let (text, reason) = (error.to_string(), cause.to_string());
//!     // Some errors are their own source.
//!     if text == reason { text } else { format!("{text}: {reason}") }
//! }
//!
//! # fn main() -> ConnectionResult<()> {
//! let db = &mut SqliteConnection::establish(":memory:")?;
//! let error = sql::<Key<OfferId>>("SELECT X'0004' AS id").load::<OfferId>(db).unwrap_err();
//! assert_eq!(error.to_string(), "Error deserializing field 'id'");
//! assert_eq!(
//!     explained(&error),
//!     "Error deserializing field 'id': stored ShortPrefixComb: expected 16 bytes, found 2 bytes"
//! );
//! # Ok(())
//! # }
//! ```
//!
//! # diesel-async
//!
//! The MySQL connection of `diesel-async` (0.9) sends the parameters of DECIMAL columns as text, and
//! MySQL and MariaDB compare such a column with text as floating-point numbers: rows of neighbouring
//! keys are found, and rows of the keys that were asked for are not. So queries for these two convert
//! the parameters of keys that are stored as DECIMAL (`CAST(? AS DECIMAL(28,0))`); the primary key still
//! serves them. Where Diesel leaves no room for the conversion, a query is right with Diesel's own
//! connection and wrong with that one:
//!
//! * `eq_any` and `ne_all`, and with them `belonging_to` for several parents: take
//!   [`in_keys`](KeyColumnMethods::in_keys) and [`not_in_keys`](KeyColumnMethods::not_in_keys);
//! * an `Option` of a key in a comparison: write `parent.eq(key)` for `parent.eq(Some(key))`. What is
//!   inserted or set may be an `Option`;
//! * `sql_query`: write `CASE id WHEN CAST(? AS DECIMAL(28,0)) THEN …`, and so in every comparison.
//!
//! Keys that are not stored as DECIMAL, and other databases, are not concerned.
//!
//! # Limits
//!
//! * PostgreSQL 15 has no `max` and `min` of uuid and bytea; the query compiles, and the server
//!   says so. `order(id.desc()).first(..)` gives the same.
//! * Diesel has no `RETURNING` for MySQL and MariaDB, and neither it nor batches for a
//!   `MultiConnection` that may be SQLite.
//! * A column that the schema declares as `Numeric` does not go with a `MultiConnection`, whose
//!   backend has that type (`HasSqlType<Numeric>`) only with Diesel's feature `numeric`.
//!   As `Key<InvoiceId>` it does.
//! * A NULL where the schema has no `Nullable` is Diesel's "Unexpected null for non-null column",
//!   without the name of the column.
//! * On MySQL and MariaDB, Diesel has the client library convert a column to what it asks for, so a
//!   key of digits is also read from a column of text.
//! * `copy_from(..).from_insertable(..)`, PostgreSQL's `COPY`, takes no keys that PostgreSQL or MySQL
//!   stores as numbers; `from_raw_data` and `insert_into` do.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod backend;
mod bound;
mod column;
mod emit;
mod error;
mod multi;
mod parameter;
mod sql_type;
#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod stored;

#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use backend::{ReadKey, WriteKey};
pub use bound::{BoundParam, KeyColumnMethods, ToDiesel, Within};
pub use column::KeyColumn;
#[doc(hidden)]
pub use emit::private as __private;
pub use error::Error;
pub use parameter::{KeyList, Parameter};
pub use sql_type::Key;

/// Compiles and runs the example of this package's README.
#[cfg(all(doctest, feature = "sqlite"))]
#[doc = include_str!("../README.md")]
struct PackageReadme;
