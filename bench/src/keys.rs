//! What programs do with declared keys.

use std::collections::HashMap;
use std::fmt::{Display, Write};
use std::hash::{BuildHasherDefault, DefaultHasher, Hash};
use std::hint::black_box;
use std::sync::LazyLock;

use rowkey::{Backend, DistributedId, EntityKey, ShortPrefixComb, UuidV7, entity_key};
use rowkey_core::driver::numeric;
use rowkey_core::text::{Encoding, Width};
use type_safe_id::{StaticType, TypeSafeId};
use uuid::Uuid;

use crate::inputs::{COUNT, distributed, mixed, texts, wide};
use crate::operation::{Operation, on_each, operation};
use crate::storage::uuid_of;

#[entity_key]
struct Customer(ShortPrefixComb);

#[entity_key(prefix = "inv")]
struct Invoice(ShortPrefixComb);

/// The type of TypeIDs with the same prefix.
#[derive(Default)]
struct Inv;

impl StaticType for Inv {
    const TYPE: &'static str = "inv";
}

#[entity_key]
struct Order(DistributedId);

#[entity_key]
struct Event(UuidV7);

/// In MariaDB's own type, whose order is neither that of the bytes nor SQL Server's.
#[entity_key(storage(mariadb = "native-uuid"))]
struct Parcel(ShortPrefixComb);

/// Keys that are sorted at a time.
const SORTED: u64 = 1_000_000;

#[rustfmt::skip]
pub(crate) const OPERATIONS: &[Operation] = &[
    operation!(number "key-to-string", customers(), |key| key.to_string()),
    operation!(number "peer-uuid-to-string", uuids(), |uuid| uuid.to_string()),
    Operation::new("key-display", "baseline-number", |rounds| display(rounds, customers())),
    Operation::new("peer-uuid-display", "baseline-number", |rounds| display(rounds, uuids())),
    operation!(number "key-with-prefix-to-string", &inputs().invoices, |key| key.to_string()),
    operation!(number "peer-type-id-to-string", uuids(), |uuid| TypeSafeId::<Inv>::from_uuid(uuid).to_string()),
    operation!(number "floor-prefix-to-string", wide(), prefixed_by_hand),
    operation!(number "key-28-digits-to-string", &inputs().orders, |key| key.to_string()),
    operation!(number "key-json-write", customers(), |key| serde_json::to_string(&key).ok()),
    operation!(number "peer-uuid-json-write", uuids(), |uuid| serde_json::to_string(&uuid).ok()),
    operation!(text "key-json-read", &inputs().json, |text| serde_json::from_str::<Customer>(text).ok()),
    operation!(text "peer-uuid-json-read", &inputs().json, |text| serde_json::from_str::<Uuid>(text).ok()),
    operation!(text "key-parse", &inputs().text, |text| text.parse::<Customer>().ok()),
    operation!(text "peer-uuid-parse", &inputs().text, |text| text.parse::<Uuid>().ok()),
    operation!(text "key-with-prefix-parse", &inputs().prefixed, |text| text.parse::<Invoice>().ok()),
    operation!(text "peer-type-id-parse", &inputs().type_ids, |text| text.parse::<TypeSafeId<Inv>>().ok()),
    operation!(text "key-28-digits-parse", &texts().decimal, |text| text.parse::<Order>().ok()),
    Operation::new("numeric-write", "baseline-number", write_numeric),
    operation!(bytes "numeric-read", &inputs().numeric, |bytes| numeric::read(bytes).ok()),
    Operation::new("floor-numeric-write", "baseline-number", write_numeric_by_hand),
    operation!(bytes "floor-numeric-read", &inputs().numeric, read_numeric_by_hand),
    Operation::new("map-of-keys", "baseline-number", |rounds| look_up(rounds, customers())),
    Operation::new("peer-map-of-uuids", "baseline-number", |rounds| look_up(rounds, uuids())),
    operation!(plain "sort-for-postgres", || sorted(&to_sort().events, |keys| Event::sort_for(Backend::Postgres, keys)))
        .per_round(SORTED),
    operation!(plain "sort-for-sql-server", || sorted(&to_sort().customers, |keys| Customer::sort_for(Backend::SqlServer, keys)))
        .per_round(SORTED),
    operation!(plain "sort-for-mariadb-native-uuid", || sorted(&to_sort().parcels, |keys| Parcel::sort_for(Backend::MariaDb, keys)))
        .per_round(SORTED),
    operation!(plain "peer-sort", || sorted(&to_sort().events, <[Event]>::sort_unstable)).per_round(SORTED),
    operation!(plain "peer-sort-combs", || sorted(&to_sort().customers, <[Customer]>::sort_unstable)).per_round(SORTED),
];

/// Writes into the same string again and again.
fn display<T: Copy + Display>(rounds: u64, ids: &[T; COUNT]) {
    let mut text = String::with_capacity(64);
    on_each(
        rounds,
        ids,
        |id| *id,
        |id| {
            text.clear();
            write!(text, "{id}").ok();
            black_box(&text);
        },
    );
}

fn write_numeric(rounds: u64) {
    let mut buffer = Vec::new();
    on_each(
        rounds,
        distributed(),
        |one| *one,
        |number| {
            buffer.clear();
            numeric::write(number, &mut buffer);
            black_box(&buffer);
        },
    );
}

