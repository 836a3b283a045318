//! LUUID: a key number and the CRC-12 of a group name inside a UUID.
//!
//! ```text
//! byte   0 .. 5               6       7     8    8 .. 15
//!      +---------------------+-+-----------+----+-----------------+
//!      | key                 |6| group     | 10 | random          |
//!      +---------------------+-+-----------+----+-----------------+
//! bits   48                    4 12          4    60       (6 = version, 10 = variant nibble a)
//! ```

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

use super::spec::{FormatSpec, Leading};
use crate::Error;
use crate::bits::{BitField, FieldKind};
use crate::error::TextProblem;
use crate::format::FormatKind;
use crate::generate::{Clock, Entropy, GenerateWith};
use crate::time_range::ValueRanges;

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

/// The largest key number.
pub(crate) const KEY_MAX: u64 = (1 << 48) - 1;
const RANDOM_MASK: u64 = (1 << 60) - 1;

/// A UUID of a 48-bit key, a 12-bit group and 60 random bits.
///
/// The group says which kind of entity the id belongs to; the key is a number within the group
/// that people can read out. Public (RFC) order is key, group, random; it is no time order. RFC
/// 9562 has since given version 6 another meaning: never hand LUUIDs to readers of version-6 times.
///
/// Source: the 2013 article "Embedding a Primary Key in a UUID / GUID for CQRS / ES".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Luuid(pub(crate) u128);

impl_format!(Luuid, FormatKind::Luuid);

/// What a [`Luuid`] is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LuuidContext {
    /// The group of the entity's type.
    pub group: LuuidGroup,
    /// The entity's number within the group, 0 to 2^48-1.
    pub key: u64,
}

impl Luuid {
    /// The id of a group, a key and 60 random bits.
    ///
    /// # Errors
    ///
    /// [`Error::Field`] when `key` has more than 48 or `random` more than 60 bits.
    pub const fn from_parts(group: LuuidGroup, key: u64, random: u64) -> Result<Self, Error> {
        if key > KEY_MAX {
            return Err(field_error("key", key as i128, KEY_MAX as i128));
        }
        if random > RANDOM_MASK {
            return Err(field_error("random", random as i128, RANDOM_MASK as i128));
        }
        let high = key << 16 | 6 << 12 | group.0 as u64;
        let low = 0xa << 60 | random;
        Ok(Self((high as u128) << 64 | low as u128))
    }

    /// The entity's number within its group, 0 to 2^48-1.
    pub const fn key(self) -> u64 {
        (self.0 >> 80) as u64
    }

    /// The same group and random bits with another number, for an entity whose first number turned
    /// out to be taken. It is another id: whoever was told the first one has to be told this one.
    ///
    /// # Errors
    ///
    /// [`Error::Field`] when `key` has more than 48 bits.
    pub const fn with_key(self, key: u64) -> Result<Self, Error> {
        Self::from_parts(self.group(), key, self.random())
    }

    /// The key as people read it out: lower-case hexadecimal digits without leading zeros.
    ///
    /// ```
    /// use rowkey_core::Luuid;
    ///
    /// let id: Luuid = "00000023-122e-6aa1-a789-28ef27ab7c62".parse()?;
    /// assert_eq!(id.short_key(), "23122e");
    /// assert_eq!(Luuid::parse_short_key("23122e")?, id.key());
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn short_key(self) -> String {
        format!("{:x}", self.key())
    }

    /// The key of its short text: 1 to 12 hexadecimal digits of either case. The radix is always
    /// sixteen, also for `2078`.
    ///
    /// # Errors
    ///
    /// [`Error::Text`] for another length or a character that is no hexadecimal digit.
    pub fn parse_short_key(text: &str) -> Result<u64, Error> {
        let foreign = text
            .chars()
            .enumerate()
            .find(|(_, character)| !character.is_ascii_hexdigit());
        let problem = match (foreign, u64::from_str_radix(text, 16)) {
            _ if text.is_empty() => TextProblem::Empty,
            (Some((position, found)), _) => TextProblem::Character { position, found },
            (None, Ok(key)) if text.len() <= 12 => return Ok(key),
            _ => TextProblem::Length { found: text.len() },
        };
        Err(Error::Text {
            expected: "1 to 12 hexadecimal digits (0-9, a-f) of a key",
            problem,
        })
    }

