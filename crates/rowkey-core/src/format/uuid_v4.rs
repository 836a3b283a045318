//! A random version-4 UUID of RFC 9562.
//!
//! ```text
//! byte   0 .. 5      6       7     8 .. 15
//!      +-----------+-+-----------+-+-----------------+
//!      | random    |4| random    |2| random          |
//!      +-----------+-+-----------+-+-----------------+
//! bits   48          4 12          2 62        (4 = version, 2 = variant bits 10)
//! ```

use super::FixedBits;
use crate::Error;
use crate::format::FormatKind;
use crate::generate::{Clock, Entropy, GenerateWith};

pub(crate) const FIXED: FixedBits = FixedBits::rfc(4);

/// A random UUID: 122 random bits, version 4, RFC variant.
///
/// Carries no time and no order. Source: RFC 9562.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct UuidV4(pub(crate) u128);

impl_format!(UuidV4, FormatKind::UuidV4);

impl UuidV4 {
    /// The id of sixteen random bytes; version and variant are stamped over six of their bits.
    pub const fn from_random(random: [u8; 16]) -> Self {
        Self(FIXED.stamp(u128::from_be_bytes(random)))
    }
}

impl GenerateWith for UuidV4 {
    type Context = ();

    #[inline]
    fn generate_with((): &(), _: &impl Clock, entropy: &mut impl Entropy) -> Result<Self, Error> {
        Ok(Self(FIXED.stamp(entropy.next_u128())))
    }
}
