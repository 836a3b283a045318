//! The entities.
//!
//! The derives are Diesel's. sqlx needs none, and SeaORM has its own structs.

use diesel::{Insertable, Queryable};
use serde::Serialize;

use crate::diesel::schema::{customers, invoices};
use crate::keys::{CustomerId, InvoiceId};

/// A customer.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, Serialize)]
#[diesel(table_name = customers)]
#[serde(rename_all = "camelCase")]
pub struct Customer {
    /// The key.
    pub id: CustomerId,
    /// The name, of up to 200 characters other than U+0000.
    pub name: String,
    /// The customer who referred this one, if any.
    pub referred_by: Option<CustomerId>,
}

/// An invoice to a customer.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, Serialize)]
#[diesel(table_name = invoices)]
#[serde(rename_all = "camelCase")]
pub struct Invoice {
    /// The key.
    pub id: InvoiceId,
    /// The customer who has to pay it.
    pub customer_id: CustomerId,
    /// The amount in cents, negative for a credit note.
    pub cents: i64,
}

/// The total of a customer's invoices.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct CustomerTotal {
    /// The customer.
    pub customer: Customer,
    /// The sum in cents, 0 without invoices.
    pub cents: i64,
}
