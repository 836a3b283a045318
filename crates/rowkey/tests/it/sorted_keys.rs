//! `sort_for` orders keys as their columns do, in every backend and layout.

use proptest::collection::vec;
use proptest::prelude::*;
use rowkey::{
    Backend, DistributedId, EntityKey, HotGuid, Iuid, PrefixComb, ShortPrefixComb, ShortSuffixComb,
    SuffixComb, UuidV7, entity_key,
};

#[entity_key]
struct Event(UuidV7);

#[entity_key]
struct Customer(ShortPrefixComb);

#[entity_key]
struct Invoice(PrefixComb);

#[entity_key]
struct Order(ShortSuffixComb);

#[entity_key]
struct Item(SuffixComb);

#[entity_key]
struct Offer(DistributedId);

#[entity_key]
struct Document(HotGuid);

#[entity_key]
struct Ticket(Iuid);

#[entity_key(storage(mariadb = "native-uuid"))]
struct Parcel(ShortPrefixComb);

/// MariaDB does not reverse the groups of this version.
#[entity_key(storage(mariadb = "native-uuid"))]
struct Visit(UuidV7);

/// Times and counters are alike in ids that are made one after the other: half of the numbers
/// differ in a few bits only.
fn number() -> impl Strategy<Value = u128> {
    prop_oneof![
        any::<u128>(),
        (0..128_u32, 0..4_u128).prop_map(|(shift, bits)| bits.rotate_left(shift)),
    ]
}

fn sorts_as_columns_do<K: EntityKey>(numbers: &[u128]) -> Result<(), TestCaseError> {
    let keys: Vec<K> = numbers
        .iter()
        .filter_map(|number| K::try_from(*number).ok())
        .collect();
    for backend in Backend::ALL {
        let column = K::PLAN.column(backend);
        let mut sorted = keys.clone();
        K::sort_for(backend, &mut sorted);
        let numbers = sorted.iter().map(|key| key.to_u128());
        prop_assert!(
            numbers.is_sorted_by(|a, b| column.compare(*a, *b).is_le()),
            "{backend}"
        );
        let mut expected = keys.clone();
        expected.sort();
        sorted.sort();
        prop_assert_eq!(sorted, expected, "{}", backend);
    }
    Ok(())
}

/// The number with a version and the variant of UUIDs.
fn uuids(numbers: &[u128], version: u128) -> Vec<u128> {
    let stamped =
        |number: &u128| number & !(0xf << 76) & !(0b11 << 62) | version << 76 | 0b10 << 62;
    numbers.iter().map(stamped).collect()
}

proptest! {
    #[test]
    fn keys_are_sorted_as_their_columns(numbers in vec(number(), 0..40)) {
        let [combs, sevens] = [4, 7].map(|version| uuids(&numbers, version));
        sorts_as_columns_do::<Event>(&sevens)?;
        sorts_as_columns_do::<Visit>(&sevens)?;
        sorts_as_columns_do::<Customer>(&combs)?;
        sorts_as_columns_do::<Invoice>(&combs)?;
        sorts_as_columns_do::<Order>(&combs)?;
        sorts_as_columns_do::<Item>(&combs)?;
        sorts_as_columns_do::<Parcel>(&combs)?;
        sorts_as_columns_do::<Document>(&numbers)?;
        sorts_as_columns_do::<Ticket>(&numbers)?;
        let small: Vec<_> = numbers.iter().map(|number| number % 10_u128.pow(28)).collect();
        sorts_as_columns_do::<Offer>(&small)?;
    }
}
