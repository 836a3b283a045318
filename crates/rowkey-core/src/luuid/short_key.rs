//! The number of an entity within its group, typed by its key.

use alloc::format;
use core::fmt;
use core::str::FromStr;

use crate::bounds::{Bounds, ShortKey};
use crate::format::check_number;
use crate::{EntityKey, Error, Luuid};

impl<K: EntityKey<Format = Luuid>> ShortKey<K> {
    /// The short key of a number.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when `number` has more than 48 bits.
    pub fn new(number: u64) -> Result<Self, Error> {
        check_number(number).map(Self::of)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.number
    }

    /// The keys with this number, as one interval in every storage and layout: group and number are
    /// the first 64 bits, and every column of a LUUID key is sorted by them.
    ///
    /// Use it in a query like a time span. With a unique index on the numbers, it finds at most one
    /// row.
    pub fn bounds(self) -> Bounds<K> {
        let group = K::luuid_context(self.number).group;
        Bounds::of_values(Luuid::range_of(Some(group), self.number))
    }
}

impl<K: EntityKey<Format = Luuid>> From<K> for ShortKey<K> {
    fn from(key: K) -> Self {
        key.short_key()
    }
}

impl<K> From<ShortKey<K>> for u64 {
    fn from(short_key: ShortKey<K>) -> Self {
        short_key.number
    }
}

impl<K: EntityKey<Format = Luuid>> TryFrom<u64> for ShortKey<K> {
    type Error = Error;

    fn try_from(number: u64) -> Result<Self, Error> {
        Self::new(number)
    }
}

/// Lower-case hexadecimal digits without leading zeros, regardless of flags, so that the text can
/// be parsed again.
impl<K> fmt::Display for ShortKey<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:x}", self.number))
    }
}

/// `ShortKey<CustomerId>(23122e)`.
impl<K: EntityKey> fmt::Debug for ShortKey<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShortKey<{}>({self})", K::NAME)
    }
}

impl<K: EntityKey<Format = Luuid>> FromStr for ShortKey<K> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::new(Luuid::parse_short_key(text)?)
    }
}
