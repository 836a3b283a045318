//! Where new short keys come from.

use crate::Error;
use crate::luuid::LuuidGroup;

/// Hands out the numbers of new LUUID keys, each number once per group.
///
/// [`EntityKey::allocate`](crate::EntityKey::allocate) makes keys with one. For tests there is
/// [`InMemoryShortKeys`](crate::luuid::InMemoryShortKeys); an allocator for several processes keeps its
/// counters in a table, from which it takes a [`ShortKeyBlock`](crate::luuid::ShortKeyBlock) at a time.
/// The trait asks for no async runtime: an allocator that needs to wait says how in its future.
#[diagnostic::on_unimplemented(
    message = "`{Self}` hands out no short keys",
    label = "not an allocator of short keys",
    note = "use an allocator on a table, or `InMemoryShortKeys` in tests"
)]
pub trait ShortKeyAllocator: Sync {
    /// What can go wrong, such as an error of the database.
    type Error: From<Error>;

    /// The next number of a group, 1 to 2^48-1.
    ///
    /// Numbers increase within what one process has reserved; between processes they are only
    /// different. A number that is not used is lost.
    ///
    /// # Errors
    ///
    /// [`Error::ShortKeysUsedUp`] after 2^48-1, and what stands between the allocator and its
    /// counters.
    fn next_short_key(
        &self,
        group: LuuidGroup,
    ) -> impl Future<Output = Result<u64, Self::Error>> + Send;
}

impl<A: ShortKeyAllocator + Send> ShortKeyAllocator for &A {
    type Error = A::Error;

    fn next_short_key(
        &self,
        group: LuuidGroup,
    ) -> impl Future<Output = Result<u64, Self::Error>> + Send {
        (**self).next_short_key(group)
    }
}
