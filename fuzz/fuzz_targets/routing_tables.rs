//! Configurations of routing tables: read or refused, and next to a scan over their routes.

#![no_main]

use std::collections::BTreeSet;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey::routing::{
    IuidContext, IuidRegistries, IuidRoute, IuidRoutes, IuidTable, NoNode, NumberRange, Registry,
    Shard, ShardLayout, ShardRoute, ShardRoutes, ShardTable,
};
use rowkey_fuzz::Damage;

const NODES: [(&str, &str); 2] = [("north", "north"), ("south", "south")];

static MESH: IuidRegistries = IuidRegistries {
    countries: Registry::new(&[(7, "Kazakhstan"), (255, "Brazil")]),
    service_entities: Registry::new(&[(10, "AyanOrder"), (0, "WalletAccount")]),
};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    layout: (u8, u8),
    default: Option<bool>,
    refuse_others: bool,
    shards: Vec<Shards>,
    pairs: Vec<Pairs>,
    keys: Vec<u32>,
    damage: Damage<'a>,
    text: &'a str,
}

#[derive(Arbitrary, Debug)]
struct Shards {
    region: Range,
    partition: Option<Range>,
    is_north: bool,
}

/// Each name is the first or the second one.
#[derive(Arbitrary, Debug)]
struct Pairs {
    countries: Option<Vec<bool>>,
    service_entities: Option<Vec<bool>>,
    is_north: bool,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Range {
    One(u8),
    Few(u8, u8),
    Any(u32, u32),
}

impl From<Range> for NumberRange {
    fn from(range: Range) -> Self {
        match range {
            Range::One(number) => u32::from(number).into(),
            Range::Few(from, to) => (from.into()..=to.into()).into(),
            Range::Any(from, to) => (from..=to).into(),
        }
    }
}

fuzz_target!(|input: Input<'_>| {
    let (region_bits, partition_bits) = input.layout;
    let layout = ShardLayout::try_new(region_bits.into(), partition_bits.into());
    let layout = layout.unwrap_or(ShardLayout::new(10, 22));
    let node = |is_north: bool| if is_north { "north" } else { "south" }.to_owned();
    let default = input.default.map(node);
    let route = |route: &Shards| ShardRoute {
        region: route.region.into(),
        partition: route.partition.map(Into::into),
        node: node(route.is_north),
    };
    let shards = ShardRoutes {
        default: default.clone(),
        refuse_others: input.refuse_others,
        routes: input.shards.iter().map(route).collect(),
    };
    let text = toml::to_string(&shards).unwrap();
    assert_eq!(toml::from_str(&text), Ok(shards));
    let route = |route: &Pairs| IuidRoute {
        countries: names(&route.countries, ["Kazakhstan", "Brazil"]),
        service_entities: names(&route.service_entities, ["AyanOrder", "WalletAccount"]),
        node: node(route.is_north),
    };
    let pairs = IuidRoutes {
        default,
        refuse_others: input.refuse_others,
        routes: input.pairs.iter().map(route).collect(),
    };
    let iuid_text = toml::to_string(&pairs).unwrap();
    assert_eq!(toml::from_str(&iuid_text), Ok(pairs));
    let (damaged, iuid_damaged) = (input.damage.apply(&text), input.damage.apply(&iuid_text));
    for text in [&text, &damaged, input.text] {
        shards_are_those_of_a_scan(layout, text, &input.keys);
    }
    for text in [&iuid_text, &iuid_damaged, input.text] {
        pairs_are_those_of_a_scan(text);
    }
});

fn names(chosen: &Option<Vec<bool>>, names: [&str; 2]) -> Option<Vec<String>> {
    let name = |first: &bool| names[usize::from(*first)].to_owned();
    chosen.as_ref().map(|list| list.iter().map(name).collect())
}

fn shards_are_those_of_a_scan(layout: ShardLayout, text: &str, keys: &[u32]) {
    let Ok(routes) = toml::from_str::<ShardRoutes>(text) else {
        return;
    };
    let table = match ShardTable::new(layout, &routes, NODES) {
        Ok(table) => table,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    // Those given, and the edges of the routes.
    let mut keys: BTreeSet<u32> = keys.iter().copied().collect();
    for route in &routes.routes {
        let partitions = route.partition.unwrap_or(0.into());
        let edges = [
            (route.region.from, partitions.from),
            (route.region.to, partitions.to),
        ];
        for (region, partition) in edges {
            let edge = layout.compose(region, partition).unwrap();
            keys.extend([edge.wrapping_sub(1), edge, edge.wrapping_add(1)]);
        }
    }
    for key in keys {
        let found = table.node_of_shard_key(key);
        let Ok(shard) = layout.split(key) else {
            assert!(matches!(found, Err(NoNode::ShardKey { .. })));
            continue;
        };
        let routes_of_it = routes.routes.iter().filter(|route| has(route, shard));
        let names: Vec<&str> = routes_of_it.map(|route| route.node.as_str()).collect();
        assert!(names.len() < 2, "two routes for {shard:?}");
        match names.first().copied().or(routes.default.as_deref()) {
            Some(name) => assert_eq!(found, Ok(&name)),
            None => assert_eq!(found, Err(NoNode::Shard(shard))),
        }
    }
}

fn has(route: &ShardRoute, shard: Shard) -> bool {
    let has = |range: NumberRange, number| range.from <= number && number <= range.to;
    has(route.region, shard.region)
        && route
            .partition
            .is_none_or(|partition| has(partition, shard.partition))
}

fn pairs_are_those_of_a_scan(text: &str) {
    let Ok(routes) = toml::from_str::<IuidRoutes>(text) else {
        return;
    };
    let table = match IuidTable::new(&MESH, &routes, NODES) {
        Ok(table) => table,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let lists = |list: &Option<Vec<String>>, name: &str| {
        list.as_ref()
            .is_none_or(|list| list.iter().any(|one| one == name))
    };
    for (country, country_name) in MESH.countries.iter() {
        for (service_entity, entity_name) in MESH.service_entities.iter() {
            let routes_of_it = routes.routes.iter().filter(|route| {
                lists(&route.countries, country_name) && lists(&route.service_entities, entity_name)
            });
            let names: Vec<&str> = routes_of_it.map(|route| route.node.as_str()).collect();
            assert!(
                names.len() < 2,
                "two routes for {country_name} and {entity_name}"
            );
            let found = table.node_of_context(IuidContext {
                country,
                service_entity,
            });
            match names.first().copied().or(routes.default.as_deref()) {
                Some(name) => assert_eq!(found, Ok(&name)),
                None => assert_eq!(
                    found,
                    Err(NoNode::Pair {
                        country,
                        service_entity
                    })
                ),
            }
        }
    }
}
