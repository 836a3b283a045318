//! Instants in the form that clients use.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use rowkey::UnixMillis;
use rowkey::validate::{ClientMade, CreationWindow};
use serde::{Deserialize, Serialize};

use crate::keys::BookingOfferId;

/// How far back the clock of a batch may be.
const LONGEST_BATCH: Duration = Duration::from_secs(24 * 60 * 60);

/// An instant in whole milliseconds, written as RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Timestamp", into = "Timestamp")]
pub struct Moment(UnixMillis);

impl Moment {
    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0.get()
    }
}

impl From<UnixMillis> for Moment {
    fn from(time: UnixMillis) -> Self {
        Self(time)
    }
}

/// Reads an instant from a column of milliseconds.
impl From<i64> for Moment {
    fn from(millis: i64) -> Self {
        Self(UnixMillis::new(millis))
    }
}

/// Floored.
impl From<Timestamp> for Moment {
    fn from(time: Timestamp) -> Self {
        Self(UnixMillis::from_micros(time.as_microsecond()))
    }
}

impl From<Moment> for UnixMillis {
    fn from(moment: Moment) -> Self {
        moment.0
    }
}

/// Clamped to the years that can be written, -9999 to 9999.
impl From<Moment> for Timestamp {
    fn from(moment: Moment) -> Self {
        let out_of_range = match moment.millis() < 0 {
            true => Self::MIN,
            false => Self::MAX,
        };
        Self::from_millisecond(moment.millis()).unwrap_or(out_of_range)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Timestamp::from(*self).fmt(f)
    }
}

/// A batch's clock that cannot be right, or that is too old.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was recorded at {recorded}, and accepted is from {first} to {last}")]
pub struct RecordedClockError {
    recorded: Moment,
    first: Moment,
    last: Moment,
}

/// The time that a new id is checked against: that of the server's clock, or that of the batch's clock,
/// if the command comes in a batch.
///
/// # Errors
///
/// If the recorded time is more than 24 hours ago, or further ahead of the server's clock than an
/// id may be.
pub fn time_of_creation(
    recorded: Option<Moment>,
    now: UnixMillis,
    window: CreationWindow,
) -> Result<Moment, RecordedClockError> {
    let Some(recorded) = recorded else {
        return Ok(now.into());
    };
    let first = Moment(now.saturating_sub(LONGEST_BATCH));
    let ahead = window.future.duration(BookingOfferId::INTERVAL_MS);
    let last = Moment(now.saturating_add(ahead));
    if (first..=last).contains(&recorded) {
        Ok(recorded)
    } else {
        Err(RecordedClockError {
            recorded,
            first,
            last,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis::new(1_700_000_000_000);
    const HOUR: i64 = 3_600_000;

    fn creation(recorded: i64) -> Result<Moment, RecordedClockError> {
        let recorded = Moment::from(recorded);
        time_of_creation(Some(recorded), NOW, CreationWindow::default())
    }

    #[test]
    fn without_a_recorded_time_the_servers_clock_is_used() {
        let time = time_of_creation(None, NOW, CreationWindow::default());
        assert_eq!(time, Ok(NOW.into()));
    }

    #[test]
    fn a_recorded_time_is_at_most_a_day_old_and_hardly_ahead() {
        let oldest = NOW.get() - 24 * HOUR;
        let newest = NOW.get() + 600_000;
        for accepted in [oldest, NOW.get(), newest] {
            assert_eq!(creation(accepted), Ok(accepted.into()));
        }
        for refused in [oldest - 1, newest + 1, i64::MIN, i64::MAX] {
            let error = creation(refused).unwrap_err().to_string();
            assert!(error.contains("2023-11-13T22:13:20Z"), "{error}");
        }
    }

    #[test]
    fn instants_are_written_in_rfc_3339() {
        let read = |text: &str| serde_json::from_str::<Moment>(text);
        let moment = read(r#""2023-11-14T23:13:20.0019+01:00""#).unwrap();
        assert_eq!(moment.millis(), NOW.get() + 1);
        let text = serde_json::to_string(&moment).unwrap();
        assert_eq!(text, r#""2023-11-14T22:13:20.001Z""#);
        assert!(read(r#""yesterday""#).is_err());
        assert!(read(r#""2023-11-14T22:13:20""#).is_err());
    }
}
