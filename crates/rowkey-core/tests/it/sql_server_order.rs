//! SQL Server's `uniqueidentifier` order, against .NET's `SqlGuid`.

use crate::vectors::{int, section, text};
use proptest::prelude::*;
use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{
    Column, MariaDbUuidOrd, Permutation, SqlServerOrd, Storage, StoragePlan,
};
use serde_json::Value;
use uuid::Uuid;

fn uuid(text: &str) -> Uuid {
    text.parse().unwrap()
}

#[test]
fn pairs_compare_as_sqlguid_does() {
    for case in section("sqlguid_order.json", "pairs", 58) {
        let (a, b) = (uuid(text(&case, "a")), uuid(text(&case, "b")));
        let sign = |ordering: std::cmp::Ordering| ordering as i64;
        assert_eq!(
            sign(SqlServerOrd(a).cmp(&SqlServerOrd(b))),
            int(&case, "sql_cmp"),
            "{case}"
        );
        assert_eq!(sign(a.cmp(&b)), int(&case, "rfc_cmp"), "{case}");
    }
}

#[test]
fn lists_sort_as_sqlguid_does() {
    for case in section("sqlguid_order.json", "sorted_lists", 5) {
        let list = |field: &str| -> Vec<Uuid> {
            let values: &Vec<Value> = case[field].as_array().unwrap();
            values
                .iter()
                .map(|value| uuid(value.as_str().unwrap()))
                .collect()
        };
        let mut sorted = list("input");
        sorted.sort_by_key(|uuid| SqlServerOrd(*uuid));
        assert_eq!(sorted, list("sql_sorted"));
        sorted.sort();
        assert_eq!(sorted, list("rfc_sorted"));
    }
}

#[test]
fn the_sql_server_permutation_is_that_of_the_originals() {
    for case in section("sqlguid_order.json", "order_preserving_permutation", 9) {
        let guid = uuid(text(&case, "guid")).as_u128();
        let permuted = |value| Uuid::from_u128(value).to_string();
        assert_eq!(
            permuted(Permutation::SqlServer.apply(guid)),
            text(&case, "to_sql")
        );
        assert_eq!(
            permuted(Permutation::SqlServer.invert(guid)),
            text(&case, "from_sql")
        );
    }
}

// Listed in docs/src/differences.md.
#[test]
fn hot_guids_are_stored_in_sql_server_in_their_time_order() {
    let mut seen = 0;
    for case in section("hotguid.json", "make", 17) {
        for id in case["ids"].as_array().unwrap() {
            let value = uuid(text(id, "uuid")).as_u128();
            let literal = StoragePlan::default_for(FormatKind::HotGuid)
                .column(Backend::SqlServer)
                .literal(value);
            assert_eq!(literal, format!("'{}'", text(id, "sql_uuid")));
            let stored = uuid(text(id, "sql_uuid")).as_u128();
            assert_eq!(Permutation::SqlServer.invert(stored), value);
            seen += 1;
        }
    }
    assert!(seen >= 17);
}

/// The four layouts, written out by hand: a changed permutation turns these red.
#[test]
fn layouts_of_a_known_id() {
    let value = 0x0011_2233_4455_4677_8899_aabb_ccdd_eeff;
    let stored = |format: FormatKind, backend, storage| {
        let column = Column::new(format, backend, storage, None).unwrap();
        Uuid::from_u128(column.permutation().apply(value)).to_string()
    };
    let sql = |format| stored(format, Backend::SqlServer, Storage::Uuid);
    let postgres = |format| stored(format, Backend::Postgres, Storage::Uuid);
    let native = |format| stored(format, Backend::MariaDb, Storage::NativeUuid);
    let public = "00112233-4455-4677-8899-aabbccddeeff";
    let short = "aabb2233-4455-4677-8899-0011ccddeeff";
    let full = "aabbccdd-eeff-4677-8899-001122334455";
    assert_eq!(sql(FormatKind::ShortPrefixComb), short);
    assert_eq!(native(FormatKind::ShortPrefixComb), short);
    assert_eq!(postgres(FormatKind::ShortSuffixComb), short);
    assert_eq!(sql(FormatKind::PrefixComb), full);
    assert_eq!(native(FormatKind::PrefixComb), full);
    assert_eq!(postgres(FormatKind::SuffixComb), full);
    assert_eq!(
        sql(FormatKind::UuidV7),
        "ffeeddcc-bbaa-9988-4677-001122334455"
    );
    assert_eq!(sql(FormatKind::ShortSuffixComb), public);
    assert_eq!(native(FormatKind::SuffixComb), public);
    assert_eq!(sql(FormatKind::AnyUuid), public);
    assert_eq!(native(FormatKind::UuidV7), public);
    assert_eq!(postgres(FormatKind::ShortPrefixComb), public);
}

proptest! {
    #[test]
    fn the_sql_server_layout_keeps_the_whole_order(a: u128, b: u128) {
        let image = |value| SqlServerOrd(Uuid::from_u128(Permutation::SqlServer.apply(value)));
        prop_assert_eq!(image(a).cmp(&image(b)), a.cmp(&b));
        prop_assert_eq!(Permutation::SqlServer.invert(Permutation::SqlServer.apply(a)), a);
    }

    /// Neighbours across a carry differ in many bytes at once.
    #[test]
    fn the_sql_server_layout_keeps_the_order_across_carries(byte in 0..16_u32, high: u128) {
        let low_bits = (1_u128 << (8 * byte)) - 1;
        let below = high | low_bits;
        prop_assume!(below < u128::MAX);
        let image = |value| SqlServerOrd(Uuid::from_u128(Permutation::SqlServer.apply(value)));
        prop_assert!(image(below) < image(below + 1));
    }

    #[test]
    fn swaps_are_their_own_inverse(value: u128) {
        for swap in [Permutation::SwapShort, Permutation::SwapFull] {
            prop_assert_eq!(swap.apply(swap.apply(value)), value);
        }
    }

    #[test]
    fn mariadb_order_reverses_the_groups_of_versions_1_to_5(a: u128, b: u128) {
        let v4 = |value: u128| value & !(0xf << 76 | 0b11 << 62) | 4 << 76 | 0b10 << 62;
        let (a, b) = (v4(a), v4(b));
        let groups = |value: u128| {
            let bytes = value.to_be_bytes();
            [&bytes[10..], &bytes[8..10], &bytes[6..8], &bytes[4..6], &bytes[..4]].concat()
        };
        let order = MariaDbUuidOrd(Uuid::from_u128(a)).cmp(&MariaDbUuidOrd(Uuid::from_u128(b)));
        prop_assert_eq!(order, groups(a).cmp(&groups(b)));
    }
}
