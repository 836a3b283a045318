//! Typed keys of rowkey in sqlx: as parameters, in rows, and as bounds of a range.
//!
//! A key declared with `#[entity_key]` implements sqlx's `Type`, `Encode` and `Decode` for each
//! driver that is turned on, and so do `Option` of it and, in PostgreSQL, arrays. Nothing has to be
//! called for that.
//!
//! ```
//! use rowkey::{Backend, EntityKey, Nullability, ShortPrefixComb, entity_key};
//! use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
//!
//! #[entity_key]
//! struct OfferId(ShortPrefixComb);
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut db = SqliteConnection::connect("sqlite::memory:").await?;
//! let id = OfferId::PLAN.column_definition(Backend::Sqlite, "id", Nullability::NotNull)?;
//! let table = format!("CREATE TABLE offer ({id} PRIMARY KEY, title TEXT) STRICT");
//! sqlx::query(AssertSqlSafe(table)).execute(&mut db).await?;
//!
//! let offer = OfferId::generate();
//! sqlx::query("INSERT INTO offer (id, title) VALUES (?, ?)")
//!     .bind(offer)
//!     .bind("Fjords in winter")
//!     .execute(&mut db)
//!     .await?;
//! let found: OfferId = sqlx::query_scalar("SELECT id FROM offer WHERE id = ?")
//!     .bind(offer)
//!     .fetch_one(&mut db)
//!     .await?;
//! assert_eq!(found, offer);
//!
//! // What is no key of the plan is an error that names the column.
//! let error = sqlx::query_scalar::<_, OfferId>("SELECT title FROM offer")
//!     .fetch_one(&mut db)
//!     .await
//!     .unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "error occurred while decoding column 0: \
//!      stored ShortPrefixComb: expected 16 bytes, found text of 16 characters",
//! );
//! # Ok(())
//! # }
//! ```
//!
//! This crate adds what keys cannot carry themselves:
//!
//! * [`ToSqlx::to_sqlx`] makes a [`KeyBound`](rowkey_core::KeyBound) a parameter;
//! * [`PushBounds::push_bounds`] writes the whole condition of a time range into a query.
//!
//! # Lists of keys
//!
//! PostgreSQL takes a list as one parameter, an array. No keys are an empty array, which finds
//! nothing, and many rows are inserted from one array for each column:
//!
//! ```no_run
//! # use rowkey::{DistributedId, ShortPrefixComb, entity_key};
//! # use sqlx::PgConnection;
//! # #[entity_key]
//! # struct OfferId(ShortPrefixComb);
//! # #[entity_key]
//! # struct InvoiceId(DistributedId);
//! # async fn lists(
//! #     db: &mut PgConnection,
//! #     offers: &[OfferId],
//! #     invoices: &[InvoiceId],
//! # ) -> sqlx::Result<()> {
//! let titles: Vec<String> = sqlx::query_scalar("SELECT title FROM offer WHERE id = ANY($1)")
//!     .bind(offers)
//!     .fetch_all(&mut *db)
//!     .await?;
//!
//! sqlx::query("INSERT INTO sale (invoice, offer) SELECT * FROM unnest($1, $2)")
//!     .bind(invoices)
//!     .bind(offers)
//!     .execute(db)
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! The others have a parameter for each key. An empty list needs an answer of its own: `IN ()` is a
//! syntax error in MySQL and MariaDB.
//!
//! ```
//! use rowkey::{ShortPrefixComb, entity_key};
//! use sqlx::{QueryBuilder, SqliteConnection};
//!
//! #[entity_key]
//! struct OfferId(ShortPrefixComb);
//!
//! async fn titles(db: &mut SqliteConnection, offers: &[OfferId]) -> sqlx::Result<Vec<String>> {
//!     if offers.is_empty() {
//!         return Ok(Vec::new());
//!     }
//!     let mut query = QueryBuilder::new("SELECT title FROM offer WHERE id IN (");
//!     let mut list = query.separated(", ");
//!     for offer in offers {
//!         list.push_bind(*offer);
//!     }
//!     query.push(") ORDER BY title");
//!     query.build_query_scalar().fetch_all(db).await
//! }
//!
//! async fn insert(db: &mut SqliteConnection, offers: &[(OfferId, &str)]) -> sqlx::Result<()> {
//!     if offers.is_empty() {
//!         return Ok(());
//!     }
//!     let mut query = QueryBuilder::new("INSERT INTO offer (id, title) ");
//!     query.push_values(offers, |mut row, (id, title)| {
//!         row.push_bind(*id).push_bind(*title);
//!     });
//!     query.build().execute(db).await?;
//!     Ok(())
//! }
//! # use rowkey::{Backend, EntityKey, Nullability};
//! # use sqlx::{AssertSqlSafe, Connection};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let db = &mut SqliteConnection::connect("sqlite::memory:").await?;
//! # let id = OfferId::PLAN.column_definition(Backend::Sqlite, "id", Nullability::NotNull)?;
//! # let table = format!("CREATE TABLE offer ({id} PRIMARY KEY, title TEXT) STRICT");
//! # sqlx::query(AssertSqlSafe(table)).execute(&mut *db).await?;
//! # let [fjords, alps, dunes] = [(); 3].map(|()| OfferId::generate());
//! # insert(db, &[]).await?;
//! # insert(db, &[(fjords, "Fjords"), (alps, "Alps"), (dunes, "Dunes")]).await?;
//! # assert_eq!(titles(db, &[]).await?, [""; 0]);
//! # assert_eq!(titles(db, &[fjords, alps, OfferId::generate()]).await?, ["Alps", "Fjords"]);
//! # Ok(())
//! # }
//! ```
//!
//! Each length of such a list is another statement. sqlx keeps 100 of them for a connection, and
//! over TCP to MySQL or MariaDB every new one after that takes about 40 ms longer (measured with
//! sqlx 0.9 on Linux): to close an old one is a message without an answer, and what sqlx sends next
//! waits for its delayed acknowledgement. Statements that are not persistent wait as well. Where
//! there are more texts, raise the `statement_cache_capacity` of
//! [`MySqlConnectOptions`](sqlx::mysql::MySqlConnectOptions).
//!
//! # Checked queries
//!
//! `query!`, `query_as!` and `query_scalar!` take their types from the database, which knows no
//! keys. The query names them, in the alias of a column and behind a parameter. `"id!: CustomerId"`
//! is never an `Option`, `"id?: CustomerId"` always, and `"id: CustomerId"` if the column may be
//! NULL:
//!
//! ```text
//! let customer = sqlx::query_as!(
//!     Customer,
//!     r#"SELECT id AS "id: CustomerId", referred_by AS "referred_by: _"
//!        FROM customers WHERE id = $1"#,
//!     id as CustomerId,
//! );
//! let invoices = sqlx::query!(
//!     r#"SELECT id AS "id!: InvoiceId" FROM invoices WHERE customer_id = ANY($1)"#,
//!     &customers[..] as &[CustomerId],
//! );
//! ```
//!
//! Where the name is missing, sqlx asks for its feature `uuid`, or the compiler for a conversion
//! such as `CustomerId: From<Vec<u8>>`. A record of `query!` is no error, though: its field has
//! what the column stores, which is not always the public form of the key.
//!
//! With sqlx's feature `sqlx-toml`, the types of columns can be in the crate's `sqlx.toml` instead,
//! and parameters are given `as _`:
//!
//! ```toml
//! [macros.table-overrides.'customers']
//! 'id' = "crate::CustomerId"
//! 'referred_by' = "crate::CustomerId"
//! ```
//!
//! In MySQL and MariaDB the table is called with its database, `'shop.customers'`, and aliases are
//! in backticks. `examples/checked-queries` has both ways on all databases, built without one.
//!
//! # No `sqlx::Any`
//!
//! Keys cannot be bound with `sqlx::Any`, whose values are booleans, integers, floating-point
//! numbers, text and bytes. Its rows cannot hold a `uuid` or `numeric` of PostgreSQL, or a DECIMAL
//! of MySQL and MariaDB. A DECIMAL key would have to be bound as text, which these two servers
//! compare with the column as floating-point numbers: a list of two keys finds their neighbours
//! too, or only one of the two.
//!
//! ```compile_fail,E0277
//! # use rowkey::{DistributedId, entity_key};
//! #[entity_key]
//! struct InvoiceId(DistributedId);
//!
//! let id = InvoiceId::generate();
//! sqlx::query::<sqlx::Any>("DELETE FROM invoices WHERE id = ?").bind(id);
//! ```
//!
//! A program that learns at run time which database it has can choose the connection by the scheme
//! of the address and then be generic over sqlx's `Database`, or have an enum or a trait of its own
//! around the drivers, as in `examples/repository`.
//!
//! # What a driver does here
//!
//! It moves bytes and knows no rule. The key's [`StoragePlan`](rowkey_core::StoragePlan) says what
//! a column holds, `rowkey-core` turns a key into that and back, and one module a driver
//! ([`postgres`], [`mysql`], [`sqlite`]) puts it on the wire. PostgreSQL's `numeric` is written and
//! read in the binary protocol, group by group; a DECIMAL parameter goes to MySQL and MariaDB as
//! one, because they would compare its text as a floating-point number.
//!
//! # Errors
//!
//! A value that the plan does not store in that column is
//! [`sqlx::Error::ColumnDecode`], which names the column. Its source is a
//! [`rowkey_core::Error`], which names what was expected and what was found. `Type::compatible` of
//! a key therefore lets every column through: sqlx would only name two types.
//!
//! # Why the impls are emitted by a macro
//!
//! The traits are sqlx's and the key is the user's, so neither this crate nor any other can
//! implement one for the other. A wrapper around each key would work, and would show up in every
//! struct and every query. So the declaration emits a few thin impls next to the key, and they call
//! the generic functions of the driver modules, which are also there for other layers over sqlx.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod bound;
mod emit;
#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod found;

#[cfg(feature = "mysql")]
pub mod mysql;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;

#[cfg(any(feature = "postgres", feature = "mysql", feature = "sqlite"))]
pub use bound::{BoundParam, PushBounds, ToSqlx};
#[doc(hidden)]
pub use emit::private as __private;

/// Compiles and runs the example of this package's README.
#[cfg(all(doctest, feature = "postgres"))]
#[doc = include_str!("../README.md")]
struct PackageReadme;
