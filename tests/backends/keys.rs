//! A declared key for every storage of every format, as cases without their types.

use crate::driver::{BoundsOf, Driver, KeyList, KeyOf};
use crate::query::Query;
use rowkey::format::{FormatKind, TimeOrdered};
use rowkey::luuid::ShortKey;
use rowkey::storage::{Column, StoragePlan};
use rowkey::{Backend, EntityKey, Error, UnixMillis};

/// What the scenarios do with one key type on one driver.
///
/// The scenarios are compiled once per driver, not once per driver and key: of each key they only
/// see public values.
pub(crate) struct Case<D: Driver> {
    pub(crate) plan: StoragePlan,
    /// A parameter.
    pub(crate) param: fn(u128) -> D::Param,
    /// A parameter that may be NULL.
    pub(crate) param_of: fn(Option<u128>) -> D::Param,
    /// Reads a column that is not NULL.
    pub(crate) get: Get<D, u128>,
    /// Reads a column that may be NULL.
    pub(crate) get_optional: Get<D, Option<u128>>,
    /// Appends the condition of a list of keys.
    pub(crate) push_list: PushList<D>,
    /// Appends the condition of a time span, for formats with time.
    pub(crate) push_span: Option<PushSpan<D>>,
    /// Appends the condition of the time from an instant until now, for formats with time.
    pub(crate) push_since: Option<PushSince<D>>,
    /// Appends the condition of a short key, for LUUIDs.
    pub(crate) push_short_key: Option<PushShortKey<D>>,
    /// Whether a value is one of the key.
    pub(crate) admits: fn(u128) -> Result<(), Error>,
}

