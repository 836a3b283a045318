//! What is stored, and the keys it is stored under.

use rowkey::{DistributedId, ShortPrefixComb, entity_key};

/// A customer: a random UUID that begins with the minute, so that new rows are neighbours.
#[entity_key]
pub struct CustomerId(ShortPrefixComb);

/// An invoice: a number of 28 digits that begins with the millisecond.
#[entity_key]
pub struct InvoiceId(DistributedId);

/// A customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customer {
    /// The key.
    pub id: CustomerId,
    /// The name. The columns of the servers take 200 characters.
    pub name: String,
    /// The customer who brought this one, if any.
    pub referred_by: Option<CustomerId>,
}

/// An invoice to a customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invoice {
    /// The key.
    pub id: InvoiceId,
    /// Who has to pay it.
    pub customer_id: CustomerId,
    /// The amount in cents, negative for a credit note.
    pub cents: i64,
}

/// What all invoices of a customer come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerTotal {
    /// The customer.
    pub customer: Customer,
    /// The sum in cents, 0 without invoices.
    pub cents: i64,
}
