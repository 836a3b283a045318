//! The parts of ids that routers use, and tables from these parts to nodes.
//!
//! A HotGuid has a shard key, which a [`ShardLayout`] divides into region and partition. An iUID has a
//! country and a service entity, whose names are in [`IuidRegistries`]. A [`RoutingColumn`] stores such a
//! number beside the id, and [`RoutedPartitions`] divide a table by it.
#![cfg_attr(
    feature = "router",
    doc = "
With the feature `router`, a [`ShardTable`] or an [`IuidTable`] maps them to nodes, such as pools of
connections. It is made of a configuration, [`ShardRoutes`] or [`IuidRoutes`], and a [`Router`] replaces it
while requests go on."
)]

mod column;
mod iuid;
mod part;
mod partition;
mod shard;

#[cfg(feature = "router")]
mod iuid_table;
#[cfg(feature = "router")]
mod nodes;
#[cfg(feature = "router")]
mod refusal;
#[cfg(feature = "router")]
mod router;
#[cfg(feature = "router")]
mod routes;
#[cfg(feature = "router")]
mod shard_table;

pub use crate::format::IuidContext;
pub use crate::registry::{NumberedName, Register, Registered, Registry};
pub use column::{RoutedConditionPart, RoutingColumn};
pub use iuid::{Country, IuidOrigin, IuidRegistries, ServiceEntity};
pub use part::{RoutingPart, ShardKey};
pub use partition::RoutedPartitions;
pub use shard::{Shard, ShardLayout};

#[cfg(feature = "router")]
#[cfg_attr(docsrs, doc(cfg(feature = "router")))]
pub use self::{
    iuid_table::IuidTable,
    refusal::{NoNode, RoutePlace, RoutesError},
    router::{LoadedTable, Router},
    routes::{IuidRoute, IuidRoutes, NumberRange, ShardRoute, ShardRoutes},
    shard_table::ShardTable,
};
