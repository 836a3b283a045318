//! A random version-4 UUID of RFC 9562.
//!
//! ```text
//! byte   0 .. 5      6       7     8 .. 15
//!      +-----------+-+-----------+-+-----------------+
//!      | random    |4| random    |2| random          |
//!      +-----------+-+-----------+-+-----------------+
//! bits   48          4 12          2 62        (4 = version, 2 = variant bits 10)
//! ```

use super::spec::{FormatSpec, Leading};
use super::traits::{FromDraw, impl_format};
use crate::bits::{BitField, FieldKind, UuidBits};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::time::UnixMillis;

const FIELDS: [BitField; 5] = BitField::consecutive([
    ("random", FieldKind::Random, 48),
    ("version", FieldKind::Version(4), 4),
    ("random", FieldKind::Random, 12),
    ("variant", FieldKind::Variant(0b10), 2),
    ("random", FieldKind::Random, 62),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    fits_mariadb_uuid: true,
    ..FormatSpec::new(&FIELDS, Leading::Unordered)
};

/// A random UUID: 122 random bits, version 4, RFC variant.
///
/// These ids carry no time and have no order. Source: RFC 9562.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct UuidV4(UuidBits);

impl_format!(UuidV4, FormatKind::UuidV4, UuidBits);

impl UuidV4 {
    /// The id of sixteen random bytes; version and variant overwrite six of their bits.
    pub const fn from_random(random: [u8; 16]) -> Self {
        Self::admitted(SPEC.fixed.stamp(u128::from_be_bytes(random)))
    }
}

impl FromDraw for UuidV4 {
    type Context = ();

    #[inline]
    fn from_draw(_: UnixMillis, (): &(), random: u128) -> Result<Self, Error> {
        Ok(Self::admitted(SPEC.fixed.stamp(random)))
    }
}
