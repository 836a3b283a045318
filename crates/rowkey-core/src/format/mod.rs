//! The id formats, one file each, and their shared traits.

use core::fmt;
use core::hash::Hash;
use core::str::FromStr;

use alloc::string::String;

use uuid::Uuid;

use crate::bits::FixedBits;
use crate::error::{Error, FormatProblem};
use crate::layout::Permutation;
use crate::text::{Encoding, ShortText, Width, hyphenated};
use crate::time::UnixMillis;

pub use crate::bits::{BitField, FieldKind};
pub use crate::kind::FormatKind;

/// Declares the impls that every format type shares: all of them follow from its [`FormatKind`].
macro_rules! impl_format {
    ($({$($generics:tt)*})? $name:ty, $kind:expr) => {
        impl $(<$($generics)*>)? $name {
            /// The value of these 128 bits, for constants and fixtures.
            ///
            /// # Panics
            ///
            /// If the bits do not belong to the format: at compile time in a constant.
            pub const fn constant(value: u128) -> Self {
                assert!($kind.admits(value), "these 128 bits do not belong to the format");
                Self(value)
            }

            /// The 128 bits in public (RFC) order, most significant byte first.
            pub const fn to_u128(self) -> u128 {
                self.0
            }

            /// The sixteen bytes in public (RFC) order.
            pub const fn to_bytes(self) -> [u8; 16] {
                self.0.to_be_bytes()
            }

            /// The same bits as a [`uuid::Uuid`].
            pub const fn to_uuid(self) -> uuid::Uuid {
                uuid::Uuid::from_u128(self.0)
            }
        }

        impl $(<$($generics)*>)? $crate::format::sealed::Sealed for $name {
            #[inline]
            fn from_admitted(value: u128) -> Self {
                Self(value)
            }
        }

        impl $(<$($generics)*>)? $crate::format::Format for $name {
            const KIND: $crate::format::FormatKind = $kind;

            #[inline]
            fn to_u128(self) -> u128 {
                self.0
            }
        }

        impl $(<$($generics)*>)? core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!("{}({})"), $kind.type_name(), self)
            }
        }

        impl $(<$($generics)*>)? core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(&$kind.public_text(self.0))
            }
        }

        impl $(<$($generics)*>)? core::str::FromStr for $name {
            type Err = $crate::Error;

            fn from_str(text: &str) -> Result<Self, $crate::Error> {
                $kind.parse_public(text).map(Self)
            }
        }

        impl $(<$($generics)*>)? From<$name> for uuid::Uuid {
            fn from(id: $name) -> Self {
                id.to_uuid()
            }
        }

        impl $(<$($generics)*>)? From<$name> for u128 {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl $(<$($generics)*>)? TryFrom<uuid::Uuid> for $name {
            type Error = $crate::Error;

            #[inline]
            fn try_from(value: uuid::Uuid) -> Result<Self, $crate::Error> {
                $kind.check(value.as_u128()).map(Self)
            }
        }

        impl $(<$($generics)*>)? TryFrom<u128> for $name {
            type Error = $crate::Error;

            #[inline]
            fn try_from(value: u128) -> Result<Self, $crate::Error> {
                $kind.check(value).map(Self)
            }
        }
    };
}

mod any_uuid;
pub(crate) mod comb;
pub(crate) mod distributed_id;
pub(crate) mod distributed_id128;
pub(crate) mod hot_guid;
mod iuid;
mod luuid;
mod prefix_comb;
mod short_prefix_comb;
mod short_suffix_comb;
mod spec;
mod suffix_comb;
mod uuid_v4;
mod uuid_v7;

pub use any_uuid::AnyUuid;
pub use comb::interval_counter;
pub(crate) use comb::interval_number;
pub use distributed_id::DistributedId;
pub use distributed_id128::DistributedId128;
pub use hot_guid::HotGuid;
pub use iuid::{Iuid, IuidContext};
pub(crate) use luuid::NUMBER_MAX as LUUID_NUMBER_MAX;
pub use luuid::{Luuid, LuuidGroup, crc12};
pub use prefix_comb::PrefixComb;
pub use short_prefix_comb::ShortPrefixComb;
pub use short_suffix_comb::ShortSuffixComb;
pub use suffix_comb::SuffixComb;
pub use uuid_v4::UuidV4;
pub use uuid_v7::UuidV7;

use spec::FormatSpec;
pub(crate) use spec::{Leading, TimeField, TimeRange, TimeUnit};

macro_rules! list_specs {
    ([] $(
        $module:ident $format:ident $name:literal [$($generics:tt)*] [$($arguments:tt)*];
    )*) => {
        /// The specs of the formats, indexed by [`FormatKind`].
        const SPECS: &[FormatSpec; FormatKind::ALL.len()] = &[$($module::SPEC),*];
    };
}

crate::kind::format_rows!(list_specs);

pub(crate) mod sealed {
    /// Seals [`Format`](super::Format), and lets this crate build a value whose bits it has already
    /// checked.
    pub trait Sealed {
        /// The value of bits that [`FormatKind::admits`](super::FormatKind::admits).
        fn from_admitted(value: u128) -> Self;
    }
}

