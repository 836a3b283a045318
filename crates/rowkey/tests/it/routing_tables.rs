//! Routing tables: what they answer, and which routes they refuse.

use proptest::prelude::*;
use proptest::sample::subsequence;
use rowkey::routing::{
    IuidContext, IuidRegistries, IuidRoute, IuidRoutes, IuidTable, NoNode, NumberRange, Registry,
    Router, RoutesError, Shard, ShardLayout, ShardRoute, ShardRoutes, ShardTable,
};
use rowkey::{HotGuid, Iuid, UnixMillis};
use serde::de::DeserializeOwned;

/// Small enough to look up every shard key.
const SMALL: ShardLayout = ShardLayout::new(3, 4);

/// Regions by UN M.49, as in the description of HotGuid.
const SHARDS: ShardLayout = ShardLayout::new(10, 22);

const NODES: [(&str, &str); 3] = [("north", "north"), ("south", "south"), ("east", "east")];

static MESH: IuidRegistries = IuidRegistries {
    countries: Registry::new(&[(7, "Kazakhstan"), (255, "Brazil"), (0, "Peru")]),
    service_entities: Registry::new(&[(10, "AyanOrder"), (0, "AyanRide"), (255, "WalletAccount")]),
};

fn id_of_shard_key(shard_key: u32) -> HotGuid {
    HotGuid::from_parts(1_700_000_000, [1, 2, 3, 4, 5], 6, shard_key).unwrap()
}

fn shard_table(layout: ShardLayout, toml: &str) -> Result<ShardTable<&'static str>, RoutesError> {
    ShardTable::new(layout, &toml::from_str(toml).unwrap(), NODES)
}

fn iuid_table(toml: &str) -> Result<IuidTable<&'static str>, RoutesError> {
    IuidTable::new(&MESH, &toml::from_str(toml).unwrap(), NODES)
}

#[test]
fn a_shard_has_the_node_of_its_route_or_the_default() {
    let table = shard_table(
        SHARDS,
        r#"
            default = "east"
            [[routes]]
            region = 380
            partition = { from = 100, to = 4194303 }
            node = "south"
            [[routes]]
            region = { from = 0, to = 99 }
            node = "north"
            [[routes]]
            region = 1023
            partition = 4194303
            node = "south"
        "#,
    );
    let table = table.unwrap();
    for (region, partition, node) in [
        (0, 0, "north"),
        (99, 4_194_303, "north"),
        (100, 0, "east"),
        (380, 99, "east"),
        (380, 100, "south"),
        (380, 4_194_303, "south"),
        (381, 0, "east"),
        (1023, 4_194_302, "east"),
        (1023, 4_194_303, "south"),
    ] {
        let id = id_of_shard_key(SHARDS.compose(region, partition).unwrap());
        assert_eq!(table.node_of(id), Ok(&node), "{region} {partition}");
    }
    let names: Vec<&str> = table.nodes().map(|(name, _)| name).collect();
    assert_eq!(names, ["north", "south", "east"]);
    assert_eq!(table.layout(), SHARDS);
}

#[test]
fn an_id_without_a_node_says_which_shard_it_is_of() {
    let text = "refuse_others = true\n[[routes]]\nregion = 3\nnode = \"north\"";
    let table = shard_table(SMALL, text).unwrap();
    let shard = Shard {
        region: 4,
        partition: 5,
    };
    let error = table.node_of(id_of_shard_key(0x45)).unwrap_err();
    assert_eq!(error, NoNode::Shard(shard));
    assert_eq!(error.to_string(), "no node has partition 5 of region 4");

    let error = table.node_of(id_of_shard_key(0x80)).unwrap_err();
    let expected = "the shard key 128 has another layout; shard keys are 0 to 127";
    assert_eq!(error.to_string(), expected);
    // A default is for the shards of the layout only.
    let table = shard_table(SMALL, "default = \"north\"").unwrap();
    assert_eq!(table.node_of_shard_key(127), Ok(&"north"));
    assert!(table.node_of_shard_key(128).is_err());
}

#[test]
fn layouts_may_have_no_bits_for_a_part() {
    for (layout, count) in [
        (ShardLayout::new(0, 2), 4_u64),
        (ShardLayout::new(2, 0), 4),
        (ShardLayout::new(0, 0), 1),
        (ShardLayout::new(0, 32), 1 << 32),
        (ShardLayout::new(32, 0), 1 << 32),
    ] {
        let table = shard_table(layout, "default = \"north\"").unwrap();
        let last = u32::try_from(count - 1).unwrap();
        assert_eq!(table.node_of_shard_key(last), Ok(&"north"));
        if let Some(next) = last.checked_add(1) {
            assert!(table.node_of_shard_key(next).is_err());
        }
    }
}

