//! LUUID: an entity's number and the CRC-12 of a group name inside a UUID.
//!
//! ```text
//! byte   0 .. 5               6       7     8    8 .. 15
//!      +---------------------+-+-----------+----+-----------------+
//!      | number              |6| group     | 10 | random          |
//!      +---------------------+-+-----------+----+-----------------+
//! bits   48                    4 12          4    60       (6 = version, 10 = variant nibble a)
//! ```

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::spec::{FormatSpec, Leading};
use super::traits::impl_format;
use crate::bits::{BitField, FieldKind, UuidBits};
use crate::error::{Error, ErrorKind, TextProblem};
use crate::kind::FormatKind;
use crate::value_range::ValueRanges;

const FIELDS: [BitField; 5] = BitField::consecutive([
    ("number", FieldKind::Context, 48),
    ("version", FieldKind::Version(6), 4),
    ("group", FieldKind::Context, 12),
    ("variant", FieldKind::Variant(0xa), 4),
    ("random", FieldKind::Random, 60),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec {
    fits_mariadb_uuid: true,
    ..FormatSpec::new(&FIELDS, Leading::Plain)
};

pub(crate) const NUMBER_MAX: u64 = (1 << 48) - 1;
const RANDOM_MASK: u64 = (1 << 60) - 1;

/// A UUID of a 48-bit number, a 12-bit group and 60 random bits.
///
/// The group identifies the kind of entity; the number is unique to the entity within the group and
/// short enough for people to read out. Public (RFC) order is number, group, random; it is not a
/// time order. RFC 9562 has since given version 6 another meaning: never pass LUUIDs to code that
/// extracts version-6 times.
///
/// Source: the 2013 article "Embedding a Primary Key in a UUID / GUID for CQRS / ES".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Luuid(UuidBits);

impl_format!(Luuid, FormatKind::Luuid, UuidBits);

impl Luuid {
    /// The id of a group, a number and 60 random bits.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when `number` has more than 48 or `random` more than 60 bits.
    #[inline]
    pub fn from_parts(group: LuuidGroup, number: u64, random: u64) -> Result<Self, Error> {
        check_number(number)?;
        if random > RANDOM_MASK {
            return Err(field_error("random", random, RANDOM_MASK));
        }
        let high = number << 16 | 6 << 12 | group.0 as u64;
        let low = 0xa << 60 | random;
        Ok(Self::admitted((high as u128) << 64 | low as u128))
    }

    /// The entity's number within its group, 0 to 2^48-1.
    pub const fn number(self) -> u64 {
        (self.to_u128() >> 80) as u64
    }

    /// The same group and random bits with another number, for an entity whose first number turns
    /// out to be taken. This is a different id: replace the first one wherever it was used.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when `number` has more than 48 bits.
    pub fn with_number(self, number: u64) -> Result<Self, Error> {
        Self::from_parts(self.group(), number, self.random())
    }

    /// The number as people read it out: lower-case hexadecimal digits without leading zeros.
    ///
    /// ```
    /// use rowkey_core::Luuid;
    ///
    /// let id: Luuid = "00000023-122e-6aa1-a789-28ef27ab7c62".parse()?;
    /// assert_eq!(id.short_key(), "23122e");
    /// assert_eq!(Luuid::parse_short_key("23122e")?, id.number());
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn short_key(self) -> String {
        format!("{:x}", self.number())
    }

    /// The number of a short key: 1 to 12 hexadecimal digits of either case. The radix is always
    /// sixteen, also for `2078`.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Text` for another length or a character that is not a hexadecimal digit.
    pub fn parse_short_key(text: &str) -> Result<u64, Error> {
        let foreign = text
            .chars()
            .enumerate()
            .find(|(_, character)| !character.is_ascii_hexdigit());
        let problem = match (foreign, u64::from_str_radix(text, 16)) {
            _ if text.is_empty() => TextProblem::Empty,
            (Some((position, found)), _) => TextProblem::Character { position, found },
            (None, Ok(number)) if text.len() <= 12 => return Ok(number),
            _ => TextProblem::Length { found: text.len() },
        };
        Err(Error::text(
            "1 to 12 hexadecimal digits (0-9, a-f) of a key",
            problem,
        ))
    }

    /// The ids with a number, as one interval of public values. Pass `None` for ids of any group,
    /// for a column whose single group is unknown.
    ///
    /// For a typed key, use [`ShortKey::bounds`](crate::luuid::ShortKey::bounds). Both edges are
    /// the smallest valid ids of their group and number, so they keep their place in every layout.
    /// The range of the last number of the last group has no upper bound.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when `number` has more than 48 bits.
    ///
    /// ```
    /// use rowkey_core::luuid::LuuidGroup;
    /// use rowkey_core::Luuid;
    ///
    /// let id: Luuid = "00000023-122e-6fc1-a789-28ef27ab7c62".parse()?;
    /// let number = Luuid::parse_short_key("23122e")?;
    /// let range = Luuid::number_range(Some(LuuidGroup::of("com.acme.Customer")), number)?[0];
    /// assert_eq!(range.lower, Some(0x0000_0023_122e_6fc1_a000_0000_0000_0000));
    /// assert_eq!(range.upper, Some(0x0000_0023_122e_6fc2_a000_0000_0000_0000));
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn number_range(group: Option<LuuidGroup>, number: u64) -> Result<ValueRanges, Error> {
        check_number(number).map(|number| Self::range_of(group, number))
    }

    /// The range of a valid number.
    pub(crate) fn range_of(group: Option<LuuidGroup>, number: u64) -> ValueRanges {
        let first = group.unwrap_or(LuuidGroup(0));
        let (next_group, next_number) = match group {
            Some(LuuidGroup(group)) if group < 0xfff => (LuuidGroup(group + 1), number),
            _ => (LuuidGroup(0), number + 1),
        };
        ValueRanges::one(smallest(first, number), smallest(next_group, next_number))
    }

    /// The group of the entity's type.
    pub const fn group(self) -> LuuidGroup {
        LuuidGroup::in_bits(self.to_u128())
    }

    /// The 60 random bits.
    pub const fn random(self) -> u64 {
        self.to_u128() as u64 & RANDOM_MASK
    }
}

/// The smallest id of a group and a number; `None` if the number is too large.
fn smallest(group: LuuidGroup, number: u64) -> Option<u128> {
    Luuid::from_parts(group, number, 0).ok().map(Luuid::to_u128)
}

/// The number if it has at most 48 bits.
#[inline]
pub(crate) fn check_number(number: u64) -> Result<u64, Error> {
    match number {
        0..=NUMBER_MAX => Ok(number),
        _ => Err(field_error("number", number, NUMBER_MAX)),
    }
}

#[cold]
fn field_error(field: &str, value: u64, max: u64) -> Error {
    Error::field(FormatKind::Luuid, field, value, 0..=max.into())
}

/// The twelve bits that identify a kind of entity in a [`Luuid`]: the CRC-12 of its full name.
///
/// Twelve bits collide early (1 % at about ten groups), so an application must check all its groups
/// together: in constant [`KeyGroups`](crate::luuid::KeyGroups), or when it starts.
///
/// ```
/// use rowkey_core::luuid::LuuidGroup;
///
/// const PERSON: LuuidGroup = LuuidGroup::of("com.soqqo.system.domain.Person");
/// assert_eq!(PERSON.get(), 0xf47);
/// assert_eq!(PERSON.to_string(), "f47");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LuuidGroup(u16);

impl LuuidGroup {
    pub(crate) const COUNT: usize = 1 << 12;

    /// The group of a name, such as `com.acme.Customer`: its [`crc12`].
    pub const fn of(name: &str) -> Self {
        Self(crc12(name.as_bytes()))
    }

    /// The group of a known number.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when `number` has more than 12 bits.
    pub fn new(number: u16) -> Result<Self, Error> {
        if number > 0xfff {
            return Err(field_error("group", number.into(), 0xfff));
        }
        Ok(Self(number))
    }

    /// The group in the bits of a LUUID.
    pub(crate) const fn in_bits(value: u128) -> Self {
        Self((value >> 64) as u16 & 0xfff)
    }

    /// The group's number, 0 to 4095.
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The error when a group has no number left.
    #[doc(hidden)]
    #[cold]
    pub fn used_up(self) -> Error {
        Error::new(
            ErrorKind::Exhausted,
            format!("group {self} has no number left: the last is ffffffffffff"),
        )
    }

    /// The error of an id of a group that no key has.
    #[cold]
    pub(crate) fn unknown(self) -> Error {
        Error::new(ErrorKind::Format, format!("no key has the group {self}"))
    }

    /// The error of an id of a group that isn't the key's.
    #[cold]
    pub(crate) fn refused_by(self, key: &str, group: Self) -> Error {
        Error::new(
            ErrorKind::Format,
            format!("{key} holds ids of group {group}, not of group {self}"),
        )
    }
}

/// Three hexadecimal digits.
impl fmt::Display for LuuidGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = [8, 4, 0].map(|shift| b"0123456789abcdef"[usize::from(self.0 >> shift & 0xf)]);
        f.pad(core::str::from_utf8(&digits).unwrap_or_default())
    }
}

/// The CRC-12 of LUUID groups: polynomial 0x80F reflected (0xF01), initial value and final XOR
/// 0xFFF, over the UTF-8 bytes of a name. It is not a catalogued CRC-12.
///
/// ```
/// assert_eq!(rowkey_core::luuid::crc12(b"123456789"), 0xddd);
/// ```
pub const fn crc12(bytes: &[u8]) -> u16 {
    let mut crc = 0xfff;
    let mut index = 0;
    while index < bytes.len() {
        crc = (crc >> 8) ^ CRC12[((crc ^ bytes[index] as u16) & 0xff) as usize];
        index += 1;
    }
    crc ^ 0xfff
}

/// The CRC-12 table by byte. One step per byte instead of one per bit keeps a registry of all 4,096
/// groups within the compiler's limit for constant evaluation.
static CRC12: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = byte as u16;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (if crc & 1 == 1 { 0xf01 } else { 0 });
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};
