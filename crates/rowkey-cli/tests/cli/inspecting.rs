//! The output of `inspect`.

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
        ("database-number", "9007199254740993"),
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
fn text_of_a_number_that_the_database_counts() {
    let shown = rowkey("inspect --format database-number 42").run().ok();
    insta::assert_snapshot!(shown);
    for text in ["42", "9007199254740993"] {
        let unnamed = rowkey(&format!("inspect --all --json {text}")).run().ok();
        assert!(!unnamed.contains("database-number"), "{text}");
    }
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

/// A fixed time to compare with, so that the likelihoods do not change.
const AT: &str = "--at 2026-11-20T12:00:00Z";

/// Format, rank and likelihood of the readings that are shown without `--format`.
fn ranks(arguments: &str, id: &str) -> Vec<(String, u64, String)> {
    let shown = rowkey(&format!("inspect --json {AT} {arguments}"))
        .arg(id)
        .run()
        .json();
    let text = |shown: &Value, name| shown[name].as_str().unwrap().to_owned();
    shown
        .iter()
        .map(|shown| {
            let rank = shown["rank"].as_u64().unwrap();
            (text(shown, "format"), rank, text(shown, "likelihood"))
        })
        .collect()
}

#[test]
fn without_a_format_plausible_readings_are_shown_and_the_most_likely_is_marked() {
    let only = |format: &str| [(format.to_owned(), 1, "most-likely".to_owned())];
    for (format, id) in [
        ("uuid-v7", "01941f29-7c00-7001-8040-000000000001"),
        ("iuid", "01941f29-7c00-8001-8040-000000000001"),
        ("luuid", "00000023-122e-6aa1-a789-28ef27ab7c62"),
        ("distributed-id", "1088824355131185736905670087"),
        ("distributed-id", "3zfAkCP7ZtzfeQYp"),
        ("distributed-id", "00000000-0384-a786-907d-b2ad82883dc7"),
        ("distributed-id128", "094954a8-622c-76ad-1b93-cdefcbdf0888"),
    ] {
        assert_eq!(ranks("", id), only(format));
    }
    let [first, second, third] = &ranks("", "9d3c1f70-2b6e-4c58-a1d4-7e0f6b92c853")[..] else {
        panic!()
    };
    assert_eq!(*first, only("uuid-v4")[0]);
    for (index, other) in [second, third].into_iter().enumerate() {
        assert!(other.0.starts_with("short-"), "{other:?}");
        assert_eq!((other.1, other.2.as_str()), (index as u64 + 2, "possible"));
    }
    // 2022 in its first six bytes.
    let comb = ranks("", "017f9b20-0000-4123-8456-789abcdef012");
    assert_eq!(comb[0], only("prefix-comb")[0]);
}

#[test]
fn unlikely_formats_are_counted_and_shown_on_request() {
    let id = "9d3c1f70-2b6e-4c58-a1d4-7e0f6b92c853";
    let shown = rowkey(&format!("inspect {AT}")).arg(id).run().ok();
    assert!(shown.starts_with("uuid-v4 (most likely)\n"), "{shown}");
    assert!(
        shown.contains("\n\nshort-prefix-comb (possible)\n"),
        "{shown}"
    );
    assert!(
        !shown.contains("time_unix_ms"),
        "a time of the far future: {shown}"
    );
    assert!(
        shown.ends_with("\n\n5 unlikely formats are hidden; --all shows them\n"),
        "{shown}"
    );
    let all = rowkey(&format!("inspect --all {AT}")).arg(id).run().ok();
    assert!(
        all.contains("\n\nprefix-comb (unlikely)\n  time_unix_ms     172"),
        "{all}"
    );
    assert!(!all.contains("hidden"), "{all}");
    let json = rowkey(&format!("inspect --json {AT}")).arg(id).run().json();
    assert_eq!(json[0]["hidden"], 5);
    assert!(json[1].get("hidden").is_none());
    let ranked = ranks("--all", id);
    assert_eq!(ranked.len(), json.len() + 5);
    for (index, (format, rank, likelihood)) in ranked.iter().enumerate() {
        assert_eq!(*rank, index as u64 + 1);
        assert_eq!(likelihood == "unlikely", index >= json.len(), "{format}");
    }
    // With a format there is nothing to rank.
    let shown = rowkey("inspect --format prefix-comb --json")
        .arg(id)
        .run()
        .json();
    assert!(shown[0].get("rank").is_none() && shown[0].get("likelihood").is_none());
    for option in ["--all", AT] {
        rowkey(&format!("inspect --format uuid-v4 {option} {id}"))
            .run()
            .wrong_usage();
    }
}

#[test]
fn new_ids_of_every_format_are_recognised_for_years() {
    let now = "2026-11-20T12:00:00Z";
    let ranked_first = |ids: &[String], at: &str| -> Vec<String> {
        let shown = rowkey(&format!("inspect --json --at {at}")).reading_lines(ids);
        let first = |shown: &Value| (shown["rank"] == 1).then(|| shown["format"].clone());
        let formats = shown.json().into_iter().filter_map(|shown| first(&shown));
        formats
            .map(|format| format.as_str().unwrap().to_owned())
            .collect()
    };
    for format in [
        "prefix-comb",
        "suffix-comb",
        "distributed-id",
        "distributed-id128",
        "iuid --country 1 --entity 2",
        "uuid-v7",
    ] {
        for made in [
            "2012-02-29T23:59:59Z",
            "2024-06-01T00:00:00Z",
            now,
            "2027-01-01T00:00:00Z",
        ] {
            let ids = rowkey(&format!("new --format {format} -n 100 --at {made}")).run();
            let name = format.split(' ').next().unwrap();
            let first = ranked_first(&ids.lines(), now);
            let right = first.iter().filter(|first| *first == name).count();
            // By chance, either end of a COMB can look like a counter of the last minutes.
            let expected = if name.ends_with("-comb") { 90 } else { 100 };
            assert!(right >= expected, "{format} {made}: {right} of 100");
        }
    }
    for format in ["short-prefix-comb", "short-suffix-comb"] {
        let made = "2026-11-20T07:00:00Z";
        let ids = rowkey(&format!("new --format {format} -n 200 --at {made}")).run();
        let first = ranked_first(&ids.lines(), now);
        let right = first.iter().filter(|first| *first == format).count();
        // By chance, the other end of one in hundreds is as near, or a full time.
        assert!(right > 180, "{format}: {right} of 200");
    }
    let ids = rowkey("new --format luuid --group com.acme.Customer --short-key 1 -n 100").run();
    assert_eq!(ranked_first(&ids.lines(), now), ["luuid"; 100]);
    let ids = rowkey("new --format uuid-v4 -n 1000").run().lines();
    let first = ranked_first(&ids, now);
    // By chance, about one in twenty has a counter of the last day at one of its ends.
    let right = first.iter().filter(|first| *first == "uuid-v4").count();
    assert!(right > 850, "{right} of 1000");
}

#[test]
fn random_uuids_are_never_shown_with_an_implausible_time() {
    let ids = rowkey("new --format uuid-v4 -n 2000").run().lines();
    let shown = rowkey(&format!("inspect --json {AT}"))
        .reading_lines(&ids)
        .json();
    let mut v4 = 0;
    for shown in shown {
        if let Some(time) = shown.get("time_unix_ms") {
            let time = time.as_i64().unwrap();
            assert!(
                (946_684_800_000..1_827_000_000_000).contains(&time),
                "{shown}"
            );
        }
        v4 += usize::from(shown["format"] == "uuid-v4");
    }
    assert!(
        v4 > 1_900,
        "hidden only where much speaks for another: {v4}"
    );
}

#[test]
fn input_that_may_be_a_short_key_gets_a_hint() {
    for text in ["2078", "23122e", "5"] {
        let command = format!("rowkey range --format luuid --short-key {text} --backend ...");
        let finished = rowkey("inspect").arg(text).run();
        if text == "23122e" {
            assert!(finished.bad_input().contains(&command), "{finished:?}");
        } else {
            let first = format!("{text} may be the short key of a luuid: {command}\n\n");
            assert!(finished.output.starts_with(&first), "{finished:?}");
        }
        let finished = rowkey("inspect --format luuid").arg(text).run();
        assert!(finished.bad_input().contains(&command), "{finished:?}");
    }
    let one = rowkey("inspect 2078").run().ok();
    assert_eq!(
        rowkey("inspect 2078 2078").run().ok(),
        format!("{one}\n{one}")
    );
    let known = rowkey("inspect --format distributed-id 2078").run().ok();
    assert!(known.starts_with("distributed-id\n"), "{known}");
    let [number] = &ranks("", "2078")[..] else {
        panic!()
    };
    assert_eq!(
        *number,
        ("distributed-id".to_owned(), 1, "possible".to_owned())
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
    let expected_fields: Value = serde_json::from_str(&expected).unwrap();
    for representation in ["uuid", "hex", "alphanumeric", "decimal", "binary"] {
        let convert = format!("convert --format luuid --from public --to {representation}");
        let text = rowkey(&convert).arg(id).run().ok();
        let with = rowkey("inspect --json --format luuid")
            .reading(text.as_bytes())
            .ok();
        assert_eq!(with, expected, "{representation}");
        let without = rowkey("inspect --json").reading(text.as_bytes()).ok();
        let without: Value = serde_json::from_str(without.lines().next().unwrap()).unwrap();
        for (name, value) in expected_fields.as_object().unwrap() {
            assert_eq!(without[name], *value, "{representation}");
        }
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
fn numbers_without_a_time_show_none() {
    let shown = rowkey("inspect --json 9999999999999999999999999999")
        .run()
        .json();
    assert!(shown[0].get("time_unix_ms").is_none());
    assert_eq!(shown[0]["format"], "distributed-id");
}
