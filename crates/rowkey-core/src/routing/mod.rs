//! The parts of ids that routers use: country and service entity of an iUID, region and partition
//! of a HotGuid's shard key.

mod iuid;
mod shard;

pub use crate::format::IuidContext;
pub use crate::registry::{NumberedName, Register, Registered, Registry};
pub use iuid::{Country, IuidOrigin, IuidRegistries, ServiceEntity};
pub use shard::{Shard, ShardLayout};
