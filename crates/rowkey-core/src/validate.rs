//! Validation of ids that clients made, when the entity is created.

use core::str::FromStr;
use core::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::format::{ShortPrefixComb, comb};
use crate::key::EntityKey;
use crate::time::UnixMillis;

/// How far a client's clock may differ from the server's (or from the recorded time of a batch)
/// when it makes a short prefix COMB.
///
/// An id is inside the window if its interval counter is at most `past` behind or `future` ahead of
/// the counter of `now`, on the ring of 65,536 intervals. Validate only when you create the entity;
/// later, look up the id.
///
/// The default is ten intervals either way, whatever the interval of the format is: 21 of 65,536
/// counters pass, and so does one in 3,121 random version-4 UUIDs. A window of a whole ring or more
/// accepts every short prefix COMB.
///
/// ```
/// use rowkey_core::validate::{CreationWindow, ValidationError};
/// use rowkey_core::{ShortPrefixComb, UnixMillis};
///
/// let window = CreationWindow::default();
/// let now = UnixMillis::new(1_647_575_040_000); // 2022-03-18T03:44:00Z, counter 0
/// let id: ShortPrefixComb = window.parse("fff60000-0000-4000-8000-000000000000", now)?;
/// assert_eq!(id.counter(), 0xfff6);
///
/// let late = "000b0000-0000-4000-8000-000000000000".parse::<ShortPrefixComb>().unwrap();
/// let error = window.check(late, now).unwrap_err();
/// assert!(matches!(error, ValidationError::OutsideWindow { counter: 11, .. }));
/// # Ok::<(), ValidationError>(())
/// ```
///
/// Source: `CombUuidShortPrefixUtils` of the klokwrk project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreationWindow {
    /// The tolerance into the past.
    pub past: Tolerance,
    /// The tolerance into the future.
    pub future: Tolerance,
}

impl Default for CreationWindow {
    fn default() -> Self {
        Self {
            past: Tolerance::Intervals(comb::CLOCKS_APART),
            future: Tolerance::Intervals(comb::CLOCKS_APART),
        }
    }
}

/// One side of a [`CreationWindow`].
///
/// ```
/// use std::time::Duration;
///
/// use rowkey_core::validate::{CreationWindow, Tolerance};
///
/// // For clients that may keep a draft for an hour before they send it.
/// let drafts = CreationWindow {
///     past: Duration::from_secs(3_600).into(),
///     ..CreationWindow::default()
/// };
/// assert_eq!(drafts.future, Tolerance::Intervals(10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// A number of counter steps, each as long as the format's interval.
    Intervals(u64),
    /// A duration. A part of an interval counts as a whole one.
    Duration(Duration),
}

impl Tolerance {
    /// The tolerance as a time, for counters of an interval in milliseconds. At most 584 million
    /// years.
    pub const fn duration(self, interval_ms: u64) -> Duration {
        match self {
            Self::Intervals(steps) => Duration::from_millis(interval_ms.saturating_mul(steps)),
            Self::Duration(duration) => duration,
        }
    }

    /// The tolerance in steps of the counter, for an interval that is not 0.
    fn steps(self, interval_ms: u64) -> u64 {
        match self {
            Self::Intervals(steps) => steps,
            Self::Duration(duration) => {
                let interval_ns = u128::from(interval_ms) * 1_000_000;
                u64::try_from(duration.as_nanos().div_ceil(interval_ns)).unwrap_or(u64::MAX)
            }
        }
    }
}

impl From<Duration> for Tolerance {
    fn from(duration: Duration) -> Self {
        Self::Duration(duration)
    }
}

/// Ids that clients can make: a [`ShortPrefixComb`], or a typed key over one.
#[diagnostic::on_unimplemented(
    message = "clients cannot make `{Self}`",
    label = "neither a ShortPrefixComb nor a key over one"
)]
pub trait ClientGenerated: Copy + FromStr<Err = Error> {
    /// Milliseconds per step of the counter.
    const INTERVAL_MS: u64;

    /// The id's interval counter.
    fn counter(self) -> u16;
}

impl<const INTERVAL_MS: u64> ClientGenerated for ShortPrefixComb<INTERVAL_MS> {
    const INTERVAL_MS: u64 = Self::INTERVAL_MS;

