//! What is stored, and the keys it is stored under.

use rowkey::{DistributedId, ShortPrefixComb, entity_key};

use crate::Error;

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
    /// The name, of up to 200 characters other than U+0000.
    pub name: String,
    /// The customer who brought this one, if any.
    pub referred_by: Option<CustomerId>,
}

/// Refuses names that some database would not take, or would cut without a word.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    if name.chars().count() > 200 {
        return Err(Error::Name("has more than 200 characters"));
    }
    if name.contains('\0') {
        return Err(Error::Name("contains the character U+0000"));
    }
    Ok(())
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
