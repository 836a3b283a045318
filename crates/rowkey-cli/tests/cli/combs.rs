//! COMBs: their fields, new ones at recorded times, and the conversion between prefix and suffix.

use crate::program::rowkey;
use crate::vectors::{cases, column, number, text};

#[test]
fn short_combs_show_their_counter() {
    for (section, format) in [
        ("short_prefix", "short-prefix-comb"),
        ("short_suffix", "short-suffix-comb"),
    ] {
        let cases = cases("comb", section);
        let shown = rowkey(&format!("inspect --json --format {format}"))
            .reading_lines(&column(&cases, "uuid"))
            .json();
        for (case, shown) in cases.iter().zip(&shown) {
            assert_eq!(shown["counter"], case["counter"], "{case}");
            assert_eq!(shown["uuid"], case["uuid"], "{case}");
            assert_eq!(shown["format"], format);
            assert!(shown.get("time_unix_ms").is_none(), "{shown}");
        }
    }
}

#[test]
fn new_short_combs_carry_the_floored_counter_of_a_time() {
    for (section, format) in [
        ("short_prefix", "short-prefix-comb"),
        ("short_suffix", "short-suffix-comb"),
    ] {
        for case in cases("comb", section) {
            let new = format!(
                "new --format {format} --at {} --interval {}ms",
                case["unix_ms"], case["interval_ms"]
            );
            let id = rowkey(&new).run().ok();
            let shown = rowkey(&format!("inspect --json --format {format}"))
                .arg(id.trim_end())
                .run()
                .json();
            let expected = case.get("counter_floor").unwrap_or(&case["counter"]);
            assert_eq!(&shown[0]["counter"], expected, "{case}");
        }
    }
}

#[test]
fn full_combs_show_their_time_and_new_ones_carry_it() {
    for (section, format) in [
        ("full_prefix", "prefix-comb"),
        ("full_suffix", "suffix-comb"),
    ] {
        let cases = cases("comb", section);
        let inspect = format!("inspect --json --format {format}");
        let shown = rowkey(&inspect)
            .reading_lines(&column(&cases, "uuid"))
            .json();
        let mut new = Vec::new();
        for (case, shown) in cases.iter().zip(&shown) {
            assert_eq!(shown["time_unix_ms"], case["time48"], "{case}");
            let id = rowkey(&format!("new --format {format} --at {}", case["unix_ms"]))
                .run()
                .ok();
            new.push(id.trim_end().to_owned());
        }
        let shown = rowkey(&inspect).reading_lines(&new).json();
        for (case, shown) in cases.iter().zip(&shown) {
            assert_eq!(shown["time_unix_ms"], case["unix_ms"], "{case}");
        }
    }
}

#[test]
fn prefix_combs_are_stored_as_the_suffix_combs_of_the_vectors_and_back() {
    for (section, format) in [("short", "short-prefix-comb"), ("full", "prefix-comb")] {
        let cases = cases("comb_convert", section);
        let (prefixes, suffixes) = (column(&cases, "prefix"), column(&cases, "suffix"));
        for stored in ["sql-server", "mariadb-uuid"] {
            let to = format!("convert --format {format} --from public --to {stored}");
            assert_eq!(rowkey(&to).reading_lines(&prefixes).lines(), suffixes);
            let from = format!("convert --format {format} --from {stored} --to public");
            assert_eq!(rowkey(&from).reading_lines(&suffixes).lines(), prefixes);
        }
    }
}

#[test]
fn suffix_combs_are_stored_as_they_are_where_the_last_bytes_count() {
    for (section, format) in [("short", "short-suffix-comb"), ("full", "suffix-comb")] {
        let cases = cases("comb_convert", section);
        let suffixes = column(&cases, "suffix");
        for stored in ["sql-server", "mariadb-uuid"] {
            let to = format!("convert --format {format} --from public --to {stored}");
            assert_eq!(rowkey(&to).reading_lines(&suffixes).lines(), suffixes);
        }
    }
}

#[test]
fn fields_are_read_from_any_version_4_uuid() {
    let cases = cases("comb_convert", "extract");
    let uuids = column(&cases, "uuid");
    for (format, field, expected) in [
        ("prefix-comb", "time_unix_ms", "prefix48"),
        ("suffix-comb", "time_unix_ms", "suffix48"),
        ("short-prefix-comb", "counter", "prefix16"),
        ("short-suffix-comb", "counter", "suffix16"),
    ] {
        let shown = rowkey(&format!("inspect --json --format {format}"))
            .reading_lines(&uuids)
            .json();
        for (case, shown) in cases.iter().zip(&shown) {
            assert_eq!(
                number(shown, field),
                number(case, expected),
                "{}",
                text(case, "uuid")
            );
        }
    }
}
