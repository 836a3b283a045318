//! The parts of ids that routers use: country and service entity of an iUID, region and partition
//! of a HotGuid's shard key.

mod registry;
mod shard;

pub use crate::format::IuidContext;
pub use registry::{Country, IuidOrigin, IuidRegistries, NumberedName, Registry, ServiceEntity};
pub use shard::{Shard, ShardLayout};
