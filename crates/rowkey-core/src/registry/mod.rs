//! What has numbers in ids, each number and each name once: the groups of keys, and the countries
//! and service entities of iUIDs.

mod entries;
mod entry;
mod group;
mod key_group;
mod name;
#[cfg(feature = "serde")]
mod serde;

pub use entries::{Register, Registered, Registry};
pub(crate) use entry::{List, TextTable, refuse_clashes};
pub use key_group::KeyGroup;
pub use name::NumberedName;
