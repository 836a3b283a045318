//! A version-4 UUID with the milliseconds since 1970 in B10..B15.
//!
//! ```text
//! byte   0 .. 5      6       7     8 .. 9       10 .. 15
//!      +-----------+-+-----------+-+----------+-------------------------+
//!      | random    |4| random    |2| random   | milliseconds since 1970 |
//!      +-----------+-+-----------+-+----------+-------------------------+
//! bits   48          4 12          2 14         48         (4 = version, 2 = variant bits 10)
//! ```

use super::comb;
use super::prefix_comb::PrefixComb;
use super::spec::{FormatSpec, Leading, TimeRange};
use super::traits::{FromDraw, TimeOrdered, impl_format};
use crate::bits::{BitField, FieldKind, UuidBits};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::layout::Permutation;
use crate::time::UnixMillis;

const FIELDS: [BitField; 6] = BitField::consecutive([
    ("random", FieldKind::Random, 48),
    ("version", FieldKind::Version(4), 4),
    ("random", FieldKind::Random, 12),
    ("variant", FieldKind::Variant(0b10), 2),
    ("random", FieldKind::Random, 14),
    ("milliseconds since 1970", FieldKind::millis_since(0), 48),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    fits_mariadb_uuid: true,
    ..FormatSpec::new(&FIELDS, Leading::CombSuffix(Permutation::SwapFull))
};

const TIME: TimeRange = SPEC.instants();

/// A version-4 UUID whose bytes B10..B15 are the milliseconds since 1970; the other 74 bits are
/// random. The time lasts until the year 10889.
///
/// Order: SQL Server's `uniqueidentifier` order follows the time; public (RFC) order is random, so
/// plans store the prefix form elsewhere.
///
/// Source: the COMBs of `uuid-creator` (Fabio Lima), after Jimmy Nilsson's "The Cost of GUIDs as
/// Primary Keys", which counted 1/300 seconds instead.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct SuffixComb(UuidBits);

impl_format!(SuffixComb, FormatKind::SuffixComb, UuidBits);

impl TimeOrdered for SuffixComb {}

impl SuffixComb {
    /// The id of a time and ten random bytes, which fill the other positions in order. Version and
    /// variant then overwrite six of their bits.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` before 1970 or after the 48-bit field's end.
    pub fn from_parts(time: UnixMillis, random: [u8; 10]) -> Result<Self, Error> {
        Self::from_draw(time, &(), comb::around_field(random, 10))
    }

    /// When the id was made, to the millisecond.
    pub const fn time(self) -> UnixMillis {
        SPEC.instant_of(self.to_u128())
    }

    /// The same id as a prefix COMB: B10..B15 exchanged with B0..B5. Reversible, and still a valid
    /// version-4 UUID in time order. The order within one millisecond changes.
    pub const fn to_prefix(self) -> PrefixComb {
        PrefixComb::admitted(Permutation::SwapFull.apply(self.to_u128()))
    }
}

impl PrefixComb {
    /// The same id as a suffix COMB: B0..B5 exchanged with B10..B15. Reversible, and still a valid
    /// version-4 UUID in time order. The order within one millisecond changes.
    pub const fn to_suffix(self) -> SuffixComb {
        SuffixComb::admitted(Permutation::SwapFull.apply(self.to_u128()))
    }
}

impl FromDraw for SuffixComb {
    type Context = ();

    #[inline]
    fn from_draw(time: UnixMillis, (): &(), random: u128) -> Result<Self, Error> {
        let time = TIME.check(FormatKind::SuffixComb, time)?;
        Ok(Self::admitted(comb::full_suffix(time.get() as u64, random)))
    }
}
