//! What programs do with declared keys.

use std::collections::HashMap;
use std::fmt::{Display, Write};
use std::hash::Hash;
use std::hint::black_box;
use std::sync::LazyLock;

use rowkey::{Backend, DistributedId, EntityKey, ShortPrefixComb, UuidV7, entity_key};
use rowkey_core::storage::numeric;
use type_safe_id::{StaticType, TypeSafeId};
use uuid::Uuid;

use crate::inputs::{COUNT, distributed, texts, wide};
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

/// Keys that are sorted at a time.
const SORTED: u64 = 4_096;

#[rustfmt::skip]
pub(crate) const OPERATIONS: &[Operation] = &[
    operation!(number "key-to-string", customers(), |key| key.to_string()),
    operation!(number "peer-uuid-to-string", uuids(), |uuid| uuid.to_string()),
    Operation::new("key-display", "baseline-number", |rounds| display(rounds, customers())),
    Operation::new("peer-uuid-display", "baseline-number", |rounds| display(rounds, uuids())),
    operation!(number "key-with-prefix-to-string", &inputs().invoices, |key| key.to_string()),
    operation!(number "peer-type-id-to-string", uuids(), |uuid| TypeSafeId::<Inv>::from_uuid(uuid).to_string()),
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
    Operation::new("map-of-keys", "baseline-number", |rounds| look_up(rounds, customers())),
    Operation::new("peer-map-of-uuids", "baseline-number", |rounds| look_up(rounds, uuids())),
    operation!(plain "sort-for-postgres", || sorted(&to_sort().0, |keys| Event::sort_for(Backend::Postgres, keys)))
        .per_round(SORTED),
    operation!(plain "sort-for-sql-server", || sorted(&to_sort().1, |keys| Customer::sort_for(Backend::SqlServer, keys)))
        .per_round(SORTED),
    operation!(plain "peer-sort", || sorted(&to_sort().0, <[Event]>::sort_unstable)).per_round(SORTED),
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
    let map: HashMap<T, usize> = ids.iter().copied().zip(0..).collect();
    on_each(rounds, ids, |id| *id, |id| map.get(&id).copied());
}

fn sorted<T: Clone>(keys: &[T], sort: impl Fn(&mut [T])) {
    let mut keys = keys.to_vec();
    sort(&mut keys);
    black_box(keys);
}

/// Keys in no order: some that SQL Server sorts by the time, and some whose bytes it reorders.
fn to_sort() -> &'static (Vec<Event>, Vec<Customer>) {
    static KEYS: LazyLock<(Vec<Event>, Vec<Customer>)> = LazyLock::new(|| {
        let number = |index: u32| {
            let seed = wide()[index as usize % COUNT].rotate_left(index);
            seed.wrapping_mul(u128::from(index | 1))
        };
        let numbers = (0..SORTED as u32).map(number);
        (
            numbers
                .clone()
                .map(|number| Event::constant(uuid_of(7, number)))
                .collect(),
            numbers
                .map(|number| Customer::constant(uuid_of(4, number)))
                .collect(),
        )
    });
    &KEYS
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
