//! Why routes do not make a table, and why an id has no node.

use alloc::string::String;
use core::fmt;

use crate::Error;
use crate::routing::Shard;

/// Routes that do not make a table: what is wrong, and in which route.
///
/// Routes count from 1, in the order of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RoutesError {
    /// Two nodes have the same name.
    #[error("the node `{name}` is listed twice")]
    SameNode {
        /// The name of both.
        name: String,
    },
    /// A route, or the default, names a node that does not exist.
    #[error("{place}: no node is called `{name}`; there are {choices}")]
    UnknownNode {
        /// Where the name is.
        place: RoutePlace,
        /// The name that no node has.
        name: String,
        /// The names of all nodes.
        choices: String,
    },
    /// There is a default node, although shards without a route are to be refused.
    #[error("there is the default node `{name}`, but `refuse_others` is set: choose one of them")]
    DefaultRefused {
        /// The default node.
        name: String,
    },
    /// A region or a partition does not fit the layout.
    #[error("route {route}: the {field} {value} does not fit; {field}s are 0 to {max}")]
    TooLarge {
        /// The number of the route.
        route: usize,
        /// `region` or `partition`.
        field: &'static str,
        /// The number that is too large.
        value: u32,
        /// The largest number that fits.
        max: u32,
    },
    /// A range ends before it begins.
    #[error("route {route}: the range of {field}s from {from} to {to} is empty")]
    EmptyRange {
        /// The number of the route.
        route: usize,
        /// `region` or `partition`.
        field: &'static str,
        /// The first number of the range.
        from: u32,
        /// The last number of the range.
        to: u32,
    },
    /// A route has a range of regions and partitions, too.
    #[error(
        "route {route}: it has partitions of the regions from {from} to {to}; write a route for each \
         region"
    )]
    PartitionsOfRegions {
        /// The number of the route.
        route: usize,
        /// The first region of the range.
        from: u32,
        /// The last region of the range.
        to: u32,
    },
    /// A route names a country or a service entity that the registry does not have.
    #[error("route {route}: {error}")]
    UnknownName {
        /// The number of the route.
        route: usize,
        /// The name, and those that the registry has.
        error: Error,
    },
    /// A route names a country or a service entity twice.
    #[error("route {route}: the {kind} `{name}` is listed twice")]
    SameName {
        /// The number of the route.
        route: usize,
        /// `country` or `service entity`.
        kind: &'static str,
        /// The name that occurs twice.
        name: String,
    },
    /// A route has an empty list of names.
    #[error("route {route}: it has no {kind}; leave the list out if it is for all")]
    NoName {
        /// The number of the route.
        route: usize,
        /// `country` or `service entity`.
        kind: &'static str,
    },
    /// Two routes have shards, or pairs of a country and a service entity, in common.
    #[error("routes {} and {} overlap: both have {common}", routes.0, routes.1)]
    Overlap {
        /// The routes, the earlier one first.
        routes: (usize, usize),
        /// What the routes have in common, in words; for countries and service entities the first
        /// pair.
        common: String,
    },
    /// Shards, or pairs of a country and a service entity, have no route.
    #[error("there is no route for {missing}; add one, a `default`, or `refuse_others = true`")]
    Gap {
        /// The first missing ones, in words.
        missing: String,
    },
}

/// Where a configuration names a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutePlace {
    /// In this route.
    Route(usize),
    /// As the default.
    Default,
}

impl fmt::Display for RoutePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Route(route) => write!(f, "route {route}"),
            Self::Default => f.write_str("the default"),
        }
    }
}

/// An id that no node is responsible for: it was made for a place that is unknown here.
///
/// Any 128 bits are a HotGuid, so an id from elsewhere may also name a shard that has a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoNode {
    /// The shard key has another layout: bits outside the region and the partition are set.
    #[error("the shard key {shard_key} has another layout; shard keys are 0 to {max}")]
    ShardKey {
        /// The shard key.
        shard_key: u32,
        /// The largest shard key of the layout.
        max: u32,
    },
    /// The shard has no route.
    #[error("no node has partition {} of region {}", .0.partition, .0.region)]
    Shard(Shard),
    /// The country is not registered.
    #[error("no country has the number {0}")]
    Country(u8),
    /// The service entity is not registered.
    #[error("no service entity has the number {0}")]
    ServiceEntity(u8),
    /// Country and service entity are registered, but the pair has no route.
    #[error("no node has service entity {service_entity} of country {country}")]
    Pair {
        /// The country's number.
        country: u8,
        /// The service entity's number.
        service_entity: u8,
    },
}
