//! Keys in columns of different types.

use rowkey::{
    AnyUuid, DistributedId, DistributedId128, ShortPrefixComb, ShortSuffixComb, SuffixComb, UuidV4,
    UuidV7, entity_key,
};

/// Sixteen bytes.
#[entity_key]
pub struct OfferId(ShortPrefixComb);

/// Sixteen bytes that are rearranged.
#[entity_key]
pub struct StopId(ShortSuffixComb);

#[entity_key]
pub struct VisitId(SuffixComb);

/// 28 digits.
#[entity_key]
pub struct InvoiceId(DistributedId);

/// 38 digits.
#[entity_key(storage(postgres = "decimal", mysql = "decimal", sqlite = "decimal"))]
pub struct SettlementId(DistributedId128);

/// A number of 28 digits as twelve bytes.
#[entity_key(storage(postgres = "binary", mysql = "binary", sqlite = "binary"))]
pub struct BookingId(DistributedId);

/// Sixteen bytes in PostgreSQL's `bytea`.
#[entity_key(storage(postgres = "binary"))]
pub struct DeviceId(AnyUuid);

/// 36 characters.
#[entity_key(storage(postgres = "text", mysql = "text", sqlite = "text"))]
pub struct SessionId(UuidV7);

/// 16 characters.
#[entity_key(storage(
    postgres = "text-compact",
    mysql = "text-compact",
    sqlite = "text-compact"
))]
pub struct TicketId(DistributedId);

/// MariaDB's own type, rearranged for its order.
#[entity_key(storage(mariadb = "native-uuid"))]
pub struct SeatId(ShortPrefixComb);

/// MariaDB's own type, as it is.
#[entity_key(storage(mariadb = "native-uuid"))]
pub struct RouteId(UuidV4);
