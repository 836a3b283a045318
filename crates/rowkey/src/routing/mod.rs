//! The parts of ids that routers use, and tables from these parts to nodes.
//!
//! A HotGuid has a shard key, which a [`ShardLayout`] divides into region and partition. An iUID
//! has a country and a service entity, whose names are in [`IuidRegistries`]. A [`RoutingColumn`]
//! stores such a number beside the id, for tables that are divided by it; the feature `sql` writes
//! their partitions.
#![cfg_attr(
    feature = "router",
    doc = "
With the feature `router`, a [`ShardTable`] or an [`IuidTable`] maps them to nodes, such as pools of
connections. It is made of a configuration, [`ShardRoutes`] or [`IuidRoutes`], and a [`Router`] replaces it
while requests go on."
)]

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

#[doc(inline)]
pub use rowkey_core::routing::*;

#[cfg(feature = "router")]
#[cfg_attr(docsrs, doc(cfg(feature = "router")))]
pub use self::{
    iuid_table::IuidTable,
    refusal::{NoNode, RoutePlace, RoutesError},
    router::{LoadedTable, Router},
    routes::{IuidRoute, IuidRoutes, NumberRange, ShardRoute, ShardRoutes},
    shard_table::ShardTable,
};
