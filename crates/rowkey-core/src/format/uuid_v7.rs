//! A time-ordered version-7 UUID of RFC 9562.
//!
//! ```text
//! byte   0 .. 5                   6       7     8 .. 15
//!      +-------------------------+-+-----------+-+-------------------+
//!      | milliseconds since 1970 |7| random    |2| random            |
//!      +-------------------------+-+-----------+-+-------------------+
//! bits   48                        4 12          2 62      (7 = version, 2 = variant bits 10)
//! ```

use super::FixedBits;
use super::comb::{MILLIS_48, around_field};
use crate::format::FormatKind;
use crate::generate::{Clock, Entropy, GenerateWith};
use crate::{Error, UnixMillis};

pub(crate) const FIXED: FixedBits = FixedBits::rfc(7);

/// A UUID that begins with the milliseconds since 1970; 74 bits are random.
///
/// Public (RFC) order follows the time; inside one millisecond it is random. Plans store it in SQL
/// Server with all bytes rearranged so that its order there is the same. Source: RFC 9562.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct UuidV7(pub(crate) u128);

impl_format!(UuidV7, FormatKind::UuidV7);

impl UuidV7 {
    /// The id of a time and ten random bytes, which fill B6..B15 before version and variant are
    /// stamped over six of their bits.
    ///
    /// # Errors
    ///
    /// [`Error::Time`] before 1970 or after the 48-bit field's end in the year 10889.
    pub fn from_parts(time: UnixMillis, random: [u8; 10]) -> Result<Self, Error> {
        Self::from_draw(time, around_field(random, 0))
    }

    pub(crate) fn from_draw(time: UnixMillis, random: u128) -> Result<Self, Error> {
        let time = MILLIS_48.check(FormatKind::UuidV7, time)?;
        Ok(Self(FIXED.stamp(
            (time.get() as u128) << 80 | (random & (u128::MAX >> 48)),
        )))
    }

    /// When the id was made, to the millisecond.
    pub const fn time(self) -> UnixMillis {
        UnixMillis::new((self.0 >> 80) as i64)
    }
}

impl GenerateWith for UuidV7 {
    type Context = ();

    #[inline]
    fn generate_with(
        (): &(),
        clock: &impl Clock,
        entropy: &mut impl Entropy,
    ) -> Result<Self, Error> {
        Self::from_draw(clock.now(), entropy.next_u128())
    }
}
