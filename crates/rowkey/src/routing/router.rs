//! A table that is replaced while it is used.

use alloc::sync::Arc;
use core::fmt;
use core::ops::Deref;

use arc_swap::{ArcSwap, Guard};

/// A routing table that is replaced as a whole while requests continue, without locks.
///
/// `T` is a [`ShardTable`](crate::routing::ShardTable), an
/// [`IuidTable`](crate::routing::IuidTable), or a struct of several tables that belong together. A
/// program shares one router, for example in an [`Arc`].
///
/// ```
/// use rowkey::routing::{Router, ShardLayout, ShardRoutes, ShardTable};
///
/// const SHARDS: ShardLayout = ShardLayout::new(10, 22);
///
/// let nodes = [("old", 1), ("new", 2)];
/// let to = |name: &str| ShardRoutes { default: Some(name.into()), ..ShardRoutes::default() };
/// let router = Router::new(ShardTable::new(SHARDS, &to("old"), nodes)?);
///
/// let before = router.load();
/// router.replace(ShardTable::new(SHARDS, &to("new"), nodes)?);
/// assert_eq!(router.load().node_of_shard_key(7), Ok(&2));
/// // A request that has begun keeps its table.
/// assert_eq!(before.node_of_shard_key(7), Ok(&1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Router<T> {
    current: ArcSwap<T>,
}

impl<T> Router<T> {
    /// A router with its first table.
    pub fn new(table: T) -> Self {
        Self {
            current: ArcSwap::from_pointee(table),
        }
    }

    /// The current table, for the lookups of one request: all of them see the same table, even if
    /// it is replaced in between.
    ///
    /// The call neither blocks nor allocates. To keep a table, such as in a struct, use
    /// [`load_full`](Self::load_full).
    pub fn load(&self) -> LoadedTable<T> {
        LoadedTable {
            table: self.current.load(),
        }
    }

    /// The current table. Each call increments the reference count, so threads contend for it.
    pub fn load_full(&self) -> Arc<T> {
        self.current.load_full()
    }

    /// Replaces the table and returns the previous one. Lookups that begin afterwards see the new
    /// one.
    ///
    /// Requests that have loaded the previous table still use its nodes, which live until the last
    /// of these requests is done.
    pub fn replace(&self, table: T) -> Arc<T> {
        self.current.swap(Arc::new(table))
    }
}

impl<T: fmt::Debug> fmt::Debug for Router<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Router")
            .field(&*self.current.load())
            .finish()
    }
}

/// The table that was current when it was loaded; see [`Router::load`].
pub struct LoadedTable<T> {
    table: Guard<Arc<T>>,
}

impl<T> Deref for LoadedTable<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.table
    }
}

impl<T: fmt::Debug> fmt::Debug for LoadedTable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
