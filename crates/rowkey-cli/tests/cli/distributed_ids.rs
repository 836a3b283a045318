//! DistributedId and DistributedId128.

use crate::program::rowkey;
use crate::vectors::{cases, column, number, text};

/// Each representation's name in `convert` and in the vectors.
const DISTRIBUTED_ID: [(&str, &str); 6] = [
    ("public", "decimal"),
    ("decimal", "decimal"),
    ("alphanumeric", "alphanumeric"),
    ("hex", "hexadecimal"),
    ("binary", "binary16"),
    ("uuid", "uuid"),
];

const DISTRIBUTED_ID_128: [(&str, &str); 5] = [
    ("public", "uuid"),
    ("decimal", "decimal"),
    ("alphanumeric", "alphanumeric"),
    ("hex", "hexadecimal"),
    ("uuid", "uuid"),
];

#[test]
fn all_representations_of_the_vectors_convert_into_each_other() {
    for (file, format, representations) in [
        ("distributed_id", "distributed-id", &DISTRIBUTED_ID[..]),
        (
            "distributed_id128",
            "distributed-id128",
            &DISTRIBUTED_ID_128[..],
        ),
    ] {
        let cases = cases(file, "layout");
        for (from, from_field) in representations {
            for (to, to_field) in representations {
                let convert = format!("convert --format {format} --from {from} --to {to}");
                let converted = rowkey(&convert)
                    .reading_lines(&column(&cases, from_field))
                    .lines();
                assert_eq!(converted, column(&cases, to_field), "{convert}");
            }
        }
    }
}

#[test]
fn all_representations_of_the_vectors_are_shown_with_time_and_random_part() {
    for (file, format, random, representations) in [
        (
            "distributed_id",
            "distributed-id",
            "random48",
            &DISTRIBUTED_ID[..],
        ),
        (
            "distributed_id128",
            "distributed-id128",
            "random75",
            &DISTRIBUTED_ID_128[..],
        ),
    ] {
        let cases = cases(file, "layout");
        for (_, input) in representations {
            let shown = rowkey(&format!("inspect --json --format {format}"))
                .reading_lines(&column(&cases, input))
                .json();
            for (case, shown) in cases.iter().zip(&shown) {
                for (representation, field) in representations {
                    assert_eq!(shown[representation], case[field], "{case}");
                }
                assert_eq!(
                    number(shown, "time_unix_ms"),
                    number(case, "unix_ms"),
                    "{case}"
                );
                assert!(shown["time_unix_ms"].is_number());
                assert_eq!(number(shown, "random"), number(case, random), "{case}");
                assert!(shown["decimal"].is_string());
            }
        }
    }
}

#[test]
fn a_new_id_is_dated_one_second_before_its_clock() {
    let shown = |arguments: &str| {
        let id = rowkey(arguments).run().ok();
        rowkey("inspect --json")
            .arg(id.trim_end())
            .run()
            .json()
            .remove(0)
    };
    let id = shown("new --format distributed-id --at 2022-07-31T18:33:01.285Z");
    assert_eq!(id["format"], "distributed-id");
    assert_eq!(id["time_unix_ms"], 1_659_292_380_285_i64);
    assert_eq!(text(&id, "public").len(), 28);
    let id = shown("new --format distributed-id128 --at 2023-07-24T17:59:43.916Z");
    assert_eq!(id["format"], "distributed-id128");
    assert_eq!(id["time_unix_ms"], 1_690_221_583_916_i64);
}

#[test]
fn ids_that_do_not_fit_a_fixed_clocks_millisecond_use_later_ones_and_stay_ordered() {
    for format in ["distributed-id", "distributed-id128"] {
        let count = 300_000;
        let ids = rowkey(&format!(
            "new --format {format} --at 2026-01-01T00:00:00Z -n {count} --repr alphanumeric"
        ))
        .run()
        .lines();
        assert_eq!(ids.len(), count);
        assert!(ids.is_sorted_by(|a, b| a < b), "{format}");
    }
}

#[test]
fn ids_of_the_process_generator_are_distinct_and_ordered() {
    for format in ["distributed-id", "distributed-id128"] {
        let new = format!("new --format {format} --repr alphanumeric -n 10000");
        let ids = rowkey(&new).run().lines();
        assert!(ids.is_sorted_by(|a, b| a < b), "{format}");
    }
}
