//! A key for each shape that plans give to columns.

use rowkey::{
    AnyUuid, DistributedId, DistributedId128, EntityKey, HotGuid, ShortPrefixComb, ShortSuffixComb,
    SuffixComb, UuidV4, UuidV7, entity_key,
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
pub struct PaymentId(DistributedId128);

/// A number of 28 digits as sixteen bytes.
#[entity_key(storage(postgres = "uuid", mysql = "uuid", sqlite = "uuid"))]
pub struct ReceiptId(DistributedId);

/// A number of 28 digits as twelve bytes.
#[entity_key(storage(postgres = "binary", mysql = "binary", sqlite = "binary"))]
pub struct BookingId(DistributedId);

/// Sixteen bytes in PostgreSQL's `bytea`.
#[entity_key(storage(postgres = "binary"))]
pub struct DeviceId(AnyUuid);

/// 36 characters.
#[entity_key(storage(postgres = "text", mysql = "text", sqlite = "text"))]
pub struct SessionId(UuidV7);

/// 22 characters.
#[entity_key(storage(
    postgres = "text-compact",
    mysql = "text-compact",
    sqlite = "text-compact"
))]
pub struct LinkId(HotGuid);

/// 16 characters.
#[entity_key(storage(
    postgres = "text-compact",
    mysql = "text-compact",
    sqlite = "text-compact"
))]
pub struct TicketId(DistributedId);

/// 28 characters.
#[entity_key(storage(
    postgres = "text-digits",
    mysql = "text-digits",
    sqlite = "text-digits"
))]
pub struct VoucherId(DistributedId);

/// MariaDB's own type, rearranged for its order.
#[entity_key(storage(mariadb = "native-uuid"))]
pub struct SeatId(ShortPrefixComb);

/// MariaDB's own type, as it is.
#[entity_key(storage(mariadb = "native-uuid"))]
pub struct RouteId(UuidV4);

/// Eight neighbours: equal as floating-point numbers where they are numbers of so many digits.
pub(crate) fn neighbours<K: EntityKey>() -> Vec<K> {
    let base = 9_088_824_355_131_185_736_905_670_080_u128;
    // Version 7 and 4 and the variant, for the formats that have them; a number of 28 digits
    // otherwise.
    let of_version =
        |version: u128| 0x0001_8b2c_1234_0abc_8111_2222_3333_4440 & !(0xf << 76) | version << 76;
    [base, of_version(4), of_version(7)]
        .into_iter()
        .find_map(|base| {
            (base..base + 8)
                .map(|value| K::try_from(value).ok())
                .collect()
        })
        .expect("one of the bases suits every format")
}
