//! Typed keys in sqlx's `query!`, `query_as!` and `query_scalar!`, with the types of key columns
//! named once in `sqlx.toml`.
//!
//! The queries are those of the crate `checked-queries-in-sql`, and most need no type in them. What
//! is not a column of a table, such as the `MAX(id)` in `checked-queries-shop`, still has its type
//! named in the query. A column that a join can make NULL is marked there as well: `"invoice?"`.
//!
//! A parameter is a key if it is given `as _`. Only PostgreSQL tells the types of parameters, so
//! the queries of the others do without, and a key of the wrong type compiles there.
//!
//! Building needs no database, as in the other crate, and here, too, no text may be sent to two
//! databases. Use `cargo xtask prepare` where sqlx advises `cargo sqlx prepare`.

pub use checked_queries_shop::{Customer, CustomerId, Invoice, InvoiceId};

#[cfg(feature = "mysql")]
pub mod mysql;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;
