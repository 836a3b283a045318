//! The entries of routing tables, as a configuration file contains them.
//!
//! The code that serde derives for a struct also reads an array, in which no value has a name.
//! [`FromMap`] refuses arrays.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::RangeInclusive;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Which node is responsible for which shards of HotGuids; [`ShardTable::new`] checks it.
///
/// In TOML:
///
/// ```toml
/// default = "archive"
///
/// # All of Italy.
/// [[routes]]
/// region = 380
/// node = "south"
///
/// [[routes]]
/// region = { from = 1, to = 99 }
/// node = "north"
///
/// # The first hundred partitions of Japan; the others are in the archive.
/// [[routes]]
/// region = 392
/// partition = { from = 0, to = 99 }
/// node = "east"
/// ```
///
/// serde reads and writes the routes, in formats that describe themselves, such as TOML, JSON and
/// YAML. Unknown members are refused.
///
/// [`ShardTable::new`]: crate::routing::ShardTable::new
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FromMap<Members<ShardRoute>>")]
pub struct ShardRoutes {
    /// The node of all shards without a route.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether shards without a route have no node, so that a lookup says so. Not with a `default`.
    pub refuse_others: bool,
    /// The routes, in any order. No two have a shard in common.
    pub routes: Vec<ShardRoute>,
}

/// The node of one or more regions, or of partitions of one region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardRoute {
    /// A region, or a range of regions.
    pub region: NumberRange,
    /// The partitions of a single region. By default, all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<NumberRange>,
    /// The name of the node.
    pub node: String,
}

/// Which node is responsible for which countries and service entities of iUIDs; [`IuidTable::new`]
/// checks it.
///
/// The names are in the registries that the table is made with. In TOML:
///
/// ```toml
/// refuse_others = true
///
/// # Every country.
/// [[routes]]
/// service_entities = ["WalletAccount"]
/// node = "wallets"
///
/// [[routes]]
/// countries = ["Brazil", "Peru"]
/// service_entities = ["AyanOrder", "AyanRide"]
/// node = "sao-paulo"
/// ```
///
/// serde reads and writes the routes. Unknown members are refused.
///
/// [`IuidTable::new`]: crate::routing::IuidTable::new
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FromMap<Members<IuidRoute>>")]
pub struct IuidRoutes {
    /// The node of all pairs of a registered country and a registered service entity without a
    /// route.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether pairs without a route have no node, so that a lookup says so. Not with a `default`.
    pub refuse_others: bool,
    /// The routes, in any order. No two have a pair in common.
    pub routes: Vec<IuidRoute>,
}

/// The node of every pair of these countries and these service entities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IuidRoute {
    /// The names of the countries. By default, every registered one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub countries: Option<Vec<String>>,
    /// The names of the service entities. By default, every registered one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_entities: Option<Vec<String>>,
    /// The name of the node.
    pub node: String,
}

/// The numbers from `from` to `to`, both included. serde reads and writes a number, or `from` and
/// `to`.
///
/// ```
/// use rowkey::routing::NumberRange;
///
/// let read: Vec<NumberRange> = serde_json::from_str(r#"[380, {"from": 1, "to": 99}]"#)?;
/// assert_eq!(read, [NumberRange::from(380), NumberRange::from(1..=99)]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NumberRange {
    /// The first number.
    pub from: u32,
    /// The last number.
    pub to: u32,
}

impl From<u32> for NumberRange {
    fn from(number: u32) -> Self {
        Self {
            from: number,
            to: number,
        }
    }
}

impl From<RangeInclusive<u32>> for NumberRange {
    fn from(range: RangeInclusive<u32>) -> Self {
        let (from, to) = range.into_inner();
        Self { from, to }
    }
}

impl Serialize for NumberRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.from == self.to {
            return serializer.serialize_u32(self.from);
        }
        let Self { from, to } = *self;
        Ends { from, to }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for NumberRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // An untagged enum would say only that nothing matches.
        deserializer.deserialize_any(NumberRangeVisitor)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    #[serde(deserialize_with = "first")]
    from: u32,
    #[serde(deserialize_with = "last")]
    to: u32,
}

fn first<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    deserializer.deserialize_any(NumberVisitor("a number from 0 to 4294967295 as `from`"))
}

fn last<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    deserializer.deserialize_any(NumberVisitor("a number from 0 to 4294967295 as `to`"))
}

struct NumberVisitor(&'static str);

impl Visitor<'_> for NumberVisitor {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u32, E> {
        let invalid = |_| E::invalid_value(Unexpected::Unsigned(number), &self);
        u32::try_from(number).map_err(invalid)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<u32, E> {
        let invalid = |_| E::invalid_value(Unexpected::Signed(number), &self);
        u32::try_from(number).map_err(invalid)
    }
}

const NUMBER_OR_ENDS: &str =
    "a number from 0 to 4294967295, or two such numbers as `from` and `to`";

struct NumberRangeVisitor;

impl<'de> Visitor<'de> for NumberRangeVisitor {
    type Value = NumberRange;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NUMBER_OR_ENDS)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<NumberRange, E> {
        NumberVisitor(NUMBER_OR_ENDS)
            .visit_u64(number)
            .map(NumberRange::from)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<NumberRange, E> {
        NumberVisitor(NUMBER_OR_ENDS)
            .visit_i64(number)
            .map(NumberRange::from)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NumberRange, A::Error> {
        let Ends { from, to } = Ends::deserialize(MapAccessDeserializer::new(map))?;
        Ok(NumberRange { from, to })
    }
}

/// What [`ShardRoutes`] and [`IuidRoutes`] are read from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "R: Deserialize<'de>")]
struct Members<R> {
    default: Option<String>,
    #[serde(default)]
    refuse_others: bool,
    #[serde(default = "Vec::new", deserialize_with = "from_maps")]
    routes: Vec<R>,
}

fn from_maps<'de, R: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<R>, D::Error> {
    let maps = Vec::<FromMap<R>>::deserialize(deserializer)?;
    Ok(maps.into_iter().map(|FromMap(route)| route).collect())
}

impl From<FromMap<Members<ShardRoute>>> for ShardRoutes {
    fn from(FromMap(members): FromMap<Members<ShardRoute>>) -> Self {
        Self {
            default: members.default,
            refuse_others: members.refuse_others,
            routes: members.routes,
        }
    }
}

impl From<FromMap<Members<IuidRoute>>> for IuidRoutes {
    fn from(FromMap(members): FromMap<Members<IuidRoute>>) -> Self {
        Self {
            default: members.default,
            refuse_others: members.refuse_others,
            routes: members.routes,
        }
    }
}

/// A struct that is read from a map and nothing else.
struct FromMap<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FromMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(MapVisitor(PhantomData))
            .map(Self)
    }
}

struct MapVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MapVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("named members")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}
