//! One key over each format, among them some with a prefix or a column of their own.

use rowkey::{
    AnyUuid, DatabaseNumber, DistributedId, DistributedId128, HotGuid, Iuid, Luuid, PrefixComb,
    ShortPrefixComb, ShortSuffixComb, SuffixComb, UuidV4, UuidV7, entity_key, key_union,
};

/// A booking offer.
#[entity_key(public_id = "offer")]
pub struct OfferId(ShortPrefixComb);

/// A draft, with a counter of seconds.
#[entity_key]
pub struct DraftId(ShortPrefixComb<1_000>);

/// A customer of an application that began with SQL Server.
#[entity_key]
pub struct CustomerId(ShortSuffixComb);

/// A cabin.
#[entity_key(storage(mariadb = "native-uuid"))]
pub struct CabinId(PrefixComb);

/// A route.
#[entity_key]
pub struct RouteId(SuffixComb);

/// An invoice.
#[entity_key(
    prefix = "inv",
    public_id = "invoice",
    storage(postgres = "uuid", sqlserver = "uuid")
)]
pub struct InvoiceId(DistributedId);

/// A receipt, in digits everywhere.
#[entity_key]
pub struct ReceiptId(DistributedId);

/// A payment.
#[entity_key(storage(mysql = "decimal", sqlite = "text-digits"))]
pub struct PaymentId(DistributedId128);

/// A person.
#[entity_key(group = "com.acme.Person")]
pub struct PersonId(Luuid);

/// A house.
#[entity_key(group = "com.acme.House", prefix = "hse")]
pub struct HouseId(Luuid);

/// What people ask about.
#[key_union]
pub enum SubjectId {
    /// A person.
    Person(PersonId),
    /// A house.
    House(HouseId),
}

/// An item.
#[entity_key]
pub struct ItemId(Iuid);

/// A row of a shard.
#[entity_key]
pub struct ShardRowId(HotGuid);

/// A session.
#[entity_key(storage(postgres = "text", mysql = "text", sqlite = "text", sqlserver = "text"))]
pub struct SessionId(UuidV4);

/// A booking.
#[entity_key(prefix = "bkg", storage(sqlite = "text-compact"))]
pub struct BookingId(UuidV7);

/// A ticket of the support, which the database counts.
#[entity_key(prefix = "sup")]
pub struct SupportNumber(DatabaseNumber);

/// An order of an old table.
#[entity_key(storage(sqlserver = "uuid:public"))]
pub struct LegacyOrderId(AnyUuid);
