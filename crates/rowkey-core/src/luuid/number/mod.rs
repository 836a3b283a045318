//! Short keys: the number of an entity within its group, as people write and read it out.

mod allocator;
mod block;
#[cfg(feature = "std")]
mod in_memory;
mod key;
#[cfg(feature = "std")]
mod reserved;

pub use allocator::ShortKeyAllocator;
pub use block::ShortKeyBlock;
#[cfg(feature = "std")]
pub use in_memory::InMemoryShortKeys;
pub use key::ShortKey;
#[cfg(feature = "std")]
pub use reserved::ReservedShortKeys;
