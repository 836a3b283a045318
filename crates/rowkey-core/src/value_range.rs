//! Intervals of public values.

use core::ops::Deref;

/// One half-open interval of public values, `lower` to below `upper`; `None` is unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ValueRange {
    /// The smallest value of the interval (inclusive).
    pub lower: Option<u128>,
    /// The end of the interval (exclusive).
    pub upper: Option<u128>,
}

/// None, one or two [`ValueRange`]s: the ids of a time span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ValueRanges {
    pub(crate) ranges: [ValueRange; 2],
    pub(crate) len: u8,
}

impl ValueRanges {
    pub(crate) const EMPTY: Self = Self {
        ranges: [ValueRange {
            lower: None,
            upper: None,
        }; 2],
        len: 0,
    };
    pub(crate) const ALL: Self = Self {
        len: 1,
        ..Self::EMPTY
    };

    pub(crate) const fn one(lower: Option<u128>, upper: Option<u128>) -> Self {
        Self {
            ranges: [ValueRange { lower, upper }; 2],
            len: 1,
        }
    }

    pub(crate) const fn two(first: ValueRange, second: ValueRange) -> Self {
        Self {
            ranges: [first, second],
            len: 2,
        }
    }
}

impl ValueRanges {
    /// The part of the ranges up to `max`, such as a column's
    /// [`max_value`](crate::storage::Column::max_value): an edge beyond it becomes open, because a
    /// column of digits would truncate it to another number.
    #[must_use]
    pub fn within(self, max: u128) -> Self {
        let mut within = Self::EMPTY;
        for range in self
            .iter()
            .filter(|range| range.lower.is_none_or(|lower| lower <= max))
        {
            within.ranges[usize::from(within.len)] = ValueRange {
                lower: range.lower,
                upper: range.upper.filter(|upper| *upper <= max),
            };
            within.len += 1;
        }
        within
    }
}

impl Deref for ValueRanges {
    type Target = [ValueRange];

    fn deref(&self) -> &[ValueRange] {
        &self.ranges[..usize::from(self.len)]
    }
}
