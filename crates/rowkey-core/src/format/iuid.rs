//! iUID: a version-8 UUID with time, country and service entity.
//!
//! ```text
//! byte   0 .. 5                   6   6   7         8        9      9   10 .. 15
//!      +-------------------------+-+-----+---------+-+--------------+----------+
//!      | milliseconds since 1970 |8| ver1| country |2| service ent. | random   |
//!      +-------------------------+-+-----+---------+-+--------------+----------+
//! bits   48                        4 4     8         2 8              54
//!                                  (8 = version, ver1 = 0, 2 = variant bits 10)
//! ```

use super::spec::{FormatSpec, Leading, TimeRange};
use super::traits::{Counted, FromDraw, TimeOrdered, impl_format};
use crate::bits::{BitField, FieldKind, UuidBits};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::time::UnixMillis;

const FIELDS: [BitField; 7] = BitField::consecutive([
    ("milliseconds since 1970", FieldKind::millis_since(0), 48),
    ("version", FieldKind::Version(8), 4),
    ("internal version", FieldKind::Version(0), 4),
    ("country", FieldKind::Context, 8),
    ("variant", FieldKind::Variant(0b10), 2),
    ("service entity", FieldKind::Context, 8),
    ("random", FieldKind::Random, 54),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec::new(&FIELDS, Leading::Plain);

const TIME: TimeRange = SPEC.instants();

const COUNTRY_SHIFT: u32 = 64;
const SERVICE_ENTITY_SHIFT: u32 = 54;
const RANDOM_MASK: u128 = (1 << 54) - 1;
const RANDOM_AFTER_COUNTER: u64 = (1 << Iuid::RANDOM_BITS) - 1;

/// A UUID of time, country (0 to 255) and service entity (0 to 255); the other 54 bits are free.
///
/// Public (RFC) order is time, country, service entity. Inside a millisecond,
/// [`generate_for`](crate::generate::Generate::generate_for) counts in the first 16 of the free
/// bits, so that a process's ids of one country and service entity keep their creation order: see
/// [`OrderedGenerator`](crate::generate::OrderedGenerator). Ids of several processes, and ids from
/// [`generate_with`](crate::generate::Generate::generate_with), are in random order there. You
/// choose what the numbers mean.
///
/// Source: inDrive's iUID, version 8 of RFC 9562 with internal format version 0; other internal
/// versions are refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Iuid(UuidBits);

impl_format!(Iuid, FormatKind::Iuid, UuidBits);

impl TimeOrdered for Iuid {}

/// The context of a new [`Iuid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IuidContext {
    /// The country's number.
    pub country: u8,
    /// The service entity's number.
    pub service_entity: u8,
}

impl Iuid {
    /// The id of a time, a context and 54 random bits.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` before 1970 or after the 48-bit field's end in the year 10889, and
    /// when `random` has more than 54 bits.
    pub fn from_parts(time: UnixMillis, context: IuidContext, random: u64) -> Result<Self, Error> {
        if u128::from(random) > RANDOM_MASK {
            let valid = 0..=RANDOM_MASK;
            return Err(Error::field(FormatKind::Iuid, "random", random, valid));
        }
        Self::from_draw(time, &context, random.into())
    }

    /// The id of a time within the range and the last 54 bits.
    #[inline]
    fn assemble(time: UnixMillis, context: &IuidContext, free: u128) -> Self {
        Self::admitted(
            (time.get() as u128) << 80
                | SPEC.fixed.bits
                | u128::from(context.country) << COUNTRY_SHIFT
                | u128::from(context.service_entity) << SERVICE_ENTITY_SHIFT
                | free,
        )
    }

    /// When the id was made, to the millisecond.
    pub const fn time(self) -> UnixMillis {
        SPEC.instant_of(self.to_u128())
    }

    /// The country's number.
    pub const fn country(self) -> u8 {
        (self.to_u128() >> COUNTRY_SHIFT) as u8
    }

    /// The service entity's number.
    pub const fn service_entity(self) -> u8 {
        (self.to_u128() >> SERVICE_ENTITY_SHIFT) as u8
    }

    /// The last 54 bits: random, or a counter of 16 bits and 38 random ones.
    pub const fn random(self) -> u64 {
        (self.to_u128() & RANDOM_MASK) as u64
    }
}

impl FromDraw for Iuid {
    type Context = IuidContext;

    #[inline]
    fn from_draw(time: UnixMillis, context: &IuidContext, random: u128) -> Result<Self, Error> {
        let time = TIME.check(FormatKind::Iuid, time)?;
        Ok(Self::assemble(time, context, random & RANDOM_MASK))
    }
}

impl Counted for Iuid {
    type Context = IuidContext;

    const RANDOM_BITS: u32 = 54 - u16::BITS;

    #[inline]
    fn counted(time: UnixMillis, context: &IuidContext, counter: u16, random: u64) -> Self {
        let free = u64::from(counter) << Self::RANDOM_BITS | random & RANDOM_AFTER_COUNTER;
        Self::assemble(time, context, free.into())
    }
}
