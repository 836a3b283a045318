//! The output of `new`.

use std::collections::HashSet;

use crate::program::rowkey;

/// Every format that programs make, with the options it needs.
const FORMATS: [&str; 12] = [
    "short-prefix-comb",
    "short-suffix-comb",
    "prefix-comb",
    "suffix-comb",
    "distributed-id",
    "distributed-id128",
    "luuid --group com.acme.Customer --short-key 1",
    "iuid --country 1 --entity 2",
    "hot-guid --shard 3",
    "uuid-v4",
    "uuid-v7",
    "any-uuid",
];

#[test]
fn every_format_makes_ids_that_it_reads() {
    for format in FORMATS {
        let ids = rowkey(&format!("new --format {format} -n 50"))
            .run()
            .lines();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 50, "{format}");
        let name = format.split(' ').next().unwrap();
        let same = rowkey(&format!(
            "convert --format {name} --from public --to public"
        ))
        .reading_lines(&ids)
        .lines();
        assert_eq!(same, ids, "{format}");
    }
}

#[test]
fn ids_are_in_order_as_the_help_says() {
    let help = rowkey("new --help").run().ok();
    for sentence in [
        "iuid and uuid-v7 are printed in increasing order; with --at, iuid and uuid-v7 are not",
        "COMBs made in one millisecond or interval, uuid-v4 and any-uuid are in no order",
    ] {
        let words: Vec<_> = help.split_whitespace().collect();
        assert!(words.join(" ").contains(sentence), "{help}");
    }
    let is_sorted = |options: &str| {
        let make = format!("new -n 1000 --format {options}");
        rowkey(&make).run().lines().is_sorted()
    };
    for format in FORMATS {
        let name = format.split(' ').next().unwrap();
        let in_order = match name {
            // In order, unless the counter starts again.
            "hot-guid" => continue,
            "distributed-id" | "distributed-id128" | "luuid" | "iuid" | "uuid-v7" => true,
            _ => false,
        };
        assert_eq!(is_sorted(format), in_order, "{format}");
        if matches!(name, "iuid" | "uuid-v7") {
            assert!(
                !is_sorted(&format!("{format} --at 1700000000000")),
                "{format}"
            );
        }
    }
}

#[test]
fn every_representation_can_be_printed() {
    for format in FORMATS {
        let name = format.split(' ').next().unwrap();
        for representation in [
            "public",
            "uuid",
            "hex",
            "alphanumeric",
            "decimal",
            "binary",
            "sql-server",
        ] {
            let id = rowkey(&format!("new --format {format} --repr {representation}"))
                .run()
                .ok();
            rowkey(&format!(
                "convert --format {name} --from {representation} --to public"
            ))
            .reading(id.as_bytes())
            .ok();
        }
    }
}

#[test]
fn a_number_that_the_database_counts_is_not_made() {
    let refused = rowkey("new --format database-number").run();
    let message = refused.wrong_usage();
    assert!(message.contains("the database counts"), "{message}");
    assert!(message.contains("insert a row without one"), "{message}");
}

#[test]
fn json_has_one_object_per_id() {
    let ids = rowkey("new --format uuid-v7 -n 2 --json").run().json();
    assert_eq!(ids.len(), 2);
    for id in ids {
        assert_eq!(id["id"].as_str().unwrap().len(), 36);
        assert_eq!(id.as_object().unwrap().len(), 1);
    }
}

#[test]
fn times_are_rfc_3339_or_milliseconds() {
    for at in [
        "2025-01-01T00:00:00.0009Z",
        "2025-01-01T02:00:00+02:00",
        "1735689600000",
    ] {
        let id = rowkey("new --format uuid-v7 --at").arg(at).run().ok();
        assert!(id.starts_with("01941f29-7c00-7"), "{at}: {id}");
    }
}

#[test]
fn options_that_do_not_belong_to_the_format_are_wrong_usage() {
    for arguments in [
        "new --format uuid-v4 --at 0",
        "new --format any-uuid --at 0",
        "new --format luuid --group 0x1 --short-key 1 --at 0",
        "new --format prefix-comb --interval 60s",
        "new --format uuid-v7 --group 0x1",
        "new --format uuid-v7 --short-key 1",
        "new --format uuid-v7 --country 1",
        "new --format uuid-v7 --entity 1",
        "new --format uuid-v7 --shard 1",
        "new --format luuid --group 0x1",
        "new --format luuid --short-key 1",
        "new --format iuid --country 1",
        "new --format hot-guid",
        "new --format iuid --country 1 --entity 1 --repr mariadb-uuid",
        "new",
        "new --format guid",
        "new --format uuid-v7 -n x",
        "new --format uuid-v7 -n -1",
        "new --format uuid-v7 --at now",
        "new --format uuid-v7 --repr base64",
        "new --format luuid --group 0xzz --short-key 1",
        "new --format luuid --group 0x1 --short-key one",
    ] {
        rowkey(arguments).run().wrong_usage();
    }
}

#[test]
fn numbers_end_with_the_largest_and_earlier_ids_are_printed() {
    let finished = rowkey("new --format luuid --group 0xaa1 --short-key fffffffffffe -n 5").run();
    let error = finished.bad_input();
    assert!(error.contains("group aa1 has no number left"), "{error}");
    let heads: Vec<_> = finished.output.lines().map(|id| &id[..18]).collect();
    assert_eq!(heads, ["ffffffff-fffe-6aa1", "ffffffff-ffff-6aa1"]);
}

#[test]
fn a_count_of_zero_prints_no_lines() {
    assert_eq!(rowkey("new --format uuid-v4 -n 0").run().ok(), "");
}
