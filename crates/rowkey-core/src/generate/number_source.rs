//! The source of the numbers of new keys.

use crate::Error;
use crate::format::LuuidGroup;

/// Provides the numbers of new LUUID keys, each number once per group.
///
/// [`EntityKey::generate_numbered`](crate::EntityKey::generate_numbered) makes keys with a source.
/// In tests, use [`NumberCounter`](crate::luuid::NumberCounter). A source for several processes
/// keeps its counters in a table and reserves a block of numbers at a time;
/// [`ReservedNumbers`](crate::luuid::ReservedNumbers) holds the rest of its blocks. The trait needs
/// no async runtime: a source that has to wait does so in its future.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of key numbers",
    label = "not a source of numbers",
    note = "use a source with a table, or `NumberCounter` in tests"
)]
pub trait NumberSource: Sync {
    /// The error of the source, such as a database error.
    type Error: From<Error>;

    /// The next number of a group, 1 to 2^48-1.
    ///
    /// Numbers increase within the blocks of one process; across processes they are only distinct.
    /// An unused number is lost.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Exhausted` after 2^48-1, and the errors of the source itself.
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
