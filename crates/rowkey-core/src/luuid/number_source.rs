//! Where the numbers of new keys come from.

use crate::Error;
use crate::luuid::LuuidGroup;

/// Hands out the numbers of new LUUID keys, each number once per group.
///
/// [`EntityKey::generate_numbered`](crate::EntityKey::generate_numbered) makes keys with one. For
/// tests there is [`NumberCounter`](crate::luuid::NumberCounter). A source for several processes
/// keeps its counters in a table and reserves a block of numbers at a time; what is left of its
/// blocks belongs in [`ReservedNumbers`](crate::luuid::ReservedNumbers). The trait needs no async
/// runtime: a source that has to wait does so in its future.
#[diagnostic::on_unimplemented(
    message = "`{Self}` hands out no numbers of keys",
    label = "not a source of numbers",
    note = "use a source with a table, or `NumberCounter` in tests"
)]
pub trait NumberSource: Sync {
    /// What can go wrong, such as an error of the database.
    type Error: From<Error>;

    /// The next number of a group, 1 to 2^48-1.
    ///
    /// Numbers increase within what one process has reserved; between processes they are only
    /// different. A number that is not used is lost.
    ///
    /// # Errors
    ///
    /// [`Error::NumbersUsedUp`] after 2^48-1, and the errors of the source itself.
    fn next_number(
        &self,
        group: LuuidGroup,
    ) -> impl Future<Output = Result<u64, Self::Error>> + Send;
}

impl<N: NumberSource + Send> NumberSource for &N {
    type Error = N::Error;

    fn next_number(
        &self,
        group: LuuidGroup,
    ) -> impl Future<Output = Result<u64, Self::Error>> + Send {
        (**self).next_number(group)
    }
}
