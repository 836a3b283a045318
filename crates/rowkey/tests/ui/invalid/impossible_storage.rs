//! Storages and layouts that cannot keep a plan's promise.

use rowkey::{Iuid, ShortSuffixComb, UuidV7, entity_key};

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

fn main() {}
