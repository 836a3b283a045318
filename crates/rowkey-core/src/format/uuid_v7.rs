//! A time-ordered version-7 UUID of RFC 9562.
//!
//! ```text
//! byte   0 .. 5                   6       7     8 .. 15
//!      +-------------------------+-+-----------+-+-------------------+
//!      | milliseconds since 1970 |7| random    |2| random            |
//!      +-------------------------+-+-----------+-+-------------------+
//! bits   48                        4 12          2 62      (7 = version, 2 = variant bits 10)
//! ```

use super::comb::around_field;
use super::spec::{FormatSpec, Leading, TimeRange};
use super::traits::{Counted, FromDraw, TimeOrdered, impl_format};
use crate::bits::{BitField, FieldKind, UuidBits};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::time::UnixMillis;

const FIELDS: [BitField; 5] = BitField::consecutive([
    ("milliseconds since 1970", FieldKind::millis_since(0), 48),
    ("version", FieldKind::Version(7), 4),
    ("random", FieldKind::Random, 12),
    ("variant", FieldKind::Variant(0b10), 2),
    ("random", FieldKind::Random, 62),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    fits_mariadb_uuid: true,
    ..FormatSpec::new(&FIELDS, Leading::Plain)
};

const TIME: TimeRange = SPEC.instants();

const RANDOM_AFTER_COUNTER: u128 = (1 << UuidV7::RANDOM_BITS) - 1;

/// A UUID that begins with the milliseconds since 1970; the other 74 bits are free.
///
/// Public (RFC) order follows the time. Inside a millisecond,
/// [`generate`](crate::generate::Generate::generate) counts in the first 16 of these bits, so that
/// a process's ids keep their creation order: see
/// [`OrderedGenerator`](crate::generate::OrderedGenerator). Ids of several processes, and ids from
/// [`generate_with`](crate::generate::Generate::generate_with), are in random order there.
///
/// In SQL Server, plans store all bytes rearranged, so that the ids sort in the same order. Source:
/// RFC 9562.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct UuidV7(UuidBits);

impl_format!(UuidV7, FormatKind::UuidV7, UuidBits);

impl TimeOrdered for UuidV7 {}

impl UuidV7 {
    /// The id of a time and ten random bytes, which fill B6..B15 before version and variant
    /// overwrite six of their bits.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` before 1970 or after the 48-bit field's end in the year 10889.
    pub fn from_parts(time: UnixMillis, random: [u8; 10]) -> Result<Self, Error> {
        Self::from_draw(time, &(), around_field(random, 0))
    }

    /// When the id was made, to the millisecond.
    pub const fn time(self) -> UnixMillis {
        SPEC.instant_of(self.to_u128())
    }
}

impl FromDraw for UuidV7 {
    type Context = ();

    #[inline]
    fn from_draw(time: UnixMillis, (): &(), random: u128) -> Result<Self, Error> {
        let time = TIME.check(FormatKind::UuidV7, time)?;
        Ok(Self::admitted(SPEC.fixed.stamp(
            (time.get() as u128) << 80 | (random & (u128::MAX >> 48)),
        )))
    }
}

impl Counted for UuidV7 {
    type Context = ();

    const RANDOM_BITS: u32 = 74 - u16::BITS;

    #[inline]
    fn counted(time: UnixMillis, (): &(), counter: u16, random: u64) -> Self {
        // Around the version and the variant.
        let counter =
            u128::from(counter >> 4) << 64 | u128::from(counter & 0xf) << Self::RANDOM_BITS;
        let random = u128::from(random) & RANDOM_AFTER_COUNTER;
        Self::admitted(
            SPEC.fixed
                .stamp((time.get() as u128) << 80 | counter | random),
        )
    }
}
