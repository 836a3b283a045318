//! The order of ids that one process makes: a time and a counter in one atomic number.
//!
//! Method 1 of RFC 9562, section 6.2, a counter of fixed length after the time:
//!
//! ```text
//! bits   63 .. 16                   15 .. 0
//!      +--------------------------+----------+
//!      | milliseconds since 1970  | counter  |
//!      +--------------------------+----------+
//! ```
//!
//! Each millisecond starts at a random counter below 2^15. A counter that overflows carries into
//! the time, so the next number is always larger.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;

use super::Clock;
use crate::error::Error;
use crate::format::traits::COUNTER_START_BITS;
use crate::kind::FormatKind;
use crate::time::UnixMillis;

const COUNTER_BITS: u32 = u16::BITS;

/// The random bits of a millisecond's first counter.
const SEED_MASK: u64 = (1 << COUNTER_START_BITS) - 1;

/// How far the time may be ahead of the clock, in milliseconds, after the clock was set back or
/// counters have overflowed: more than a time service corrects in one step on a running machine,
/// and too little for a reader to notice.
const MAX_LEAD_MS: u64 = 10_000;

/// The place of an id in the order of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position(u64);

impl Position {
    #[inline]
    pub(super) const fn time(self) -> UnixMillis {
        UnixMillis::new((self.0 >> COUNTER_BITS) as i64)
    }

    #[inline]
    pub(super) const fn counter(self) -> u16 {
        self.0 as u16
    }

    /// This and the following positions, `count` in all.
    #[inline]
    pub(super) fn and_following(self, count: u16) -> impl Iterator<Item = Self> {
        (0..count.into()).map(move |index| Self(self.0 + index))
    }
}

/// The positions that are left in a process. Without a lock: a child may be forked at any moment,
/// and continues after its parent's last position.
#[derive(Debug)]
pub(super) struct Sequence {
    /// The smallest position that was not taken yet.
    next: AtomicU64,
}

#[inline]
fn millis(format: FormatKind, clock: &impl Clock) -> Result<u64, Error> {
    let now = format.spec().instants().check(format, clock.now())?;
    Ok(now.get() as u64)
}

/// What a clock reading allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The positions from here on.
    From(u64),
    /// The time would be too far ahead: wait.
    Wait,
    /// The clock was set back too far to wait for: follow it, from this position on.
    SetBack(u64),
}

/// The first of `count` positions, for the smallest free one and a clock reading.
///
/// Only a clock that was set back can leave `next` further ahead than counters can carry it. How
/// far it was set back is not known: where counters have carried `next` to the limit, a millisecond
/// is enough.
#[inline]
fn step(next: u64, now_ms: u64, seed: u64, count: u16) -> Step {
    /// From the start of the clock's millisecond to the end of the latest one.
    const ALLOWED: u64 = ((MAX_LEAD_MS + 1) << COUNTER_BITS) - 1;

    let start = now_ms << COUNTER_BITS;
    let latest = start.saturating_add(ALLOWED);
    let earliest = start | seed & SEED_MASK;
    // Not the larger of both: draws for later ids would push the counters of all processes to the
    // same end.
    let first = if next > start { next } else { earliest };
    let end = first.checked_add(count.into());
    if end.is_some_and(|end| end <= latest) {
        Step::From(first)
    } else if next >> COUNTER_BITS > now_ms + MAX_LEAD_MS {
        Step::SetBack(earliest)
    } else {
        Step::Wait
    }
}

impl Sequence {
    /// The most positions to take at once, which is how many follow the largest first counter in
    /// its millisecond.
    pub(super) const MOST_AT_ONCE: u16 = 1 << COUNTER_START_BITS;

    pub(super) const fn new() -> Self {
        Self {
            next: AtomicU64::new(0),
        }
    }