    /// The ids with a number, as one interval of public values: those of a group, or of every group,
    /// for a column whose ids are all of one group that is not known.
    ///
    /// It is what [`ShortKey::bounds`](crate::luuid::ShortKey::bounds) is for a typed key. Both edges are the
    /// smallest valid ids of their group and number, so they keep their place in every layout. The
    /// range of the very last number of the last group is open above.
    ///
    /// # Errors
    ///
    /// [`Error::Field`] when `key` has more than 48 bits.
    ///
    /// ```
    /// use rowkey_core::luuid::LuuidGroup;
    /// use rowkey_core::Luuid;
    ///
    /// let id: Luuid = "00000023-122e-6fc1-a789-28ef27ab7c62".parse()?;
    /// let key = Luuid::parse_short_key("23122e")?;
    /// let range = Luuid::short_key_range(Some(LuuidGroup::of("com.acme.Customer")), key)?[0];
    /// assert_eq!(range.lower, Some(0x0000_0023_122e_6fc1_a000_0000_0000_0000));
    /// assert_eq!(range.upper, Some(0x0000_0023_122e_6fc2_a000_0000_0000_0000));
    /// # Ok::<(), rowkey_core::Error>(())
    /// ```
    pub fn short_key_range(group: Option<LuuidGroup>, key: u64) -> Result<ValueRanges, Error> {
        if key > KEY_MAX {
            return Err(field_error("key", key as i128, KEY_MAX as i128));
        }
        Ok(Self::range_of(group, key))
    }

    /// The range of a number that has been checked.
    pub(crate) fn range_of(group: Option<LuuidGroup>, key: u64) -> ValueRanges {
        let first = group.unwrap_or(LuuidGroup(0));
        let (next_group, next_key) = match group {
            Some(LuuidGroup(group)) if group < 0xfff => (LuuidGroup(group + 1), key),
            _ => (LuuidGroup(0), key + 1),
        };
        ValueRanges::one(smallest(first, key), smallest(next_group, next_key))
    }

    /// The group of the entity's type.
    pub const fn group(self) -> LuuidGroup {
        LuuidGroup((self.0 >> 64) as u16 & 0xfff)
    }

    /// The 60 random bits.
    pub const fn random(self) -> u64 {
        self.0 as u64 & RANDOM_MASK
    }
}

/// The smallest id of a group and a number, if there is such a number.
fn smallest(group: LuuidGroup, key: u64) -> Option<u128> {
    Luuid::from_parts(group, key, 0).ok().map(Luuid::to_u128)
}

impl GenerateWith for Luuid {
    type Context = LuuidContext;

    #[inline]
    fn generate_with(
        context: &LuuidContext,
        _: &impl Clock,
        entropy: &mut impl Entropy,
    ) -> Result<Self, Error> {
        Self::from_parts(context.group, context.key, entropy.next_u64() >> 4)
    }
}

const fn field_error(field: &'static str, value: i128, max: i128) -> Error {
    Error::Field {
        format: FormatKind::Luuid,
        field,
        value,
        min: 0,
        max,
    }
}

/// The twelve bits that stand for a kind of entity in a [`Luuid`]: the CRC-12 of its full name.
///
/// Twelve bits clash early (1 % at about ten groups), so an application must check all its groups
/// together: in a constant [`GroupRegistry`](crate::luuid::GroupRegistry), or when it starts.
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
    /// How many numbers there are.
    pub(crate) const COUNT: usize = 1 << 12;

    /// The group of a name, such as `com.acme.Customer`: its [`crc12`].
    pub const fn of(name: &str) -> Self {
        Self(crc12(name.as_bytes()))
    }

    /// The group of a known number.
    ///
    /// # Errors
    ///
    /// [`Error::Field`] when `number` has more than 12 bits.
    pub const fn new(number: u16) -> Result<Self, Error> {
        if number > 0xfff {
            return Err(field_error("group", number as i128, 0xfff));
        }
        Ok(Self(number))
    }

    /// The group's number, 0 to 4095.
    pub const fn get(self) -> u16 {
        self.0
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
/// 0xFFF, over the UTF-8 bytes of a name. It is no catalogued CRC-12.
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

/// What each byte adds to a CRC-12. One step a byte instead of one a bit keeps the names of all
/// 4,096 groups within the steps that the compiler allows a constant.
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

/// Counts the keys of one group, from 1 on, for any number of threads.
///
/// It forgets when the process ends: start it after the largest key that is stored, and give each
/// process that makes keys of the group its own range.
///
/// ```
/// use rowkey_core::luuid::LuuidKeys;
///
/// static CUSTOMERS: LuuidKeys = LuuidKeys::new();
/// assert_eq!((CUSTOMERS.next()?, CUSTOMERS.next()?), (1, 2));
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Debug)]
pub struct LuuidKeys {
    next: AtomicU64,
}

impl LuuidKeys {
    /// The first key is 1.
    pub const fn new() -> Self {
        Self::starting_at(1)
    }

    /// The first key is `first`.
    pub const fn starting_at(first: u64) -> Self {
        Self {
            next: AtomicU64::new(first),
        }
    }

    /// The next key.
    ///
    /// # Errors
    ///
    /// [`Error::Exhausted`] after 2^48-1.
    pub fn next(&self) -> Result<u64, Error> {
        self.next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |key| {
                (key <= KEY_MAX).then_some(key + 1)
            })
            .map_err(|_| Error::Exhausted {
                format: FormatKind::Luuid,
            })
    }
}

impl Default for LuuidKeys {
    fn default() -> Self {
        Self::new()
    }
}
