//! Numbers of a group that one process has taken for itself.

use core::num::NonZeroU32;

use crate::Error;
use crate::format::LUUID_KEY_MAX;
use crate::luuid::LuuidGroup;

/// Consecutive numbers of one group that nobody else hands out.
///
/// An iterator over the numbers that are left, in ascending order.
///
/// ```
/// use std::num::NonZeroU32;
///
/// use rowkey_core::luuid::{LuuidGroup, ShortKeyBlock};
///
/// let customers = LuuidGroup::of("com.acme.Customer");
/// let mut block = ShortKeyBlock::starting_at(customers, 101, NonZeroU32::new(100).unwrap())?;
/// assert_eq!(block.next(), Some(101));
/// assert_eq!((block.len(), block.last_key()), (99, Some(200)));
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortKeyBlock {
    group: LuuidGroup,
    next: u64,
    /// The first number behind the block, at most 2^48.
    end: u64,
}

impl ShortKeyBlock {
    /// The block of `size` numbers from `first` on, or of as many as there are up to 2^48-1.
    ///
    /// # Errors
    ///
    /// [`Error::Field`] where `first` is 0, which is no number that is handed out, and
    /// [`Error::ShortKeysUsedUp`] where it is beyond 2^48-1.
    pub const fn starting_at(
        group: LuuidGroup,
        first: u64,
        size: NonZeroU32,
    ) -> Result<Self, Error> {
        if first == 0 {
            return Err(Error::Field {
                format: crate::format::FormatKind::Luuid,
                field: "first key",
                value: 0,
                min: 1,
                max: LUUID_KEY_MAX as i128,
            });
        }
        if first > LUUID_KEY_MAX {
            return Err(Error::ShortKeysUsedUp { group: group.get() });
        }
        let end = first + size.get() as u64;
        Ok(Self {
            group,
            next: first,
            end: if end > LUUID_KEY_MAX {
                LUUID_KEY_MAX + 1
            } else {
                end
            },
        })
    }

    /// The group whose numbers these are.
    pub const fn group(&self) -> LuuidGroup {
        self.group
    }

    /// The last number that is left, if any is.
    pub const fn last_key(&self) -> Option<u64> {
        if self.next < self.end {
            Some(self.end - 1)
        } else {
            None
        }
    }
}

impl Iterator for ShortKeyBlock {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let key = self.next;
        (key < self.end).then(|| {
            self.next += 1;
            key
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // At most as many as a `u32` counts.
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for ShortKeyBlock {}
