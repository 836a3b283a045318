//! The id formats, one file each, and what all of them share.

use core::fmt;
use core::hash::Hash;
use core::str::FromStr;

use uuid::Uuid;

use crate::error::FormatProblem;
use crate::storage::Permutation;
use crate::text::{Encoding, ShortText, Width, hyphenated};
use crate::{Error, UnixMillis};

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
mod distributed_id;
mod distributed_id128;
mod hot_guid;
mod iuid;
mod luuid;
mod prefix_comb;
mod short_prefix_comb;
mod short_suffix_comb;
mod suffix_comb;
mod uuid_v4;
mod uuid_v7;

pub use any_uuid::AnyUuid;
pub use comb::interval_counter;
pub(crate) use comb::interval_number;
pub use distributed_id::{DistributedId, DistributedIdState};
pub use distributed_id128::{DistributedId128, DistributedId128State};
pub use hot_guid::HotGuid;
pub use iuid::{Iuid, IuidContext};
pub(crate) use luuid::KEY_MAX as LUUID_KEY_MAX;
pub use luuid::{Luuid, LuuidContext, LuuidGroup, LuuidKeys, crc12};
pub use prefix_comb::PrefixComb;
pub use short_prefix_comb::ShortPrefixComb;
pub use short_suffix_comb::ShortSuffixComb;
pub use suffix_comb::SuffixComb;
pub use uuid_v4::UuidV4;
pub use uuid_v7::UuidV7;
#[cfg(feature = "std")]
pub use {
    distributed_id::DistributedIdGenerator, distributed_id128::DistributedId128Generator,
    hot_guid::HotGuidGenerator,
};

pub(crate) mod sealed {
    /// Keeps [`Format`](super::Format) closed until its shape has settled, and lets this crate
    /// build a value whose bits it has already checked.
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
    note = "a key wraps one of ShortPrefixComb, ShortSuffixComb, PrefixComb, SuffixComb, UuidV4, \
            UuidV7, AnyUuid, DistributedId, DistributedId128, Luuid, Iuid and HotGuid"
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
    /// Which algorithm this is.
    const KIND: FormatKind;

    /// The 128 bits in public (RFC) order.
    fn to_u128(self) -> u128;

    /// The text of another encoding than the public one.
    fn encode(self, encoding: Encoding) -> ShortText {
        Self::KIND.width().encode_admitted(encoding, self.to_u128())
    }

    /// Reads a text of another encoding than the public one.
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

/// The id algorithms by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FormatKind {
    /// [`ShortPrefixComb`].
    ShortPrefixComb,
    /// [`ShortSuffixComb`].
    ShortSuffixComb,
    /// [`PrefixComb`].
    PrefixComb,
    /// [`SuffixComb`].
    SuffixComb,
    /// [`DistributedId`].
    DistributedId,
    /// [`DistributedId128`].
    DistributedId128,
    /// [`Luuid`].
    Luuid,
    /// [`Iuid`].
    Iuid,
    /// [`HotGuid`].
    HotGuid,
    /// [`UuidV4`].
    UuidV4,
    /// [`UuidV7`].
    UuidV7,
    /// [`AnyUuid`].
    AnyUuid,
}

/// The bits of a format that never vary: `value & mask == bits`.
#[derive(Clone, Copy)]
pub(crate) struct FixedBits {
    pub(crate) mask: u128,
    pub(crate) bits: u128,
}

impl FixedBits {
    pub(crate) const NONE: Self = Self { mask: 0, bits: 0 };

    /// An RFC version (high nibble of byte 6) with the RFC variant (high two bits `10` of byte 8).
    pub(crate) const fn rfc(version: u8) -> Self {
        Self {
            mask: (0xf << 76) | (0b11 << 62),
            bits: ((version as u128) << 76) | (0b10 << 62),
        }
    }

    /// `value` with the fixed bits put in.
    pub(crate) const fn stamp(self, value: u128) -> u128 {
        (value & !self.mask) | self.bits
    }
}

/// The instants that a format can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeRange {
    /// The format's first millisecond, as unix time.
    pub(crate) min: UnixMillis,
    /// The format's last millisecond, as unix time.
    pub(crate) max: UnixMillis,
}

