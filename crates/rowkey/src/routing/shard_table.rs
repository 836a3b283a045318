//! From shard keys to nodes.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::HotGuid;
use crate::routing::nodes::Nodes;
use crate::routing::{NoNode, NumberRange, RoutePlace, RoutesError, ShardLayout, ShardRoutes};

/// A node of type `N`, such as a pool or a URL, for every shard of a layout, or the answer that
/// there is none.
///
/// A table does not change; a [`Router`](crate::routing::Router) replaces it as a whole. A lookup
/// is a binary search and allocates nothing.
///
/// ```
/// use rowkey::generate::Generate;
/// use rowkey::routing::{NoNode, Shard, ShardLayout, ShardRoutes, ShardTable};
/// use rowkey::HotGuid;
///
/// const SHARDS: ShardLayout = ShardLayout::new(10, 22);
///
/// let routes: ShardRoutes = serde_json::from_str(
///     r#"{
///         "refuse_others": true,
///         "routes": [
///             {"region": 380, "partition": {"from": 0, "to": 99}, "node": "hot"},
///             {"region": 380, "partition": {"from": 100, "to": 4194303}, "node": "cold"}
///         ]
///     }"#,
/// )?;
/// let nodes = [("hot", "postgres://10.0.0.1/missions"), ("cold", "postgres://10.0.0.2/missions")];
/// let table = ShardTable::new(SHARDS, &routes, nodes)?;
///
/// let mission = HotGuid::generate_for(&SHARDS.compose(380, 17)?);
/// assert_eq!(table.node_of(mission), Ok(&"postgres://10.0.0.1/missions"));
///
/// let foreign = HotGuid::generate_for(&SHARDS.compose(392, 17)?);
/// let shard = Shard { region: 392, partition: 17 };
/// assert_eq!(table.node_of(foreign), Err(NoNode::Shard(shard)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ShardTable<N> {
    layout: ShardLayout,
    /// All shard keys of the layout, in order.
    intervals: Box<[Interval]>,
    nodes: Nodes<N>,
}

/// The shard keys after the previous interval, up to the last one.
#[derive(Clone, Copy)]
struct Interval {
    last: u32,
    node: Option<usize>,
}

/// A route, as an interval of shard keys.
struct Entry {
    first: u32,
    last: u32,
    /// Counted from 1.
    route: usize,
    node: usize,
}

impl<N> ShardTable<N> {
    /// The table of these routes to these nodes, by their names. A node need not have a route.
    ///
    /// # Errors
    ///
    /// A [`RoutesError`]: two nodes of one name, a name without a node, a number that does not fit
    /// the layout, an empty range, partitions of several regions, two routes with a shard in
    /// common, or a shard without a route if neither a default nor a refusal is declared.
    pub fn new<S: Into<String>>(
        layout: ShardLayout,
        routes: &ShardRoutes,
        nodes: impl IntoIterator<Item = (S, N)>,
    ) -> Result<Self, RoutesError> {
        let nodes = Nodes::new(nodes)?;
        let rest = nodes.rest(routes.default.as_deref(), routes.refuse_others)?;
        let mut entries = Vec::with_capacity(routes.routes.len());
        for (index, route) in routes.routes.iter().enumerate() {
            let number = index + 1;
            let (first, last) = keys_of(layout, number, route.region, route.partition)?;
            entries.push(Entry {
                first,
                last,
                route: number,
                node: nodes.position(&route.node, RoutePlace::Route(number))?,
            });
        }
        entries.sort_by_key(|entry| entry.first);
        if let Some(pair) = entries
            .windows(2)
            .find(|pair| pair[1].first <= pair[0].last)
        {
            let last = pair[0].last.min(pair[1].last);
            let routes = (pair[0].route, pair[1].route);
            return Err(RoutesError::Overlap {
                routes: (routes.0.min(routes.1), routes.0.max(routes.1)),
                common: describe(layout, pair[1].first, last),
            });
        }

        let mut intervals = Vec::with_capacity(entries.len() * 2 + 1);
        // The first key without an interval; `None` after the last of all 32 bits.
        let mut next = Some(0);
        for entry in &entries {
            if let Some(first) = next.filter(|first| *first < entry.first) {
                let last = entry.first - 1;
                let node = rest.node(|| describe(layout, first, last))?;
                intervals.push(Interval { last, node });
            }
            intervals.push(Interval {
                last: entry.last,
                node: Some(entry.node),
            });
            next = entry.last.checked_add(1);
        }
        let last = max_key(layout);
        if let Some(first) = next.filter(|first| *first <= last) {
            let node = rest.node(|| describe(layout, first, last))?;
            intervals.push(Interval { last, node });
        }
        Ok(Self {
            layout,
            intervals: intervals.into(),
            nodes,
        })
    }

