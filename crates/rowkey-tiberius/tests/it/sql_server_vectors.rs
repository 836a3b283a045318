//! What `uniqueidentifier` columns hold, against .NET's `SqlGuid` and the program that made it.

use crate::vectors::{section, text};
use rowkey::storage::SqlServerOrd;
use rowkey::{AnyUuid, EntityKey, HotGuid, entity_key};
use tiberius::{ColumnData, FromSql, ToSql};
use uuid::Uuid;

#[entity_key(storage(sqlserver = "uuid:sql-server"))]
struct OrderId(AnyUuid);

#[entity_key]
struct MeterId(HotGuid);

fn uuid(text: &str) -> Uuid {
    text.parse().unwrap()
}

/// A key is stored as the guid, and read from it.
fn check<K: EntityKey + ToSql + for<'a> FromSql<'a>>(public: &str, stored: &str) {
    let key = K::try_from(uuid(public)).unwrap();
    let guid = ColumnData::Guid(Some(uuid(stored)));
    assert_eq!(key.to_sql(), guid, "{public}");
    assert_eq!(K::from_sql(&guid).unwrap(), Some(key), "{stored}");
}

#[test]
fn the_sql_server_layout_is_that_of_the_originals() {
    for case in section("sqlguid_order.json", "order_preserving_permutation", 9) {
        check::<OrderId>(text(&case, "guid"), text(&case, "to_sql"));
        check::<OrderId>(text(&case, "from_sql"), text(&case, "guid"));
    }
}

#[test]
fn hot_guids_are_stored_as_the_original_stores_them() {
    for case in section("hotguid.json", "make", 17) {
        for id in case["ids"].as_array().unwrap() {
            check::<MeterId>(text(id, "uuid"), text(id, "sql_uuid"));
        }
    }
}

#[test]
fn stored_keys_sort_in_the_server_as_the_keys_do() {
    for case in section("sqlguid_order.json", "sorted_lists", 5) {
        let mut keys: Vec<OrderId> = case["input"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| OrderId::try_from(uuid(value.as_str().unwrap())).unwrap())
            .collect();
        keys.sort();
        let stored = keys.iter().map(|key| match key.to_sql() {
            ColumnData::Guid(Some(guid)) => SqlServerOrd(guid),
            other => panic!("{other:?}"),
        });
        assert!(stored.is_sorted(), "{case}");
    }
}