impl TimeRange {
    /// `time` if the format can hold it.
    pub(crate) const fn check(
        self,
        format: FormatKind,
        time: UnixMillis,
    ) -> Result<UnixMillis, Error> {
        if time.get() < self.min.get() || time.get() > self.max.get() {
            Err(Error::Time {
                format,
                time,
                min: self.min,
                max: self.max,
            })
        } else {
            Ok(time)
        }
    }
}

/// How a format carries time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeField {
    /// The ring counter of the short COMBs.
    Counter,
    /// An instant, in whole units of `unit_ms` milliseconds.
    Instant { range: TimeRange, unit_ms: u32 },
}

impl FormatKind {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 12] = [
        Self::ShortPrefixComb,
        Self::ShortSuffixComb,
        Self::PrefixComb,
        Self::SuffixComb,
        Self::DistributedId,
        Self::DistributedId128,
        Self::Luuid,
        Self::Iuid,
        Self::HotGuid,
        Self::UuidV4,
        Self::UuidV7,
        Self::AnyUuid,
    ];

    /// The name on the command line and in messages, such as `short-prefix-comb`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ShortPrefixComb => "short-prefix-comb",
            Self::ShortSuffixComb => "short-suffix-comb",
            Self::PrefixComb => "prefix-comb",
            Self::SuffixComb => "suffix-comb",
            Self::DistributedId => "distributed-id",
            Self::DistributedId128 => "distributed-id128",
            Self::Luuid => "luuid",
            Self::Iuid => "iuid",
            Self::HotGuid => "hot-guid",
            Self::UuidV4 => "uuid-v4",
            Self::UuidV7 => "uuid-v7",
            Self::AnyUuid => "any-uuid",
        }
    }

    /// The name of the Rust type, such as `ShortPrefixComb`.
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::ShortPrefixComb => "ShortPrefixComb",
            Self::ShortSuffixComb => "ShortSuffixComb",
            Self::PrefixComb => "PrefixComb",
            Self::SuffixComb => "SuffixComb",
            Self::DistributedId => "DistributedId",
            Self::DistributedId128 => "DistributedId128",
            Self::Luuid => "Luuid",
            Self::Iuid => "Iuid",
            Self::HotGuid => "HotGuid",
            Self::UuidV4 => "UuidV4",
            Self::UuidV7 => "UuidV7",
            Self::AnyUuid => "AnyUuid",
        }
    }

    #[inline]
    pub(crate) const fn fixed_bits(self) -> FixedBits {
        match self {
            Self::ShortPrefixComb | Self::ShortSuffixComb | Self::PrefixComb | Self::SuffixComb => {
                comb::FIXED
            }
            Self::UuidV4 => uuid_v4::FIXED,
            Self::UuidV7 => uuid_v7::FIXED,
            Self::Luuid => luuid::FIXED,
            Self::Iuid => iuid::FIXED,
            Self::DistributedId | Self::DistributedId128 | Self::HotGuid | Self::AnyUuid => {
                FixedBits::NONE
            }
        }
    }

    pub(crate) const fn time_field(self) -> Option<TimeField> {
        let range = match self {
            Self::ShortPrefixComb | Self::ShortSuffixComb => return Some(TimeField::Counter),
            Self::PrefixComb | Self::SuffixComb | Self::UuidV7 | Self::Iuid => comb::MILLIS_48,
            Self::DistributedId => distributed_id::TIME,
            Self::DistributedId128 => distributed_id128::TIME,
            Self::HotGuid => hot_guid::TIME,
            Self::Luuid | Self::UuidV4 | Self::AnyUuid => return None,
        };
        let unit_ms = if matches!(self, Self::HotGuid) {
            1000
        } else {
            1
        };
        Some(TimeField::Instant { range, unit_ms })
    }

    /// The smallest value of an instant (unix milliseconds within the format's range) or, for the
    /// short COMBs, of a counter.
    pub(crate) const fn smallest_at(self, position: i64) -> u128 {
        match self {
            Self::ShortPrefixComb => comb::short_prefix(position as u16, 0),
            Self::ShortSuffixComb => comb::short_suffix(position as u16, 0),
            Self::PrefixComb => comb::full_prefix(position as u64, 0),
            Self::SuffixComb => comb::full_suffix(position as u64, 0),
            Self::UuidV7 | Self::Iuid => self.fixed_bits().stamp((position as u128) << 80),
            Self::DistributedId => distributed_id::first_at(position),
            Self::DistributedId128 => distributed_id128::first_at(position),
            Self::HotGuid => ((position / 1000) as u128) << 96,
            Self::Luuid | Self::UuidV4 | Self::AnyUuid => 0,
        }
    }

    /// When an id of this format was made; `None` for formats that do not tell (the short COMBs
    /// only tell their interval's place in a ring) and for numbers that no clock produces.
    pub fn time_of(self, value: u128) -> Option<UnixMillis> {
        match self {
            Self::PrefixComb => Some(PrefixComb(value).time()),
            Self::SuffixComb => Some(SuffixComb(value).time()),
            Self::UuidV7 => Some(UuidV7(value).time()),
            Self::Iuid => Some(Iuid(value).time()),
            Self::DistributedId => DistributedId(value).timestamp(),
            Self::DistributedId128 => Some(DistributedId128(value).timestamp()),
            Self::HotGuid => Some(HotGuid(value).time()),
            Self::ShortPrefixComb
            | Self::ShortSuffixComb
            | Self::Luuid
            | Self::UuidV4
            | Self::AnyUuid => None,
        }
    }

    /// The encodings' width: 28 decimal digits for a DistributedId, 128 bits for the others.
    #[inline]
    pub const fn width(self) -> Width {
        match self {
            Self::DistributedId => Width::Decimal28,
            _ => Width::U128,
        }
    }

    /// Whether these 128 bits belong to the format: its version and variant, or its range.
    #[inline]
    pub const fn admits(self, value: u128) -> bool {
        let FixedBits { mask, bits } = self.fixed_bits();
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

    /// Kept out of line: parsing only pays for it when it fails.
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
        let FixedBits { mask, bits } = self.fixed_bits();
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
            let expected = if self == Self::Luuid {
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

    /// Which encoding the public text is.
    pub const fn public_encoding(self) -> Encoding {
        match self {
            Self::DistributedId => Encoding::Decimal,
            _ => Encoding::Uuid,
        }
    }

    /// Reads the public text.
    ///
    /// # Errors
    ///
    /// [`Error::Text`] for a text of another shape, [`Error::Format`] for a value of another
    /// format.
    pub fn parse_public(self, text: &str) -> Result<u128, Error> {
        let value = match self {
            Self::DistributedId => Width::Decimal28.decode(Encoding::Decimal, text)?,
            _ => hyphenated::parse(text)?,
        };
        self.check(value)
    }
}

impl fmt::Display for FormatKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.type_name())
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
                choices: "short-prefix-comb, short-suffix-comb, prefix-comb, suffix-comb, \
                      distributed-id, distributed-id128, luuid, iuid, hot-guid, uuid-v4, uuid-v7 \
                      and any-uuid"
                    .into(),
            })
    }
}

/// Formats whose ids tell, or count, when they were made.
#[diagnostic::on_unimplemented(
    message = "`{Self}` carries no time, so there is no range of its ids for a time span",
    label = "carries no time"
)]
pub trait TimeOrdered: Format {
    /// Milliseconds per step of the time field: the interval of a short COMB, 1000 for a HotGuid,
    /// otherwise 1.
    const STEP_MS: u64;
}

macro_rules! impl_time_ordered {
    ($($format:ty: $step_ms:expr),* $(,)?) => {
        $(impl TimeOrdered for $format { const STEP_MS: u64 = $step_ms; })*
    };
}

impl_time_ordered! {
    PrefixComb: 1, SuffixComb: 1, UuidV7: 1, Iuid: 1, DistributedId: 1, DistributedId128: 1,
    HotGuid: 1000,
}

impl<const INTERVAL_MS: u64> TimeOrdered for ShortPrefixComb<INTERVAL_MS> {
    const STEP_MS: u64 = Self::INTERVAL_MS;
}

impl<const INTERVAL_MS: u64> TimeOrdered for ShortSuffixComb<INTERVAL_MS> {
    const STEP_MS: u64 = Self::INTERVAL_MS;
}
