//! The orders in which SQL Server and MariaDB sort UUIDs.

use core::cmp::Ordering;

use uuid::Uuid;

use crate::layout::Permutation;

/// Orders UUIDs as SQL Server orders `uniqueidentifier`: bytes 10 to 15 of the text first, then
/// 8 and 9, then 7, 6, 5, 4, 3, 2, 1, 0, each unsigned.
///
/// Wrap a *stored* value. Use it to page through, merge or backfill rows in the server's order.
///
/// Source: `System.Data.SqlTypes.SqlGuid`, which compares the bytes of .NET's mixed-endian array.
///
/// ```
/// use rowkey_core::storage::SqlServerOrd;
/// use uuid::uuid;
///
/// let a = uuid!("55666bee-b3a0-4bf5-81a7-86ff976e763f");
/// let b = uuid!("8dd5bca5-6abe-4f73-b4b7-393ae6bbb849");
/// assert!(a < b);
/// assert!(SqlServerOrd(a) > SqlServerOrd(b));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SqlServerOrd(pub Uuid);

impl Ord for SqlServerOrd {
    fn cmp(&self, other: &Self) -> Ordering {
        let image = |uuid: Uuid| Permutation::SqlServer.invert(uuid.as_u128());
        image(self.0).cmp(&image(other.0))
    }
}

impl PartialOrd for SqlServerOrd {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Orders UUIDs as MariaDB orders its `UUID` type.
///
/// Wrap a *stored* value. Versions 1 to 5 (byte 6 in 0x01..=0x5f, byte 8 at least 0x80) compare
/// group by group from the last to the first, all others from the first byte on.
///
/// Source: measured on MariaDB 10.11 over all pairs of bytes 6 and 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MariaDbUuidOrd(pub Uuid);

impl Ord for MariaDbUuidOrd {
    fn cmp(&self, other: &Self) -> Ordering {
        mariadb_uuid_image(self.0.as_u128()).cmp(&mariadb_uuid_image(other.0.as_u128()))
    }
}

impl PartialOrd for MariaDbUuidOrd {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

const GROUP: u128 = 0xffff;

/// Whether MariaDB compares the groups of a value from the last to the first.
pub(super) const fn has_reversed_groups(value: u128) -> bool {
    let (byte6, byte8) = ((value >> 72) as u8, (value >> 56) as u8);
    byte6 != 0 && byte6 <= 0x5f && byte8 >= 0x80
}

/// The value with reversed groups whose image this is.
pub(super) const fn value_of_mariadb_uuid_image(image: u128) -> u128 {
    (image << 96)
        | ((image >> 32) & GROUP) << 80
        | ((image >> 48) & GROUP) << 64
        | ((image >> 64) & GROUP) << 48
        | image >> 80
}

/// The bytes in the order in which MariaDB compares them: with reversed groups for versions 1 to 5.
pub(super) const fn mariadb_uuid_image(value: u128) -> u128 {
    if !has_reversed_groups(value) {
        return value;
    }
    (value << 80)
        | ((value >> 48) & GROUP) << 64
        | ((value >> 64) & GROUP) << 48
        | ((value >> 80) & GROUP) << 32
        | value >> 96
}
