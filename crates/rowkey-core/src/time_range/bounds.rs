//! Edges of time ranges, in public order, which columns encode like keys.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Bound, Deref, RangeBounds};
use core::time::Duration;

use crate::format::comb::CLOCKS_APART;
use crate::format::{Format, FormatKind, TimeOrdered};
use crate::format::{TimeField, TimeUnit, interval_number};
use crate::key::EntityKey;
use crate::storage::{Column, Stored};
use crate::time::UnixMillis;
use crate::value_range::{ValueRange, ValueRanges};

impl FormatKind {
    /// The intervals of public values that contain all ids made in a time span; `None` for a format
    /// without time.
    ///
    /// `from` is included, `to` excluded, and either may be open. `interval_ms` only matters for
    /// the short COMBs. For formats coarser than a millisecond, every unit that the span touches is
    /// included as a whole. The edges are the smallest valid ids of their instant, so they keep
    /// their place in every layout of the format; for the short COMBs, a span of a whole turn
    /// contains everything, and one across the wrap-around consists of two intervals.
    ///
    /// For a DistributedId the time is the embedded one, which is the generator's clock minus up to
    /// 1000 ms.
    #[inline]
    pub fn value_ranges(
        self,
        from: Option<UnixMillis>,
        to: Option<UnixMillis>,
        interval_ms: u64,
    ) -> Option<ValueRanges> {
        let field = self.spec().time.as_ref()?;
        match field.unit {
            TimeUnit::Interval => Some(ring_ranges(field, from, to, interval_ms.max(1))),
            TimeUnit::Instant { range, unit_ms } => {
                if from.zip(to).is_some_and(|(from, to)| from >= to) {
                    return Some(ValueRanges::EMPTY);
                }
                let unit = i64::from(unit_ms);
                // The last unit that the span touches precedes the first one that it does not
                // touch.
                let first = from.map(|time| time.get().div_euclid(unit).saturating_mul(unit));
                let end = to.map(|time| match time.get().rem_euclid(unit) {
                    0 => time.get(),
                    part => time.get().saturating_add(unit - part),
                });
                let (min, max) = (range.min.get(), range.max.get());
                if first.is_some_and(|first| first > max) || end.is_some_and(|end| end <= min) {
                    return Some(ValueRanges::EMPTY);
                }
                Some(ValueRanges::one(
                    first
                        .filter(|first| *first >= min)
                        .map(|first| field.smallest_at(first)),
                    end.filter(|end| *end <= max)
                        .map(|end| field.smallest_at(end)),
                ))
            }
        }
    }
}

/// The intervals of a span for the counter of the short COMBs, which wraps around.
fn ring_ranges(
    field: &TimeField,
    from: Option<UnixMillis>,
    to: Option<UnixMillis>,
    interval_ms: u64,
) -> ValueRanges {
    const RING: i64 = 1 << 16;
    let (Some(from), Some(to)) = (from, to) else {
        return ValueRanges::ALL;
    };
    if from >= to {
        return ValueRanges::EMPTY;
    }
    let first = interval_number(from, interval_ms);
    let last = interval_number(UnixMillis::new(to.get() - 1), interval_ms);
    let steps = last.saturating_sub(first).saturating_add(1);
    if steps >= RING {
        return ValueRanges::ALL;
    }
    let start = first.rem_euclid(RING);
    let end = start + steps;
    let lower = Some(field.smallest_at(start));
    match end - RING {
        ..0 => ValueRanges::one(lower, Some(field.smallest_at(end))),
        0 => ValueRanges::one(lower, None),
        wrapped => ValueRanges::two(
            ValueRange {
                lower: None,
                upper: Some(field.smallest_at(wrapped)),
            },
            ValueRange { lower, upper: None },
        ),
    }
}

/// An edge of a range of `K`. It is not a key: it was never generated or stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyBound<K> {
    value: u128,
    key: PhantomData<fn() -> K>,
}

impl<K: EntityKey> KeyBound<K> {
    const fn new(value: u128) -> Self {
        Self {
            value,
            key: PhantomData,
        }
    }

    /// The edge in public order.
    pub const fn to_u128(self) -> u128 {
        self.value
    }

    /// What to bind on a column of the key's plan.
    pub fn encode(self, column: Column) -> Stored {
        column.encode(self.value)
    }
}

impl<K: EntityKey> fmt::Debug for KeyBound<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = K::Format::KIND.public_text(self.value);
        write!(f, "KeyBound<{}>({text})", K::NAME)
    }
}

/// One half-open interval of keys, `lower` to below `upper`; `None` is unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRange<K: EntityKey> {
    /// The lower edge of the interval (inclusive).
    pub lower: Option<KeyBound<K>>,
    /// The upper edge of the interval (exclusive).
    pub upper: Option<KeyBound<K>>,
}

/// The keys of a time span, or of a [short key](crate::luuid::ShortKey): none, one or two [`KeyRange`]s,
/// disjoint and in column order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds<K: EntityKey> {
    ranges: [KeyRange<K>; 2],
    len: u8,
}

impl<K: EntityKey> Bounds<K> {
    pub(crate) fn of(span: impl RangeBounds<UnixMillis>) -> Self
    where
        K::Format: TimeOrdered,
    {
        let after = |time: &UnixMillis| UnixMillis::new(time.get().saturating_add(1));
        let from = match span.start_bound() {
            Bound::Included(time) => Some(*time),
            Bound::Excluded(time) => Some(after(time)),
            Bound::Unbounded => None,
        };
        let to = match span.end_bound() {
            Bound::Included(time) => Some(after(time)),
            Bound::Excluded(time) => Some(*time),
            Bound::Unbounded => None,
        };
        // `TimeOrdered` formats have a time field, so there are always ranges.
        let values = K::Format::KIND
            .value_ranges(from, to, K::Format::STEP_MS)
            .unwrap_or_default()
            .within(const { K::PLAN.max_value() });
        Self::of_values(values)
    }

    pub(crate) fn since(since: UnixMillis, now: UnixMillis) -> Self
    where
        K::Format: TimeOrdered,
    {
        match K::Format::KIND.spec().time {
            Some(TimeField {
                unit: TimeUnit::Interval,
                ..
            }) => {
                let ahead = K::Format::STEP_MS.saturating_mul(CLOCKS_APART);
                let latest = now.saturating_add(Duration::from_millis(ahead));
                Self::of(since..=latest)
            }
            _ => Self::of(since..),
        }
    }

    /// The keys of intervals, with edges that fit the plan.
    pub(crate) fn of_values(values: ValueRanges) -> Self {
        let typed = |range: ValueRange| KeyRange {
            lower: range.lower.map(KeyBound::new),
            upper: range.upper.map(KeyBound::new),
        };
        Self {
            ranges: values.ranges.map(typed),
            len: values.len,
        }
    }
}

impl<K: EntityKey> Deref for Bounds<K> {
    type Target = [KeyRange<K>];

    fn deref(&self) -> &[KeyRange<K>] {
        &self.ranges[..usize::from(self.len)]
    }
}
