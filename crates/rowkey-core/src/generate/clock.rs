//! The clocks of generators.

use alloc::sync::Arc;

use crate::time::UnixMillis;

/// A source of the current time.
///
/// The system's clock is [`SystemClock`]. For tests and for work that must use a recorded time,
/// a [`UnixMillis`] is a stopped clock, and any closure that returns one is a clock.
///
/// A clock may jump in either direction; each format defines how its generator reacts.
///
/// ```
/// use core::sync::atomic::{AtomicI64, Ordering};
/// use rowkey_core::UnixMillis;
/// use rowkey_core::generate::Clock;
///
/// let now = AtomicI64::new(1_700_000_000_000);
/// let clock = || UnixMillis::new(now.load(Ordering::Relaxed));
/// now.fetch_add(1, Ordering::Relaxed);
/// assert_eq!(clock.now(), UnixMillis::new(1_700_000_000_001));
/// ```
pub trait Clock {
    /// The current time, floored to a millisecond.
    fn now(&self) -> UnixMillis;
}

impl<T: Fn() -> UnixMillis + ?Sized> Clock for T {
    fn now(&self) -> UnixMillis {
        self()
    }
}

impl Clock for UnixMillis {
    fn now(&self) -> UnixMillis {
        *self
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> UnixMillis {
        (**self).now()
    }
}

/// The system's clock, at its full precision.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(feature = "std")]
impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> UnixMillis {
        UnixMillis::now()
    }
}

/// The system's clock as of the last timer tick: cheaper to read, and a few milliseconds late.
///
/// On Linux this is `CLOCK_REALTIME_COARSE`, 1 to 10 ms behind depending on the kernel; elsewhere
/// it is [`SystemClock`]. Use it for formats that keep only the minute or the second, such as the
/// short COMBs and HotGuids.
#[cfg(feature = "coarse-clock")]
#[derive(Clone, Copy, Debug, Default)]
pub struct CoarseClock;

#[cfg(feature = "coarse-clock")]
impl Clock for CoarseClock {
    #[cfg(target_os = "linux")]
    #[inline]
    fn now(&self) -> UnixMillis {
        let time = read_coarse_clock();
        // `tv_nsec` counts up from `tv_sec` also before 1970, so this rounds down. The kernel
        // counts nanoseconds in 64 bits, so nothing overflows.
        UnixMillis::new(time.tv_sec * 1_000 + i64::from(time.tv_nsec as u32 / 1_000_000))
    }

    #[cfg(not(target_os = "linux"))]
    fn now(&self) -> UnixMillis {
        SystemClock.now()
    }
}

#[cfg(all(feature = "coarse-clock", target_os = "linux"))]
#[inline]
fn read_coarse_clock() -> rustix::time::Timespec {
    rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse)
}

/// The clock of the default generators of formats that keep no finer time than a second.
#[cfg(feature = "coarse-clock")]
pub(super) type ClockOfSeconds = CoarseClock;
#[cfg(all(feature = "std", not(feature = "coarse-clock")))]
pub(super) type ClockOfSeconds = SystemClock;

#[cfg(feature = "std")]
impl ClockOfSeconds {
    /// The whole seconds since 1970, without the detour through milliseconds. `None` before 1970,
    /// and if 32 bits do not suffice.
    #[inline]
    pub(super) fn seconds(&self) -> Option<u32> {
        #[cfg(all(feature = "coarse-clock", target_os = "linux"))]
        let seconds = read_coarse_clock().tv_sec;
        #[cfg(not(all(feature = "coarse-clock", target_os = "linux")))]
        let seconds = std::time::UNIX_EPOCH.elapsed().ok()?.as_secs();
        seconds.try_into().ok()
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    #[cfg(feature = "coarse-clock")]
    use core::time::Duration;

    use super::*;

    #[test]
    fn everything_that_tells_the_time_is_a_clock() {
        let fixed = UnixMillis::new(-1);
        let shared: Arc<dyn Clock> = Arc::new(move || fixed);
        assert_eq!(fixed.now(), shared.now());
        let before = UnixMillis::now();
        let read = SystemClock.now();
        assert!(before <= read && read <= UnixMillis::now());
    }

    #[test]
    fn a_clock_of_seconds_counts_those_of_its_milliseconds() {
        let clock = ClockOfSeconds::default();
        let second = || clock.now().get() / 1_000;
        let earliest = second();
        let read = clock.seconds().map(i64::from);
        let read = read.expect("the clock is between 1970 and 2106");
        let latest = second();
        assert!(
            (earliest..=latest).contains(&read),
            "{earliest} {read} {latest}"
        );
    }

    #[cfg(feature = "coarse-clock")]
    #[test]
    fn the_coarse_clock_is_a_little_late() {
        let earliest = UnixMillis::now().saturating_sub(Duration::from_millis(100));
        let read = CoarseClock.now();
        assert!(earliest <= read && read <= UnixMillis::now());
    }
}
