//! What ids refer to by number, each number and each name once: the groups of keys, and the
//! countries and service entities of iUIDs.

mod groups;
mod key_group;
mod names;
#[cfg(feature = "serde")]
mod serde;

pub use groups::KeyGroups;
pub(crate) use groups::refuse_clashes;
pub use key_group::KeyGroup;
pub use names::{Registry, RegistryKind};