/// An id algorithm: 128 bits in public (RFC) order, of which some are fixed.
///
/// The trait is sealed. `Ord` is the numeric order of the 128 bits, which is the order of every
/// public text, of PostgreSQL's `uuid` and of `BINARY(16)`; SQL Server's order is
/// [`SqlServerOrd`](crate::storage::SqlServerOrd).
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
    fn encode(self, encoding: Encoding) -> ShortText {
        Self::KIND.width().encode_admitted(encoding, self.to_u128())
    }

    /// Reads text in another encoding than the public one.
    ///
    /// # Errors
    ///
    /// [`Error::Text`] when the text does not have the encoding's length, alphabet or range,
    /// [`Error::Format`] when the value is not of this format.
    fn decode(encoding: Encoding, text: &str) -> Result<Self, Error> {
        let value = Self::KIND.width().decode(encoding, text)?;
        Self::try_from(value)
    }
}

impl FormatKind {
    /// The format's spec.
    #[inline]
    pub(crate) const fn spec(self) -> &'static FormatSpec {
        &SPECS[self as usize]
    }

    /// The public form's fields, from the most significant bit to the least. Their widths add up to
    /// 128.
    pub const fn fields(self) -> &'static [BitField] {
        self.spec().fields
    }

    /// When an id of this format was made; `None` for formats without an instant (short COMBs only
    /// carry a counter that wraps around) and for numbers that no clock produces.
    pub fn time_of(self, value: u128) -> Option<UnixMillis> {
        self.spec().time_of(value)
    }

    /// The encodings' width: 28 decimal digits for a DistributedId, 128 bits for the others.
    #[inline]
    pub const fn width(self) -> Width {
        self.spec().width
    }

    /// Whether these 128 bits belong to the format: its version and variant, or its range.
    #[inline]
    pub const fn admits(self, value: u128) -> bool {
        let FixedBits { mask, bits } = self.spec().fixed;
        value & mask == bits && value <= self.width().max()
    }

    /// The value itself if it belongs to the format.
    ///
    /// # Errors
    ///
    /// [`Error::Format`], with the fixed bits that differ.
    #[inline]
    pub fn check(self, value: u128) -> Result<u128, Error> {
        if self.admits(value) {
            Ok(value)
        } else {
            Err(self.explain(value))
        }
    }

    /// Out of line, so that successful parsing does not pay for it.
    #[cold]
    fn explain(self, value: u128) -> Error {
        Error::Format {
            format: self,
            problem: self.problem(value, Permutation::Identity),
        }
    }

    /// The first rule that `value` breaks, with its position in the text of the layout.
    pub(crate) fn problem(self, value: u128, layout: Permutation) -> FormatProblem {
        let nibble = |shift: u32| ((value >> shift) & 0xf) as u8;
        let position = |shift: u32| hyphenated::position_of_digit(layout.apply(0xf << shift));
        let FixedBits { mask, bits } = self.spec().fixed;
        let differs = (value ^ bits) & mask;
        if value > self.width().max() {
            FormatProblem::TooLarge { digits: 28 }
        } else if differs >> 76 & 0xf != 0 {
            FormatProblem::Version {
                position: position(76),
                expected: (bits >> 76 & 0xf) as u8,
                found: nibble(76),
            }
        } else if differs >> 72 & 0xf != 0 {
            FormatProblem::InternalVersion { found: nibble(72) }
        } else {
            // The RFC's variant has two bits, so the digit has four possible values.
            let expected = if mask >> 60 & 0xf == 0xf {
                "a"
            } else {
                "8, 9, a or b"
            };
            FormatProblem::Variant {
                position: position(60),
                expected,
                found: nibble(60),
            }
        }
    }

    /// The public text: decimal digits for a DistributedId, hyphenated lower case for the others.
    pub fn public_text(self, value: u128) -> ShortText {
        self.width().encode_admitted(self.public_encoding(), value)
    }

    /// The encoding of the public text.
    pub const fn public_encoding(self) -> Encoding {
        match self.width() {
            Width::Decimal28 => Encoding::Decimal,
            _ => Encoding::Uuid,
        }
    }

    /// Reads the public text.
    ///
    /// # Errors
    ///
    /// [`Error::Text`] for text of another form, [`Error::Format`] for a value of another format.
    #[inline]
    pub fn parse_public(self, text: &str) -> Result<u128, Error> {
        let value = match self.width() {
            Width::Decimal28 => Width::Decimal28.decode(Encoding::Decimal, text)?,
            _ => hyphenated::parse(text)?,
        };
        self.check(value)
    }
}

/// The name on the command line, such as `short-prefix-comb`.
impl FromStr for FormatKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| Error::UnknownName {
                what: "format",
                name: name.into(),
                choices: names().into(),
            })
    }
}

/// The names of all formats: `this, that and another`.
#[cold]
fn names() -> String {
    let mut names = String::new();
    for (index, kind) in FormatKind::ALL.into_iter().enumerate() {
        names += match index {
            0 => "",
            _ if index + 1 == FormatKind::ALL.len() => " and ",
            _ => ", ",
        };
        names += kind.name();
    }
    names
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

/// A format whose values are all the numbers from 0 to its largest, without gaps.
///
/// Formats with a version or other fixed bits do not implement it.
pub trait Contiguous: Format {}
