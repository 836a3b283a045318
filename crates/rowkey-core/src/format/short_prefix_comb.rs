//! A version-4 UUID with a 16-bit interval counter in B0 B1.
//!
//! ```text
//! byte   0    1    2 .. 5      6       7     8 .. 15
//!      +---------+-----------+-+-----------+-+-----------------+
//!      | counter | random    |4| random    |2| random          |
//!      +---------+-----------+-+-----------+-+-----------------+
//! bits   16        32          4 12          2 62        (4 = version, 2 = variant bits 10)
//! ```

use super::comb::{self, checked_interval};
use super::spec::{FormatSpec, Leading};
use super::traits::{FromDraw, TimeOrdered, impl_format};
use crate::bits::{BitField, FieldKind, UuidBits};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::layout::Permutation;
use crate::time::UnixMillis;

const FIELDS: [BitField; 6] = BitField::consecutive([
    ("counter", FieldKind::Interval, 16),
    ("random", FieldKind::Random, 32),
    ("version", FieldKind::Version(4), 4),
    ("random", FieldKind::Random, 12),
    ("variant", FieldKind::Variant(0b10), 2),
    ("random", FieldKind::Random, 62),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    fits_mariadb_uuid: true,
    ..FormatSpec::new(&FIELDS, Leading::CombPrefix(Permutation::SwapShort))
};

/// A version-4 UUID whose bytes B0 B1 count intervals of `INTERVAL_MS` milliseconds since 1970,
/// modulo 65,536; the other 106 bits are random.
///
/// The counter wraps around: with the default interval of one minute it returns to 0 every 45.5
/// days. A database inserts new values close together. An id does not reveal the instant it was
/// made, and ids of one interval are in random order.
///
/// Order: public (RFC) order follows the counter. SQL Server compares other bytes first, so plans
/// store the suffix form there.
///
/// Source: the short COMBs of `uuid-creator` (Fabio Lima); the idea and its validation are
/// described in Damir Murat's "Random UUID as a Primary Key in the Relational Database".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ShortPrefixComb<const INTERVAL_MS: u64 = 60_000>(UuidBits);

impl_format!({const INTERVAL_MS: u64} ShortPrefixComb<INTERVAL_MS>, FormatKind::ShortPrefixComb, UuidBits);

impl<const INTERVAL_MS: u64> TimeOrdered for ShortPrefixComb<INTERVAL_MS> {
    const STEP_MS: u64 = Self::INTERVAL_MS;
}

impl<const INTERVAL_MS: u64> ShortPrefixComb<INTERVAL_MS> {
    /// Milliseconds per step of the counter.
    pub const INTERVAL_MS: u64 = checked_interval(INTERVAL_MS);

    /// The id of a counter and fourteen random bytes, which fill the other positions in order.
    /// Version and variant then overwrite six of their bits.
    pub const fn from_parts(counter: u16, random: [u8; 14]) -> Self {
        Self::admitted(comb::short_prefix(counter, comb::around_field(random, 0)))
    }

    /// The counter that ids made at `time` carry.
    pub const fn counter_at(time: UnixMillis) -> u16 {
        comb::interval_number(time, Self::INTERVAL_MS).rem_euclid(comb::RING) as u16
    }

    /// The interval counter, 0 to 65,535.
    pub const fn counter(self) -> u16 {
        comb::short_prefix_field(self.to_u128())
    }
}

impl<const INTERVAL_MS: u64> FromDraw for ShortPrefixComb<INTERVAL_MS> {
    type Context = ();

    const COARSE_CLOCK_SUFFICES: bool = INTERVAL_MS >= 1_000;

    #[inline]
    fn from_draw(time: UnixMillis, (): &(), random: u128) -> Result<Self, Error> {
        Ok(Self::admitted(comb::short_prefix(
            Self::counter_at(time),
            random,
        )))
    }
}