fn look_up<T: Copy + Eq + Hash>(rounds: u64, ids: &[T; COUNT]) {
    // The hash that maps have by default, but with the same seed in each run.
    type SameSeed = BuildHasherDefault<DefaultHasher>;
    let map: HashMap<T, usize, SameSeed> = ids.iter().copied().zip(0..).collect();
    on_each(rounds, ids, |id| *id, |id| map.get(&id).copied());
}

fn sorted<T: Clone>(keys: &[T], sort: impl Fn(&mut [T])) {
    let mut keys = keys.to_vec();
    sort(&mut keys);
    black_box(keys);
}

/// Keys in no order.
struct ToSort {
    events: Vec<Event>,
    customers: Vec<Customer>,
    parcels: Vec<Parcel>,
}

fn to_sort() -> &'static ToSort {
    static KEYS: LazyLock<ToSort> = LazyLock::new(|| {
        let numbers = (0..SORTED).map(mixed);
        let combs = numbers.clone().map(|number| uuid_of(4, number));
        ToSort {
            events: numbers
                .map(|number| Event::constant(uuid_of(7, number)))
                .collect(),
            customers: combs.clone().map(Customer::constant).collect(),
            parcels: combs.map(Parcel::constant).collect(),
        }
    });
    &KEYS
}

/// The prefix and the digits, in a string of their length.
fn prefixed_by_hand(number: u128) -> String {
    let mut text = String::with_capacity(26);
    text.push_str("inv_");
    if let Ok(digits) = Width::U128.encode(Encoding::Alphanumeric, number) {
        text.push_str(digits.as_str());
    }
    text
}

/// Two groups of NUMERIC of a number below 10^8.
fn two_groups(number: u64) -> u64 {
    ((number / 10_000) << 16) | (number % 10_000)
}

/// A number of 25 to 28 digits whose last group is not zero: as most DistributedIds, and no other.
fn write_numeric_by_hand(rounds: u64) {
    const E8: u64 = 100_000_000;
    const E16: u128 = 10_000_000_000_000_000;
    let mut buffer = Vec::new();
    let write = |number: u128| {
        let (high, low) = ((number / E16) as u64, (number % E16) as u64);
        let first = ((high / E8) << 32) | two_groups(high % E8);
        let second = two_groups(low / E8) << 32 | two_groups(low % E8);
        let mut bytes = [0; 22];
        bytes[..8].copy_from_slice(&[0, 7, 0, 6, 0, 0, 0, 0]);
        bytes[8..14].copy_from_slice(&first.to_be_bytes()[2..]);
        bytes[14..].copy_from_slice(&second.to_be_bytes());
        buffer.clear();
        buffer.extend_from_slice(&bytes);
        black_box(&buffer);
    };
    on_each(rounds, distributed(), |one| *one, write);
}

/// The same numbers. A group above 9999 is not noticed.
fn read_numeric_by_hand(bytes: &[u8]) -> Option<u128> {
    let (header, groups) = bytes.split_first_chunk::<8>()?;
    if *header != [0, 7, 0, 6, 0, 0, 0, 0] {
        return None;
    }
    let groups: &[u8; 14] = groups.try_into().ok()?;
    let group = |index: usize| u64::from(u16::from_be_bytes([groups[index], groups[index + 1]]));
    let four = |index| {
        let pair = |index| group(index) * 10_000 + group(index + 2);
        pair(index) * 100_000_000 + pair(index + 4)
    };
    let high = group(0) * 100_000_000 + group(2) * 10_000 + group(4);
    Some(u128::from(high) * 10_000_000_000_000_000 + u128::from(four(6)))
}

/// What is written and read.
struct Inputs {
    customers: [Customer; COUNT],
    uuids: [Uuid; COUNT],
    invoices: [Invoice; COUNT],
    orders: [Order; COUNT],
    text: [String; COUNT],
    json: [String; COUNT],
    prefixed: [String; COUNT],
    type_ids: [String; COUNT],
    numeric: [Vec<u8>; COUNT],
}

fn inputs() -> &'static Inputs {
    static INPUTS: LazyLock<Inputs> = LazyLock::new(|| {
        let customers = wide().map(|number| Customer::constant(uuid_of(4, number)));
        let invoices = wide().map(|number| Invoice::constant(uuid_of(4, number)));
        Inputs {
            customers,
            uuids: customers.map(Uuid::from),
            invoices,
            orders: distributed().map(Order::constant),
            text: customers.map(|key| key.to_string()),
            json: customers.map(|key| format!("\"{key}\"")),
            prefixed: invoices.map(|key| key.to_string()),
            type_ids: customers.map(|key| TypeSafeId::<Inv>::from_uuid(key.into()).to_string()),
            numeric: distributed().map(|number| {
                let mut bytes = Vec::new();
                numeric::write(number, &mut bytes);
                bytes
            }),
        }
    });
    &INPUTS
}

fn customers() -> &'static [Customer; COUNT] {
    &inputs().customers
}

fn uuids() -> &'static [Uuid; COUNT] {
    &inputs().uuids
}
