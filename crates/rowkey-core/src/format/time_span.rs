//! The public values that a format gives to the ids of a time span.

use core::ops::{Bound, RangeBounds};
use core::time::Duration;

use super::comb::{CLOCKS_APART, RING, interval_number};
use super::spec::{TimeField, TimeUnit};
use crate::kind::FormatKind;
use crate::time::UnixMillis;
use crate::value_range::{ValueRange, ValueRanges};

impl FormatKind {
    /// The intervals of public values that contain all ids made in a time span; `None` for a format
    /// without time.
    ///
    /// `from` is included, `to` excluded, and either may be open. `interval_ms` only matters for
    /// the short COMBs. For formats coarser than a millisecond, every unit that the span touches is
    /// included as a whole. The edges are the smallest generated ids of their instant, so they keep
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
                // Start and end are rounded to include every unit that the span touches.
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

    /// The intervals of a span given as a range of instants; none for a format without time.
    pub(crate) fn ranges_of(
        self,
        span: impl RangeBounds<UnixMillis>,
        interval_ms: u64,
    ) -> ValueRanges {
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
        self.value_ranges(from, to, interval_ms).unwrap_or_default()
    }

    /// The intervals of the time since an instant; `now` only matters for the short COMBs.
    pub(crate) fn ranges_since(
        self,
        since: UnixMillis,
        now: UnixMillis,
        interval_ms: u64,
    ) -> ValueRanges {
        match self.spec().time {
            Some(TimeField {
                unit: TimeUnit::Interval,
                ..
            }) => {
                let ahead = interval_ms.saturating_mul(CLOCKS_APART);
                let latest = now.saturating_add(Duration::from_millis(ahead));
                self.ranges_of(since..=latest, interval_ms)
            }
            _ => self.ranges_of(since.., interval_ms),
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