    /// The node of the shard that an id was made for. Keys over [`HotGuid`] convert themselves.
    ///
    /// # Errors
    ///
    /// [`NoNode::ShardKey`] and [`NoNode::Shard`].
    pub fn node_of(&self, id: impl Into<HotGuid>) -> Result<&N, NoNode> {
        self.node_of_shard_key(id.into().shard_key())
    }

    /// The node of a shard key.
    ///
    /// # Errors
    ///
    /// As [`node_of`](Self::node_of).
    pub fn node_of_shard_key(&self, shard_key: u32) -> Result<&N, NoNode> {
        let index = self.intervals.partition_point(|one| one.last < shard_key);
        let found = self.intervals.get(index).and_then(|one| one.node);
        found
            .and_then(|position| self.nodes.at(position))
            .ok_or_else(|| self.no_node(shard_key))
    }

    /// The layout of the shard keys.
    pub fn layout(&self) -> ShardLayout {
        self.layout
    }

    /// The names of all nodes and the nodes, in the order in which they were given.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, &N)> {
        self.nodes.iter()
    }

    #[cold]
    fn no_node(&self, shard_key: u32) -> NoNode {
        match self.layout.split(shard_key) {
            Ok(shard) => NoNode::Shard(shard),
            Err(_) => NoNode::ShardKey {
                shard_key,
                max: max_key(self.layout),
            },
        }
    }
}

/// The shards and the names of their nodes, without the nodes: they may contain passwords.
impl<N> fmt::Debug for ShardTable<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = 0;
        let routes = self.intervals.iter().map(|Interval { last, node }| {
            let shards = describe(self.layout, first, *last);
            // Not used after the last of all 32 bits.
            first = last.wrapping_add(1);
            (shards, node.and_then(|node| self.nodes.name_at(node)))
        });
        f.debug_map().entries(routes).finish()
    }
}

fn max_key(layout: ShardLayout) -> u32 {
    join(layout, layout.max_region(), layout.max_partition())
}

fn join(layout: ShardLayout, region: u32, partition: u32) -> u32 {
    // Region and partition have been checked.
    layout.compose(region, partition).unwrap_or(u32::MAX)
}

fn keys_of(
    layout: ShardLayout,
    route: usize,
    region: NumberRange,
    partition: Option<NumberRange>,
) -> Result<(u32, u32), RoutesError> {
    check(route, "region", region, layout.max_region())?;
    let Some(partition) = partition else {
        let last = join(layout, region.to, layout.max_partition());
        return Ok((join(layout, region.from, 0), last));
    };
    check(route, "partition", partition, layout.max_partition())?;
    let NumberRange { from, to } = region;
    if from != to {
        return Err(RoutesError::PartitionsOfRegions { route, from, to });
    }
    Ok((
        join(layout, from, partition.from),
        join(layout, from, partition.to),
    ))
}

fn describe(layout: ShardLayout, first: u32, last: u32) -> String {
    let (Ok(first), Ok(last)) = (layout.split(first), layout.split(last)) else {
        return format!("the shard keys from {first} to {last}");
    };
    let are_whole = first.partition == 0 && last.partition == layout.max_partition();
    match (first.region == last.region, are_whole) {
        (true, true) => format!("region {}", first.region),
        (false, true) => format!("the regions from {} to {}", first.region, last.region),
        (true, false) if first == last => {
            format!("partition {} of region {}", first.partition, first.region)
        }
        (true, false) => format!(
            "the partitions from {} to {} of region {}",
            first.partition, last.partition, first.region
        ),
        (false, false) => format!(
            "the shards from partition {} of region {} to partition {} of region {}",
            first.partition, first.region, last.partition, last.region
        ),
    }
}

fn check(
    route: usize,
    field: &'static str,
    range: NumberRange,
    max: u32,
) -> Result<(), RoutesError> {
    let NumberRange { from, to } = range;
    if from > to {
        return Err(RoutesError::EmptyRange {
            route,
            field,
            from,
            to,
        });
    }
    if to > max {
        let value = if from > max { from } else { to };
        return Err(RoutesError::TooLarge {
            route,
            field,
            value,
            max,
        });
    }
    Ok(())
}
