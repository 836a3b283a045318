//! A key gets another column between two migrations of sqlx, SeaORM and Diesel.
//!
//! A shop keeps the ids of its customers as text. Its next release keeps them as sixteen bytes,
//! under a typed key. [`customer_keys`] is that change: a function that calls rowkey-relayout. Each
//! of the other modules is what a program with that library contains: the migrations before and
//! after the change, the change among them, and queries with the key.
//!
//! Each library records the change in its own table of migrations, so that every start of the
//! program may call `migrate`.

#![forbid(unsafe_code)]

pub mod customer_keys;
pub mod diesel;
pub mod sea_orm;
pub mod sqlx;

use std::error::Error;
use std::sync::Arc;

use rowkey::{UuidV7, entity_key};
use rowkey_relayout::Step;

/// A customer: sixteen bytes, `uuid` in PostgreSQL.
#[entity_key]
pub struct CustomerId(UuidV7);

/// What a customer has bought and paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purchase {
    /// The customer.
    pub customer: CustomerId,
    /// The customer's name.
    pub name: String,
    /// The number of the order, and of its payment.
    pub number: i64,
    /// The amount.
    pub cents: i64,
}

/// Hears how far the change is: a log, a progress bar.
pub type Report = Arc<dyn Fn(Step) + Send + Sync>;

/// The result of whatever a library does.
pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;
