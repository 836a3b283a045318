//! The keys of the service.

use rowkey::{AnyUuid, DistributedId, Luuid, ShortPrefixComb, entity_key, key_union};

/// A booking offer. Clients make these ids, without asking the server.
#[entity_key]
pub struct BookingOfferId(ShortPrefixComb);

/// A command. Clients make these ids, too, as UUIDs of any version, and send the same one when they
/// repeat a command.
#[entity_key]
pub struct CommandId(AnyUuid);

/// A customer. The server numbers them, so that people can read the number out.
#[entity_key(group = "booking.Customer")]
pub struct CustomerId(Luuid);

/// A booking, numbered like a customer.
#[entity_key(group = "booking.Booking")]
pub struct BookingId(Luuid);

/// An invoice: 28 digits in the database, and a public id everywhere else.
#[entity_key(public_id = "invoice")]
pub struct InvoiceId(DistributedId);

/// The id of an entity whose type is unknown.
#[key_union]
pub enum AnyId {
    /// A customer.
    Customer(CustomerId),
    /// A booking.
    Booking(BookingId),
}
