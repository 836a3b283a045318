//! The parts of ids that routers use.
//!
//! A HotGuid has a shard key, which a [`ShardLayout`] divides into region and partition. An iUID
//! has a country and a service entity, whose names are in [`IuidRegistries`]. A [`RoutingColumn`]
//! stores such a number beside the id, for tables that are divided by it.

mod column;
mod iuid;
mod part;
mod shard;

pub use crate::format::IuidContext;
pub use crate::registry::{Registry, RegistryKind};
pub use column::{RoutedConditionPart, RoutingColumn};
pub use iuid::{Country, IuidOrigin, IuidRegistries, ServiceEntity};
#[doc(hidden)]
pub use part::{ByteOrder, NumberField, NumberSize};
pub use part::{RoutingPart, ShardKey};
pub use shard::{Shard, ShardLayout};
