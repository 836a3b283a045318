//! What the format types have in common.

use core::fmt;
use core::hash::Hash;
use core::str::FromStr;

use uuid::Uuid;

use super::spec::{TimeField, TimeUnit};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::text::{Encoding, ShortText};
use crate::time::UnixMillis;

pub(crate) mod sealed {
    /// Bits that [`FormatKind::admits`](super::FormatKind::admits). Only this crate can say so.
    pub struct Admitted(u128);

    impl Admitted {
        #[inline]
        pub(crate) const fn new(value: u128) -> Self {
            Self(value)
        }

        #[inline]
        pub(crate) const fn get(self) -> u128 {
            self.0
        }
    }

    /// Seals [`Format`](super::Format), and lets this crate build a value whose bits it has already
    /// checked.
    pub trait Sealed {
        // `Admitted`, not a number: a bound in another crate brings this function into scope there.
        fn from_admitted(value: Admitted) -> Self;
    }
}

/// An id algorithm: 128 bits in public (RFC) order, of which some are fixed.
///
/// The trait is sealed. `Ord` is the numeric order of the 128 bits, which is the order of every
/// public text, of PostgreSQL's `uuid` and of `BINARY(16)`; SQL Server's order is
/// [`SqlServerOrd`](crate::storage::SqlServerOrd).
///
/// An id takes 16 bytes in memory. So does an `Option` of it if the format has a variant; for the
/// others, whose ids can be zero, it takes 32.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an id format of rowkey",
    label = "not an id format",
    note = "a key wraps a type of `rowkey::format`, such as ShortPrefixComb, UuidV7 or DistributedId"
)]
pub trait Format:
    sealed::Sealed
    + Copy
    + Ord
    + Hash
    + fmt::Debug
    + fmt::Display
    + FromStr<Err = Error>
    + TryFrom<u128, Error = Error>
    + TryFrom<Uuid, Error = Error>
    + Send
    + Sync
    + 'static
{
    /// The algorithm.
    const KIND: FormatKind;

    /// The 128 bits in public (RFC) order.
    fn to_u128(self) -> u128;

    /// The text in another encoding than the public one.
    #[inline]
    fn encode(self, encoding: Encoding) -> ShortText {
        Self::KIND.width().encode_admitted(encoding, self.to_u128())
    }

    /// Reads text in another encoding than the public one.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Text` when the text does not have the encoding's length, alphabet or range,
    /// `ErrorKind::Format` when the value is not of this format.
    #[inline]
    fn decode(encoding: Encoding, text: &str) -> Result<Self, Error> {
        let value = Self::KIND.width().decode(encoding, text)?;
        Self::try_from(value)
    }
}

/// Formats whose ids carry an instant or an interval counter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` carries no time, so there is no range of its ids for a time span",
    label = "carries no time"
)]
pub trait TimeOrdered: Format {
    /// Milliseconds per step of the time field: the interval of a short COMB, 1000 for a HotGuid,
    /// otherwise 1.
    const STEP_MS: u64 = match Self::KIND.spec().time {
        Some(TimeField {
            unit: TimeUnit::Instant { unit_ms, .. },
            ..
        }) => unit_ms as u64,
        _ => panic!("the formats with a counter say how long its interval is"),
    };
}

/// A format whose ids need a time, a context and random bits, but no earlier id.
pub(crate) trait FromDraw: Format {
    /// The arguments for a new id; `()` if there are none.
    type Context;

    /// Whether a time that is some milliseconds late suffices.
    const COARSE_CLOCK_SUFFICES: bool = false;

    /// The id of a time and 128 random bits, of which the id uses those at its random positions. A
    /// format without a time field ignores `time`.
    fn from_draw(time: UnixMillis, context: &Self::Context, random: u128) -> Result<Self, Error>;
}

/// The bits of a counter that are random in the first id of a millisecond: all but the first, so
/// that at least half of the counters follow before an overflow.
#[cfg(feature = "std")]
pub(crate) const COUNTER_START_BITS: u32 = u16::BITS - 1;

