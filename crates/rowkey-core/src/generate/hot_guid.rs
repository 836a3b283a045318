//! How [`HotGuid`]s are made.

#[cfg(feature = "std")]
use core::sync::atomic::{AtomicU32, Ordering};

#[cfg(feature = "std")]
use super::clock::ClockOfSeconds;
use super::{Clock, Entropy, Generate};
#[cfg(feature = "std")]
use super::{Generator, PerProcess, SystemClock, SystemEntropy};
use crate::error::Error;
use crate::format::HotGuid;
use crate::format::hot_guid::{COUNTER_MAX, TIME};
use crate::kind::FormatKind;

/// Makes [`HotGuid`]s for any number of threads, without a lock.
///
/// A thread reads the clock before it increments the counter, so two threads may pair an older
/// second with a newer counter. A process that forks without `exec` copies the machine bytes and
/// the counter: make a new generator in the child.
/// ([`HotGuid::generate_for`](Generate::generate_for) does so itself.)
///
/// ```
/// use rowkey_core::generate::HotGuidGenerator;
/// use rowkey_core::UnixMillis;
///
/// let ids = HotGuidGenerator::new()
///     .with_machine([1, 2, 3, 4, 5])
///     .with_counter(9)
///     .with_clock(UnixMillis::new(1_700_000_000_000));
/// let shard_key = 7;
/// let id = ids.try_generate(shard_key)?;
/// assert_eq!(id.machine(), [1, 2, 3, 4, 5]);
/// assert_eq!(id.counter(), 10);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct HotGuidGenerator<C = SystemClock> {
    clock: C,
    /// Already in place, so that no id has to arrange the bytes.
    machine: u128,
    /// The last counter, of which the low 24 bits are used. 2^24 divides 2^32, so the integer's
    /// wrap-around does not matter.
    counter: AtomicU32,
}

#[cfg(feature = "std")]
impl HotGuidGenerator {
    /// A generator with the system's clock, random machine bytes and a random counter.
    pub fn new() -> Self {
        let mut entropy = SystemEntropy::new();
        let mut machine = [0; 5];
        entropy.fill(&mut machine);
        let counter = AtomicU32::new(entropy.next_u64() as u32);
        Self {
            clock: SystemClock,
            machine: HotGuid::machine_in_place(machine),
            counter,
        }
    }
}

#[cfg(feature = "std")]
impl Default for HotGuidGenerator {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "std")]
impl<C> HotGuidGenerator<C> {
    /// The same generator with these machine bytes, m0..m4. Generators that run at the same time
    /// must have different ones.
    #[must_use]
    pub fn with_machine(self, machine: [u8; 5]) -> Self {
        Self {
            machine: HotGuid::machine_in_place(machine),
            ..self
        }
    }

    /// The same generator as if the low 24 bits of `last` had been its last counter.
    #[must_use]
    pub fn with_counter(self, last: u32) -> Self {
        Self {
            counter: AtomicU32::new(last),
            ..self
        }
    }

    /// The same generator with another clock.
    pub fn with_clock<D: Clock>(self, clock: D) -> HotGuidGenerator<D> {
        HotGuidGenerator {
            clock,
            machine: self.machine,
            counter: self.counter,
        }
    }
}

#[cfg(feature = "std")]
impl<C: Clock> HotGuidGenerator<C> {
    /// A new id for a shard.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` when the clock is before 1970 or after 2106-02-07T06:28:15Z.
    #[inline]
    pub fn try_generate(&self, shard_key: u32) -> Result<HotGuid, Error> {
        // The time comes first, as in the original: a counter is never spent on a bad clock.
        let time = TIME.check(FormatKind::HotGuid, self.clock.now())?;
        Ok(self.generate_in((time.get() / 1_000) as u32, shard_key))
    }

    #[inline]
    fn generate_in(&self, second: u32, shard_key: u32) -> HotGuid {
        let counter = self.counter.fetch_add(1, Ordering::Relaxed).wrapping_add(1) & COUNTER_MAX;
        HotGuid::of_parts(second, self.machine, counter, shard_key)
    }
}

#[cfg(feature = "std")]
impl HotGuidGenerator<ClockOfSeconds> {
    /// [`try_generate`](Self::try_generate), without milliseconds.
    #[inline(always)]
    fn generate_by_seconds(&self, shard_key: u32) -> Result<HotGuid, Error> {
        match self.clock.seconds() {
            Some(second) => Ok(self.generate_in(second, shard_key)),
            None => self.generate_or_refuse(shard_key),
        }
    }

    /// Reads the clock again, to say what is wrong with it.
    #[cold]
    #[inline(never)]
    fn generate_or_refuse(&self, shard_key: u32) -> Result<HotGuid, Error> {
        self.try_generate(shard_key)
    }
}

#[cfg(feature = "std")]
impl<C: Clock + Send + Sync> Generator<HotGuid> for HotGuidGenerator<C> {
    fn try_generate_for(&self, shard_key: &u32) -> Result<HotGuid, Error> {
        self.try_generate(*shard_key)
    }
}

/// The context is the shard key.
impl Generate for HotGuid {
    type Context = u32;

    fn generate_with(
        shard_key: &u32,
        clock: &impl Clock,
        entropy: &mut impl Entropy,
    ) -> Result<Self, Error> {
        let time = TIME.check(FormatKind::HotGuid, clock.now())?;
        let mut machine = [0; 5];
        entropy.fill(&mut machine);
        let counter = entropy.next_u64() as u32 & COUNTER_MAX;
        Self::from_parts((time.get() / 1_000) as u32, machine, counter, *shard_key)
    }

    // Always inlined, as in `drawn`: otherwise the result would go through memory.
    #[cfg(feature = "std")]
    #[inline(always)]
    fn generate_by_default(shard_key: &u32) -> Result<Self, Error> {
        static DEFAULT: PerProcess<HotGuidGenerator<ClockOfSeconds>> = PerProcess::new();
        DEFAULT
            .get_or_make(|| HotGuidGenerator::new().with_clock(ClockOfSeconds::default()))
            .generate_by_seconds(*shard_key)
    }
}