    /// Takes `count` consecutive positions, at most [`MOST_AT_ONCE`](Self::MOST_AT_ONCE), and
    /// returns the first. `seed` is random. An error takes no position.
    #[inline]
    pub(super) fn take(
        &self,
        format: FormatKind,
        clock: &impl Clock,
        seed: u64,
        count: u16,
    ) -> Result<Position, Error> {
        let now = millis(format, clock)?;
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            let Step::From(first) = step(next, now, seed, count) else {
                return self.take_far_ahead(format, clock, seed, count);
            };
            match self.replace(next, first + u64::from(count)) {
                Ok(()) => return Ok(Position(first)),
                Err(changed) => next = changed,
            }
        }
    }

    /// [`take`](Self::take) when the clock seems to be far behind.
    ///
    /// The thread may only have slept since it read the clock. So the clock is read again, and
    /// after the positions: if they are still ahead, the clock was set back or counters have
    /// overflowed.
    #[cold]
    #[inline(never)]
    fn take_far_ahead(
        &self,
        format: FormatKind,
        clock: &impl Clock,
        seed: u64,
        count: u16,
    ) -> Result<Position, Error> {
        loop {
            let next = self.next.load(Ordering::Acquire);
            let now = millis(format, clock)?;
            let first = match step(next, now, seed, count) {
                Step::From(first) | Step::SetBack(first) => first,
                Step::Wait => {
                    let wait = Duration::from_millis(1);
                    return Err(Error::throttled(format, wait));
                }
            };
            if self.replace(next, first + u64::from(count)).is_ok() {
                return Ok(Position(first));
            }
        }
    }

    #[inline]
    fn replace(&self, next: u64, later: u64) -> Result<(), u64> {
        self.next
            .compare_exchange_weak(next, later, Ordering::Release, Ordering::Relaxed)
            .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::cell::Cell;

    use super::*;
    use crate::error::ErrorKind;

    const NOW: u64 = 1_700_000_000_000;

    fn clock_of(millis: u64) -> UnixMillis {
        UnixMillis::new(millis as i64)
    }

    fn take(sequence: &Sequence, now: u64, seed: u64, count: u16) -> Result<Position, Error> {
        sequence.take(FormatKind::UuidV7, &clock_of(now), seed, count)
    }

    fn at(millis: u64, counter: u64) -> Position {
        Position(millis << COUNTER_BITS | counter)
    }

    #[test]
    fn a_millisecond_starts_at_the_seed_and_is_counted_from_there() {
        let sequence = Sequence::new();
        assert_eq!(take(&sequence, NOW, 0x8007, 1), Ok(at(NOW, 7)));
        // Whatever is drawn for later ids.
        assert_eq!(take(&sequence, NOW, 0x7fff, 1), Ok(at(NOW, 8)));
        assert_eq!(take(&sequence, NOW, 0, 2), Ok(at(NOW, 9)));
        assert_eq!(take(&sequence, NOW, 0x7fff, 1), Ok(at(NOW, 11)));
        assert_eq!(take(&sequence, NOW + 1, 5, 1), Ok(at(NOW + 1, 5)));
        let first = at(NOW + 1, 5);
        assert_eq!((first.time(), first.counter()), (clock_of(NOW + 1), 5));
        let following: Vec<_> = at(NOW, 0xffff).and_following(2).collect();
        assert_eq!(following, [at(NOW, 0xffff), at(NOW + 1, 0)]);
    }

    #[test]
    fn an_overflow_continues_in_the_next_millisecond() {
        let sequence = Sequence::new();
        take(&sequence, NOW, 0x7fff, 1).unwrap();
        assert_eq!(
            take(&sequence, NOW, 0, Sequence::MOST_AT_ONCE),
            Ok(at(NOW, 0x8000))
        );
        assert_eq!(take(&sequence, NOW, 0, 1), Ok(at(NOW + 1, 0)));
        // Until the clock is there.
        assert_eq!(take(&sequence, NOW + 1, 0, 1), Ok(at(NOW + 1, 1)));
        assert_eq!(take(&sequence, NOW + 2, 0, 1), Ok(at(NOW + 2, 0)));
    }

    #[test]
    fn a_clock_that_stands_still_ends_in_waiting() {
        let sequence = Sequence::new();
        let mut last = take(&sequence, NOW, 0, 1).unwrap();
        let error = loop {
            match take(&sequence, NOW, 0, Sequence::MOST_AT_ONCE) {
                Ok(first) => {
                    assert!(first > last);
                    last = first;
                }
                Err(error) => break error,
            }
        };
        assert!(error.is_throttled(), "{error}");
        let lead = last.time().get() as u64 - NOW;
        assert_eq!(lead, MAX_LEAD_MS);
        // Only as many wait as do not fit.
        let next = take(&sequence, NOW, 0, 1).unwrap();
        assert!(next > last);
        while take(&sequence, NOW, 0, 1).is_ok() {}
        // As soon as the clock advances, so do the ids.
        let later = take(&sequence, NOW + 1, 0, 1).unwrap();
        assert!(later > next);
        assert_eq!(later.time(), clock_of(NOW + MAX_LEAD_MS));
    }

    #[test]
    fn a_clock_that_is_set_back_is_waited_for_up_to_the_limit_and_then_followed() {
        let sequence = Sequence::new();
        take(&sequence, NOW, 5, 1).unwrap();
        let set_back = NOW - MAX_LEAD_MS;
        assert_eq!(take(&sequence, set_back, 5, 1), Ok(at(NOW, 6)));
        assert_eq!(take(&sequence, NOW, 0, 1), Ok(at(NOW, 7)));
        assert_eq!(take(&sequence, set_back - 1, 3, 1), Ok(at(set_back - 1, 3)));
        assert_eq!(take(&sequence, set_back, 0, 1), Ok(at(set_back, 0)));
    }

    /// Only then: with any lead less, ids are counted on.
    #[test]
    fn at_the_full_lead_a_clock_that_is_set_back_at_all_is_followed() {
        let sequence = Sequence::new();
        while take(&sequence, NOW, 0, Sequence::MOST_AT_ONCE).is_ok() {}
        let mut last = take(&sequence, NOW, 0, 1).unwrap();
        assert_eq!(last.time(), clock_of(NOW + MAX_LEAD_MS));
        // A clock that stands still or advances does not set the sequence back.
        while let Ok(next) = take(&sequence, NOW, 0, 1) {
            assert!(next > last);
            last = next;
        }
        let next = take(&sequence, NOW + 1, 0, 1).unwrap();
        assert!(next > last);

        assert_eq!(take(&sequence, NOW, 7, 1), Ok(at(NOW, 7)));
        // Back on the clock, there is room for a set-back again.
        assert_eq!(take(&sequence, NOW - MAX_LEAD_MS, 0, 1), Ok(at(NOW, 8)));

        let almost = Sequence::new();
        let all_but_one = NOW + MAX_LEAD_MS - 1;
        let last = take(&almost, all_but_one, 7, 1).unwrap();
        assert_eq!(last, at(all_but_one, 7));
        assert_eq!(take(&almost, NOW, 0, 1), Ok(at(all_but_one, 8)));
        assert_eq!(take(&almost, NOW - 1, 0, 1), Ok(at(all_but_one, 9)));
        assert_eq!(take(&almost, NOW - 2, 5, 1), Ok(at(NOW - 2, 5)));
    }

    #[test]
    fn a_bad_clock_takes_nothing() {
        let sequence = Sequence::new();
        take(&sequence, NOW, 5, 1).unwrap();
        for bad in [-1, 1 << 48] {
            let result = sequence.take(FormatKind::UuidV7, &UnixMillis::new(bad), 0, 1);
            assert_eq!(result.unwrap_err().kind(), ErrorKind::OutOfRange);
        }
        assert_eq!(take(&sequence, NOW, 5, 1), Ok(at(NOW, 6)));
    }

    #[test]
    fn the_last_millisecond_ends_in_waiting() {
        let sequence = Sequence::new();
        let last = (1 << 48) - 1;
        assert_eq!(take(&sequence, last, 0x7fff, 1), Ok(at(last, 0x7fff)));
        let all_but_one = Sequence::MOST_AT_ONCE - 1;
        assert_eq!(take(&sequence, last, 0, all_but_one), Ok(at(last, 0x8000)));
        let error = take(&sequence, last, 0, 1).unwrap_err();
        assert!(error.is_throttled(), "{error}");
        // A clock that was wrong is followed.
        assert_eq!(take(&sequence, NOW, 1, 1), Ok(at(NOW, 1)));
    }

    /// A thread that sleeps after it has read the clock takes it for one that was set back.
    #[test]
    fn a_late_thread_does_not_set_the_sequence_back() {
        let sequence = Sequence::new();
        let later = NOW + MAX_LEAD_MS + 1_000;
        let readings = Cell::new(0);
        let clock = || {
            readings.set(readings.get() + 1);
            if readings.get() > 1 {
                return clock_of(later);
            }
            // What another thread does while this one sleeps.
            take(&sequence, later, 5, 1).unwrap();
            clock_of(NOW)
        };
        let late = sequence.take(FormatKind::UuidV7, &clock, 0, 1);
        assert_eq!(late, Ok(at(later, 6)));
        assert_eq!(readings.get(), 2);
    }

    /// The same while the clock is read again.
    #[test]
    fn a_thread_that_is_late_twice_starts_over() {
        let sequence = Sequence::new();
        let later = NOW + 2 * MAX_LEAD_MS;
        take(&sequence, later, 5, 1).unwrap();
        let readings = Cell::new(0);
        let clock = || {
            readings.set(readings.get() + 1);
            if readings.get() == 2 {
                take(&sequence, later, 0, 1).unwrap();
            }
            clock_of(NOW)
        };
        let first = sequence.take(FormatKind::UuidV7, &clock, 9, 1);
        assert_eq!(first, Ok(at(NOW, 9)));
        assert_eq!(readings.get(), 3);
    }

    proptest::proptest! {
        #[test]
        fn positions_increase_and_are_near_the_clock(
            next in 0..u64::MAX,
            now in 0..1_u64 << 48,
            seed: u64,
            count in 1..=Sequence::MOST_AT_ONCE,
        ) {
            let (reading, lead) = (u128::from(now), u128::from(MAX_LEAD_MS));
            let limit = (reading + lead + 1) << COUNTER_BITS;
            match step(next, now, seed, count) {
                Step::From(first) => {
                    assert!(first >= next && first >= now << COUNTER_BITS);
                    assert!(u128::from(first) + u128::from(count) < limit);
                }
                Step::Wait => assert!(u128::from(next) < limit),
                Step::SetBack(first) => {
                    assert!(u128::from(next) >= limit);
                    assert_eq!(first >> COUNTER_BITS, now);
                    assert!(first.checked_add(count.into()).is_some());
                }
            }
        }
    }
}
