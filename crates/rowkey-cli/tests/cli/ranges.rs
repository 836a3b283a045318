//! Conditions for time spans.

use crate::program::rowkey;
use crate::vectors::text;

const JANUARY: &str = "--from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z";

#[test]
fn conditions_of_every_backend() {
    let mut conditions = String::new();
    for format in [
        "uuid-v7",
        "short-prefix-comb",
        "suffix-comb",
        "distributed-id",
    ] {
        for backend in [
            "postgres",
            "mysql",
            "mariadb",
            "mariadb-uuid",
            "sqlite",
            "sql-server",
        ] {
            let range = format!("range --format {format} {JANUARY} --backend {backend}");
            let finished = rowkey(&range).run();
            if format == "distributed-id" && backend == "mariadb-uuid" {
                finished.wrong_usage();
                continue;
            }
            conditions.push_str(&format!("{format} {backend}\n{}", finished.ok()));
        }
    }
    insta::assert_snapshot!(conditions);
}

#[test]
fn a_span_across_the_wrap_of_the_counter_has_two_intervals() {
    let range = "range --format short-prefix-comb --from 2022-03-18T03:40:00Z \
                 --to 2022-03-18T03:50:00Z --backend postgres";
    let conditions = rowkey(range).run().ok();
    insta::assert_snapshot!(conditions, @r#"
    "id" < '00060000-0000-4000-8000-000000000000'
    "id" >= 'fffc0000-0000-4000-8000-000000000000'
    "#);
    let [first, second] = &rowkey(&format!("{range} --json")).run().json()[..] else {
        panic!()
    };
    assert!(first["lower"].is_null() && first["lower_public"].is_null());
    assert!(second["upper"].is_null() && second["upper_public"].is_null());
    assert_eq!(first["upper"], "00060000-0000-4000-8000-000000000000");
    assert_eq!(
        second["lower_public"],
        "fffc0000-0000-4000-8000-000000000000"
    );
}

#[test]
fn the_interval_of_the_counter_can_be_given() {
    let range = "range --format short-prefix-comb --from 2022-03-18T03:44:00Z \
                 --to 2022-03-18T03:45:00Z --backend postgres --json";
    let [answer] = &rowkey(range).run().json()[..] else {
        panic!()
    };
    assert!(text(answer, "upper").starts_with("0001"));
    let [answer] = &rowkey(&format!("{range} --interval 30s")).run().json()[..] else {
        panic!()
    };
    assert!(text(answer, "upper").starts_with("0002"));
    rowkey(&format!(
        "range --format uuid-v7 {JANUARY} --backend postgres --interval 30s"
    ))
    .run()
    .wrong_usage();
}

#[test]
fn a_span_longer_than_the_counters_cycle_matches_everything() {
    let range = "range --format short-suffix-comb --from 2022-01-01T00:00:00Z \
                 --to 2023-01-01T00:00:00Z --backend sqlite";
    assert_eq!(rowkey(range).run().ok(), "`id` IS NOT NULL\n");
}

#[test]
fn stored_bounds_go_through_the_layout_and_public_ones_do_not() {
    let range = format!("range --format uuid-v7 {JANUARY} --json --backend");
    let postgres = rowkey(&range).arg("postgres").run().json().remove(0);
    let sql_server = rowkey(&range).arg("sql-server").run().json().remove(0);
    let mysql = rowkey(&range).arg("mysql").run().json().remove(0);
    assert_eq!(postgres["lower"], "019b76da-a800-7000-8000-000000000000");
    assert_eq!(postgres["lower_public"], postgres["lower"]);
    assert_eq!(mysql["lower"], "019b76daa80070008000000000000000");
    assert_eq!(mysql["lower_public"], postgres["lower"]);
    assert_eq!(sql_server["lower_public"], postgres["lower"]);
    let converted = rowkey("convert --format uuid-v7 --from public --to sql-server")
        .arg(text(&postgres, "lower"))
        .run()
        .ok();
    assert_eq!(sql_server["lower"], converted.trim_end());
}

#[test]
fn columns_are_quoted_and_storages_can_be_chosen() {
    let range = format!("range --format distributed-id {JANUARY} --backend postgres");
    let condition = rowkey(&range)
        .arg("--storage=uuid")
        .arg("--column=my \"id\"")
        .run()
        .ok();
    assert!(
        condition.starts_with(r#""my ""id""" >= '00000000-039d-"#),
        "{condition}"
    );
    rowkey(&range).arg("--storage=guid").run().wrong_usage();
    for column in ["", "a\nb", "a\u{1b}[2J", "a\u{202e}b"] {
        let finished = rowkey(&range).arg(format!("--column={column}")).run();
        assert_eq!(finished.output, "");
        finished.bad_input();
    }
    rowkey(&format!(
        "range --format uuid-v7 {JANUARY} --backend mariadb-uuid --storage uuid"
    ))
    .run()
    .wrong_usage();
}

#[test]
fn a_bound_that_does_not_fit_the_column_is_open() {
    let range = "range --format distributed-id128 --from 4321-01-01T00:00:00Z \
                 --to 4322-01-01T00:00:00Z --backend postgres --storage decimal --json";
    let [answer] = &rowkey(range).run().json()[..] else {
        panic!()
    };
    assert_eq!(text(answer, "lower").len(), 38);
    assert!(answer["upper"].is_null());
    let range = "range --format distributed-id128 --from 4400-01-01T00:00:00Z \
                 --to 4401-01-01T00:00:00Z --backend postgres --storage decimal";
    assert_eq!(rowkey(range).run().ok(), "1 = 0\n");
}

#[test]
fn empty_spans_match_nothing_and_reversed_ones_are_wrong_usage() {
    let range = |from: &str, to: &str| {
        rowkey(&format!(
            "range --format uuid-v7 --from {from} --to {to} --backend postgres"
        ))
        .run()
    };
    assert_eq!(range("5", "5").ok(), "1 = 0\n");
    assert_eq!(range("-10", "-5").ok(), "1 = 0\n");
    range("6", "5").wrong_usage();
}

#[test]
fn a_short_key_has_a_condition_in_every_storage() {
    let mut conditions = String::new();
    for (backend, storages) in [
        ("postgres", &["", "binary", "text", "text-compact"][..]),
        ("mysql", &["", "text", "text-compact"]),
        ("mariadb", &["", "native-uuid", "text"]),
        ("mariadb-uuid", &[""]),
        ("sqlite", &["", "text", "text-compact"]),
        ("sql-server", &["", "uuid:sql-server", "binary", "text"]),
    ] {
        for storage in storages {
            let mut run = rowkey("range --format luuid --short-key 23122e --backend").arg(backend);
            if !storage.is_empty() {
                run = run.arg(format!("--storage={storage}"));
            }
            let condition = run.arg("--group=com.acme.Customer").run().ok();
            conditions.push_str(&format!("{backend} {storage}\n{condition}"));
        }
    }
    insta::assert_snapshot!(conditions);
}

#[test]
fn a_short_key_is_found_between_its_bounds_and_its_neighbours_are_not() {
    let range = "range --format luuid --backend postgres --json";
    let edges = |arguments: &str| {
        let [answer] = &rowkey(&format!("{range} {arguments}")).run().json()[..] else {
            panic!()
        };
        let edge = |name: &str| answer[name].as_str().map(str::to_owned);
        (edge("lower").unwrap(), edge("upper"))
    };
    for (short_key, group) in [("2078", "0x000"), ("0", "0xaa1"), ("ffffffffffff", "0xffe")] {
        let ids = rowkey(&format!(
            "new --format luuid --group {group} --short-key {short_key} -n 1"
        ));
        let id = ids.run().ok().trim_end().to_owned();
        let (lower, upper) = edges(&format!("--short-key {short_key} --group {group}"));
        let upper = upper.unwrap();
        assert!(lower <= id && id < upper, "{lower} {id} {upper}");
        assert_eq!(lower[..18], id[..18]);
        assert_ne!(upper[..18], id[..18]);
        // In any group.
        let (lower, upper) = edges(&format!("--short-key {short_key}"));
        assert_eq!(lower, format!("{}-6000-a000-000000000000", &id[..13]));
        let next =
            upper.is_none_or(|upper| upper > id && upper.ends_with("-6000-a000-000000000000"));
        assert!(next);
    }
    assert_eq!(edges("--short-key ffffffffffff --group 0xfff").1, None);
}

#[test]
fn only_luuids_have_short_keys_and_they_have_no_time() {
    for arguments in [
        "range --format uuid-v7 --short-key 1 --backend postgres",
        "range --format luuid --short-key 1 --from 0 --to 1 --backend postgres",
        "range --format luuid --group 0x1 --backend postgres",
        "range --format uuid-v7 --from 0 --to 1 --group 0x1 --backend postgres",
        "range --format luuid --short-key 1 --interval 60s --backend postgres",
        "range --format luuid --backend postgres",
    ] {
        rowkey(arguments).run().wrong_usage();
    }
}

#[test]
fn a_span_needs_both_ends_unless_there_is_a_short_key() {
    let luuids = "range --format luuid --backend sqlite";
    for (more, missing) in [
        ("", "--from <TIME>|--short-key <HEX>"),
        (" --from 0", "--to <TIME>"),
        (" --to 0", "--from <TIME>"),
    ] {
        let finished = rowkey(&format!("{luuids}{more}")).run();
        let error = finished.wrong_usage();
        assert!(error.contains(missing), "{error}");
    }
    for span in ["--from 0 --to 1", "--from 0", "--to 1", "--interval 60s"] {
        let finished = rowkey(&format!("{luuids} --short-key 1 {span}")).run();
        assert!(finished.wrong_usage().contains("--short-key"), "{span}");
    }
}

#[test]
fn columns_that_give_up_the_order_have_no_ranges() {
    let finished = rowkey(&format!(
        "range --format uuid-v7 {JANUARY} --backend sql-server --storage uuid:public-unordered"
    ))
    .run();
    assert!(finished.wrong_usage().contains("random bytes"));
}

#[test]
fn formats_without_time_have_no_ranges() {
    for format in ["luuid", "uuid-v4", "any-uuid", "database-number"] {
        let finished = rowkey(&format!(
            "range --format {format} {JANUARY} --backend postgres"
        ))
        .run();
        assert!(finished.wrong_usage().contains("carries no time"));
    }
}
