//! Generators that remember what they made last.

#[cfg(feature = "std")]
use {core::time::Duration, std::sync::Mutex};

#[cfg(feature = "std")]
use super::{Clock, Generator, PerProcess, SystemClock, SystemEntropy, lock, wait, wait_async};
use super::{Entropy, Generate};
use crate::{Error, UnixMillis};

/// A state machine that makes ids: it reads no clock, draws no randomness and never sleeps.
///
/// [`DistributedIdState`](crate::generate::DistributedIdState) and
/// [`DistributedId128State`](crate::generate::DistributedId128State) are the ones of this crate.
pub trait GeneratorState: Send {
    /// What it makes.
    type Id: Generate<Context = ()>;

    /// The random bits that one id needs.
    type Draw: Copy + Send;

    /// The state of a generator that has made nothing yet.
    const INITIAL: Self;

    /// Draws the random bits for one id.
    fn draw(entropy: &mut impl Entropy) -> Self::Draw;

    /// The id for a clock reading and a draw.
    ///
    /// # Errors
    ///
    /// [`Error::Throttled`]: wait, and try again with a new reading and the *same* draw (a fresh one
    /// would favour small steps). Any other error says that the clock is outside the format's
    /// range. No error changes the state.
    fn next(&mut self, now: UnixMillis, draw: Self::Draw) -> Result<Self::Id, Error>;
}

/// Makes ids for any number of threads: a [`GeneratorState`] behind a lock, with a clock and the
/// threads' own [`SystemEntropy`].
///
/// One process needs one generator of a format, and [`Generate::generate`] has it. A draw that had
/// to wait is kept for the next attempt, so that waiting never favours small steps. A forked child
/// starts with a new state: see [forks](super#forks).
///
/// ```
/// use rowkey_core::generate::DistributedIdGenerator;
/// use rowkey_core::UnixMillis;
///
/// let ids = DistributedIdGenerator::new().with_clock(UnixMillis::new(1_577_836_800_000));
/// let first = ids.try_generate()?;
/// assert!(first < ids.try_generate()?);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct StateGenerator<S: GeneratorState, C = SystemClock> {
    clock: C,
    shared: PerProcess<Mutex<Shared<S, S::Draw>>>,
}

#[cfg(feature = "std")]
#[derive(Debug)]
struct Shared<S, D> {
    state: S,
    /// The draw of the last attempt if that was throttled.
    waiting: Option<D>,
}

#[cfg(feature = "std")]
impl<S: GeneratorState> Shared<S, S::Draw> {
    fn initial() -> Mutex<Self> {
        Mutex::new(Self {
            state: S::INITIAL,
            waiting: None,
        })
    }
}

#[cfg(feature = "std")]
impl<S: GeneratorState> StateGenerator<S> {
    /// A generator with the system's clock.
    pub const fn new() -> Self {
        Self {
            clock: SystemClock,
            shared: PerProcess::new(),
        }
    }
}

#[cfg(feature = "std")]
impl<S: GeneratorState> Default for StateGenerator<S> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "std")]
impl<S: GeneratorState, C> StateGenerator<S, C> {
    /// The same generator with another clock.
    #[must_use]
    pub fn with_clock<D: Clock>(self, clock: D) -> StateGenerator<S, D> {
        StateGenerator {
            clock,
            shared: self.shared,
        }
    }
}

#[cfg(feature = "std")]
impl<S: GeneratorState, C: Clock> StateGenerator<S, C> {
    /// A new id, in one attempt that never sleeps.
    ///
    /// # Errors
    ///
    /// [`Error::Throttled`] when all that the clock allows is handed out, [`Error::Time`] when the
    /// clock is outside the format's range. The generator works again as soon as its clock does.
    pub fn try_generate(&self) -> Result<S::Id, Error> {
        // Before the lock: threads draw side by side.
        let draw = S::draw(&mut SystemEntropy::new());
        let shared = &mut *lock(self.shared.get_or_make(Shared::initial));
        let now = self.clock.now();
        let draw = shared.waiting.take().unwrap_or(draw);
        let result = shared.state.next(now, draw);
        if matches!(result, Err(Error::Throttled { .. })) {
            shared.waiting = Some(draw);
        }
        result
    }

    /// A new id. Sleeps while the generator is throttled.
    ///
    /// # Errors
    ///
    /// [`Error::Time`] when the clock is outside the format's range.
    pub fn generate(&self) -> Result<S::Id, Error> {
        wait(|| self.try_generate())
    }

    /// A new id. Awaits `sleep` while the generator is throttled, for example
    /// `tokio::time::sleep`.
    ///
    /// # Errors
    ///
    /// [`Error::Time`] when the clock is outside the format's range.
    pub async fn generate_async(&self, sleep: impl AsyncFn(Duration)) -> Result<S::Id, Error> {
        wait_async(|| self.try_generate(), sleep).await
    }
}

#[cfg(feature = "std")]
impl<S: GeneratorState, C: Clock + Send + Sync> Generator<S::Id> for StateGenerator<S, C> {
    fn try_generate_for(&self, (): &()) -> Result<S::Id, Error> {
        self.try_generate()
    }
}
