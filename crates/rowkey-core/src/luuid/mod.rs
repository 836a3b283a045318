//! Ids with a readable number: groups, numbers, short keys and unions of keys over
//! [`Luuid`](crate::Luuid).
//!
//! A *key* identifies an entity, as everywhere. A *number* counts the entities of a group. A *short
//! key* is an entity's number as people write it and read it out, in hexadecimal: `23122e`.

mod number_counter;
#[cfg(feature = "std")]
mod reserved_numbers;
mod short_key;
#[cfg(test)]
mod tests;
mod union;

pub use crate::bounds::ShortKey;
pub use crate::format::{LuuidGroup, crc12};
pub use crate::generate::luuid::LuuidContext;
pub use crate::generate::number_source::NumberSource;
pub use crate::registry::{KeyGroup, KeyGroups};
pub use number_counter::NumberCounter;
#[cfg(feature = "std")]
pub use reserved_numbers::ReservedNumbers;
pub use union::KeyUnion;
pub(crate) use union::refuse_union;
#[doc(hidden)]
pub use union::{check_key_of_union, member, parse_union};
