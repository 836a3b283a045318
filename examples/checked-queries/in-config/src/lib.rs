//! Typed keys in sqlx's `query!`, `query_as!` and `query_scalar!`, with the types of key columns
//! configured once in `sqlx.toml`.
//!
//! The queries are those of the crate `checked-queries-in-sql`, but most need no type. A value that is
//! not a column of a table, such as the `MAX(id)` in `checked-queries-shop`, still needs its type in the
//! query. A column that a join can make NULL is marked there as well: `"invoice?"`.
//!
//! To check that a parameter is a key of the right type, write `as _`. Only PostgreSQL reports the types
//! of parameters, so the other queries omit it, and a key of the wrong type compiles there.
//!
//! As in the other crate, building needs no database, and the same query must not be sent to two
//! databases. Use `cargo xtask prepare` where sqlx recommends `cargo sqlx prepare`.

pub use checked_queries_shop::{Customer, CustomerId, Invoice, InvoiceId};

#[cfg(feature = "mysql")]
pub mod mysql;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;
