//! An allocator for tests.

use alloc::collections::BTreeMap;
use core::future::{self, Future};
use std::sync::{Mutex, PoisonError};

use super::ShortKeyAllocator;
use crate::Error;
use crate::format::LUUID_KEY_MAX;
use crate::luuid::LuuidGroup;

/// Counts the numbers of every group from 1 on and forgets them when it is dropped: for tests, and
/// for a program that is alone and reads the largest numbers back when it starts.
///
/// ```
/// use rowkey_core::luuid::{InMemoryShortKeys, LuuidGroup};
///
/// let [customer, order] = ["com.acme.Customer", "com.acme.Order"].map(LuuidGroup::of);
/// let keys = InMemoryShortKeys::new();
/// keys.start_after(order, 4711);
/// assert_eq!((keys.next(customer)?, keys.next(customer)?), (1, 2));
/// assert_eq!(keys.next(order)?, 4712);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct InMemoryShortKeys {
    last: Mutex<BTreeMap<LuuidGroup, u64>>,
}

impl InMemoryShortKeys {
    /// Every group begins with 1.
    pub const fn new() -> Self {
        Self {
            last: Mutex::new(BTreeMap::new()),
        }
    }

    /// Goes on after `last` in a group, unless it is further already.
    pub fn start_after(&self, group: LuuidGroup, last: u64) {
        let mut counters = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let counter = counters.entry(group).or_default();
        *counter = last.max(*counter);
    }

    /// The next number of a group.
    ///
    /// # Errors
    ///
    /// [`Error::ShortKeysUsedUp`] after 2^48-1.
    pub fn next(&self, group: LuuidGroup) -> Result<u64, Error> {
        let mut counters = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let counter = counters.entry(group).or_default();
        if *counter >= LUUID_KEY_MAX {
            return Err(Error::ShortKeysUsedUp { group: group.get() });
        }
        *counter += 1;
        Ok(*counter)
    }
}

impl ShortKeyAllocator for InMemoryShortKeys {
    type Error = Error;

    fn next_short_key(&self, group: LuuidGroup) -> impl Future<Output = Result<u64, Error>> + Send {
        future::ready(self.next(group))
    }
}
