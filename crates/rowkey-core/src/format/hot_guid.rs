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

use super::spec::{FormatSpec, Leading, TimeRange};
use super::traits::{TimeOrdered, impl_format};
use crate::bits::{BitField, FieldKind};
use crate::error::Error;
use crate::kind::FormatKind;
use crate::time::UnixMillis;

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

pub(crate) const TIME: TimeRange = SPEC.instants();

pub(crate) const COUNTER_MAX: u32 = (1 << 24) - 1;

const SECONDS_SHIFT: u32 = 96;
const MACHINE_SHIFT: u32 = 56;
const COUNTER_SHIFT: u32 = 32;

/// An id of a second, a generator, a counter, and a shard key that a router can extract.
///
/// Seconds are unsigned and last until 2106-02-07T06:28:15Z. The five machine bytes are random and
/// drawn once per generator. The 24-bit counter starts at a random value and keeps 16,777,216 ids
/// per second and generator unique. There are no version or variant bits: any 128 bits are a valid
/// id.
///
/// Order: public (RFC) order is seconds, machine bytes, counter. Across generators the ids follow
/// the time to the second; within one generator they increase until the counter passes its end. The
/// bytes of a .NET `Guid` (`to_bytes_le` of a [`uuid::Uuid`]) do not sort by time.
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
/// Source: HotGuid (Dmitry Larionov), which is MongoDB's ObjectId with a shard key. Where its
/// description and its code differ, this follows the description: machine bytes and the counter's
/// start are random.
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
    /// `ErrorKind::OutOfRange` when `counter` has more than 24 bits.
    #[inline]
    pub fn from_parts(
        unix_seconds: u32,
        machine: [u8; 5],
        counter: u32,
        shard_key: u32,
    ) -> Result<Self, Error> {
        if counter > COUNTER_MAX {
            let valid = 0..=COUNTER_MAX.into();
            return Err(Error::field(FormatKind::HotGuid, "counter", counter, valid));
        }
        let machine = Self::machine_in_place(machine);
        Ok(Self::of_parts(unix_seconds, machine, counter, shard_key))
    }

    /// The generator's bytes where they are in an id.
    pub(crate) const fn machine_in_place([m0, m1, m2, m3, m4]: [u8; 5]) -> u128 {
        (u64::from_be_bytes([0, 0, 0, m1, m0, m3, m2, m4]) as u128) << MACHINE_SHIFT
    }

    /// `counter` has at most 24 bits.
    pub(crate) const fn of_parts(
        unix_seconds: u32,
        machine_in_place: u128,
        counter: u32,
        shard_key: u32,
    ) -> Self {
        Self(
            (unix_seconds as u128) << SECONDS_SHIFT
                | machine_in_place
                | (counter as u128) << COUNTER_SHIFT
                | shard_key.swap_bytes() as u128,
        )
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
