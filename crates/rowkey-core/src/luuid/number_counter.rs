//! Numbers that are counted in memory.

use core::fmt;
use core::future::{self, Future};
use core::sync::atomic::{AtomicU64, Ordering};

use super::NumberSource;
use crate::Error;
use crate::format::{LUUID_NUMBER_MAX, LuuidGroup};

/// Counts the numbers of every group from 1 on, for any number of threads.
///
/// The counters are lost when the process ends. Use it in tests, or in the only program that makes
/// keys if it [starts after](Self::start_after) the largest stored numbers. A forked process
/// continues from the same counters, so both processes return the same numbers.
///
/// A counter takes 32 KiB, one number per group, and neither locks nor allocates: put it in a
/// `static`.
///
/// ```
/// use rowkey_core::luuid::{LuuidGroup, NumberCounter};
///
/// const CUSTOMER: LuuidGroup = LuuidGroup::of("com.acme.Customer");
/// const ORDER: LuuidGroup = LuuidGroup::of("com.acme.Order");
///
/// static NUMBERS: NumberCounter = NumberCounter::new();
/// NUMBERS.start_after(ORDER, 4711);
/// assert_eq!((NUMBERS.next(CUSTOMER)?, NUMBERS.next(CUSTOMER)?), (1, 2));
/// assert_eq!(NUMBERS.next(ORDER)?, 4712);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
pub struct NumberCounter {
    /// The last number used in each group.
    last: [AtomicU64; LuuidGroup::COUNT],
}

impl NumberCounter {
    /// A counter whose groups all start at 1.
    pub const fn new() -> Self {
        Self {
            last: [const { AtomicU64::new(0) }; LuuidGroup::COUNT],
        }
    }

    /// Continues after `last` in a group, unless its counter is already higher.
    pub fn start_after(&self, group: LuuidGroup, last: u64) {
        self.last_of(group).fetch_max(last, Ordering::Relaxed);
    }

    /// The next number of a group, 1 to 2^48-1.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Exhausted` after 2^48-1.
    pub fn next(&self, group: LuuidGroup) -> Result<u64, Error> {
        let last = self
            .last_of(group)
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
                (last < LUUID_NUMBER_MAX).then(|| last + 1)
            });
        match last {
            Ok(last) => Ok(last + 1),
            Err(_) => Err(group.used_up()),
        }
    }

    fn last_of(&self, group: LuuidGroup) -> &AtomicU64 {
        &self.last[usize::from(group.get())]
    }
}

impl Default for NumberCounter {
    fn default() -> Self {
        Self::new()
    }
}

/// The groups with at least one number, and their last numbers.
impl fmt::Debug for NumberCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (group, last) in self.last.iter().enumerate() {
            let last = last.load(Ordering::Relaxed);
            if last > 0 {
                map.entry(&format_args!("{group:03x}"), &last);
            }
        }
        map.finish()
    }
}

impl NumberSource for NumberCounter {
    type Error = Error;

    fn next_number(&self, group: LuuidGroup) -> impl Future<Output = Result<u64, Error>> + Send {
        future::ready(self.next(group))
    }
}
