//! From ids to nodes.

use std::sync::LazyLock;

use rowkey::routing::{
    IuidContext, IuidRegistries, IuidRoute, IuidRoutes, IuidTable, Registry, Router, ShardLayout,
    ShardRoute, ShardRoutes, ShardTable,
};

use crate::inputs::wide;
use crate::operation::{Operation, operation};

const SHARDS: ShardLayout = ShardLayout::new(10, 22);

pub(crate) const OPERATIONS: &[Operation] = &[
    operation!(number "route-shard", wide(), |number| {
        tables().shards.node_of_shard_key(number as u32).copied()
    }),
    operation!(number "route-shard-of-router", wide(), |number| {
        tables().router.load().node_of_shard_key(number as u32).copied()
    }),
    operation!(number "route-country-and-service-entity", wide(), |number| {
        let [country, service_entity] = (number as u16).to_be_bytes();
        tables().pairs.node_of_context(IuidContext { country, service_entity }).copied()
    }),
];

struct Tables {
    /// A route for each of 1,024 regions.
    shards: ShardTable<usize>,
    router: Router<ShardTable<usize>>,
    /// A route for each of 256 countries.
    pairs: IuidTable<usize>,
}

fn tables() -> &'static Tables {
    static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
        router: Router::new(shards()),
        shards: shards(),
        pairs: pairs(),
    });
    &TABLES
}

fn nodes() -> impl Iterator<Item = (String, usize)> {
    (0..16).map(|node| (node.to_string(), node))
}

fn shards() -> ShardTable<usize> {
    let route = |region: u32| ShardRoute {
        region: region.into(),
        partition: None,
        node: (region % 16).to_string(),
    };
    let routes = ShardRoutes {
        routes: (0..1_024).map(route).collect(),
        ..ShardRoutes::default()
    };
    ShardTable::new(SHARDS, &routes, nodes()).expect("every region has one route")
}

fn pairs() -> IuidTable<usize> {
    let numbered = || (0..256).map(|number| (number, number.to_string()));
    let route = |country: i32| IuidRoute {
        countries: Some(vec![country.to_string()]),
        service_entities: None,
        node: (country % 16).to_string(),
    };
    let registries = IuidRegistries {
        countries: Registry::try_from_iter(numbered()).expect("each number is there once"),
        service_entities: Registry::try_from_iter(numbered()).expect("each number is there once"),
    };
    let routes = IuidRoutes {
        routes: (0..256).map(route).collect(),
        ..IuidRoutes::default()
    };
    IuidTable::new(&registries, &routes, nodes()).expect("every country has one route")
}
