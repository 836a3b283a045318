//! Blocks between the table that they come from and the keys that they become.

use alloc::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use super::ShortKeyBlock;
use crate::luuid::LuuidGroup;

/// The blocks that a process has reserved and not used up, for any number of threads.
///
/// An allocator on a table takes from here, and reserves another block where nothing is left:
///
/// ```
/// use std::num::NonZeroU32;
///
/// use rowkey_core::luuid::{LuuidGroup, ReservedShortKeys, ShortKeyBlock};
///
/// let customers = LuuidGroup::of("com.acme.Customer");
/// let reserved = ReservedShortKeys::new();
/// assert_eq!(reserved.next(customers), None);
///
/// let block = ShortKeyBlock::starting_at(customers, 101, NonZeroU32::new(100).unwrap())?;
/// assert_eq!(reserved.next_of(block), Some(101));
/// assert_eq!(reserved.next(customers), Some(102));
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ReservedShortKeys {
    blocks: Mutex<BTreeMap<LuuidGroup, VecDeque<ShortKeyBlock>>>,
}

impl ReservedShortKeys {
    /// Nothing is reserved.
    pub const fn new() -> Self {
        Self {
            blocks: Mutex::new(BTreeMap::new()),
        }
    }

    /// The next number of a group, from the block that was added first; `None` where all are used
    /// up.
    pub fn next(&self, group: LuuidGroup) -> Option<u64> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = blocks.get_mut(&group)?;
        while let Some(block) = waiting.front_mut() {
            if let Some(key) = block.next() {
                return Some(key);
            }
            waiting.pop_front();
        }
        None
    }

    /// Takes the next number of a new block, and keeps the others for [`next`](Self::next).
    ///
    /// The number is taken before other threads see the block: whoever reserved it gets one.
    pub fn next_of(&self, mut block: ShortKeyBlock) -> Option<u64> {
        let key = block.next();
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.entry(block.group()).or_default().push_back(block);
        key
    }
}
