//! What `inspect` shows.

use serde_json::Value;

use crate::program::rowkey;

#[test]
fn json_of_every_format() {
    let ids = [
        ("short-prefix-comb", "006474fb-c7aa-40fa-b346-06fe279621e5"),
        ("short-suffix-comb", "006474fb-c7aa-40fa-b346-06fe279621e5"),
        ("prefix-comb", "017f9b20-0000-4123-8456-789abcdef012"),
        ("suffix-comb", "89abcdef-0123-4123-8456-017f9b200000"),
        ("distributed-id", "1088824355131185736905670087"),
        ("distributed-id128", "094954a8-622c-76ad-1b93-cdefcbdf0888"),
        ("luuid", "00000023-122e-6aa1-a789-28ef27ab7c62"),
        ("iuid", "01941f29-7c00-8001-8040-000000000001"),
        ("hot-guid", "6553f100-7acc-1267-34ff-fffeefbeadde"),
        ("uuid-v4", "006474fb-c7aa-40fa-b346-06fe279621e5"),
        ("uuid-v7", "01941f29-7c00-7001-8040-000000000001"),
        ("any-uuid", "6553f100-7acc-1267-34ff-fffeefbeadde"),
    ];
    let shown: String = ids
        .iter()
        .map(|(format, id)| {
            rowkey(&format!("inspect --json --format {format}"))
                .arg(id)
                .run()
                .ok()
        })
        .collect();
    insta::assert_snapshot!(shown);
}

#[test]
fn text_of_a_distributed_id() {
    insta::assert_snapshot!(rowkey("inspect 1088824355131185736905670087").run().ok());
}

#[test]
fn text_of_a_short_prefix_comb() {
    let id = "006474fb-c7aa-40fa-b346-06fe279621e5";
    insta::assert_snapshot!(
        rowkey("inspect --format short-prefix-comb")
            .arg(id)
            .run()
            .ok()
    );
}

#[test]
fn text_of_a_luuid() {
    let id = "00000023-122e-6aa1-a789-28ef27ab7c62";
    insta::assert_snapshot!(rowkey("inspect --format luuid").arg(id).run().ok());
}

#[test]
fn literals_of_other_columns() {
    let shown = rowkey("inspect --format distributed-id --storage postgres=uuid")
        .arg("--storage=sql-server=uuid")
        .arg("--storage=mysql=binary")
        .arg("--storage=sqlite=text-compact")
        .arg("1088824355131185736905670087")
        .run()
        .ok();
    let literals = shown.split_once("  literals\n").unwrap().1;
    insta::assert_snapshot!(literals);
}

#[test]
fn storages_that_do_not_exist_or_need_a_format_are_wrong_usage() {
    for arguments in [
        "inspect --storage postgres=uuid 5",
        "inspect --format distributed-id --storage postgres=guid 5",
        "inspect --format distributed-id --storage postgres 5",
        "inspect --format distributed-id --storage oracle=uuid 5",
        "inspect --format iuid --storage mariadb=native-uuid 5",
        "inspect --format uuid-v7 --storage sql-server=uuid:public 5",
    ] {
        rowkey(arguments).run().wrong_usage();
    }
}

#[test]
fn without_a_format_all_possible_ones_are_shown_most_likely_first() {
    let formats = |id: &str| -> Vec<String> {
        let shown = rowkey("inspect --json").arg(id).run().json();
        shown
            .iter()
            .map(|shown| shown["format"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        formats("01941f29-7c00-7001-8040-000000000001"),
        ["uuid-v7", "hot-guid", "distributed-id128", "any-uuid"]
    );
    assert_eq!(
        formats("1088824355131185736905670087"),
        [
            "distributed-id",
            "hot-guid",
            "distributed-id128",
            "any-uuid"
        ]
    );
    assert_eq!(formats("3zfAkCP7ZtzfeQYp"), ["distributed-id"]);
    assert_eq!(
        formats("00000000-0384-a786-907d-b2ad82883dc7"),
        [
            "distributed-id",
            "hot-guid",
            "distributed-id128",
            "any-uuid"
        ]
    );
    // 2022 in its first six bytes: more likely a full COMB than a short one.
    assert_eq!(
        formats("017f9b20-0000-4123-8456-789abcdef012")[0],
        "prefix-comb"
    );
    assert_eq!(
        formats("006474fb-c7aa-40fa-b346-06fe279621e5")[0],
        "short-prefix-comb"
    );
}

#[test]
fn blocks_of_text_are_separated_by_an_empty_line() {
    let one = rowkey("inspect --format uuid-v7 01941f29-7c00-7001-8040-000000000001")
        .run()
        .ok();
    let two = rowkey("inspect --format uuid-v7")
        .reading(b"01941f29-7c00-7001-8040-000000000001\n01941f29-7c00-7001-8040-000000000001\n")
        .ok();
    assert_eq!(two, format!("{one}\n{one}"));
}

#[test]
fn every_encoding_is_recognised_with_or_without_a_format() {
    let id = "00000023-122e-6aa1-a789-28ef27ab7c62";
    let expected = rowkey("inspect --json --format luuid").arg(id).run().ok();
    for representation in ["uuid", "hex", "alphanumeric", "decimal", "binary"] {
        let convert = format!("convert --format luuid --from public --to {representation}");
        let text = rowkey(&convert).arg(id).run().ok();
        let with = rowkey("inspect --json --format luuid")
            .reading(text.as_bytes())
            .ok();
        assert_eq!(with, expected, "{representation}");
        let without = rowkey("inspect --json").reading(text.as_bytes()).ok();
        assert!(without.starts_with(&expected), "{representation}");
    }
}

#[test]
fn mariadb_uuid_is_shown_only_where_mariadb_keeps_the_value() {
    for (format, id, kept) in [
        ("uuid-v4", "006474fb-c7aa-40fa-b346-06fe279621e5", true),
        ("uuid-v7", "01941f29-7c00-7001-8040-000000000001", true),
        ("iuid", "01941f29-7c00-8001-8040-000000000001", false),
        ("hot-guid", "6553f100-7acc-1267-34ff-fffeefbeadde", false),
        ("any-uuid", "6553f100-7acc-1267-34ff-fffeefbeadde", false),
    ] {
        let shown: Value = rowkey(&format!("inspect --json --format {format}"))
            .arg(id)
            .run()
            .json()
            .remove(0);
        assert_eq!(shown.get("mariadb_uuid").is_some(), kept, "{format}");
        let convert = format!("convert --format {format} --from public --to mariadb-uuid");
        let converted = rowkey(&convert).arg(id).run();
        if kept {
            assert_eq!(converted.ok().trim_end(), shown["mariadb_uuid"]);
        } else {
            assert!(
                converted
                    .wrong_usage()
                    .contains("MariaDB's UUID type refuses or damages")
            );
        }
    }
}

#[test]
fn numbers_beyond_2_to_the_53_are_strings() {
    let shown = |id: &str| {
        rowkey("inspect --json --format distributed-id128")
            .arg(id)
            .run()
            .json()
            .remove(0)
    };
    assert_eq!(
        shown("00000000-0000-7000-0020-000000000000")["random"],
        1_u64 << 53
    );
    assert_eq!(
        shown("00000000-0000-7000-0020-000000000001")["random"],
        "9007199254740993"
    );
}

#[test]
fn numbers_that_carry_no_time_show_none() {
    let shown = rowkey("inspect --json 9999999999999999999999999999")
        .run()
        .json();
    assert!(shown[0].get("time_unix_ms").is_none());
    assert_eq!(shown[0]["format"], "distributed-id");
}
