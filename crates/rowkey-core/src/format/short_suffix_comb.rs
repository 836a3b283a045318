//! A version-4 UUID with a 16-bit interval counter in B10 B11.
//!
//! ```text
//! byte   0 .. 5      6       7     8 .. 9       10   11   12 .. 15
//!      +-----------+-+-----------+-+----------+---------+-----------+
//!      | random    |4| random    |2| random   | counter | random    |
//!      +-----------+-+-----------+-+----------+---------+-----------+
//! bits   48          4 12          2 14         16        32       (4 = version, 2 = variant 10)
//! ```

use super::comb::{self, checked_interval};
use super::short_prefix_comb::ShortPrefixComb;
use super::spec::{FormatSpec, Leading};
use super::traits::{FromDraw, TimeOrdered, impl_format};
use crate::bits::{BitField, FieldKind, UuidBits};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::layout::Permutation;
use crate::time::UnixMillis;

const FIELDS: [BitField; 7] = BitField::consecutive([
    ("random", FieldKind::Random, 48),
    ("version", FieldKind::Version(4), 4),
    ("random", FieldKind::Random, 12),
    ("variant", FieldKind::Variant(0b10), 2),
    ("random", FieldKind::Random, 14),
    ("counter", FieldKind::Interval, 16),
    ("random", FieldKind::Random, 32),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    fits_mariadb_uuid: true,
    ..FormatSpec::new(&FIELDS, Leading::CombSuffix(Permutation::SwapShort))
};

/// A version-4 UUID whose bytes B10 B11 count intervals of `INTERVAL_MS` milliseconds since 1970,
/// modulo 65,536; the other 106 bits are random.
///
/// The counter wraps around: with the default interval of one minute it returns to 0 every 45.5
/// days. A database inserts new values close together. An id does not reveal the instant it was
/// made, and ids of one interval are in random order.
///
/// Order: SQL Server's `uniqueidentifier` order follows the counter; public (RFC) order is random,
/// so plans store the prefix form elsewhere.
///
/// Source: the short COMBs of `uuid-creator` (Fabio Lima); the idea and its validation are
/// described in Damir Murat's "Random UUID as a Primary Key in the Relational Database".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ShortSuffixComb<const INTERVAL_MS: u64 = 60_000>(UuidBits);

impl_format!({const INTERVAL_MS: u64} ShortSuffixComb<INTERVAL_MS>, FormatKind::ShortSuffixComb, UuidBits);

impl<const INTERVAL_MS: u64> TimeOrdered for ShortSuffixComb<INTERVAL_MS> {
    const STEP_MS: u64 = Self::INTERVAL_MS;
}

impl<const INTERVAL_MS: u64> ShortSuffixComb<INTERVAL_MS> {
    /// Milliseconds per step of the counter.
    pub const INTERVAL_MS: u64 = checked_interval(INTERVAL_MS);

    /// The id of a counter and fourteen random bytes, which fill the other positions in order.
    /// Version and variant then overwrite six of their bits.
    pub const fn from_parts(counter: u16, random: [u8; 14]) -> Self {
        Self::admitted(comb::short_suffix(counter, comb::around_field(random, 10)))
    }

    /// The counter that ids made at `time` carry.
    pub const fn counter_at(time: UnixMillis) -> u16 {
        comb::interval_number(time, Self::INTERVAL_MS).rem_euclid(comb::RING) as u16
    }

    /// The interval counter, 0 to 65,535.
    pub const fn counter(self) -> u16 {
        comb::short_suffix_field(self.to_u128())
    }

    /// The same id as a prefix COMB: B10 B11 exchanged with B0 B1. Reversible, and still a valid
    /// version-4 UUID in time order. The order within one interval changes.
    pub const fn to_prefix(self) -> ShortPrefixComb<INTERVAL_MS> {
        ShortPrefixComb::admitted(Permutation::SwapShort.apply(self.to_u128()))
    }
}

impl<const INTERVAL_MS: u64> ShortPrefixComb<INTERVAL_MS> {
    /// The same id as a suffix COMB: B0 B1 exchanged with B10 B11. Reversible, and still a valid
    /// version-4 UUID in time order. The order within one interval changes.
    pub const fn to_suffix(self) -> ShortSuffixComb<INTERVAL_MS> {
        ShortSuffixComb::admitted(Permutation::SwapShort.apply(self.to_u128()))
    }
}

impl<const INTERVAL_MS: u64> FromDraw for ShortSuffixComb<INTERVAL_MS> {
    type Context = ();

    const COARSE_CLOCK_SUFFICES: bool = INTERVAL_MS >= 1_000;

    #[inline]
    fn from_draw(time: UnixMillis, (): &(), random: u128) -> Result<Self, Error> {
        Ok(Self::admitted(comb::short_suffix(
            Self::counter_at(time),
            random,
        )))
    }
}
