//! Storages and layouts that would lose a format's order or values.

use rowkey::{DatabaseNumber, DistributedId, Iuid, ShortSuffixComb, UuidV4, UuidV7, entity_key};

#[entity_key(storage(postgres = "decimal"))]
pub struct CustomerId(UuidV7);

/// MariaDB's own type damages some iUIDs.
#[entity_key(storage(mariadb = "native-uuid", sqlite = "blob"))]
pub struct CountryId(Iuid);

/// SQL Server would sort by random bytes.
#[entity_key(storage(postgres = "uuid", sqlserver = "uuid:public"))]
pub struct OrderId(UuidV7);

#[entity_key(storage(sqlite = "uuid:front"))]
pub struct LineId(ShortSuffixComb);

/// Both are checked, although they are the same column.
#[entity_key(storage(mysql = "native-uuid", mariadb = "native-uuid"))]
pub struct OfferId(UuidV7);

/// SQL Server sorts these by their time.
#[entity_key(storage(sqlserver = "uuid:public-unordered"))]
pub struct StopId(ShortSuffixComb);

/// This format has no order to give up.
#[entity_key(storage(sqlserver = "uuid:public-unordered"))]
pub struct GuestId(UuidV4);

/// Only SQL Server sorts by random bytes.
#[entity_key(storage(postgres = "uuid:public-unordered"))]
pub struct VisitId(UuidV7);

#[entity_key(storage(sqlite = "text-hex"))]
pub struct InvoiceId(DistributedId);

#[entity_key(storage(postgres = "uuid", sqlite = "text"))]
pub struct ReceiptNumber(DatabaseNumber);

/// More than 63 bits.
#[entity_key(storage(mysql = "bigint"))]
pub struct ReceiptId(DistributedId);

fn main() {}
