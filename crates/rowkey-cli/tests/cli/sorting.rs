//! Column orders.

use serde_json::Value;

use crate::program::rowkey;
use crate::vectors::{cases, number, text};

fn sorted(backend: &str, ids: &[&str]) -> Vec<String> {
    rowkey(&format!("sort --backend {backend}"))
        .reading_lines(ids)
        .lines()
}

#[test]
fn lists_are_sorted_as_the_databases_do() {
    for case in cases("sqlguid_order", "sorted_lists") {
        let list = |field: &str| -> Vec<&str> {
            let values: &Vec<Value> = case[field].as_array().unwrap();
            values.iter().map(|value| value.as_str().unwrap()).collect()
        };
        assert_eq!(sorted("sql-server", &list("input")), list("sql_sorted"));
        assert_eq!(sorted("postgres", &list("input")), list("rfc_sorted"));
    }
}

#[test]
fn pairs_are_sorted_as_the_databases_do() {
    for case in cases("sqlguid_order", "pairs") {
        let (a, b) = (text(&case, "a"), text(&case, "b"));
        for (backend, field) in [("sql-server", "sql_cmp"), ("postgres", "rfc_cmp")] {
            let expected = if number(&case, field) > 0 {
                [b, a]
            } else {
                [a, b]
            };
            let run = rowkey(&format!("sort --backend {backend}"))
                .arg(a)
                .arg(b)
                .run();
            assert_eq!(run.lines(), expected, "{case}");
        }
    }
}

#[test]
fn the_order_preserving_permutation_is_the_sql_server_form() {
    for case in cases("sqlguid_order", "order_preserving_permutation") {
        let guid = text(&case, "guid");
        let convert = |from: &str, to: &str| {
            let convert = format!("convert --format hot-guid --from {from} --to {to}");
            rowkey(&convert).arg(guid).run().ok().trim_end().to_owned()
        };
        assert_eq!(convert("public", "sql-server"), text(&case, "to_sql"));
        assert_eq!(convert("sql-server", "public"), text(&case, "from_sql"));
    }
}

#[test]
fn stored_ids_sort_in_creation_order() {
    for (format, backend, stored) in [
        ("uuid-v7", "sql-server", "sql-server"),
        ("uuid-v7", "mariadb-uuid", "mariadb-uuid"),
        ("prefix-comb", "sql-server", "sql-server"),
        ("prefix-comb", "mariadb-uuid", "mariadb-uuid"),
        ("distributed-id128", "sql-server", "sql-server"),
        ("distributed-id", "sql-server", "sql-server"),
        ("iuid --country 1 --entity 1", "sql-server", "sql-server"),
    ] {
        let stored: Vec<String> = (0..20)
            .map(|index| {
                let at = 1_700_000_000_000_i64 + index * 10_000_000_019;
                rowkey(&format!("new --format {format} --at {at} --repr {stored}"))
                    .run()
                    .ok()
            })
            .map(|line| line.trim_end().to_owned())
            .collect();
        let mut shuffled: Vec<&str> = stored.iter().map(String::as_str).collect();
        shuffled.sort_unstable_by_key(|id| id.bytes().map(u32::from).sum::<u32>());
        assert_eq!(sorted(backend, &shuffled), stored, "{format} {backend}");
    }
}

#[test]
fn uuids_are_printed_in_lower_case_and_duplicates_kept() {
    let ids = [
        "FFFFFFFF-0000-4000-8000-000000000000",
        "00000000-0000-4000-8000-000000000001",
        "ffffffff-0000-4000-8000-000000000000",
    ];
    let expected = [
        "00000000-0000-4000-8000-000000000001",
        "ffffffff-0000-4000-8000-000000000000",
        "ffffffff-0000-4000-8000-000000000000",
    ];
    assert_eq!(sorted("postgres", &ids), expected);
    assert_eq!(
        sorted("mariadb-uuid", &ids),
        [expected[1], expected[2], expected[0]],
        "MariaDB looks at the last group first"
    );
    let json = rowkey("sort --backend postgres --json")
        .reading_lines(&ids)
        .json();
    assert_eq!(json[0]["id"], expected[0]);
}

#[test]
fn bad_ids_stop_or_are_left_out() {
    let ids = [
        "ffffffff-0000-4000-8000-000000000000",
        "x",
        "00000000-0000-4000-8000-000000000001",
    ];
    let stopped = rowkey("sort --backend postgres").reading_lines(&ids);
    assert!(stopped.bad_input().starts_with("error: line 2: "));
    assert_eq!(stopped.output, "");
    let finished = rowkey("sort --backend postgres --keep-going").reading_lines(&ids);
    assert_eq!(finished.output, format!("{}\n{}\n", ids[2], ids[0]));
    assert!(finished.bad_input().starts_with("error: line 2: "));
}

#[test]
fn only_the_orders_of_uuid_columns_exist() {
    rowkey("sort --backend mysql").run().wrong_usage();
    rowkey("sort").run().wrong_usage();
    assert_eq!(rowkey("sort --backend postgres").run().ok(), "");
}