/// A format whose ids of one millisecond are counted, so that a process makes them in order:
/// [`UuidV7`](super::UuidV7) and [`Iuid`](super::Iuid).
pub trait Counted: Format {
    /// The arguments for a new id; `()` if there are none.
    #[doc(hidden)]
    type Context;

    /// The bits that are random in each id.
    #[doc(hidden)]
    const RANDOM_BITS: u32;

    /// The id of a time within the format's range, a counter and the low bits of `random`. Ids of
    /// one context are in the order of time and counter.
    #[doc(hidden)]
    fn counted(time: UnixMillis, context: &Self::Context, counter: u16, random: u64) -> Self;
}

/// Declares the impls that all format types share. They follow from the [`FormatKind`] and from the
/// type that keeps the 128 bits, by default a `u128`.
macro_rules! impl_format {
    // To and from the type that keeps the bits.
    (@of $value:expr) => { $value };
    (@get $bits:expr) => { $bits };
    (@of $value:expr, $Bits:ident) => { $Bits::new($value) };
    (@get $bits:expr, $Bits:ident) => { $bits.get() };
    ($({$($generics:tt)*})? $name:ty, $kind:expr $(, $Bits:ident)?) => {
        impl $(<$($generics)*>)? $name {
            /// The value of these 128 bits, for constants and fixtures.
            ///
            /// # Panics
            ///
            /// If the bits do not belong to the format: at compile time in a constant.
            pub const fn constant(value: u128) -> Self {
                assert!($kind.admits(value), "these 128 bits do not belong to the format");
                Self::admitted(value)
            }

            /// The value of 128 bits that belong to the format.
            #[inline]
            pub(crate) const fn admitted(value: u128) -> Self {
                Self(impl_format!(@of value $(, $Bits)?))
            }

            /// The 128 bits in public (RFC) order, most significant byte first.
            #[inline]
            pub const fn to_u128(self) -> u128 {
                impl_format!(@get self.0 $(, $Bits)?)
            }

            /// The sixteen bytes in public (RFC) order.
            pub const fn to_bytes(self) -> [u8; 16] {
                self.to_u128().to_be_bytes()
            }

            /// The same bits as a [`uuid::Uuid`].
            pub const fn to_uuid(self) -> uuid::Uuid {
                uuid::Uuid::from_u128(self.to_u128())
            }
        }

        impl $(<$($generics)*>)? $crate::format::traits::sealed::Sealed for $name {
            #[inline]
            fn from_admitted(value: $crate::format::traits::sealed::Admitted) -> Self {
                Self::admitted(value.get())
            }
        }

        impl $(<$($generics)*>)? $crate::format::traits::Format for $name {
            const KIND: $crate::kind::FormatKind = $kind;

            #[inline]
            fn to_u128(self) -> u128 {
                Self::to_u128(self)
            }
        }

        impl $(<$($generics)*>)? core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!("{}({})"), $kind.type_name(), self)
            }
        }

        impl $(<$($generics)*>)? core::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::text::write_padded(&$kind.public_text(self.to_u128()), f)
            }
        }

        impl $(<$($generics)*>)? core::str::FromStr for $name {
            type Err = $crate::Error;

            #[inline]
            fn from_str(text: &str) -> Result<Self, $crate::Error> {
                $kind.parse_public(text).map(Self::admitted)
            }
        }

        impl $(<$($generics)*>)? From<$name> for uuid::Uuid {
            fn from(id: $name) -> Self {
                id.to_uuid()
            }
        }

        impl $(<$($generics)*>)? From<$name> for u128 {
            fn from(id: $name) -> Self {
                id.to_u128()
            }
        }

        impl $(<$($generics)*>)? TryFrom<uuid::Uuid> for $name {
            type Error = $crate::Error;

            #[inline]
            fn try_from(value: uuid::Uuid) -> Result<Self, $crate::Error> {
                $kind.check(value.as_u128()).map(Self::admitted)
            }
        }

        impl $(<$($generics)*>)? TryFrom<u128> for $name {
            type Error = $crate::Error;

            #[inline]
            fn try_from(value: u128) -> Result<Self, $crate::Error> {
                $kind.check(value).map(Self::admitted)
            }
        }
    };
}

pub(super) use impl_format;
