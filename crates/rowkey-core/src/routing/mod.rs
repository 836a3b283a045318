//! The parts of ids that routers use.
//!
//! A HotGuid has a shard key, which a [`ShardLayout`] divides into region and partition. An iUID has a
//! country and a service entity, whose names are in [`IuidRegistries`]. A [`RoutingColumn`] stores such a
//! number beside the id, and [`RoutedPartitions`] divide a table by it.

mod column;
mod iuid;
mod part;
mod partition;
mod shard;

pub use crate::format::IuidContext;
pub use crate::registry::{NumberedName, Registry};
pub use column::{RoutedConditionPart, RoutingColumn};
pub use iuid::{Country, IuidOrigin, IuidRegistries, ServiceEntity};
pub use part::{RoutingPart, ShardKey};
pub use partition::RoutedPartitions;
pub use shard::{Shard, ShardLayout};