    fn counter(self) -> u16 {
        self.counter()
    }
}

impl<K, const INTERVAL_MS: u64> ClientGenerated for K
where
    K: EntityKey<Format = ShortPrefixComb<INTERVAL_MS>>,
{
    const INTERVAL_MS: u64 = ShortPrefixComb::<INTERVAL_MS>::INTERVAL_MS;

    fn counter(self) -> u16 {
        self.into_format().counter()
    }
}

/// Why a client's id is rejected for a new entity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValidationError {
    /// No id was sent, or a blank one.
    #[error("the id is missing")]
    Missing,
    /// The text is not an id at all.
    #[error("the id is malformed: {0}")]
    Malformed(Error),
    /// The id is a UUID, but not a random one (version 4, RFC variant).
    #[error("the id is not a random UUID: {0}")]
    NotRandomV4(Error),
    /// The id was made outside the window around the current time.
    #[error(
        "the id was not made within the accepted time: its counter is {counter}, accepted are \
         {first} to {last} on a ring of 65536 ({past:?} before to {future:?} after {now}, in \
         intervals of {interval:?})"
    )]
    OutsideWindow {
        /// The id's interval counter.
        counter: u16,
        /// The first accepted counter; larger than `last` where the window crosses the ring's end.
        first: u16,
        /// The last accepted counter.
        last: u16,
        /// The instant that the id was compared with.
        now: UnixMillis,
        /// The tolerance into the past.
        past: Duration,
        /// The tolerance into the future.
        future: Duration,
        /// The interval of the counter.
        interval: Duration,
    },
}

/// Why a text is not a client's id: it is a UUID but not a random one, or no id at all.
///
/// For a server that first reads the id to look up the entity, and [checks](CreationWindow::check)
/// it only if there is none.
impl From<Error> for ValidationError {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Format => Self::NotRandomV4(error),
            _ => Self::Malformed(error),
        }
    }
}

impl CreationWindow {
    /// Reads and checks a client's text, and reports the first rule that it violates.
    ///
    /// # Errors
    ///
    /// Each rule has its own [`ValidationError`]; all of them are the client's fault. A key's
    /// missing or wrong prefix is [`Malformed`](ValidationError::Malformed).
    pub fn parse<T: ClientGenerated>(
        &self,
        text: &str,
        now: UnixMillis,
    ) -> Result<T, ValidationError> {
        if text.trim().is_empty() {
            return Err(ValidationError::Missing);
        }
        let id = text.parse()?;
        self.check(id, now)?;
        Ok(id)
    }

    /// Checks an id that has already been read.
    ///
    /// # Errors
    ///
    /// [`ValidationError::OutsideWindow`].
    pub fn check<T: ClientGenerated>(&self, id: T, now: UnixMillis) -> Result<(), ValidationError> {
        self.check_counter(id.counter(), T::INTERVAL_MS, now)
    }

    /// Checks the counter of an id whose interval is only known at run time. An interval of 0 is
    /// treated as one millisecond.
    ///
    /// # Errors
    ///
    /// [`ValidationError::OutsideWindow`].
    pub fn check_counter(
        &self,
        counter: u16,
        interval_ms: u64,
        now: UnixMillis,
    ) -> Result<(), ValidationError> {
        let Self { past, future } = *self;
        let interval_ms = interval_ms.max(1);
        let (back, ahead) = (past.steps(interval_ms), future.steps(interval_ms));
        if back.saturating_add(ahead) >= comb::RING as u64 - 1 {
            return Ok(());
        }
        let here = comb::interval_number(now, interval_ms).rem_euclid(comb::RING) as u16;
        let behind = u64::from(here.wrapping_sub(counter));
        let in_front = u64::from(counter.wrapping_sub(here));
        if behind <= back || in_front <= ahead {
            return Ok(());
        }
        Err(ValidationError::OutsideWindow {
            counter,
            first: here.wrapping_sub(back as u16),
            last: here.wrapping_add(ahead as u16),
            now,
            past: past.duration(interval_ms),
            future: future.duration(interval_ms),
            interval: Duration::from_millis(interval_ms),
        })
    }
}
