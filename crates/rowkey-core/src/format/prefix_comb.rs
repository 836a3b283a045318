//! A version-4 UUID with the milliseconds since 1970 in B0..B5.
//!
//! ```text
//! byte   0 .. 5                   6       7     8 .. 15
//!      +-------------------------+-+-----------+-+-------------------+
//!      | milliseconds since 1970 |4| random    |2| random            |
//!      +-------------------------+-+-----------+-+-------------------+
//! bits   48                        4 12          2 62      (4 = version, 2 = variant bits 10)
//! ```

use super::comb;
use super::spec::{FormatSpec, Leading, TimeRange};
use super::traits::{FromDraw, TimeOrdered, impl_format};
use crate::bits::{BitField, FieldKind, UuidBits};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::layout::Permutation;
use crate::time::UnixMillis;

const FIELDS: [BitField; 5] = BitField::consecutive([
    ("milliseconds since 1970", FieldKind::millis_since(0), 48),
    ("version", FieldKind::Version(4), 4),
    ("random", FieldKind::Random, 12),
    ("variant", FieldKind::Variant(0b10), 2),
    ("random", FieldKind::Random, 62),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    fits_mariadb_uuid: true,
    ..FormatSpec::new(&FIELDS, Leading::CombPrefix(Permutation::SwapFull))
};

const TIME: TimeRange = SPEC.instants();

/// A version-4 UUID whose bytes B0..B5 are the milliseconds since 1970; the other 74 bits are
/// random. The time lasts until the year 10889.
///
/// Order: public (RFC) order follows the time; inside one millisecond it is random. SQL Server
/// compares other bytes first, so plans store the suffix form there.
///
/// Source: the COMBs of `uuid-creator` (Fabio Lima), after Jimmy Nilsson's "The Cost of GUIDs as
/// Primary Keys", which counted 1/300 seconds instead.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct PrefixComb(UuidBits);

impl_format!(PrefixComb, FormatKind::PrefixComb, UuidBits);

impl TimeOrdered for PrefixComb {}

impl PrefixComb {
    /// The id of a time and ten random bytes, which fill the other positions in order. Version and
    /// variant then overwrite six of their bits.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` before 1970 or after the 48-bit field's end.
    pub fn from_parts(time: UnixMillis, random: [u8; 10]) -> Result<Self, Error> {
        Self::from_draw(time, &(), comb::around_field(random, 0))
    }

    /// When the id was made, to the millisecond.
    pub const fn time(self) -> UnixMillis {
        SPEC.instant_of(self.to_u128())
    }
}

impl FromDraw for PrefixComb {
    type Context = ();

    #[inline]
    fn from_draw(time: UnixMillis, (): &(), random: u128) -> Result<Self, Error> {
        let time = TIME.check(FormatKind::PrefixComb, time)?;
        Ok(Self::admitted(comb::full_prefix(time.get() as u64, random)))
    }
}
