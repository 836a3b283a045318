//! Typed keys in sqlx's `query!`, `query_as!` and `query_scalar!`, with the type of each key in the
//! query.
//!
//! The macros check each query against a database, and take the Rust types from its answer. They do
//! not know about keys, so a query declares which columns are keys:
//!
//! | a column named | has the type |
//! |---|---|
//! | `"id: CustomerId"` | `CustomerId`, in an `Option` if the database reports that it may be NULL |
//! | `"id!: CustomerId"` | `CustomerId` |
//! | `"id?: CustomerId"` | `Option<CustomerId>` |
//! | `"id: _"` | that of the field with this name, in `query_as!` |
//!
//! To check that a parameter is a key of the right type, write `as CustomerId` or `as _`. Only
//! PostgreSQL reports the types of parameters, so the other queries omit it, and a key of the wrong
//! type compiles there.
//!
//! If a type is missing, the compiler reports that `CustomerId: From<Vec<u8>>` is not satisfied, or
//! sqlx that its feature `uuid` is required. The feature does not help: add the type of the key.
//! Records of `query!` get a field of the database's type instead, without an error.
//!
//! The databases' answers are stored in `.sqlx`, so that building needs no database; `cargo xtask
//! prepare` updates them. After a change to a query, sqlx recommends `cargo sqlx prepare`, which
//! does not support several databases: use `cargo xtask prepare` instead. The files are named after
//! the SQL of the query, so a crate must not send the same SQL to two databases. This is why
//! SQLite's placeholders are numbered here.

use rowkey::{DistributedId, ShortPrefixComb, entity_key};

#[cfg(feature = "mysql")]
pub mod mysql;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;

/// The key of a customer.
#[entity_key]
pub struct CustomerId(ShortPrefixComb);

/// The key of an invoice.
#[entity_key]
pub struct InvoiceId(DistributedId);

/// A row of `customers`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customer {
    /// The primary key.
    pub id: CustomerId,
    /// The name.
    pub name: String,
    /// The customer who sent them.
    pub referred_by: Option<CustomerId>,
}

/// A row of `invoices`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invoice {
    /// The primary key.
    pub id: InvoiceId,
    /// The customer who pays it.
    pub customer_id: CustomerId,
    /// The amount.
    pub cents: i64,
}
