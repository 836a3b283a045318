//! Ids with a readable number: groups, numbers, short keys and unions of keys over
//! [`Luuid`](crate::Luuid).

mod number;
mod registry;
#[cfg(test)]
mod tests;
mod union;

pub use crate::format::{LuuidContext, LuuidGroup, LuuidKeys, crc12};
#[cfg(feature = "std")]
pub use number::{InMemoryShortKeys, ReservedShortKeys};
pub use number::{ShortKey, ShortKeyAllocator, ShortKeyBlock};
pub use registry::{GroupRegistry, KeyGroup};
pub use union::KeyUnion;
#[doc(hidden)]
pub use union::{member, parse_union};
pub(crate) use union::{refuse_key, refuse_union};
