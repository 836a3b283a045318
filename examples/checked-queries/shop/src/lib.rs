//! The common parts of the examples `checked-queries-in-sql` and `checked-queries-in-config`: keys, rows,
//! and the queries that are equal in both.
//!
//! These queries return no column of a table, so `sqlx.toml` does not affect them.

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
