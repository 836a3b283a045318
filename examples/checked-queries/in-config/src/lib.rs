//! Typed keys in sqlx's `query!`, `query_as!` and `query_scalar!`, with the types of key columns
//! named once in `sqlx.toml`.
//!
//! The queries are those of the crate `checked-queries-in-sql`, and most need nothing in them. What
//! is not a column of a table, such as `MAX(id)`, still has its type named in the query. A column
//! that a join can make NULL is marked there as well: `"invoice?"`.
//!
//! A parameter is a key if it is given `as _`. Only PostgreSQL tells the types of parameters, so
//! the queries of the others do without, and a key of the wrong type compiles there.
//!
//! Building needs no database, as in the other crate, and here too no text may be that of two
//! databases. What sqlx calls `cargo sqlx prepare` is `cargo xtask prepare` here.

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
    /// What they are called.
    pub name: String,
    /// The customer who sent them.
    pub referred_by: Option<CustomerId>,
}

/// A row of `invoices`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invoice {
    /// The primary key.
    pub id: InvoiceId,
    /// Who pays it.
    pub customer_id: CustomerId,
    /// The amount.
    pub cents: i64,
}
