//! Keys with routing numbers, as cases without their types.

use rowkey::routing::{Country, IuidContext, RoutingColumn, RoutingPart, ServiceEntity, ShardKey};
use rowkey::sql::{Partitions, RoutingColumnDefinition as _};
use rowkey::storage::TableName;
use rowkey::{Backend, EntityKey, Error, HotGuid, Iuid};

use crate::driver::{Driver, KeyOf, ROUTING_COLUMN};
use crate::keys::Case;
use crate::query::Query;
use crate::samples::Random;

/// What the scenarios do with a number in the ids of a key.
pub(crate) struct Routed<D: Driver> {
    pub(crate) case: Case<D>,
    /// What the number is called.
    pub(crate) part: &'static str,
    /// The largest number.
    pub(crate) max: u32,
    /// A new id with a number.
    pub(crate) made: fn(u32, &mut Random) -> u128,
    /// The number of an id, as its column has it.
    pub(crate) number: fn(u128) -> i64,
    /// The SQL of the column beside the key's column `id`.
    pub(crate) sql: fn(Backend, TableName<'_>) -> Result<ColumnSql, Error>,
    pub(crate) lists: fn(TableName<'_>, &[List<'_>]) -> Result<Partitions, Error>,
    pub(crate) ranges: fn(TableName<'_>, &[Range<'_>]) -> Result<Partitions, Error>,
    /// Appends the condition that a row has a key and its number.
    pub(crate) push: fn(&mut Query<D>, u128),
}

/// A partition with its numbers.
pub(crate) type List<'a> = (&'a str, &'a [u32]);

/// A partition with its first and its last number.
pub(crate) type Range<'a> = (&'a str, u32, u32);

/// The SQL of the column of a number.
pub(crate) struct ColumnSql {
    pub(crate) definition: String,
    pub(crate) check: String,
    pub(crate) primary_key: String,
    pub(crate) triggers: Vec<String>,
    pub(crate) expression: String,
}

/// A number with ids to choose.
pub(crate) trait Made: RoutingPart {
    const NAME: &'static str;
    const MAX: u32;

    fn id(number: u32, random: &mut Random) -> u128;

    fn number(number: u32) -> Self::Number;
}

impl Made for ShardKey {
    const NAME: &'static str = "shard key";
    const MAX: u32 = u32::MAX;

    fn id(number: u32, random: &mut Random) -> u128 {
        let (seconds, counter) = (random.next() as u32, random.next() as u32 >> 8);
        let machine = std::array::from_fn(|_| random.next() as u8);
        let id = HotGuid::from_parts(seconds, machine, counter, number);
        id.expect("the counter has 24 bits").to_u128()
    }

    fn number(number: u32) -> u32 {
        number
    }
}

impl Made for Country {
    const NAME: &'static str = "country";
    const MAX: u32 = 255;

    fn id(number: u32, random: &mut Random) -> u128 {
        iuid(Self::number(number), random.next() as u8, random)
    }

    fn number(number: u32) -> u8 {
        u8::try_from(number).expect("a country has eight bits")
    }
}

impl Made for ServiceEntity {
    const NAME: &'static str = "service entity";
    const MAX: u32 = 255;

    fn id(number: u32, random: &mut Random) -> u128 {
        iuid(random.next() as u8, Self::number(number), random)
    }

    fn number(number: u32) -> u8 {
        u8::try_from(number).expect("a service entity has eight bits")
    }
}

fn iuid(country: u8, service_entity: u8, random: &mut Random) -> u128 {
    let context = IuidContext {
        country,
        service_entity,
    };
    let time = rowkey::UnixMillis::new((random.next() >> 16) as i64);
    let id = Iuid::from_parts(time, context, random.next() >> 10);
    id.expect("48 and 54 bits").to_u128()
}

impl<D: Driver> Routed<D> {
    pub(crate) fn new<K, P>() -> Self
    where
        P: Made,
        K: KeyOf<D> + EntityKey<Format = P::Format>,
    {
        Self {
            case: Case::new::<K>(),
            part: P::NAME,
            max: P::MAX,
            made: P::id,
            number: |id| column::<K, P>().value(key(id)).into(),
            sql: |backend, table| {
                let column = column::<K, P>();
                Ok(ColumnSql {
                    definition: column.definition(backend)?,
                    check: column.check(backend)?,
                    primary_key: column.primary_key(backend)?,
                    triggers: column.triggers(backend, table)?,
                    expression: column.of_table("t").expression(backend)?,
                })
            },
            lists: |table, lists| {
                let lists = lists.iter().map(|(name, numbers)| {
                    let numbers = numbers.iter().map(|number| P::number(*number));
                    (*name, numbers.collect::<Vec<_>>())
                });
                Partitions::by_lists(column::<K, P>(), table, lists)
            },
            ranges: |table, ranges| {
                let ranges = ranges.iter();
                let ranges =
                    ranges.map(|(name, first, last)| (*name, P::number(*first)..=P::number(*last)));
                Partitions::by_ranges(column::<K, P>(), table, ranges)
            },
            push: |query, id| key::<K>(id).push_routed(query, column::<K, P>()),
        }
    }
}

fn column<K, P>() -> RoutingColumn<K, P>
where
    P: RoutingPart,
    K: EntityKey<Format = P::Format>,
{
    RoutingColumn::new("id", ROUTING_COLUMN)
}

fn key<K: EntityKey>(id: u128) -> K {
    match K::try_from(id) {
        Ok(key) => key,
        Err(error) => panic!("{id:x} is no sample of {}: {error}", K::NAME),
    }
}

/// The cases of a driver, in every storage.
macro_rules! routed {
    ($Driver:ty) => {
        $crate::routed::routed!(
            $Driver: uuid, binary, text, text_upper, text_hex, text_hex_upper, text_compact
        )
    };
    ($Driver:ty: $($storage:ident),*) => {{
        use rowkey::routing::{Country, ServiceEntity, ShardKey};
        use $crate::routed::Routed;

        let cases: Vec<Routed<$Driver>> = vec![$(
            Routed::new::<$crate::keys::$storage::HotGuid, ShardKey>(),
            Routed::new::<$crate::keys::$storage::Iuid, Country>(),
            Routed::new::<$crate::keys::$storage::Iuid, ServiceEntity>(),
        )*];
        cases
    }};
}

pub(crate) use routed;