#[test]
fn shard_routes_that_make_no_table_are_refused_with_the_place() {
    let one = "refuse_others = true\n[[routes]]\n";
    for (text, message) in [
        (
            format!("{one}region = 1\nnode = \"west\""),
            "route 1: no node is called `west`; there are `north`, `south`, `east`",
        ),
        (
            "default = \"North\"".into(),
            "the default: no node is called `North`; there are `north`, `south`, `east`",
        ),
        (
            "default = \"north\"\nrefuse_others = true".into(),
            "there is the default node `north`, but `refuse_others` is set: choose one of them",
        ),
        (
            format!("{one}region = 8\nnode = \"north\""),
            "route 1: the region 8 does not fit; regions are 0 to 7",
        ),
        (
            format!("{one}region = {{ from = 7, to = 9 }}\nnode = \"north\""),
            "route 1: the region 9 does not fit; regions are 0 to 7",
        ),
        // The first of two that do not fit.
        (
            format!("{one}region = {{ from = 9, to = 10 }}\nnode = \"north\""),
            "route 1: the region 9 does not fit; regions are 0 to 7",
        ),
        (
            format!("{one}region = 7\npartition = {{ from = 17, to = 18 }}\nnode = \"north\""),
            "route 1: the partition 17 does not fit; partitions are 0 to 15",
        ),
        (
            format!("{one}region = 7\npartition = 16\nnode = \"north\""),
            "route 1: the partition 16 does not fit; partitions are 0 to 15",
        ),
        (
            format!("{one}region = {{ from = 3, to = 2 }}\nnode = \"north\""),
            "route 1: the range of regions from 3 to 2 is empty",
        ),
        (
            format!("{one}region = 1\npartition = {{ from = 3, to = 2 }}\nnode = \"north\""),
            "route 1: the range of partitions from 3 to 2 is empty",
        ),
        (
            format!("{one}region = {{ from = 1, to = 2 }}\npartition = 0\nnode = \"north\""),
            "route 1: it has partitions of the regions from 1 to 2; write a route for each region",
        ),
        (
            format!(
                "{one}region = {{ from = 2, to = 5 }}\nnode = \"north\"\n[[routes]]\nregion = 0\n\
                 node = \"east\"\n[[routes]]\nregion = {{ from = 1, to = 3 }}\nnode = \"south\""
            ),
            "routes 1 and 3 overlap: both have the regions from 2 to 3",
        ),
        (
            format!(
                "{one}region = 2\nnode = \"north\"\n[[routes]]\nregion = 2\npartition = 5\n\
                 node = \"north\""
            ),
            "routes 1 and 2 overlap: both have partition 5 of region 2",
        ),
        (
            "[[routes]]\nregion = { from = 0, to = 6 }\nnode = \"north\"".into(),
            "there is no route for region 7; add one, a `default`, or `refuse_others = true`",
        ),
        (
            "[[routes]]\nregion = 0\npartition = { from = 1, to = 2 }\nnode = \"north\"".into(),
            "there is no route for partition 0 of region 0; add one, a `default`, or \
             `refuse_others = true`",
        ),
        (
            "[[routes]]\nregion = 0\npartition = { from = 0, to = 2 }\nnode = \"north\"".into(),
            "there is no route for the shards from partition 3 of region 0 to partition 15 of \
             region 7; add one, a `default`, or `refuse_others = true`",
        ),
    ] {
        let error = shard_table(SMALL, &text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
    let twice = [("north", 1), ("south", 2), ("north", 3)];
    let error = ShardTable::new(SMALL, &ShardRoutes::default(), twice).unwrap_err();
    assert_eq!(error.to_string(), "the node `north` is listed twice");
    let none: [(&str, ()); 0] = [];
    let routes = toml::from_str("default = \"north\"").unwrap();
    let error = ShardTable::new(SMALL, &routes, none).unwrap_err();
    let expected = "the default: no node is called `north`; there are none";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn text_that_is_no_configuration_is_refused_with_the_place() {
    let read = |text: &str| toml::from_str::<ShardRoutes>(text).unwrap_err().to_string();
    let error = read("[[routes]]\nregion = -1\nnode = \"north\"");
    assert!(error.contains("line 2"), "{error}");
    let expected = "invalid value: integer `-1`, expected a number from 0 to 4294967295, or two such \
                    numbers as `from` and `to`";
    assert!(error.contains(expected), "{error}");
    let error = read("[[routes]]\nregion = \"Italy\"\nnode = \"north\"");
    assert!(
        error.contains("invalid type: string \"Italy\", expected a number"),
        "{error}"
    );
    for (ends, expected) in [
        (
            "from = -1, to = 2",
            "integer `-1`, expected a number from 0 to 4294967295 as `from`",
        ),
        (
            "from = 1, to = -2",
            "integer `-2`, expected a number from 0 to 4294967295 as `to`",
        ),
        (
            "from = 1, to = 4294967296",
            "integer `4294967296`, expected a number from 0 to 4294967295 as `to`",
        ),
        (
            "from = 1, to = \"2\"",
            "string \"2\", expected a number from 0 to 4294967295 as `to`",
        ),
    ] {
        let error = read(&format!(
            "[[routes]]\nregion = {{ {ends} }}\nnode = \"north\""
        ));
        assert!(
            error.contains("line 2") && error.contains(expected),
            "{error}"
        );
    }
    let error = read("[[routes]]\nregion = { from = 1 }\nnode = \"north\"");
    assert!(error.contains("missing field `to`"), "{error}");
    let error = read("[[routes]]\nregion = { from = 1, to = 2, too = 3 }\nnode = \"north\"");
    assert!(error.contains("unknown field `too`"), "{error}");
    let error = read("[[routes]]\nregions = 1\nnode = \"north\"");
    assert!(error.contains("unknown field `regions`"), "{error}");
    let error = read("defaults = \"north\"");
    assert!(error.contains("unknown field `defaults`"), "{error}");
}

/// Arrays, of which the derived code would take the elements for the members in their order.
#[test]
fn arrays_are_no_configuration() {
    fn check<T: DeserializeOwned + std::fmt::Debug>(texts: &[&str]) {
        for text in texts {
            let error = serde_json::from_str::<T>(text).unwrap_err().to_string();
            assert!(
                error.contains("invalid type: sequence, expected named members"),
                "{error}"
            );
        }
    }
    check::<ShardRoutes>(&[
        "[]",
        r#"["north", false, []]"#,
        r#"{"routes": [[1, null, "north"]]}"#,
        r#"{"routes": [{"region": 1, "node": "north"}, []]}"#,
    ]);
    check::<IuidRoutes>(&[
        r#"[null, true, []]"#,
        r#"{"routes": [[["Peru"], null, "north"]]}"#,
    ]);
    let error = serde_json::from_str::<NumberRange>("[1, 99]").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("sequence, expected a number from 0"),
        "{error}"
    );
}

/// A node may be a URL with a password.
#[test]
fn tables_show_the_names_of_their_nodes_alone() {
    let nodes = [
        ("north", "postgres://rowkey:secret@10.0.0.1"),
        ("south", "secret"),
    ];
    let routes = r#"
        refuse_others = true
        [[routes]]
        region = { from = 1, to = 6 }
        node = "south"
        [[routes]]
        region = 7
        partition = { from = 2, to = 15 }
        node = "north"
    "#;
    let table = ShardTable::new(SMALL, &toml::from_str(routes).unwrap(), nodes).unwrap();
    let expected = r#"{"region 0": None, "the regions from 1 to 6": Some("south"), "the partitions from 0 to 1 of region 7": None, "the partitions from 2 to 15 of region 7": Some("north")}"#;
    assert_eq!(format!("{table:?}"), expected);
    let router = Router::new(table);
    assert_eq!(format!("{router:?}"), format!("Router({expected})"));
    assert_eq!(format!("{:?}", router.load()), expected);

    let routes = toml::from_str("default = \"south\"").unwrap();
    let table = IuidTable::new(&MESH, &routes, nodes).unwrap();
    let expected = r#"IuidTable { countries: 3, service_entities: 3, nodes: ["north", "south"] }"#;
    assert_eq!(format!("{table:?}"), expected);
    // The last of all 32 bits.
    let table = ShardTable::new(
        ShardLayout::new(32, 0),
        &toml::from_str("default = \"a\"").unwrap(),
        [("a", ())],
    );
    let expected = r#"{"the regions from 0 to 4294967295": Some("a")}"#;
    assert_eq!(format!("{:?}", table.unwrap()), expected);
}

#[test]
fn a_pair_has_the_node_of_its_route_or_the_default() {
    let table = iuid_table(
        r#"
            default = "east"
            [[routes]]
            service_entities = ["WalletAccount"]
            node = "south"
            [[routes]]
            countries = ["Brazil", "Peru"]
            service_entities = ["AyanRide", "AyanOrder"]
            node = "north"
        "#,
    );
    let table = table.unwrap();
    for (country, service_entity, node) in [
        ("Kazakhstan", "AyanOrder", "east"),
        ("Kazakhstan", "AyanRide", "east"),
        ("Kazakhstan", "WalletAccount", "south"),
        ("Brazil", "AyanOrder", "north"),
        ("Brazil", "AyanRide", "north"),
        ("Brazil", "WalletAccount", "south"),
        ("Peru", "AyanOrder", "north"),
        ("Peru", "AyanRide", "north"),
        ("Peru", "WalletAccount", "south"),
    ] {
        let context = MESH.context(country, service_entity).unwrap();
        let id = Iuid::from_parts(UnixMillis::EPOCH, context, 0).unwrap();
        assert_eq!(table.node_of(id), Ok(&node), "{country} {service_entity}");
    }
}

#[test]
fn an_id_of_an_unknown_country_or_service_entity_has_no_node() {
    let text = "refuse_others = true\n[[routes]]\ncountries = [\"Peru\"]\nnode = \"north\"";
    let table = iuid_table(text).unwrap();
    let with_default = iuid_table("default = \"north\"").unwrap();
    for (country, service_entity, message, has_default) in [
        (1, 10, "no country has the number 1", false),
        (0, 1, "no service entity has the number 1", false),
        (7, 10, "no node has service entity 10 of country 7", true),
    ] {
        let context = IuidContext {
            country,
            service_entity,
        };
        let error = table.node_of_context(context).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(with_default.node_of_context(context).is_ok(), has_default);
    }
}

#[test]
fn iuid_routes_that_make_no_table_are_refused_with_the_place() {
    for (text, message) in [
        (
            "[[routes]]\nnode = \"west\"",
            "route 1: no node is called `west`; there are `north`, `south`, `east`",
        ),
        (
            "[[routes]]\ncountries = [\"Brasil\"]\nnode = \"north\"",
            "route 1: no country is called `Brasil`; there are `Kazakhstan`, `Brazil`, `Peru`",
        ),
        (
            "default = \"north\"\n[[routes]]\ncountries = [\"Peru\"]\nnode = \"north\"\n\
             [[routes]]\nservice_entities = [\"Ride\"]\nnode = \"north\"",
            "route 2: no service entity is called `Ride`; there are `AyanOrder`, `AyanRide`, \
             `WalletAccount`",
        ),
        (
            "[[routes]]\ncountries = [\"Peru\", \"Peru\"]\nnode = \"north\"",
            "route 1: the country `Peru` is listed twice",
        ),
        (
            "[[routes]]\ncountries = [\"Peru\", \"Brazil\", \"Peru\"]\nnode = \"north\"",
            "route 1: the country `Peru` is listed twice",
        ),
        (
            "[[routes]]\nservice_entities = [\"AyanRide\", \"WalletAccount\", \"AyanOrder\", \
             \"AyanRide\"]\nnode = \"north\"",
            "route 1: the service entity `AyanRide` is listed twice",
        ),
        (
            "[[routes]]\nservice_entities = []\nnode = \"north\"",
            "route 1: it has no service entity; leave the list out if it is for all",
        ),
        (
            "[[routes]]\nnode = \"north\"\n[[routes]]\ncountries = [\"Peru\"]\nnode = \"north\"",
            "routes 1 and 2 overlap: both have the service entity `AyanOrder` of the country `Peru`",
        ),
        (
            "[[routes]]\ncountries = [\"Kazakhstan\", \"Peru\"]\nnode = \"north\"",
            "there is no route for the service entity `AyanOrder` of the country `Brazil`; add one, \
             a `default`, or `refuse_others = true`",
        ),
    ] {
        assert_eq!(iuid_table(text).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn routes_are_written_as_they_are_read() {
    let text = r#"{"default":"north","refuse_others":false,"routes":[{"region":380,"node":"south"},{"region":392,"partition":{"from":0,"to":99},"node":"east"}]}"#;
    let routes: ShardRoutes = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&routes).unwrap(), text);
    let text = r#"{"refuse_others":true,"routes":[{"countries":["Peru"],"node":"south"}]}"#;
    let routes: IuidRoutes = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&routes).unwrap(), text);
}

/// What a naive scan over the routes finds.
#[derive(Debug, PartialEq)]
enum Scan {
    Node(&'static str),
    /// No route and no default.
    Nothing,
}

fn shard_routes() -> impl Strategy<Value = ShardRoutes> {
    let range = |max: u32| {
        prop_oneof![
            4 => (0..=max).prop_map(NumberRange::from),
            4 => (0..=max, 0..=max).prop_map(|(a, b)| (a.min(b)..=a.max(b)).into()),
            // Often wrong.
            1 => (0..=max + 1, 0..=max + 1).prop_map(|(a, b)| (a..=b).into()),
        ]
    };
    let route = (range(7), prop::option::of(range(15)), 0..3_usize).prop_map(
        |(region, partition, node)| {
            // Mostly partitions of one region.
            let region = match partition {
                Some(_) if region.to % 4 != 0 => region.from.into(),
                _ => region,
            };
            let node = NODES[node].0.to_owned();
            ShardRoute {
                region,
                partition,
                node,
            }
        },
    );
    let default = prop::option::of((0..3_usize).prop_map(|node| NODES[node].0.to_owned()));
    let routes = prop::collection::vec(route, 0..5);
    (default, any::<bool>(), routes).prop_map(|(default, refuse_others, routes)| ShardRoutes {
        default,
        refuse_others,
        routes,
    })
}

fn has(range: NumberRange, number: u32) -> bool {
    range.from <= number && number <= range.to
}

fn scan_shards(routes: &ShardRoutes, shard: Shard) -> (Vec<usize>, Scan) {
    let matching = routes.routes.iter().enumerate().filter(|(_, route)| {
        let partition = route.partition;
        has(route.region, shard.region)
            && partition.is_none_or(|partition| has(partition, shard.partition))
    });
    let matching: Vec<usize> = matching.map(|(index, _)| index + 1).collect();
    let first = matching.first().map(|route| &routes.routes[route - 1].node);
    (matching, scanned(first.or(routes.default.as_ref())))
}

fn scanned(name: Option<&String>) -> Scan {
    let node = name.and_then(|name| NODES.iter().find(|(known, _)| known == name));
    node.map_or(Scan::Nothing, |(_, node)| Scan::Node(node))
}

fn iuid_routes() -> impl Strategy<Value = IuidRoutes> {
    let countries: Vec<String> = MESH.countries.iter().map(|(_, name)| name.into()).collect();
    let entities = MESH.service_entities.iter().map(|(_, name)| name.into());
    let entities: Vec<String> = entities.collect();
    let route = (
        prop::option::of(subsequence(countries, 1..=3)),
        prop::option::of(subsequence(entities, 1..=3)),
        0..3_usize,
    );
    let route = route.prop_map(|(countries, service_entities, node)| IuidRoute {
        countries,
        service_entities,
        node: NODES[node].0.to_owned(),
    });
    let default = prop::option::of((0..3_usize).prop_map(|node| NODES[node].0.to_owned()));
    let routes = prop::collection::vec(route, 0..4);
    (default, any::<bool>(), routes).prop_map(|(default, refuse_others, routes)| IuidRoutes {
        default,
        refuse_others,
        routes,
    })
}

fn scan_pairs(routes: &IuidRoutes, country: &str, entity: &str) -> (Vec<usize>, Scan) {
    let lists = |list: &Option<Vec<String>>, name: &str| {
        list.as_ref()
            .is_none_or(|list| list.iter().any(|one| one == name))
    };
    let matching = routes.routes.iter().enumerate().filter(|(_, route)| {
        lists(&route.countries, country) && lists(&route.service_entities, entity)
    });
    let matching: Vec<usize> = matching.map(|(index, _)| index + 1).collect();
    let first = matching.first().map(|route| &routes.routes[route - 1].node);
    (matching, scanned(first.or(routes.default.as_ref())))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Every shard key of the layout, and all beyond it that fit eight bits.
    #[test]
    fn every_shard_has_the_node_that_a_scan_finds(routes in shard_routes()) {
        let table = ShardTable::new(SMALL, &routes, NODES);
        let shards = (0..=u8::MAX).map(|key| (u32::from(key), SMALL.split(key.into()).ok()));
        let scans = shards.map(|(key, shard)| (key, shard.map(|shard| scan_shards(&routes, shard))));
        let scans: Vec<_> = scans.collect();
        let mut known = scans.iter().filter_map(|(_, scan)| scan.as_ref());
        match table {
            Ok(table) => for (key, scan) in &scans {
                let found = table.node_of(id_of_shard_key(*key));
                match scan {
                    Some((matching, Scan::Node(node))) => {
                        prop_assert!(matching.len() < 2);
                        prop_assert_eq!(found, Ok(node));
                    }
                    Some((_, Scan::Nothing)) => {
                        prop_assert!(routes.refuse_others);
                        let shard = SMALL.split(*key).unwrap();
                        prop_assert_eq!(found, Err(NoNode::Shard(shard)));
                    }
                    None => {
                        let is_foreign = matches!(found, Err(NoNode::ShardKey { .. }));
                        prop_assert!(is_foreign);
                    }
                }
            },
            Err(RoutesError::Overlap { routes: (a, b), .. }) => {
                prop_assert!(a < b);
                let share = |scan: &(Vec<usize>, Scan)| scan.0.contains(&a) && scan.0.contains(&b);
                prop_assert!(known.any(share));
            }
            Err(RoutesError::Gap { .. }) => {
                prop_assert!(known.any(|(_, scan)| *scan == Scan::Nothing));
                prop_assert!(!routes.refuse_others);
            }
            Err(RoutesError::DefaultRefused { .. }) => {
                prop_assert!(routes.refuse_others && routes.default.is_some());
            }
            Err(RoutesError::EmptyRange { route, .. }) => {
                let route = &routes.routes[route - 1];
                let is_empty = |range: NumberRange| range.from > range.to;
                prop_assert!(is_empty(route.region) || route.partition.is_some_and(is_empty));
            }
            Err(RoutesError::TooLarge { route, .. }) => {
                let route = &routes.routes[route - 1];
                let is_outside = |range: NumberRange, max| range.from.max(range.to) > max;
                let partition = route.partition.unwrap_or(0.into());
                prop_assert!(is_outside(route.region, 7) || is_outside(partition, 15));
            }
            Err(RoutesError::PartitionsOfRegions { route, .. }) => {
                let route = &routes.routes[route - 1];
                prop_assert!(route.partition.is_some() && route.region.from < route.region.to);
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

}

proptest! {
    // Each of them makes 65,536 lookups.
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Every pair of 256 countries and 256 service entities.
    #[test]
    fn every_pair_has_the_node_that_a_scan_finds(routes in iuid_routes()) {
        let mut scans = Vec::new();
        for (_, country) in MESH.countries.iter() {
            for (_, entity) in MESH.service_entities.iter() {
                scans.push(scan_pairs(&routes, country, entity));
            }
        }
        match IuidTable::new(&MESH, &routes, NODES) {
            Ok(table) => for country in 0..=u8::MAX {
                for service_entity in 0..=u8::MAX {
                    let context = IuidContext { country, service_entity };
                    let found = table.node_of_context(context);
                    let names = (
                        MESH.countries.name(country),
                        MESH.service_entities.name(service_entity),
                    );
                    let expected = match names {
                        (None, _) => Err(NoNode::Country(country)),
                        (_, None) => Err(NoNode::ServiceEntity(service_entity)),
                        (Some(country_name), Some(entity_name)) => {
                            let (matching, scan) = scan_pairs(&routes, country_name, entity_name);
                            prop_assert!(matching.len() < 2);
                            match scan {
                                Scan::Node(node) => Ok(node),
                                Scan::Nothing => {
                                    prop_assert!(routes.refuse_others);
                                    Err(NoNode::Pair { country, service_entity })
                                }
                            }
                        }
                    };
                    prop_assert_eq!(found.copied(), expected);
                }
            },
            Err(RoutesError::Overlap { routes: (a, b), .. }) => {
                prop_assert!(a < b);
                let share = |scan: &(Vec<usize>, Scan)| scan.0.contains(&a) && scan.0.contains(&b);
                prop_assert!(scans.iter().any(share));
            }
            Err(RoutesError::Gap { .. }) => {
                prop_assert!(scans.iter().any(|(_, scan)| *scan == Scan::Nothing));
                prop_assert!(!routes.refuse_others);
            }
            Err(RoutesError::DefaultRefused { .. }) => {
                prop_assert!(routes.refuse_others && routes.default.is_some());
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }
}
