//! Region and partition in the shard key of a HotGuid.
//!
//! ```text
//! bit    31                                                                0
//!      +------------+---------------------------+---------------------------+
//!      | 0 (if any) | region                    | partition                 |
//!      +------------+---------------------------+---------------------------+
//! ```

use crate::format::FormatKind;
use crate::{Error, HotGuid};

/// How a shard key's 32 bits are divided into the region, which a router reads, and the partition
/// within it, which the region's database reads.
///
/// All programs that read the ids must agree on it: keep it in one constant. The region is above
/// the partition, so shard keys as numbers are ordered by region first. Ids are not: a HotGuid has
/// its shard key in its last four bytes, lowest byte first, so the text of an id ends with the
/// highest bits, `efbeadde` for 0xdeadbeef. Extract the shard key instead of comparing ids.
///
/// ```
/// use rowkey_core::generate::Generate;
/// use rowkey_core::routing::{Shard, ShardLayout};
/// use rowkey_core::HotGuid;
///
/// /// Regions are UN M.49 codes of up to 999; the other 22 bits are free for partitions.
/// const SHARDS: ShardLayout = ShardLayout::new(10, 22);
///
/// let mission = HotGuid::generate_for(&SHARDS.compose(380, 17)?);
/// assert_eq!(SHARDS.shard_of(mission)?, Shard { region: 380, partition: 17 });
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShardLayout {
    region_bits: u32,
    partition_bits: u32,
}

/// The parts of a shard key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    /// The region.
    pub region: u32,
    /// The partition within the region.
    pub partition: u32,
}

impl ShardLayout {
    /// A layout with these numbers of bits for the region and the partition, at most 32 in total.
    /// Unused bits are the highest, and zero.
    ///
    /// # Panics
    ///
    /// If the total is more than 32: at compile time in a constant.
    #[track_caller]
    pub const fn new(region_bits: u32, partition_bits: u32) -> Self {
        match Self::try_new(region_bits, partition_bits) {
            Some(layout) => layout,
            None => panic!("a shard key has 32 bits for region and partition together"),
        }
    }

    /// [`new`](Self::new) for numbers of bits that are known only at run time; `None` if the total
    /// is more than 32.
    pub const fn try_new(region_bits: u32, partition_bits: u32) -> Option<Self> {
        if region_bits > 32 || partition_bits > 32 - region_bits {
            return None;
        }
        Some(Self {
            region_bits,
            partition_bits,
        })
    }

    /// The shard key of a region and a partition.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` if one of them does not fit its bits.
    pub fn compose(self, region: u32, partition: u32) -> Result<u32, Error> {
        if region > self.max_region() {
            return Err(field_error("region", region, self.max_region()));
        }
        if partition > self.max_partition() {
            return Err(field_error("partition", partition, self.max_partition()));
        }
        let key = (region as u64) << self.partition_bits | partition as u64;
        Ok(key as u32)
    }

    /// The region and the partition of a shard key.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` if bits outside both are set: the key has another layout.
    pub fn split(self, shard_key: u32) -> Result<Shard, Error> {
        let max = mask(self.region_bits + self.partition_bits);
        if shard_key > max {
            return Err(field_error("shard key", shard_key, max));
        }
        Ok(Shard {
            region: (shard_key as u64 >> self.partition_bits) as u32,
            partition: shard_key & self.max_partition(),
        })
    }

    /// The region and the partition that an id was made for.
    ///
    /// # Errors
    ///
    /// As [`split`](Self::split). Any 128 bits are a HotGuid, so ids from other sources may also
    /// yield a shard.
    pub fn shard_of(self, id: HotGuid) -> Result<Shard, Error> {
        self.split(id.shard_key())
    }

    /// The largest region.
    pub const fn max_region(self) -> u32 {
        mask(self.region_bits)
    }

    /// The largest partition.
    pub const fn max_partition(self) -> u32 {
        mask(self.partition_bits)
    }
}

/// The largest number of this many bits, at most 32.
const fn mask(bits: u32) -> u32 {
    ((1_u64 << bits) - 1) as u32
}

fn field_error(field: &str, value: u32, max: u32) -> Error {
    Error::field(FormatKind::HotGuid, field, value, 0..=max.into())
}
