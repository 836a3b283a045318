//! An object id with a shard key: seconds, generator, counter and shard key.
//!
//! ```text
//! byte   0 .. 3                 4  5  6  7  8    9 .. 11   12 .. 15
//!      +----------------------+----------------+---------+------------------+
//!      | seconds since 1970   | m1 m0 m3 m2 m4 | counter | s0 s1 s2 s3      |
//!      +----------------------+----------------+---------+------------------+
//! bits   32                     40               24        32
//! ```
//!
//! The machine bytes m0..m4 are swapped in pairs and the shard key is little-endian: the original
//! fills the sixteen bytes of a .NET `Guid`, which stores its first three fields little-endian.

#[cfg(feature = "std")]
use core::sync::atomic::{AtomicU32, Ordering};

use super::TimeOrdered;
#[cfg(feature = "std")]
use super::spec::TimeRange;
use super::spec::{FormatSpec, Leading};
use crate::bits::{BitField, FieldKind};
use crate::format::FormatKind;
use crate::generate::Generate;
#[cfg(feature = "std")]
use crate::generate::{Clock, Entropy, Generator, PerProcess, SystemClock, SystemEntropy};
use crate::{Error, UnixMillis};

const FIELDS: [BitField; 4] = BitField::consecutive([
    (
        "seconds since 1970",
        FieldKind::Time {
            epoch: UnixMillis::EPOCH,
            unit_ms: 1_000,
        },
        32,
    ),
    ("machine", FieldKind::Machine, 40),
    ("counter", FieldKind::Counter, 24),
    ("shard key", FieldKind::Context, 32),
]);

pub(crate) const SPEC: FormatSpec = FormatSpec::new(&FIELDS, Leading::Plain);

/// The times that ids can carry, to the second.
#[cfg(feature = "std")]
const TIME: TimeRange = SPEC.instants();

const COUNTER_MAX: u32 = (1 << 24) - 1;

const SECONDS_SHIFT: u32 = 96;
const MACHINE_SHIFT: u32 = 56;
const COUNTER_SHIFT: u32 = 32;

/// An id of the second, the generator, a counter and a shard key that a router can read out.
///
/// Seconds are unsigned and last until 2106-02-07T06:28:15Z. The five machine bytes are random, one
/// draw per generator. The 24-bit counter starts at a random value and makes 16,777,216 ids per
/// second and generator unique. There are no version or variant bits: any 128 bits decode to
/// something.
///
/// Order: public (RFC) order is seconds, machine bytes, counter. Across generators it follows the
/// time to the second; within one it increases until the counter passes its end. The bytes of a
/// .NET `Guid` (`to_bytes_le` of a [`uuid::Uuid`]) do not sort by time.
///
/// ```
/// use rowkey_core::HotGuid;
///
/// let machine = [0xcc, 0x7a, 0x67, 0x12, 0x34];
/// let id = HotGuid::from_parts(1_700_000_000, machine, 0xff_fffe, 0xdead_beef)?;
/// assert_eq!(id.to_string(), "6553f100-7acc-1267-34ff-fffeefbeadde");
/// assert_eq!(id.shard_key(), 0xdead_beef);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// Source: HotGuid (Dmitry Larionov), which is MongoDB's ObjectId with a shard key. Where its text
/// and its code differ, machine bytes and the counter's start are random here, as its text says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct HotGuid(pub(crate) u128);

impl_format!(HotGuid, FormatKind::HotGuid);

impl TimeOrdered for HotGuid {}

impl HotGuid {
    /// The id of its fields; `machine` is m0..m4.
    ///
    /// # Errors
    ///
    /// [`Error::Field`] when `counter` has more than 24 bits.
    pub const fn from_parts(
        unix_seconds: u32,
        machine: [u8; 5],
        counter: u32,
        shard_key: u32,
    ) -> Result<Self, Error> {
        if counter > COUNTER_MAX {
            return Err(Error::Field {
                format: FormatKind::HotGuid,
                field: "counter",
                value: counter as i128,
                min: 0,
                max: COUNTER_MAX as i128,
            });
        }
        let [m0, m1, m2, m3, m4] = machine;
        let machine = u64::from_be_bytes([0, 0, 0, m1, m0, m3, m2, m4]);
        Ok(Self(
            (unix_seconds as u128) << SECONDS_SHIFT
                | (machine as u128) << MACHINE_SHIFT
                | (counter as u128) << COUNTER_SHIFT
                | shard_key.swap_bytes() as u128,
        ))
    }

    /// Seconds since 1970 at which the id was made.
    pub const fn unix_seconds(self) -> u32 {
        (self.0 >> SECONDS_SHIFT) as u32
    }

    /// When the id was made, to the second.
    pub const fn time(self) -> UnixMillis {
        SPEC.instant_of(self.0)
    }

    /// The generator's bytes, m0..m4.
    pub const fn machine(self) -> [u8; 5] {
        let [.., m1, m0, m3, m2, m4] = ((self.0 >> MACHINE_SHIFT) as u64).to_be_bytes();
        [m0, m1, m2, m3, m4]
    }

    /// The counter, 0 to 16,777,215.
    pub const fn counter(self) -> u32 {
        (self.0 >> COUNTER_SHIFT) as u32 & COUNTER_MAX
    }

    /// The shard key.
    pub const fn shard_key(self) -> u32 {
        (self.0 as u32).swap_bytes()
    }
}

/// Makes [`HotGuid`]s for any number of threads, without a lock.
///
/// A thread reads the clock before it counts, so two threads may pair an older second with a newer
/// counter. A process that forks without `exec` copies the machine bytes and the counter: make a
/// new generator in the child. ([`HotGuid::generate_for`](Generate::generate_for) does so itself.)
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
    machine: [u8; 5],
    /// The last counter, of which the low 24 bits count. 2^24 divides 2^32, so that the wrap of
    /// the integer goes unnoticed.
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
            machine,
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
    /// must not share them.
    #[must_use]
    pub fn with_machine(self, machine: [u8; 5]) -> Self {
        Self { machine, ..self }
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
    /// [`Error::Time`] when the clock is before 1970 or after 2106-02-07T06:28:15Z.
    pub fn try_generate(&self, shard_key: u32) -> Result<HotGuid, Error> {
        // The time comes first, as in the original: a counter is never spent on a bad clock.
        let time = TIME.check(FormatKind::HotGuid, self.clock.now())?;
        let counter = self.counter.fetch_add(1, Ordering::Relaxed).wrapping_add(1) & COUNTER_MAX;
        HotGuid::from_parts(
            (time.get() / 1_000) as u32,
            self.machine,
            counter,
            shard_key,
        )
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

    #[cfg(feature = "std")]
    fn default_generate(shard_key: &u32) -> Result<Self, Error> {
        static DEFAULT: PerProcess<HotGuidGenerator> = PerProcess::new();
        DEFAULT
            .get_or_make(HotGuidGenerator::new)
            .try_generate(*shard_key)
    }
}
