//! Numbers that are reserved in a table and not yet used in keys.

use alloc::collections::{BTreeMap, VecDeque};
use core::num::NonZeroU32;
use core::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::format::{FormatKind, LUUID_NUMBER_MAX, LuuidGroup};

/// The numbers that a process has reserved and not yet used, for any number of threads.
///
/// A [`NumberSource`](crate::luuid::NumberSource) backed by a table takes numbers from here, and
/// reserves another block when none is left. Add a block only after its reservation is committed:
/// one that is rolled back will be reserved again. A forked process has the same blocks, so replace
/// this value there.
///
/// ```
/// use std::num::NonZeroU32;
///
/// use rowkey_core::luuid::{LuuidGroup, ReservedNumbers};
///
/// let customers = LuuidGroup::of("com.acme.Customer");
/// let reserved = ReservedNumbers::new();
/// assert_eq!(reserved.next(customers), None);
///
/// // The table's next number was 101, and is 201 now.
/// let number = reserved.add_block(customers, 101, NonZeroU32::new(100).unwrap())?;
/// assert_eq!(number, 101);
/// assert_eq!(reserved.next(customers), Some(102));
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ReservedNumbers {
    blocks: Mutex<BTreeMap<LuuidGroup, VecDeque<Range<u64>>>>,
}

impl ReservedNumbers {
    /// Without reserved numbers.
    pub const fn new() -> Self {
        Self {
            blocks: Mutex::new(BTreeMap::new()),
        }
    }

    /// The next number of a group, from the block that was added first; `None` if all are used.
    pub fn next(&self, group: LuuidGroup) -> Option<u64> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = blocks.get_mut(&group)?;
        while let Some(block) = waiting.front_mut() {
            if let Some(number) = block.next() {
                return Some(number);
            }
            waiting.pop_front();
        }
        None
    }

    /// Adds the block of `size` numbers from `first` on, cut off at 2^48-1.
    ///
    /// Returns its first number, which other threads never see, so the caller that reserves a block
    /// always gets a number. The others are returned by [`next`](Self::next).
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` if `first` is 0, which is never used, and `ErrorKind::Exhausted` if
    /// it is beyond 2^48-1.
    pub fn add_block(&self, group: LuuidGroup, first: u64, size: NonZeroU32) -> Result<u64, Error> {
        if first == 0 {
            let valid = 1..=LUUID_NUMBER_MAX.into();
            return Err(Error::field(FormatKind::Luuid, "first number", 0, valid));
        }
        if first > LUUID_NUMBER_MAX {
            return Err(group.used_up());
        }
        let end = (first + u64::from(size.get())).min(LUUID_NUMBER_MAX + 1);
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.entry(group).or_default().push_back(first + 1..end);
        Ok(first)
    }
}