/// Reads a column of a row.
pub(crate) type Get<D, T> = fn(&<D as Driver>::Row<'_>, &str) -> Result<T, <D as Driver>::Error>;

/// Appends the condition that a column holds one of some keys, or none of them.
pub(crate) type PushList<D> = fn(&mut Query<D>, &'static str, KeyList<u128>);

/// Appends the condition that a column holds a key of a time span.
pub(crate) type PushSpan<D> = fn(&mut Query<D>, &'static str, Span);

/// Appends the condition that a column holds a key made since the first instant, at the second.
pub(crate) type PushSince<D> = fn(&mut Query<D>, &'static str, UnixMillis, UnixMillis);

/// Appends the condition that a column holds a key with this number.
pub(crate) type PushShortKey<D> = fn(&mut Query<D>, &'static str, u64);

/// A time span, open where there is no bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) from: Option<UnixMillis>,
    pub(crate) to: Option<UnixMillis>,
}

impl<D: Driver> Case<D> {
    pub(crate) fn new<K: KeyOf<D>>() -> Self {
        Self {
            plan: K::PLAN,
            param: |value| key::<K>(value).param(),
            param_of: |value| K::param_of(value.map(key::<K>)),
            get: |row, column| Ok(K::get(row, column)?.to_u128()),
            get_optional: |row, column| Ok(K::get_optional(row, column)?.map(EntityKey::to_u128)),
            push_list: |query, column, list| K::push_list(query, column, list.map(key::<K>)),
            push_span: None,
            push_since: None,
            push_short_key: None,
            admits: |value| K::try_from(value).map(drop),
        }
    }

    pub(crate) fn with_time<K: BoundsOf<D>>() -> Self
    where
        K::Format: TimeOrdered,
    {
        let push_span: PushSpan<D> = |query, column, Span { from, to }| {
            let bounds = match (from, to) {
                (None, None) => K::bounds(..),
                (Some(from), None) => K::bounds(from..),
                (None, Some(to)) => K::bounds(..to),
                (Some(from), Some(to)) => K::bounds(from..to),
            };
            K::push_within(query, column, bounds);
        };
        Self {
            push_span: Some(push_span),
            push_since: Some(|query, column, since, now| {
                K::push_within(query, column, K::bounds_since(since, now));
            }),
            ..Self::new::<K>()
        }
    }

    pub(crate) fn with_short_keys<K>() -> Self
    where
        K: BoundsOf<D> + EntityKey<Format = rowkey::Luuid>,
    {
        let push_short_key: PushShortKey<D> = |query, column, number| {
            let short_key = ShortKey::<K>::new(number).expect("a number has 48 bits");
            K::push_within(query, column, short_key.bounds());
        };
        Self {
            push_short_key: Some(push_short_key),
            ..Self::new::<K>()
        }
    }

    /// The column on a backend, or nothing where the backend has no such type.
    pub(crate) fn column(&self, backend: Backend) -> Option<Column> {
        self.plan
            .column_type(backend)
            .is_ok()
            .then(|| self.plan.column(backend))
    }

    pub(crate) fn format(&self) -> FormatKind {
        self.plan.column(Backend::Sqlite).format()
    }
}

fn key<K: EntityKey>(value: u128) -> K {
    match K::try_from(value) {
        Ok(key) => key,
        Err(error) => panic!("{value:x} is no sample of {}: {error}", K::NAME),
    }
}

/// The group of all keys over LUUIDs.
pub(crate) const GROUP: &str = "com.acme.Customer";

/// A module of keys that are called like their formats, all in one storage.
macro_rules! keys {
    ($module:ident, storage $storage:tt, every format) => {
        keys!(
            $module, storage $storage,
            with_time: [
                ShortPrefixComb, ShortSuffixComb, PrefixComb, SuffixComb, UuidV7, Iuid, HotGuid,
                DistributedId, DistributedId128
            ],
            without: [UuidV4, AnyUuid], Luuid
        );
    };
    ($module:ident, storage $storage:tt, every format of sixteen bytes) => {
        keys!(
            $module, storage $storage,
            with_time: [
                ShortPrefixComb, ShortSuffixComb, PrefixComb, SuffixComb, UuidV7, Iuid, HotGuid,
                DistributedId128
            ],
            without: [UuidV4, AnyUuid], Luuid
        );
    };
    (
        $module:ident, storage $storage:tt,
        with_time: [$($with_time:ident),*], without: [$($without:ident),*] $(, $Luuid:ident)?
    ) => {
        pub(crate) mod $module {
            use super::{Case, Driver};

            $(
                #[rowkey::entity_key(storage $storage)]
                pub(crate) struct $with_time(rowkey::$with_time);
            )*
            $(
                #[rowkey::entity_key(storage $storage)]
                pub(crate) struct $without(rowkey::$without);
            )*
            $(
                #[rowkey::entity_key(group = "com.acme.Customer", storage $storage)]
                pub(crate) struct $Luuid(rowkey::$Luuid);
            )?

            pub(crate) fn cases<D: Driver>() -> Vec<Case<D>>
            where
                $($with_time: super::BoundsOf<D>,)*
                $($without: super::KeyOf<D>,)*
                $($Luuid: super::BoundsOf<D>,)?
            {
                vec![
                    $(Case::with_time::<$with_time>(),)*
                    $(Case::new::<$without>(),)*
                    $(Case::with_short_keys::<$Luuid>(),)?
                ]
            }
        }
    };
}

keys!(
    uuid, storage(postgres = "uuid", mysql = "uuid", sqlite = "uuid", sqlserver = "uuid"),
    every format
);

keys!(
    uuid_sql_server, storage(sqlserver = "uuid:sql-server"),
    with_time: [ShortPrefixComb, PrefixComb], without: [UuidV4, AnyUuid]
);

/// Keys whose order is given up, so that they have no bounds in SQL Server.
pub(crate) mod uuid_public_unordered {
    use super::{Case, Driver, KeyOf};

    macro_rules! unordered {
        ($($format:ident $(in $group:literal)?),+) => {
            $(
                #[rowkey::entity_key(
                    $(group = $group,)? storage(sqlserver = "uuid:public-unordered")
                )]
                pub(crate) struct $format(rowkey::$format);
            )+

            pub(crate) fn cases<D: Driver>() -> Vec<Case<D>>
            where
                $($format: KeyOf<D>,)+
            {
                vec![$(Case::new::<$format>()),+]
            }
        };
    }

    unordered!(
        ShortPrefixComb, PrefixComb, UuidV7, Iuid, HotGuid, DistributedId, DistributedId128,
        Luuid in "com.acme.Customer"
    );
}

keys!(
    native_uuid, storage(mariadb = "native-uuid"),
    with_time: [ShortPrefixComb, ShortSuffixComb, PrefixComb, SuffixComb, UuidV7],
    without: [UuidV4], Luuid
);

keys!(
    binary, storage(postgres = "binary", mysql = "binary", sqlite = "binary", sqlserver = "binary"),
    every format
);

keys!(
    decimal, storage(postgres = "decimal", mysql = "decimal", sqlite = "decimal", sqlserver = "decimal"),
    with_time: [DistributedId, DistributedId128], without: []
);

keys!(
    text, storage(postgres = "text", mysql = "text", sqlite = "text", sqlserver = "text"),
    every format
);

keys!(
    text_upper,
    storage(postgres = "text-upper", mysql = "text-upper", sqlite = "text-upper", sqlserver = "text-upper"),
    every format of sixteen bytes
);

keys!(
    text_hex,
    storage(postgres = "text-hex", mysql = "text-hex", sqlite = "text-hex", sqlserver = "text-hex"),
    every format of sixteen bytes
);

keys!(
    text_hex_upper,
    storage(postgres = "text-hex-upper", mysql = "text-hex-upper", sqlite = "text-hex-upper", sqlserver = "text-hex-upper"),
    every format of sixteen bytes
);

keys!(
    text_compact,
    storage(postgres = "text-compact", mysql = "text-compact", sqlite = "text-compact", sqlserver = "text-compact"),
    every format
);

keys!(
    text_digits,
    storage(postgres = "text-digits", mysql = "text-digits", sqlite = "text-digits", sqlserver = "text-digits"),
    with_time: [DistributedId, DistributedId128], without: []
);

keys!(
    bigint, storage(postgres = "bigint", mysql = "bigint", sqlite = "bigint", sqlserver = "bigint"),
    with_time: [], without: [DatabaseNumber]
);

// The same text everywhere, for drivers that know the database too late to send another.
keys!(
    native_uuid_beside_text, storage(postgres = "text", mariadb = "native-uuid", sqlite = "text"),
    with_time: [UuidV7], without: [UuidV4], Luuid
);

/// All cases of a driver that stores every column.
macro_rules! cases {
    ($Driver:ty) => {{
        let mut cases: Vec<Case<$Driver>> = keys::uuid::cases();
        cases.extend(keys::native_uuid::cases());
        cases.extend(keys::binary::cases());
        cases.extend(keys::decimal::cases());
        cases.extend(keys::text::cases());
        cases.extend(keys::text_upper::cases());
        cases.extend(keys::text_hex::cases());
        cases.extend(keys::text_hex_upper::cases());
        cases.extend(keys::text_compact::cases());
        cases.extend(keys::text_digits::cases());
        cases.extend(keys::bigint::cases());
        cases
    }};
}

pub(crate) use cases;
