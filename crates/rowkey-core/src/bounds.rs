//! Values typed by a key, in a file of their own because `EntityKey` names them in its methods.

use core::marker::PhantomData;

use crate::value_range::{ValueRange, ValueRanges};

/// An edge of a range of `K`. It is not a key: it was never generated or stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyBound<K> {
    pub(crate) value: u128,
    pub(crate) key: PhantomData<fn() -> K>,
}

/// One half-open interval of keys, `lower` to below `upper`; `None` is unbounded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyRange<K> {
    /// The lower edge of the interval (inclusive).
    pub lower: Option<KeyBound<K>>,
    /// The upper edge of the interval (exclusive).
    pub upper: Option<KeyBound<K>>,
}

/// The keys of a time span, or of a [short key](crate::luuid::ShortKey): none, one or two
/// [`KeyRange`]s, disjoint and in column order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Bounds<K> {
    pub(crate) ranges: [KeyRange<K>; 2],
    pub(crate) len: u8,
}

impl<K> Bounds<K> {
    /// The keys of intervals, with edges that fit the plan.
    pub(crate) fn of_values(values: ValueRanges) -> Self {
        let edge = |value| KeyBound {
            value,
            key: PhantomData,
        };
        let typed = |range: ValueRange| KeyRange {
            lower: range.lower.map(edge),
            upper: range.upper.map(edge),
        };
        Self {
            ranges: values.ranges.map(typed),
            len: values.len,
        }
    }
}

/// The number of a LUUID key within its group, 0 to 2^48-1, without the random bits: for letters,
/// URLs, and reading out.
///
/// The text is lower-case hexadecimal without leading zeros, such as `23122e`. Parsing accepts 1 to
/// 12 hexadecimal digits of either case, including leading zeros, and nothing else; the radix is
/// sixteen even for `2078`. serde writes the text, and the number in binary formats.
///
/// A short key is not the key: without a unique index, two entities can have the same number. To
/// find keys by their number, use [`bounds`](Self::bounds).
///
/// ```
/// use rowkey_core::luuid::ShortKey;
/// use rowkey_core::{EntityKey, Luuid};
///
/// fn tell<K: EntityKey<Format = Luuid>>(customer: K) -> String {
///     format!("For future reference, your client id is {}.", customer.short_key())
/// }
///
/// fn understand<K: EntityKey<Format = Luuid>>(path: &str) -> Result<ShortKey<K>, rowkey_core::Error> {
///     path.strip_prefix("/person/").unwrap_or(path).parse()
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortKey<K> {
    pub(crate) number: u64,
    pub(crate) key: PhantomData<fn() -> K>,
}

impl<K> ShortKey<K> {
    /// The short key of a valid number.
    pub(crate) const fn of(number: u64) -> Self {
        Self {
            number,
            key: PhantomData,
        }
    }
}
