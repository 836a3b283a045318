//! The keys of the entities.

use rowkey::{DistributedId, ShortPrefixComb, UuidV7, entity_key};

/// A customer: a random UUID that begins with the minute, so that new rows are stored together.
#[entity_key]
pub struct CustomerId(ShortPrefixComb);

/// An invoice: a number of 28 digits that begins with the millisecond.
#[entity_key]
pub struct InvoiceId(DistributedId);

/// A command: made by the client, which sends it again with each repetition.
#[entity_key]
pub struct CommandId(UuidV7);
