//! Instants as the formats see them: whole milliseconds.

use core::fmt;
use core::time::Duration;

/// An instant in whole milliseconds since 1970-01-01T00:00:00Z, negative before it.
///
/// Every time that enters or leaves a format has this type. Conversions from finer clocks round
/// down, also before 1970, and never use floating-point numbers.
///
/// ```
/// use rowkey_core::UnixMillis;
///
/// assert_eq!(UnixMillis::from_micros(-1), UnixMillis::new(-1));
/// assert_eq!(UnixMillis::from_micros(1_999), UnixMillis::new(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(i64);

impl UnixMillis {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    /// The instant `millis` ms after (or, negative, before) 1970-01-01T00:00:00Z.
    pub const fn new(millis: i64) -> Self {
        Self(millis)
    }

    /// The instant `micros` microseconds after 1970-01-01T00:00:00Z, floored to a millisecond.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros.div_euclid(1_000))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// This instant moved by `duration` into the future, clamped at the end of the `i64` range.
    /// A part of a millisecond counts as a whole one.
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(whole_millis(duration)))
    }

    /// This instant moved by `duration` into the past, clamped at the start of the `i64` range.
    /// A part of a millisecond counts as a whole one.
    #[must_use]
    pub fn saturating_sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(whole_millis(duration)))
    }

    /// The system clock's reading.
    #[cfg(feature = "std")]
    pub fn now() -> Self {
        std::time::SystemTime::now().into()
    }
}

fn whole_millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX)
}

impl fmt::Display for UnixMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&alloc::format!("{} ms since 1970-01-01T00:00:00Z", self.0))
    }
}

/// Floors to a millisecond; clamped to the `i64` range (292 million years either way).
#[cfg(feature = "std")]
impl From<std::time::SystemTime> for UnixMillis {
    #[inline]
    fn from(time: std::time::SystemTime) -> Self {
        match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => Self(
                // In 64 bits, which is cheaper than `as_millis`.
                i64::try_from(after.as_secs())
                    .ok()
                    .and_then(|seconds| seconds.checked_mul(1_000))
                    .and_then(|millis| millis.checked_add(after.subsec_millis().into()))
                    .unwrap_or(i64::MAX),
            ),
            Err(before) => Self(-whole_millis(before.duration())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Listed in docs/src/differences.md.
    #[test]
    fn time_is_floored_with_integers() {
        assert_eq!(
            UnixMillis::from_micros(1_577_836_800_000_999).get(),
            1_577_836_800_000
        );
        assert_eq!(UnixMillis::from_micros(-1_001).get(), -2);
        #[cfg(feature = "std")]
        {
            let half = Duration::from_nanos(999_999);
            assert_eq!(UnixMillis::from(std::time::UNIX_EPOCH + half).get(), 0);
            assert_eq!(UnixMillis::from(std::time::UNIX_EPOCH - half).get(), -1);
        }
    }

    #[test]
    fn moving_by_durations_saturates() {
        let end = UnixMillis::new(i64::MAX);
        assert_eq!(end.saturating_add(Duration::MAX), end);
        assert_eq!(
            UnixMillis::EPOCH
                .saturating_sub(Duration::from_nanos(1))
                .get(),
            -1
        );
    }
}
